// JSON Lines to rows. simdjson checks the line and lays it out; one walk over that layout matches
// keys with features and hands the values on.
#include <simdjson.h>

#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/iso_time_internal.h"
#include "dsi/format/number_fit_internal.h"
#include "dsi/text/json/json_line_internal.h"
#include "dsi/text/json/key_tree_internal.h"
#include "dsi/text/json/json_rows_internal.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;
using dom::element_type;

class JsonParser : public RowParser {
 public:
  JsonParser(std::shared_ptr<const Schema> rows_schema, const TextInputOptions& options)
      : RowParser(std::make_unique<LineSource>(options.max_line_bytes), std::move(rows_schema)),
        ignore_unknown_(options.ignore_unknown),
        epoch_unit_(options.epoch_unit) {
    MakeKeys();
  }

 protected:
  Result<bool> NextRow() override {
    do {
      DSI_ASSIGN_OR_RETURN(const bool more, lines().Next(&line_));
      if (!more) return false;
    } while (IsBlank(line_));
    return true;
  }

  Status SetRow(RowBatch* batch) override {
    dom::object object;
    DSI_RETURN_IF_ERROR(parser_.Parse(line_, lines(), &object));
    ++row_;
    batch_ = batch;
    members_.clear();
    return SetObject(object, keys_->root());
  }

  void ForgetIgnored() override {
    if (num_unknown_ > IgnoredNames::kMost / 4) MakeKeys();
  }

  std::string_view row_text() const override { return line_; }

 private:
  // In the place of a column: the feature that has it, and others.
  static constexpr uint32_t kWhole = UINT32_MAX;

  void MakeKeys() {
    keys_ = std::make_unique<KeyTree>();
    num_unknown_ = 0;
    for (size_t f = 0; f < schema().features.size(); ++f) {
      const FeatureSpec& feature = schema().features[f];
      for (size_t c = 0; c < feature.columns.size(); ++c) {
        KeyTree::Node* node = keys_->Add(ColumnName(feature, c), true);
        node->feature = static_cast<uint32_t>(f);
        node->column = static_cast<uint32_t>(c);
        node->type = feature.columns[c].type;
        node->hashed = feature.columns[c].hashed;
        node->is_list = IsListKind(feature.kind) || feature.kind == Kind::kEmbedding;
      }
      if (feature.kind != Kind::kSequence && feature.kind != Kind::kWeighted) continue;
      KeyTree::Node* whole = keys_->Add(feature.name, true);
      whole->feature = static_cast<uint32_t>(f);
      whole->column = kWhole;
    }
  }

  // Of one column of entries that are objects.
  struct Entries {
    const KeyTree::Node* column = nullptr;
    std::vector<dom::element> values;
  };

  // A member whose name is known, waiting for its value to be set.
  struct Member {
    KeyTree::Node* node;
    dom::element value;
  };

  // Names first, then values: in rows that hold some hundred of many thousand features, what is
  // known of a feature is rarely in the cache, and can be fetched while other names are looked up.
  // The parser has bounded how deep objects nest.
  Status SetObject(dom::object object, KeyTree::Node* parent) {
    const size_t begin = members_.size();
    KeyTree::Entry* last = nullptr;
    for (const dom::key_value_pair member : object) {
      KeyTree::Node* node = keys_->Find(parent, member.key, &last);
      if (node == nullptr) {
        DSI_ASSIGN_OR_RETURN(node, AddUnknown(parent, member, &last));
        if (node == nullptr) continue;
      }
      __builtin_prefetch(node, 1);
      if (last->feature != KeyTree::kNone) batch_->Prefetch(last->feature);
      members_.push_back({node, member.value});
    }
    const size_t end = members_.size();
    for (size_t i = begin; i < end; ++i) DSI_RETURN_IF_ERROR(SetMember(members_[i]));
    members_.resize(begin);
    return {};
  }

  Status SetMember(Member member) {
    KeyTree::Node* node = member.node;
    if (node->is_unknown) {
      if (HasValue(member.value)) Ignore(node);
      return {};
    }
    if (node->row == row_) return Fault("{} stands twice in the row", QuoteForMessage(node->name));
    node->row = row_;
    const element_type type = member.value.type();
    if (type == element_type::NULL_VALUE) return {};
    const bool is_whole = node->feature != KeyTree::kNone && node->column == kWhole;
    if (node->feature != KeyTree::kNone && !is_whole) return SetFeature(*node, member.value, type);
    if (type == element_type::OBJECT) return SetObject(member.value, node);
    if (is_whole) return SetEntries(node, member.value);
    if (ignore_unknown_) {
      Ignore(node);
      return {};
    }
    return Fault("{}: found {}, expected an object", QuoteForMessage(node->name),
                 DescribeJson(member.value));
  }

  // False for null and for objects of nothing else. The parser has bounded how deep they nest.
  static bool HasValue(dom::element value) {
    dom::object object;
    if (value.get(object) != simdjson::SUCCESS) return !value.is_null();
    for (const dom::key_value_pair member : object) {
      if (HasValue(member.value)) return true;
    }
    return false;
  }

  // A name that the schema lacks: none, or where they are skipped a node to count its values by.
  // Missing and null are one state, so what holds nothing else needs no feature.
  Result<KeyTree::Node*> AddUnknown(KeyTree::Node* parent, const dom::key_value_pair& member,
                                    KeyTree::Entry** last) {
    if (!HasValue(member.value)) return nullptr;
    if (!ignore_unknown_) {
      return Fault("{} is no feature of the schema; found {}",
                   QuoteForMessage(KeyTree::Join(*parent, member.key)), DescribeJson(member.value));
    }
    if (ignored().is_full()) {
      ignored().AddBeyond();
      return nullptr;
    }
    ++num_unknown_;
    KeyTree::Node* const node = keys_->FindOrAdd(parent, member.key, last);
    node->is_unknown = true;
    return node;
  }

  // Of a node that is no feature, `column` is its place among the ignored.
  void Ignore(KeyTree::Node* node) { ignored().Add(&node->column, node->name, lines_done()); }

  Status SetFeature(const KeyTree::Node& node, dom::element value, element_type type) {
    if (node.is_list) {
      if (type == element_type::ARRAY) return SetList(node, dom::array(value));
      if (type == element_type::STRING && node.hashed) return SetText(node, value);
      return Unexpected(node, value);
    }
    const Type stored = node.type;
    if (stored == Type::kInt64) {
      const TimeUnit unit = schema().features[node.feature].time_unit;
      if (unit != TimeUnit::kNone &&
          (type == element_type::STRING || epoch_unit_ != TimeUnit::kNone))
        return SetTime(node, value, unit);
    }
    switch (type) {
      case element_type::INT64:
        return Set(batch_->SetInt(node.feature, int64_t(value)));
      case element_type::UINT64:
        return Set(batch_->SetUint(node.feature, uint64_t(value)));
      case element_type::DOUBLE:
        if (!IsFloat(stored)) break;
        return Set(batch_->SetDouble(node.feature, double(value)));
      case element_type::BOOL:
        if (stored != Type::kBool) break;
        return Set(batch_->SetInt(node.feature, bool(value) ? 1 : 0));
      case element_type::STRING: {
        const std::string_view text = value;
        if (stored == Type::kBytes) return Set(batch_->SetBytes(node.feature, text));
        double number = 0;
        if (!IsFloat(stored) || !ParseFloatWord(text, &number)) break;
        return Set(batch_->SetDouble(node.feature, number));
      }
      default:
        break;
    }
    return Unexpected(node, value);
  }

  // An object for each entry, in place of an array for each column.
  Status SetEntries(KeyTree::Node* node, dom::element value) {
    dom::array array;
    if (value.get(array) != simdjson::SUCCESS) {
      return Fault("feature {}: found {}, expected an array of objects, or an object of arrays",
                   QuoteForMessage(node->name), DescribeJson(value));
    }
    const size_t num_columns = schema().features[node->feature].columns.size();
    if (entries_.size() < num_columns) entries_.resize(num_columns);
    for (size_t c = 0; c < num_columns; ++c) entries_[c].values.clear();
    size_t count = 0;
    for (const dom::element item : array) {
      DSI_RETURN_IF_ERROR(AddEntry(node, item, count++));
      for (size_t c = 0; c < num_columns; ++c) {
        if (entries_[c].values.size() == count) continue;
        const std::string name = ColumnName(schema().features[node->feature], c);
        return Fault("feature {}: entry {} has no {}, expected all {} columns",
                     QuoteForMessage(node->name), count - 1, QuoteForMessage(name), num_columns);
      }
    }
    for (size_t c = 0; c < num_columns; ++c) {
      const Status set = count == 0
                             ? Set(batch_->SetInts(node->feature, c, std::span(ints_).first(0)))
                             : SetList(*entries_[c].column, entries_[c].values);
      DSI_RETURN_IF_ERROR(set);
    }
    return {};
  }

  Status AddEntry(KeyTree::Node* node, dom::element item, size_t number) {
    dom::object object;
    if (item.get(object) != simdjson::SUCCESS) {
      return Fault("feature {}: entry {}: found {}, expected an object",
                   QuoteForMessage(node->name), number, DescribeJson(item));
    }
    KeyTree::Entry* last = nullptr;
    for (const dom::key_value_pair member : object) {
      KeyTree::Node* column = keys_->Find(node, member.key, &last);
      if (column == nullptr) {
        DSI_ASSIGN_OR_RETURN(column, AddUnknown(node, member, &last));
        if (column == nullptr) continue;
      }
      if (column->is_unknown) {
        if (HasValue(member.value)) Ignore(column);
        continue;
      }
      if (member.value.is_null()) continue;
      if (column->feature != node->feature) {
        return Fault("feature {}: entry {}: found {}, which is no column of it",
                     QuoteForMessage(node->name), number, QuoteForMessage(column->name));
      }
      Entries& of = entries_[column->column];
      if (of.values.size() != number) {
        return Fault("feature {}: entry {}: {} stands twice", QuoteForMessage(node->name), number,
                     QuoteForMessage(column->name));
      }
      of.column = column;
      of.values.push_back(member.value);
    }
    return {};
  }

  Status SetTime(const KeyTree::Node& node, dom::element value, TimeUnit unit) {
    const TimeUnit from = epoch_unit_ == TimeUnit::kNone ? unit : epoch_unit_;
    std::string_view text;
    int64_t time = 0;
    Status status;
    IsoTime iso;
    if (value.get(text) == simdjson::SUCCESS) {
      if (!ParseIsoTime(text, &iso)) return Unexpected(node, value);
      status = IsoToUnit(iso, unit, &time);
    } else if (value.is_int64()) {
      status = ConvertTime(int64_t(value), from, unit, &time);
    } else if (value.is_double()) {
      // The shortest text that reads back to the same double, which is what was written wherever
      // that had no more than 15 digits.
      status = ConvertTimeText(fmt::format("{}", double(value)), from, unit, &time);
    } else {
      return Unexpected(node, value);
    }
    if (!status.ok()) return Fault("feature {}: {}", QuoteForMessage(node.name), status.message());
    return Set(batch_->SetInt(node.feature, time));
  }

  // Items: a dom::array, or what entries have of one column.
  template <typename Items>
  Status SetList(const KeyTree::Node& node, const Items& array) {
    const Type type = node.type;
    if (IsFloat(type)) return SetDoubles(node, array, type);
    if (node.hashed && array.size() != 0 && (*array.begin()).is_string())
      return SetTexts(node, array);
    ints_.clear();
    for (const dom::element item : array) {
      int64_t number = 0;
      if (item.is_int64()) {
        number = item.get_int64().value_unsafe();
      } else if (item.is_uint64()) {
        return SetUints(node, array);
      } else if (type == Type::kBool && item.is_bool()) {
        number = bool(item) ? 1 : 0;
      } else {
        return UnexpectedEntry(node, item, ints_.size());
      }
      ints_.push_back(number);
    }
    return Set(batch_->SetInts(node.feature, node.column, ints_));
  }

  // A text of a hashed list is a list of one.
  Status SetText(const KeyTree::Node& node, std::string_view text) {
    return Set(batch_->SetTexts(node.feature, node.column, {&text, 1}));
  }

  template <typename Items>
  Status SetTexts(const KeyTree::Node& node, const Items& array) {
    texts_.clear();
    for (const dom::element item : array) {
      std::string_view text;
      if (item.get(text) != simdjson::SUCCESS) return UnexpectedEntry(node, item, texts_.size());
      texts_.push_back(text);
    }
    return Set(batch_->SetTexts(node.feature, node.column, texts_));
  }

  // Lists with a number of 2^63 or more.
  template <typename Items>
  Status SetUints(const KeyTree::Node& node, const Items& array) {
    uints_.clear();
    for (const dom::element item : array) {
      uint64_t number = 0;
      if (item.get(number) != simdjson::SUCCESS) return UnexpectedEntry(node, item, uints_.size());
      uints_.push_back(number);
    }
    return Set(batch_->SetUints(node.feature, node.column, uints_));
  }

  template <typename Items>
  Status SetDoubles(const KeyTree::Node& node, const Items& array, Type type) {
    doubles_.clear();
    for (const dom::element item : array) {
      double number = 0;
      bool fits = true;
      switch (item.type()) {
        case element_type::DOUBLE:
          number = item.get_double().value_unsafe();
          break;
        case element_type::INT64:
          fits = WholeToDouble(int64_t(item), type, &number);
          break;
        case element_type::UINT64:
          fits = WholeToDouble(uint64_t(item), type, &number);
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
    return Set(batch_->SetDoubles(node.feature, node.column, doubles_));
  }

  template <typename Whole>
  static bool WholeToDouble(Whole whole, Type type, double* number) {
    if (type == Type::kFloat64) return ConvertWhole(whole, number);
    float exact = 0;
    const bool fits = ConvertWhole(whole, &exact);
    *number = exact;
    return fits;
  }

  Status Set(const Status& status) {
    if (status.ok()) [[likely]]
      return {};
    return AtLine(status);
  }

  template <typename... Args>
  Status Fault(fmt::format_string<Args...> text, Args&&... args) {
    return BadInput("{}: {}", lines().Where(), fmt::format(text, std::forward<Args>(args)...));
  }

  static std::string ExpectedValue(const KeyTree::Node& node) {
    if (node.type == Type::kBytes) return "a string";
    if (node.hashed) return fmt::format("strings alone or numbers of type {}", TypeName(node.type));
    return fmt::format("{} of type {}", node.type == Type::kBool ? "a truth value" : "a number",
                       TypeName(node.type));
  }

  Status Unexpected(const KeyTree::Node& node, dom::element value) {
    if (node.is_list) {
      return Fault("feature {}: found {}, expected an array of type {}", QuoteForMessage(node.name),
                   DescribeJson(value), TypeName(node.type));
    }
    const TimeUnit unit = schema().features[node.feature].time_unit;
    return Fault("feature {}: found {}, expected {}", QuoteForMessage(node.name),
                 DescribeJson(value),
                 unit == TimeUnit::kNone ? ExpectedValue(node) : ExpectedTime(unit));
  }

  Status UnexpectedEntry(const KeyTree::Node& node, dom::element item, size_t at) {
    if (IsFloat(node.type) && (item.is_int64() || item.is_uint64())) {
      return Fault("feature {}: entry {}: found {}, {}", QuoteForMessage(node.name), at,
                   DescribeJson(item), AdviceOnWhole(node.type));
    }
    return Fault("feature {}: entry {}: found {}, expected {}{}", QuoteForMessage(node.name), at,
                 DescribeJson(item), ExpectedValue(node),
                 item.is_string() ? " (a \"hashed\" list takes strings)"
                                  : " (lists hold neither null nor lists)");
  }

  const bool ignore_unknown_;
  const TimeUnit epoch_unit_;
  std::unique_ptr<KeyTree> keys_;
  size_t num_unknown_ = 0;
  JsonLineParser parser_;
  uint64_t row_ = 0;
  std::string_view line_;        // Of the row being read.
  RowBatch* batch_ = nullptr;    // That it goes to.
  std::vector<Member> members_;  // Of the objects being read, outer ones first.
  std::vector<int64_t> ints_;
  std::vector<uint64_t> uints_;
  std::vector<double> doubles_;
  std::vector<std::string_view> texts_;
  std::vector<Entries> entries_;  // By column.
};

}  // namespace

std::unique_ptr<RowParser> MakeJsonParser(std::shared_ptr<const Schema> schema,
                                          const TextInputOptions& options) {
  return std::make_unique<JsonParser>(std::move(schema), options);
}

}  // namespace dsi::internal
