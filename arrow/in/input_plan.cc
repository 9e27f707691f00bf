#include "dsi/arrow/in/input_plan_internal.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/format/lists_of_lists.h"

namespace dsi::internal {
namespace {

// The parser has bounded how deep structs nest.
void AddColumns(const ArrowField& parent, const TableColumn& above,
                std::vector<TableColumn>* columns) {
  for (uint32_t i = 0; i < parent.children.size(); ++i) {
    const ArrowField& field = parent.children[i];
    TableColumn column = above;
    column.name += (above.name.empty() ? "" : ".") + field.name;
    column.path.push_back(i);
    column.field = &field;
    if (field.form == ArrowForm::kStruct) {
      AddColumns(field, column, columns);
    } else {
      columns->push_back(std::move(column));
    }
  }
}

template <typename... Args>
Status ColumnFault(const std::string& name, fmt::format_string<Args...> text, Args&&... args) {
  return BadInput("column {}: {}", QuoteForMessage(name),
                  fmt::format(text, std::forward<Args>(args)...));
}

std::string Expectation(const FeatureSpec& feature, size_t column) {
  const std::string_view type = TypeName(feature.columns[column].type);
  if (feature.kind == Kind::kEmbedding) {
    return fmt::format("a list of {} numbers for an embedding of {}", feature.fixed_length, type);
  }
  if (IsListKind(feature.kind)) {
    return fmt::format("a list of numbers{} for {}",
                       feature.columns[column].hashed ? " or strings" : "", type);
  }
  if (feature.columns[0].type == Type::kBytes) return "strings";
  return fmt::format("a number for kind {} of type {}", KindName(feature.kind), type);
}

// Nulls alone may be lists.
bool MayHoldLists(const ArrowField& list) {
  return IsPlainList(list.children[0]) || list.children[0].form == ArrowForm::kNull;
}

// "tags" of the sequence "history" for "history.tags"; else empty.
std::string_view MemberName(const FeatureSpec& sequence, std::string_view name) {
  const size_t size = sequence.name.size() + 1;
  return name.starts_with(sequence.name + ".") ? name.substr(size) : std::string_view();
}

bool IsListOfStructs(const ArrowField& list) {
  return !list.dictionary && IsArrowList(list.form) &&
         list.children[0].form == ArrowForm::kStruct && !list.children[0].dictionary;
}

bool IsList(const FeatureSpec& feature) {
  return IsListKind(feature.kind) || feature.kind == Kind::kEmbedding;
}

class Planner {
 public:
  Planner(const std::vector<TableColumn>& columns, const Schema& schema)
      : columns_(columns), schema_(schema), taken_(columns.size()), lengths_(FindLengths(schema)) {
    for (size_t i = 0; i < columns.size(); ++i) by_name_.emplace(columns[i].name, i);
    for (uint32_t f = 0; f < lengths_.size(); ++f) {
      if (!lengths_[f]) continue;
      const LengthsColumn& at = *lengths_[f];
      lists_of_.emplace(ColumnName(schema.features[at.feature], at.column), f);
    }
  }

  Result<InputPlan> Plan(bool ignore_unknown) {
    for (uint32_t f = 0; f < schema_.features.size(); ++f) {
      const FeatureSpec& feature = schema_.features[f];
      FeaturePlan plan{.feature = f, .columns = {}};
      DSI_RETURN_IF_ERROR(Find(feature, ignore_unknown, &plan));
      if (lengths_[f]) DSI_RETURN_IF_ERROR(FindInner(feature, *lengths_[f], &plan));
      if (plan.columns.empty()) {
        plan_.absent.push_back(feature.name);
      } else {
        plan_.features.push_back(std::move(plan));
      }
    }
    for (size_t i = 0; i < columns_.size(); ++i) {
      // What never has a value needs no feature.
      if (taken_[i] || NeverHasValue(*columns_[i].field)) continue;
      DSI_RETURN_IF_ERROR(AddUnknown(columns_[i].name, ignore_unknown));
    }
    return std::move(plan_);
  }

 private:
  // Null: there is none, or none that ever has a value.
  const TableColumn* Take(const std::string& name) {
    const auto at = by_name_.find(name);
    if (at == by_name_.end()) return nullptr;
    taken_[at->second] = true;
    const TableColumn& column = columns_[at->second];
    return column.field->values().form == ArrowForm::kNull ? nullptr : &column;
  }

  Status Find(const FeatureSpec& feature, bool ignore_unknown, FeaturePlan* plan) {
    const TableColumn* whole = Take(feature.name);
    if (whole != nullptr && (feature.kind == Kind::kWeighted || feature.kind == Kind::kSequence)) {
      return FindMembers(feature, *whole, ignore_unknown, plan);
    }
    std::string missing;
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      const std::string name = ColumnName(feature, c);
      const TableColumn* column = Take(name);
      if (column == nullptr) {
        if (const TableColumn* lists = ListsOf(name); lists != nullptr) {
          plan->columns.push_back(
              {.name = name, .path = lists->path, .inner = InnerPart::kLengths});
        } else {
          missing = name;
        }
        continue;
      }
      DSI_RETURN_IF_ERROR(CheckColumn(feature, c, *column));
      plan->columns.push_back({.name = name, .path = column->path});
    }
    if (missing.empty() || plan->columns.empty()) return {};
    return BadInput("feature {}: column {} is missing, expected all {} columns or none",
                    QuoteForMessage(feature.name), QuoteForMessage(missing),
                    feature.columns.size());
  }

  // The column of lists of lists whose lengths are called `name`, or null.
  const TableColumn* ListsOf(const std::string& name) const {
    const auto feature = lists_of_.find(name);
    if (feature == lists_of_.end()) return nullptr;
    const auto at = by_name_.find(schema_.features[feature->second].name);
    if (at == by_name_.end()) return nullptr;
    const ArrowField& list = columns_[at->second].field->values();
    return IsArrowList(list.form) && MayHoldLists(list) ? &columns_[at->second] : nullptr;
  }

  // A feature that may hold lists of lists: from the members of structs as well, and with the
  // lengths in any case.
  Status FindInner(const FeatureSpec& feature, const LengthsColumn& lengths, FeaturePlan* plan) {
    const FeatureSpec& of = schema_.features[lengths.feature];
    const std::string lengths_name = ColumnName(of, lengths.column);
    if (!plan->columns.empty()) {
      const auto own = by_name_.find(feature.name);
      if (own == by_name_.end()) return {};  // Lengths of others.
      const ArrowField& list = columns_[own->second].field->values();
      if (!IsArrowList(list.form)) return {};  // Nulls alone, beside lengths.
      const bool has_lengths = by_name_.contains(lengths_name);
      if (has_lengths && IsPlainList(list.children[0])) {
        return ColumnFault(feature.name, "found lists of lists, and their lengths in {}",
                           QuoteForMessage(lengths_name));
      }
      if (!has_lengths && !MayHoldLists(list)) {
        return ColumnFault(feature.name, "found a list of values, expected one of lists, or {} too",
                           QuoteForMessage(lengths_name));
      }
      if (!has_lengths) plan->columns[0].inner = InnerPart::kEntries;
      return {};
    }
    const auto at = by_name_.find(of.name);
    if (of.kind != Kind::kSequence || at == by_name_.end()) return {};
    const TableColumn& whole = columns_[at->second];
    if (!IsListOfStructs(whole.field->values())) return {};
    for (const TableColumn& member : ListMembers(whole.field->values().children[0])) {
      if (member.name != MemberName(of, feature.name) || !IsPlainList(*member.field)) continue;
      DSI_RETURN_IF_ERROR(CheckNumber(feature, 0, feature.name, member.field->children[0]));
      plan->columns.push_back({.name = feature.name,
                               .path = whole.path,
                               .member = member.path,
                               .inner = InnerPart::kEntries});
    }
    return {};
  }

  // A list of structs for the feature as a whole, or a map: its keys are the first column.
  Status FindMembers(const FeatureSpec& feature, const TableColumn& whole, bool ignore_unknown,
                     FeaturePlan* plan) {
    const ArrowField& list = whole.field->values();
    if (!IsListOfStructs(list)) {
      return ColumnFault(whole.name,
                         "found {}, expected list<struct> for kind {}, or a column each",
                         DescribeArrow(*whole.field), KindName(feature.kind));
    }
    const std::vector<TableColumn> members = ListMembers(list.children[0]);
    const bool by_place = list.is_map() && feature.columns.size() == members.size();
    std::unordered_map<std::string_view, size_t> by_name;
    for (size_t i = 0; i < members.size(); ++i) {
      if (!by_name.emplace(by_place ? feature.columns[i].name : members[i].name, i).second) {
        return ColumnFault(whole.name, "member {} stands twice", QuoteForMessage(members[i].name));
      }
    }
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      const std::string name = ColumnName(feature, c);
      auto at = by_name.find(feature.columns[c].name);
      const auto lists = lists_of_.find(name);
      if (at == by_name.end() && lists != lists_of_.end()) {
        at = by_name.find(MemberName(feature, schema_.features[lists->second].name));
        if (at != by_name.end() && IsPlainList(*members[at->second].field)) {
          plan->columns.push_back({.name = name,
                                   .path = whole.path,
                                   .member = members[at->second].path,
                                   .inner = InnerPart::kLengths});
          by_name.erase(at);
          continue;
        }
        at = by_name.end();
      }
      if (at == by_name.end()) {
        return ColumnFault(whole.name, "member {} is missing, expected all {} columns",
                           QuoteForMessage(feature.columns[c].name), feature.columns.size());
      }
      DSI_RETURN_IF_ERROR(CheckNumber(feature, c, name, *members[at->second].field));
      plan->columns.push_back(
          {.name = name, .path = whole.path, .member = members[at->second].path});
      by_name.erase(at);
    }
    for (const TableColumn& member : members) {
      if (by_place || !by_name.contains(member.name)) continue;
      DSI_RETURN_IF_ERROR(AddUnknown(whole.name + "." + member.name, ignore_unknown));
    }
    return {};
  }

  Status CheckColumn(const FeatureSpec& feature, size_t c, const TableColumn& column) {
    const ArrowField& values = column.field->values();
    if (values.form == ArrowForm::kUnsupported) {
      return ColumnFault(column.name, "{}", ArrowAdvice(values));
    }
    if (!IsList(feature)) return CheckNumber(feature, c, column.name, *column.field);
    if (!IsArrowList(values.form) || values.dictionary) {
      return Unfit(feature, c, column.name, *column.field);
    }
    if (feature.kind == Kind::kEmbedding && values.form == ArrowForm::kFixedList &&
        values.width != feature.fixed_length) {
      return Unfit(feature, c, column.name, *column.field);
    }
    const ArrowField& items = values.children[0];
    const bool takes_lists =
        feature.kind == Kind::kList && lists_of_.contains(LengthsName(feature.name));
    return CheckNumber(feature, c, column.name,
                       takes_lists && IsPlainList(items) ? items.children[0] : items);
  }

  // A column that is no list, or the items of one.
  static Status CheckNumber(const FeatureSpec& feature, size_t c, const std::string& name,
                            const ArrowField& field) {
    const ArrowField& values = field.values();
    if (values.form == ArrowForm::kUnsupported) {
      return ColumnFault(name, "{}", ArrowAdvice(values));
    }
    const Type type = feature.columns[c].type;
    const bool fits = type == Type::kBytes
                          ? IsArrowBytes(values.form)
                          : IsArrowNumber(values.form) ||
                                (IsList(feature) && values.form == ArrowForm::kNull) ||
                                (feature.columns[c].hashed && IsArrowBytes(values.form));
    // What is counted from no point in time is no point in time.
    const bool no_time = feature.columns[c].time_unit != TimeUnit::kNone && values.is_span;
    if (fits && !no_time && !values.dictionary) return {};
    return Unfit(feature, c, name, field);
  }

  static Status Unfit(const FeatureSpec& feature, size_t c, const std::string& name,
                      const ArrowField& field) {
    std::string advice;
    if (feature.kind == Kind::kList && IsPlainList(field)) {
      advice = fmt::format(" (lists of lists take a list {} of int32 beside it)",
                           QuoteForMessage(LengthsName(feature.name)));
    }
    return ColumnFault(name, "found {}, expected {}{}", DescribeArrow(field),
                       Expectation(feature, c), advice);
  }

  Status AddUnknown(const std::string& name, bool ignore) {
    if (ignore) {
      plan_.ignored.push_back(name);
      return {};
    }
    NearNames near(name, 3);
    for (const std::string& absent : plan_.absent) near.Offer(absent);
    return ColumnFault(name, "no feature of the schema has this name{}", near.Advice());
  }

  const std::vector<TableColumn>& columns_;
  const Schema& schema_;
  std::vector<bool> taken_;
  std::unordered_map<std::string_view, size_t> by_name_;
  const std::vector<std::optional<LengthsColumn>> lengths_;  // By feature, of lists in it.
  std::unordered_map<std::string, uint32_t> lists_of_;       // By the name of their lengths.
  InputPlan plan_;
};

}  // namespace

std::vector<TableColumn> ListMembers(const ArrowField& structs) {
  std::vector<TableColumn> members;
  AddColumns(structs, {}, &members);
  return members;
}

Result<std::vector<TableColumn>> ListTableColumns(const ArrowField& table) {
  std::vector<TableColumn> columns;
  AddColumns(table, {}, &columns);
  std::unordered_map<std::string_view, size_t> names;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (names.emplace(columns[i].name, i).second) continue;
    return ColumnFault(columns[i].name, "stands twice in the table");
  }
  return columns;
}

Result<InputPlan> PlanInput(const ArrowField& table, const Schema& schema, bool ignore_unknown) {
  DSI_ASSIGN_OR_RETURN(const std::vector<TableColumn> columns, ListTableColumns(table));
  return Planner(columns, schema).Plan(ignore_unknown);
}

}  // namespace dsi::internal
