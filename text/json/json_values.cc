#include "dsi/text/json/json_values_internal.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/parse_whole_internal.h"
#include "dsi/format/lists_of_lists.h"
#include "dsi/format/number_fit_internal.h"
#include "dsi/text/json/json_line_internal.h"
#include "dsi/text/lines/number_of_text_internal.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;
using dom::element_type;

template <typename Whole>
bool WholeToDouble(Whole whole, Type type, double* number) {
  if (type == Type::kFloat64) return ConvertWhole(whole, number);
  float exact = 0;
  const bool fits = ConvertWhole(whole, &exact);
  *number = exact;
  return fits;
}

std::string ExpectedValue(const KeyTree::Node& node) {
  if (node.type == Type::kBytes) return "a string";
  if (node.hashed) return fmt::format("strings alone or numbers of type {}", TypeName(node.type));
  return fmt::format("{} of type {}", node.type == Type::kBool ? "a truth value" : "a number",
                     TypeName(node.type));
}

}  // namespace

JsonValues::JsonValues(const Schema* schema, TimeForms times, NullEntries null_entries)
    : schema_(*schema), times_(std::move(times)), null_entries_(null_entries) {
  if (null_entries != NullEntries::kFill) return;
  dom::array constants;
  if (constants_.parse(std::string(R"([null, 0, "NaN", ""])")).get(constants) != simdjson::SUCCESS)
    throw std::bad_alloc();
  dom::element* const all[] = {&null_, &zero_, &nan_, &empty_text_};
  size_t i = 0;
  for (const dom::element constant : constants) *all[i++] = constant;
}

Status JsonValues::SetValue(const KeyTree::Node& node, dom::element value) {
  const element_type type = value.type();
  if (node.is_list) {
    if (type == element_type::ARRAY) return SetEntries(node, dom::array(value));
    // A text of a hashed list is a list of one.
    if (std::string_view text; node.hashed && value.get(text) == simdjson::SUCCESS)
      return batch_->SetTexts(node.feature, node.column, {&text, 1});
    return Unexpected(node, value);
  }
  const Type stored = node.type;
  if (node.time_unit != TimeUnit::kNone &&
      (type == element_type::STRING || times_.has_epoch_unit())) {
    int64_t time = 0;
    DSI_RETURN_IF_ERROR(ReadTime(node, value, &time));
    return batch_->SetInt(node.feature, time);
  }
  switch (type) {
    case element_type::INT64:
      return batch_->SetInt(node.feature, int64_t(value));
    case element_type::UINT64:
      return batch_->SetUint(node.feature, uint64_t(value));
    case element_type::DOUBLE:
      if (!IsFloat(stored)) break;
      return batch_->SetDouble(node.feature, NumberOfText(double(value), stored));
    case element_type::BOOL:
      if (stored != Type::kBool) break;
      return batch_->SetInt(node.feature, bool(value) ? 1 : 0);
    case element_type::STRING: {
      const std::string_view text = value;
      if (stored == Type::kBytes) return batch_->SetBytes(node.feature, text);
      double number = 0;
      if (!IsFloat(stored) || !ParseFloatWord(text, &number)) break;
      return batch_->SetDouble(node.feature, number);
    }
    default:
      break;
  }
  return Unexpected(node, value);
}

Status JsonValues::SetList(const KeyTree::Node& node, std::span<const dom::element> entries) {
  return SetEntries(node, entries);
}

template <typename Items>
Status JsonValues::SetEntries(const KeyTree::Node& node, const Items& items) {
  const auto is_null = [](dom::element item) { return item.is_null(); };
  const bool is_alone = schema_.features[node.feature].columns.size() == 1;
  if (null_entries_ == NullEntries::kFail || (null_entries_ == NullEntries::kDrop && !is_alone) ||
      std::none_of(items.begin(), items.end(), is_null))
    return SetItems(node, items);
  // A hashed list holds texts, unless this one has numbers.
  const bool has_number =
      std::any_of(items.begin(), items.end(), [](dom::element item) { return item.is_number(); });
  const dom::element stands_in = IsFloat(node.type)           ? nan_
                                 : node.hashed && !has_number ? empty_text_
                                                              : zero_;
  entries_.clear();
  for (const dom::element item : items) {
    if (!item.is_null()) {
      entries_.push_back(item);
    } else if (null_entries_ == NullEntries::kFill) {
      entries_.push_back(stands_in);
    }
  }
  return SetItems(node, std::span<const dom::element>(entries_));
}

Status JsonValues::SetNames(const KeyTree::Node& node, std::span<const std::string_view> names) {
  if (node.hashed) return batch_->SetTexts(node.feature, node.column, names);
  ints_.clear();
  uints_.clear();
  bool is_wide = false, is_negative = false;
  for (const std::string_view name : names) {
    int64_t number = 0;
    uint64_t wide = 0;
    if (ParseWhole(name, &number)) {
      wide = static_cast<uint64_t>(number);
      is_negative = is_negative || number < 0;
    } else if (ParseWhole(name, &wide)) {
      is_wide = true;
    } else {
      return BadInput(
          "feature {}: entry {}: the name {} is no number of type {} (\"hashed\" takes any)",
          QuoteForMessage(node.name), ints_.size(), QuoteForMessage(name), TypeName(node.type));
    }
    ints_.push_back(number);
    uints_.push_back(wide);
  }
  if (!is_wide) return batch_->SetInts(node.feature, node.column, ints_);
  if (!is_negative) return batch_->SetUints(node.feature, node.column, uints_);
  return BadInput("feature {}: names below 0 beside some of 2^63 and more fit no type",
                  QuoteForMessage(node.name));
}

Status JsonValues::ReadTime(const KeyTree::Node& node, dom::element value, int64_t* time) const {
  const TimeUnit unit = node.time_unit;
  const TimeUnit from = times_.UnitOfNumbers(unit);
  std::string_view text;
  Status status;
  IsoTime parsed;
  if (value.get(text) == simdjson::SUCCESS) {
    if (!times_.Parse(text, &parsed)) return Unfit(node, value);
    status = IsoToUnit(parsed, unit, time);
  } else if (value.is_int64()) {
    status = ConvertTime(int64_t(value), from, unit, time);
  } else if (value.is_double()) {
    // The shortest text that reads back to the same double, which is what was written wherever
    // that had no more than 15 digits.
    status = ConvertTimeText(fmt::format("{}", double(value)), from, unit, time);
  } else {
    return Unfit(node, value);
  }
  if (!status.ok()) return BadInput("feature {}: {}", QuoteForMessage(node.name), status.message());
  return {};
}

template <typename Items>
Status JsonValues::SetItems(const KeyTree::Node& node, const Items& array) {
  const Type type = node.type;
  if (IsFloat(type)) return SetDoubles(node, array);
  if (node.hashed && array.size() != 0 && (*array.begin()).is_string()) {
    DSI_RETURN_IF_ERROR(Collect(node, array, &texts_));
    return batch_->SetTexts(node.feature, node.column, texts_);
  }
  if (node.time_unit != TimeUnit::kNone) return SetTimes(node, array);
  ints_.clear();
  for (const dom::element item : array) {
    int64_t number = 0;
    if (item.is_int64()) {
      number = item.get_int64().value_unsafe();
    } else if (item.is_uint64()) {
      // One of 2^63 or more.
      DSI_RETURN_IF_ERROR(Collect(node, array, &uints_));
      return batch_->SetUints(node.feature, node.column, uints_);
    } else if (type == Type::kBool && item.is_bool()) {
      number = bool(item) ? 1 : 0;
    } else {
      return UnexpectedEntry(node, item, ints_.size());
    }
    ints_.push_back(number);
  }
  return batch_->SetInts(node.feature, node.column, ints_);
}

template <typename Items>
Status JsonValues::SetTimes(const KeyTree::Node& node, const Items& array) {
  ints_.clear();
  for (const dom::element item : array) {
    if (!item.is_string() && !item.is_number()) return UnexpectedEntry(node, item, ints_.size());
    DSI_RETURN_IF_ERROR(ReadTime(node, item, &ints_.emplace_back()));
  }
  return batch_->SetInts(node.feature, node.column, ints_);
}

template <typename Items, typename T>
Status JsonValues::Collect(const KeyTree::Node& node, const Items& array,
                           std::vector<T>* values) const {
  values->clear();
  for (const dom::element item : array) {
    T value;
    if (item.get(value) != simdjson::SUCCESS) return UnexpectedEntry(node, item, values->size());
    values->push_back(value);
  }
  return {};
}

template <typename Items>
Status JsonValues::SetDoubles(const KeyTree::Node& node, const Items& array) {
  doubles_.clear();
  for (const dom::element item : array) {
    double number = 0;
    bool fits = true;
    switch (item.type()) {
      case element_type::DOUBLE:
        number = NumberOfText(item.get_double().value_unsafe(), node.type);
        break;
      case element_type::INT64:
        fits = WholeToDouble(int64_t(item), node.type, &number);
        break;
      case element_type::UINT64:
        fits = WholeToDouble(uint64_t(item), node.type, &number);
        break;
      case element_type::STRING:
        fits = ParseFloatWord(std::string_view(item), &number);
        break;
      default:
        fits = false;
    }
    if (!fits) return UnexpectedEntry(node, item, doubles_.size());
    doubles_.push_back(number);
  }
  return batch_->SetDoubles(node.feature, node.column, doubles_);
}

std::string JsonValues::Expected(const KeyTree::Node& node) const {
  return node.time_unit == TimeUnit::kNone ? ExpectedValue(node) : times_.Expected(node.time_unit);
}

Status JsonValues::Unexpected(const KeyTree::Node& node, dom::element value) const {
  if (node.is_list) {
    return BadInput("feature {}: found {}, expected an array of type {}",
                    QuoteForMessage(node.name), DescribeJson(value), TypeName(node.type));
  }
  return Unfit(node, value);
}

Status JsonValues::Unfit(const KeyTree::Node& node, dom::element value) const {
  return BadInput("feature {}: found {}, expected {}", QuoteForMessage(node.name),
                  DescribeJson(value), Expected(node));
}

Status JsonValues::UnexpectedEntry(const KeyTree::Node& node, dom::element item, size_t at) const {
  if (IsFloat(node.type) && (item.is_int64() || item.is_uint64())) {
    return BadInput("feature {}: entry {}: found {}, {}", QuoteForMessage(node.name), at,
                    DescribeJson(item), AdviceOnWhole(node.type));
  }
  const bool may_hold_lists =
      schema_.features[node.feature].kind == Kind::kList && !node.has_lengths;
  std::string why = " (lists hold neither null nor lists)";
  if (item.is_string()) why = " (a \"hashed\" list takes strings)";
  if (item.is_array() && may_hold_lists) {
    why = fmt::format(" (lists of lists take a list {} of int32 beside it)",
                      QuoteForMessage(LengthsName(node.name)));
  }
  return BadInput("feature {}: entry {}: found {}, expected {}{}", QuoteForMessage(node.name), at,
                  DescribeJson(item), Expected(node), why);
}

}  // namespace dsi::internal
