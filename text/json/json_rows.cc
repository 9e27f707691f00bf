// JSON Lines to rows. simdjson checks the line and lays it out; one walk over that layout matches
// keys with features and hands the values on.
#include <simdjson.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/text/json/json_line_internal.h"
#include "dsi/text/json/key_tree_internal.h"
#include "dsi/text/json/json_rows_internal.h"
#include "dsi/text/json/json_values_internal.h"
#include "dsi/text/names_as_data.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;
using dom::element_type;

class JsonParser : public RowParser {
 public:
  JsonParser(std::shared_ptr<const Schema> rows_schema, const TextInputOptions& options,
             TimeForms times)
      : RowParser(std::make_unique<LineSource>(options.max_line_bytes), std::move(rows_schema)),
        ignore_unknown_(options.ignore_unknown),
        null_entries_(options.null_entries),
        values_(&schema(), std::move(times), options.null_entries) {
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
    values_.set_batch(batch);
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
    maps_.clear();
    columns_.assign(schema().features.size(), {});
    num_unknown_ = 0;
    const std::vector<bool> take_names = TakeNamesAsData(schema());
    for (size_t f = 0; f < schema().features.size(); ++f) {
      const FeatureSpec& feature = schema().features[f];
      for (size_t c = 0; c < feature.columns.size(); ++c) {
        KeyTree::Node* node = keys_->Add(ColumnName(feature, c), true);
        node->feature = static_cast<uint32_t>(f);
        node->column = static_cast<uint32_t>(c);
        node->type = feature.columns[c].type;
        node->hashed = feature.columns[c].hashed;
        node->time_unit = feature.columns[c].time_unit;
        node->is_list = IsListKind(feature.kind) || feature.kind == Kind::kEmbedding;
      }
      if (feature.kind != Kind::kSequence && feature.kind != Kind::kWeighted) continue;
      KeyTree::Node* whole = keys_->Add(feature.name, true);
      whole->feature = static_cast<uint32_t>(f);
      whole->column = kWhole;
      for (size_t c = 0; c < feature.columns.size(); ++c)
        columns_[f].push_back(keys_->Add(ColumnName(feature, c), true));
      if (take_names[f]) {
        maps_[whole] = {columns_[f][0], columns_[f][1]};
      }
    }
  }

  // The columns of entries whose names are the values of the first.
  struct MapColumns {
    const KeyTree::Node* names = nullptr;
    const KeyTree::Node* values = nullptr;
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
    if (node->feature != KeyTree::kNone && !is_whole)
      return Set(values_.SetValue(*node, member.value));
    if (type == element_type::OBJECT) {
      const auto map = maps_.find(node);
      if (map != maps_.end() && IsMap(node, member.value)) return SetMap(map->second, member.value);
      return SetObject(member.value, node);
    }
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

  // An object for each entry, in place of an array for each column.
  Status SetEntries(KeyTree::Node* node, dom::element value) {
    dom::array array;
    if (value.get(array) != simdjson::SUCCESS) {
      return Fault("feature {}: found {}, expected an array of objects, or an object of arrays",
                   QuoteForMessage(node->name), DescribeJson(value));
    }
    const size_t num_columns = schema().features[node->feature].columns.size();
    if (entries_.size() < num_columns) entries_.resize(num_columns);
    for (size_t c = 0; c < num_columns; ++c) entries_[c].clear();
    size_t count = 0;
    for (const dom::element item : array) {
      if (item.is_null() && null_entries_ == NullEntries::kDrop) continue;
      DSI_RETURN_IF_ERROR(AddEntry(node, item, count++));
      for (size_t c = 0; c < num_columns; ++c) {
        if (entries_[c].size() == count) continue;
        if (null_entries_ == NullEntries::kFill) {
          entries_[c].push_back(values_.null());
          continue;
        }
        const std::string name = ColumnName(schema().features[node->feature], c);
        return Fault("feature {}: entry {} has no {}, expected all {} columns",
                     QuoteForMessage(node->name), count - 1, QuoteForMessage(name), num_columns);
      }
    }
    for (size_t c = 0; c < num_columns; ++c) {
      DSI_RETURN_IF_ERROR(Set(count == 0
                                  ? batch_->SetInts(node->feature, c, std::span<const int64_t>())
                                  : values_.SetList(*columns_[node->feature][c], entries_[c])));
    }
    return {};
  }

  // An object of arrays begins with one, or with the name of a column.
  bool IsMap(KeyTree::Node* node, dom::object object) {
    KeyTree::Entry* last = nullptr;
    for (const dom::key_value_pair member : object) {
      if (member.value.is_null()) continue;
      return !member.value.is_array() && keys_->Find(node, member.key, &last) == nullptr;
    }
    return object.size() == 0;
  }

  // A member for each entry: its name, and its value.
  Status SetMap(const MapColumns& columns, dom::object object) {
    names_.clear();
    map_values_.clear();
    for (const dom::key_value_pair member : object) {
      names_.push_back(member.key);
      map_values_.push_back(member.value);
    }
    DSI_RETURN_IF_ERROR(Set(values_.SetNames(*columns.names, names_)));
    return Set(values_.SetList(*columns.values, map_values_));
  }

  Status AddEntry(KeyTree::Node* node, dom::element item, size_t number) {
    dom::object object;
    if (item.is_null() && null_entries_ == NullEntries::kFill) return {};
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
      std::vector<dom::element>& of = entries_[column->column];
      if (of.size() != number) {
        return Fault("feature {}: entry {}: {} stands twice", QuoteForMessage(node->name), number,
                     QuoteForMessage(column->name));
      }
      of.push_back(member.value);
    }
    return {};
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

  const bool ignore_unknown_;
  const NullEntries null_entries_;
  JsonValues values_;
  std::unique_ptr<KeyTree> keys_;
  size_t num_unknown_ = 0;
  JsonLineParser parser_;
  uint64_t row_ = 0;
  std::string_view line_;                           // Of the row being read.
  RowBatch* batch_ = nullptr;                       // That it goes to.
  std::vector<Member> members_;                     // Of the objects being read, outer ones first.
  std::vector<std::vector<dom::element>> entries_;  // By column, of the list being read.
  std::vector<std::vector<const KeyTree::Node*>> columns_;     // Of features that are such lists.
  std::unordered_map<const KeyTree::Node*, MapColumns> maps_;  // By what stands for the feature.
  std::vector<std::string_view> names_;
  std::vector<dom::element> map_values_;
};

}  // namespace

std::unique_ptr<RowParser> MakeJsonParser(std::shared_ptr<const Schema> schema,
                                          const TextInputOptions& options, TimeForms times) {
  return std::make_unique<JsonParser>(std::move(schema), options, std::move(times));
}

}  // namespace dsi::internal
