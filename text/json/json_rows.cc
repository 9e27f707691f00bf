// JSON Lines to rows. simdjson checks the line and lays it out; one walk over that layout matches
// keys with features and hands the values on.
#include <simdjson.h>

#include <unordered_map>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/lists_of_lists.h"
#include "dsi/text/json/inner_lists_internal.h"
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
    flat_.clear();
    DSI_RETURN_IF_ERROR(SetObject(object, keys_->root()));
    return flat_.empty() ? Status() : CheckFlat();
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
        columns_[f].emplace_back().node = keys_->Add(ColumnName(feature, c), true);
      if (take_names[f]) maps_[whole] = {columns_[f][0].node, columns_[f][1].node};
    }
    MakeLengths();
  }

  void MakeLengths() {
    lengths_.clear();
    const std::vector<std::optional<LengthsColumn>> found = FindLengths(schema());
    for (size_t f = 0; f < found.size(); ++f) {
      if (!found[f]) continue;
      const auto [feature, column] = *found[f];
      const FeatureSpec& of = schema().features[feature];
      KeyTree::Node* node = keys_->Add(schema().features[f].name, true);
      node->has_lengths = true;
      lengths_[node] = keys_->Add(ColumnName(of, column), true);
      if (of.kind == Kind::kSequence) columns_[feature][column].lists_node = node;
    }
  }

  // The columns of entries whose names are the values of the first.
  struct MapColumns {
    const KeyTree::Node* names = nullptr;
    const KeyTree::Node* values = nullptr;
  };

  // A column of a list of objects, and its values in the list being read; of the lengths of lists,
  // these lists in their place.
  struct EntryColumn {
    KeyTree::Node* node = nullptr;
    KeyTree::Node* lists_node = nullptr;
    std::vector<dom::element> values = {};
    InnerLists lists = {};

    const std::string& name() const {
      return lists_node != nullptr ? lists_node->name : node->name;
    }
    size_t size() const { return values.size() + lists.lengths().size(); }
    void Clear() {
      values.clear();
      lists.Clear();
    }
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
    if (node->feature != KeyTree::kNone && !is_whole) {
      if (node->has_lengths && type == element_type::ARRAY) {
        if (HoldsLists(member.value)) return SetListOfLists(node, member.value);
        flat_.push_back(member);
      }
      return Set(values_.SetValue(*node, member.value));
    }
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

  Status SetListOfLists(KeyTree::Node* node, dom::array lists) {
    inner_.Clear();
    for (const dom::element list : lists) {
      if (list.is_null() && null_entries_ == NullEntries::kDrop) continue;
      if (!inner_.Add(list, null_entries_)) return NoList(*node, inner_.lengths().size(), list);
    }
    return SetInner(node, inner_);
  }

  Status SetInner(KeyTree::Node* node, const InnerLists& inner) {
    KeyTree::Node* lengths = lengths_.at(node);
    if (lengths->row == row_)
      return Fault("{} stands in the row, and lists in {}", QuoteForMessage(lengths->name),
                   QuoteForMessage(node->name));
    lengths->row = row_;
    DSI_RETURN_IF_ERROR(Set(values_.SetList(*node, inner.entries())));
    return Set(batch_->SetInts(lengths->feature, lengths->column, inner.lengths()));
  }

  // Entries that stand side by side already come with the lengths of their lists.
  Status CheckFlat() {
    for (const Member& member : flat_) {
      const KeyTree::Node* lengths = lengths_.at(member.node);
      if (lengths->row == row_) continue;
      if (dom::array(member.value).size() != 0) {
        return Fault("feature {}: found a list, expected one of lists, or {} in the row",
                     QuoteForMessage(member.node->name), QuoteForMessage(lengths->name));
      }
      DSI_RETURN_IF_ERROR(
          Set(batch_->SetInts(lengths->feature, lengths->column, std::span<const int64_t>())));
    }
    return {};
  }

  Status NoList(const KeyTree::Node& node, size_t number, dom::element found) {
    return Fault("feature {}: entry {}: found {}, expected a list", QuoteForMessage(node.name),
                 number, DescribeJson(found));
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
    std::vector<EntryColumn>& columns = columns_[node->feature];
    for (EntryColumn& column : columns) column.Clear();
    size_t count = 0;
    for (const dom::element item : array) {
      if (item.is_null() && null_entries_ == NullEntries::kDrop) continue;
      DSI_RETURN_IF_ERROR(AddEntry(node, item, count++));
      for (EntryColumn& column : columns) {
        if (column.size() == count) continue;
        if (column.size() > count) {
          return Fault("feature {}: entry {}: {} stands twice", QuoteForMessage(node->name),
                       count - 1, QuoteForMessage(column.name()));
        }
        if (null_entries_ != NullEntries::kFill) {
          return Fault("feature {}: entry {} has no {}, expected all {} columns",
                       QuoteForMessage(node->name), count - 1, QuoteForMessage(column.name()),
                       columns.size());
        }
        if (column.lists_node == nullptr || !column.values.empty()) {
          column.values.push_back(values_.null());
        } else {
          (void)column.lists.Add(values_.null(), null_entries_);
        }
      }
    }
    for (const EntryColumn& column : columns) DSI_RETURN_IF_ERROR(SetColumn(column, count));
    return {};
  }

  Status SetColumn(const EntryColumn& column, size_t count) {
    if (column.lists_node != nullptr && column.values.empty()) {
      if (column.lists_node->row == row_)
        return Fault("{} stands twice in the row", QuoteForMessage(column.lists_node->name));
      column.lists_node->row = row_;
      return SetInner(column.lists_node, column.lists);
    }
    return Set(count == 0 ? batch_->SetInts(column.node->feature, column.node->column,
                                            std::span<const int64_t>())
                          : values_.SetList(*column.node, column.values));
  }

  // An object of arrays begins with one, or with the name of a column.
  bool IsMap(KeyTree::Node* node, dom::object object) {
    KeyTree::Entry* last = nullptr;
    bool names_columns = object.size() != 0;
    for (const dom::key_value_pair member : object) {
      const bool is_column = keys_->Find(node, member.key, &last) != nullptr;
      names_columns = names_columns && is_column;
      if (!member.value.is_null()) return !member.value.is_array() && !is_column;
    }
    return !names_columns;
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
    if (item.is_null() && null_entries_ == NullEntries::kFill) return {};
    return AddMembers(*node, node, item, number);
  }

  // Of an entry of `whole`, or of an object in it, which is called `parent`.
  Status AddMembers(const KeyTree::Node& whole, KeyTree::Node* parent, dom::element item,
                    size_t number) {
    dom::object object;
    if (item.get(object) != simdjson::SUCCESS) {
      return Fault("feature {}: entry {}: found {}, expected an object",
                   QuoteForMessage(parent->name), number, DescribeJson(item));
    }
    KeyTree::Entry* last = nullptr;
    for (const dom::key_value_pair member : object) {
      KeyTree::Node* column = keys_->Find(parent, member.key, &last);
      if (column == nullptr) {
        DSI_ASSIGN_OR_RETURN(column, AddUnknown(parent, member, &last));
        if (column == nullptr) continue;
      }
      if (column->is_unknown) {
        if (HasValue(member.value)) Ignore(column);
        continue;
      }
      if (member.value.is_null()) continue;
      if (column->has_lengths && lengths_.at(column)->feature == whole.feature) {
        InnerLists& lists = columns_[whole.feature][lengths_.at(column)->column].lists;
        if (!lists.Add(member.value, null_entries_)) return NoList(*column, number, member.value);
        continue;
      }
      if (column->feature == KeyTree::kNone && member.value.is_object()) {
        DSI_RETURN_IF_ERROR(AddMembers(whole, column, member.value, number));
        continue;
      }
      if (column->feature == KeyTree::kNone && ignore_unknown_) {
        Ignore(column);
        continue;
      }
      if (column->feature != whole.feature) {
        return Fault("feature {}: entry {}: found {}, which is no column of it",
                     QuoteForMessage(whole.name), number, QuoteForMessage(column->name));
      }
      columns_[whole.feature][column->column].values.push_back(member.value);
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
  std::string_view line_;        // Of the row being read.
  RowBatch* batch_ = nullptr;    // That it goes to.
  std::vector<Member> members_;  // Of the objects being read, outer ones first.
  std::vector<Member> flat_;     // Lists whose lengths must stand in the row, too.
  InnerLists inner_;             // Of the list being read.
  std::vector<std::vector<EntryColumn>>
      columns_;  // By feature, of those that are lists of entries.
  std::unordered_map<const KeyTree::Node*, KeyTree::Node*> lengths_;  // Of the lists inside lists.
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
