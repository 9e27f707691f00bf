#include "dsi/text/filter_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/base/parse_whole_internal.h"
#include "dsi/format/iso_time_internal.h"
#include "dsi/reader/describe/unknown_feature_internal.h"
#include "dsi/reader/filter/predicate_internal.h"

namespace dsi {
namespace {

using internal::InvalidArgument;
using internal::ParseWhole;

constexpr std::string_view kSymbols = "=!<>";
constexpr double kNoInteger = 0x1p65;  // Of 64 bits or fewer.
constexpr std::string_view kGrammar =
    "FEATURE OP VALUE, where OP is one of = != < <= > >=, FEATURE in VALUE,VALUE… (or not in), "
    "FEATURE exists or FEATURE missing; of lists and strings length(FEATURE) in place of FEATURE, "
    "hash(FEATURE) < 0.1 for a tenth of its values; several with or between them";
constexpr std::array<std::pair<std::string_view, Compare>, 11> kOperators = {
    {{"=", Compare::kEqual},
     {"==", Compare::kEqual},
     {"!=", Compare::kNotEqual},
     {"<", Compare::kLess},
     {"<=", Compare::kLessEqual},
     {">", Compare::kGreater},
     {">=", Compare::kGreaterEqual},
     {"in", Compare::kIn},
     {"not in", Compare::kNotIn},
     {"exists", Compare::kExists},
     {"missing", Compare::kMissing}}};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct Parts {
  std::string_view name;
  std::string_view op;
  std::string_view value;
};

// At the operator that begins at `at`, a symbol or the space before a word; nothing where none
// does.
std::optional<Parts> SplitAt(std::string_view text, size_t at) {
  const std::string_view name = Trim(text.substr(0, at));
  if (text[at] != ' ') {
    const size_t end = std::min(text.find_first_not_of(kSymbols, at), text.size());
    return Parts{name, text.substr(at, end - at), Trim(text.substr(end))};
  }
  const std::string_view rest = text.substr(at + 1);
  for (const auto& [op, compare] : kOperators) {
    if (kSymbols.find(op[0]) != std::string_view::npos || !rest.starts_with(op)) continue;
    const std::string_view value = rest.substr(op.size());
    const bool is_alone = Trim(value).empty();
    if (is_alone || (value[0] == ' ' && internal::TakesValue(compare)))
      return Parts{name, op, Trim(value)};
  }
  return std::nullopt;
}

// A column as a term names it: itself, "length(…)", "hash(…)" or "hash(…, SALT)".
struct SubjectText {
  Subject subject = Subject::kValue;
  std::string_view name;
  uint64_t salt = 0;
};

SubjectText ParseSubject(std::string_view text) {
  const auto inside = [text](std::string_view begin) -> std::optional<std::string_view> {
    if (!text.starts_with(begin) || !text.ends_with(')')) return std::nullopt;
    return Trim(text.substr(begin.size(), text.size() - begin.size() - 1));
  };
  if (const auto name = inside("length(")) return {Subject::kLength, *name};
  const auto hashed = inside("hash(");
  if (!hashed) return {Subject::kValue, text};
  SubjectText found{Subject::kHash, *hashed};
  const size_t comma = hashed->rfind(',');
  if (comma != std::string_view::npos && ParseWhole(Trim(hashed->substr(comma + 1)), &found.salt))
    found.name = Trim(hashed->substr(0, comma));
  return found;
}

bool IsName(std::string_view name, std::span<const ColumnInfo> columns) {
  return std::any_of(columns.begin(), columns.end(), [name](const ColumnInfo& column) {
    return name == column.feature || name == column.name;
  });
}

// A column of the file, or what may be asked of one.
bool IsSubject(std::string_view text, std::span<const ColumnInfo> columns) {
  return IsName(text, columns) || IsName(ParseSubject(text).name, columns);
}

// At the first operator that stands after a name of the file, or the length or hash of one, else at
// the first. Nothing where there is none.
std::optional<Parts> Split(std::string_view text, std::span<const ColumnInfo> columns) {
  std::optional<Parts> first;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != ' ' && kSymbols.find(text[at]) == std::string_view::npos) continue;
    const std::optional<Parts> parts = SplitAt(text, at);
    if (!parts) continue;
    if (IsSubject(parts->name, columns)) return parts;
    if (!first) first = parts;
    if (text[at] != ' ') at += parts->op.size() - 1;
  }
  return first;
}

// `for_shape`: not for values.
Result<const ColumnInfo*> FindColumn(std::string_view name, bool for_shape,
                                     std::span<const ColumnInfo> columns) {
  const ColumnInfo* found = nullptr;
  for (const ColumnInfo& column : columns) {
    if (name != column.feature && name != column.name) continue;
    if (!column.support.ok()) return column.support;
    // All columns of a feature exist in the same rows and are of the same lengths.
    if (found != nullptr && for_shape && found->feature == column.feature) continue;
    if (found != nullptr) {
      return InvalidArgument("{} has several columns; name one of them, such as {}", name,
                             found->name);
    }
    found = &column;
  }
  if (found == nullptr) return internal::UnknownFeature(name, columns);
  if (!for_shape)
    DSI_RETURN_IF_ERROR(internal::CheckComparable(found->name, found->kind, found->type));
  return found;
}

Result<FilterValue> ParseText(std::string_view text) {
  if (!text.starts_with('"')) return FilterValue(std::string(text));
  const auto quoted = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!quoted.is_string())
    return InvalidArgument("{} is no string in quotes, as JSON has it", text);
  return FilterValue(quoted.get<std::string>());
}

Result<FilterValue> ParseValue(std::string_view text, const ColumnInfo& column) {
  if (text.empty()) return InvalidArgument("there is no value after the operator");
  if (column.type == Type::kBytes) return ParseText(text);
  if (column.kind == Kind::kTimestamp) {
    DSI_ASSIGN_OR_RETURN(FilterValue time, ParseText(text));
    internal::IsoTime parsed;
    if (internal::ParseIsoTime(std::get<std::string>(time), &parsed)) return time;
  }
  if (column.type == Type::kBool && (text == "true" || text == "false"))
    return FilterValue(int64_t{text == "true"});
  int64_t whole = 0;
  uint64_t large = 0;
  double real = 0;
  if (ParseWhole(text, &whole)) return FilterValue(whole);
  if (ParseWhole(text, &large)) return FilterValue(large);
  if (ParseWhole(text, &real) && !std::isnan(real)) return FilterValue(real);
  if (column.kind == Kind::kTimestamp) {
    return InvalidArgument("the value '{}' is not {}", text,
                           internal::ExpectedTime(column.time_unit));
  }
  return InvalidArgument("the value '{}' is no number{}", text,
                         column.type == Type::kBool ? ", true or false" : "");
}

// At commas that stand in no quotes.
std::vector<std::string_view> SplitValues(std::string_view text) {
  std::vector<std::string_view> values;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' && !quoted) {
      values.push_back(Trim(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"' && (quoted || Trim(text.substr(begin, i - begin)).empty())) {
      quoted = !quoted;
    }
  }
  values.push_back(Trim(text.substr(begin)));
  return values;
}

constexpr std::string_view kOr = " or ";
constexpr std::string_view kAnd = " and ";

// A term begins the text: a subject that there is, or one that there is not and an operator before
// the word.
bool IsTerm(std::string_view text, std::string_view word, std::span<const ColumnInfo> columns) {
  const std::optional<Parts> parts = Split(text, columns);
  if (!parts || IsSubject(parts->name, columns)) return parts.has_value();
  return Split(text.substr(0, text.find(word)), columns).has_value();
}

// Where the word first begins in no quotes and joins two terms. npos: nowhere.
size_t FindJoin(std::string_view text, std::string_view word, std::span<const ColumnInfo> columns) {
  constexpr std::string_view kBeforeQuotes = "=!<> ,";
  bool quoted = false;
  for (size_t i = 1; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"' &&
               (quoted || kBeforeQuotes.find(text[i - 1]) != std::string_view::npos)) {
      quoted = !quoted;
    } else if (!quoted && text.substr(i).starts_with(word) && Split(text.substr(0, i), columns) &&
               IsTerm(Trim(text.substr(i + word.size())), word, columns)) {
      return i;
    }
  }
  return std::string_view::npos;
}

Result<Predicate> ParseTerm(std::string_view text, std::span<const ColumnInfo> columns) {
  const std::optional<Parts> parts = Split(text, columns);
  if (!parts) return InvalidArgument("there is no operator; expected {}", kGrammar);
  if (parts->name.empty()) return InvalidArgument("there is no feature before '{}'", parts->op);
  const auto* const op =
      std::find_if(kOperators.begin(), kOperators.end(),
                   [&](const auto& candidate) { return candidate.first == parts->op; });
  const bool for_presence = op != kOperators.end() && !internal::TakesValue(op->second);
  SubjectText subject{Subject::kValue, parts->name};
  if (!IsName(parts->name, columns)) subject = ParseSubject(parts->name);
  const bool of_length = subject.subject == Subject::kLength;
  DSI_ASSIGN_OR_RETURN(const ColumnInfo* const column,
                       FindColumn(subject.name, for_presence || of_length, columns));
  if (op == kOperators.end())
    return InvalidArgument("'{}' is no operator; expected {}", parts->op, kGrammar);
  Predicate predicate{.column = column->name, .compare = op->second};
  predicate.subject = subject.subject;
  predicate.salt = subject.salt;
  ColumnInfo compared = *column;
  if (of_length)
    DSI_RETURN_IF_ERROR(internal::CheckHasLength(column->name, column->kind, column->type));
  if (subject.subject != Subject::kValue) {
    compared.kind = Kind::kDense;
    compared.type = of_length ? Type::kUint32 : Type::kFloat64;
  }
  if (for_presence) return predicate;
  if (!internal::TakesSet(predicate.compare)) {
    DSI_ASSIGN_OR_RETURN(predicate.value, ParseValue(parts->value, compared));
    return predicate;
  }
  for (const std::string_view value : SplitValues(parts->value)) {
    DSI_ASSIGN_OR_RETURN(FilterValue one, ParseValue(value, compared));
    predicate.values.push_back(std::move(one));
  }
  return predicate;
}

Result<Predicate> Parse(std::string_view text, std::span<const ColumnInfo> columns) {
  if (FindJoin(text, kAnd, columns) != std::string_view::npos) {
    return InvalidArgument(
        "terms joined by \"and\" are given one by one; a string with an operator stands in quotes");
  }
  size_t end = FindJoin(text, kOr, columns);
  DSI_ASSIGN_OR_RETURN(Predicate predicate, ParseTerm(Trim(text.substr(0, end)), columns));
  while (end != std::string_view::npos) {
    text = Trim(text.substr(end + kOr.size()));
    end = FindJoin(text, kOr, columns);
    DSI_ASSIGN_OR_RETURN(Predicate other, ParseTerm(Trim(text.substr(0, end)), columns));
    predicate.alternatives.push_back(std::move(other));
  }
  return predicate;
}

Result<Predicate> ParseKey(std::string_view key, std::span<const std::string> values,
                           std::span<const ColumnInfo> columns) {
  DSI_ASSIGN_OR_RETURN(const ColumnInfo* const column, FindColumn(key, false, columns));
  if (IsFloat(column->type)) {
    return InvalidArgument("{} is a {} of {}; a key is one whole number or string per row",
                           column->name, KindName(column->kind), TypeName(column->type));
  }
  Predicate predicate{.column = column->name, .compare = Compare::kIn};
  for (const std::string& text : values) {
    if (column->type == Type::kBytes) {
      predicate.values.emplace_back(text);
      continue;
    }
    DSI_ASSIGN_OR_RETURN(FilterValue value, ParseValue(text, *column));
    // One that no type holds is in no row.
    if (text.find_first_not_of("-0123456789") != std::string::npos)
      return InvalidArgument("'{}' is no whole number, which {} is", text, column->name);
    // A whole number that no integer type holds is read as the nearest double, which one may be.
    if (std::holds_alternative<double>(value)) value = kNoInteger;
    predicate.values.push_back(std::move(value));
  }
  return predicate;
}

}  // namespace

Result<Predicate> ParsePredicate(std::string_view text, std::span<const ColumnInfo> columns) {
  return internal::NoThrow([&] { return Parse(Trim(text), columns); });
}

Result<Predicate> ParseKeyValues(std::string_view key, std::span<const std::string> values,
                                 std::span<const ColumnInfo> columns) {
  return internal::NoThrow([&] { return ParseKey(key, values, columns); });
}

}  // namespace dsi
