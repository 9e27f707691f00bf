// Finds a dsi schema for an Arrow schema.
#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "dsi/arrow/arrow_input.h"
#include "dsi/arrow/in/input_plan_internal.h"
#include "dsi/arrow/in/value_doubts_internal.h"
#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/lists_of_lists.h"
#include "dsi/format/name_words_internal.h"

namespace dsi {
namespace internal {
namespace {

Status Fault(const std::string& name, std::string_view text) {
  return BadInput("column {}: {} (or leave the column out)", QuoteForMessage(name), text);
}

TimeUnit UnitOf(int64_t instant_nanos) {
  if (instant_nanos == 1) return TimeUnit::kNanos;
  if (instant_nanos == 1'000) return TimeUnit::kMicros;
  return instant_nanos == 1'000'000 ? TimeUnit::kMillis : TimeUnit::kSeconds;
}

// date32 counts days.
bool IsDays(const ArrowField& field) {
  return IsArrowNumber(field.form) && field.instant_nanos != 0 && field.type == Type::kInt32;
}

// What a list may hold: numbers, or texts that become ids.
Status CheckItems(const std::string& name, const ArrowField& items) {
  const ArrowField& values = items.values();
  if (values.form == ArrowForm::kUnsupported) return Fault(name, ArrowAdvice(values));
  const bool fits = IsArrowNumber(values.form) || IsArrowBytes(values.form);
  if (fits && !values.dictionary) return {};
  return Fault(
      name, fmt::format("a list of {}, expected one of numbers or strings", DescribeArrow(items)));
}

ColumnSpec ItemColumn(const std::string& name, const ArrowField& values) {
  ColumnSpec column{.name = name, .type = values.type, .id_space = ""};
  if (IsArrowBytes(values.form)) {
    column.type = Type::kInt64;
    column.hashed = true;
  } else if (IsArrowNumber(values.form) && values.instant_nanos != 0) {
    column.type = Type::kInt64;
    column.time_unit = UnitOf(values.instant_nanos);
  }
  return column;
}

// Lists of structs of numbers, and maps. What holds lists is a feature of its own.
Status InferMembers(const std::string& name, const ArrowField& list, FeatureSpec* feature,
                    std::vector<FeatureSpec>* inner) {
  for (const TableColumn& member : ListMembers(list.children[0])) {
    const ArrowField& field = *member.field;
    if (IsPlainList(field) && !list.is_map()) {
      FeatureSpec& of = inner->emplace_back();
      of.name = name + "." + member.name;
      of.kind = Kind::kList;
      of.nested = false;  // It would stand in the list as one of its columns.
      DSI_RETURN_IF_ERROR(CheckItems(of.name, field.children[0]));
      of.columns = {ItemColumn("", field.children[0].values())};
      feature->columns.push_back(
          {.name = LengthsName(member.name), .type = Type::kInt32, .id_space = ""});
      continue;
    }
    DSI_RETURN_IF_ERROR(CheckItems(name + "." + member.name, field));
    feature->columns.push_back(ItemColumn(member.name, field.values()));
  }
  if (feature->columns.empty()) return Fault(name, "a list of structs without members");
  if (list.is_map() && feature->columns.size() == 2) {  // A value that is a struct has its names.
    const bool has_weights =
        IsInteger(feature->columns[0].type) && IsFloat(feature->columns[1].type);
    feature->columns[0].name = has_weights ? "ids" : "key";
    feature->columns[1].name = has_weights ? "weights" : "value";
  }
  feature->kind = KindOfColumns(feature->columns);
  return {};
}

Status InferList(const std::string& name, const ArrowField& list, FeatureSpec* feature,
                 std::vector<FeatureSpec>* inner) {
  const ArrowField& items = list.children[0];
  if (items.form == ArrowForm::kStruct) return InferMembers(name, list, feature, inner);
  if (IsPlainList(items)) {
    inner->push_back(LengthsFeature(*feature));
    DSI_RETURN_IF_ERROR(CheckItems(name, items.children[0]));
    feature->columns = {ItemColumn("", items.children[0].values())};
    feature->kind = Kind::kList;
    return {};
  }
  DSI_RETURN_IF_ERROR(CheckItems(name, items));
  feature->columns = {ItemColumn("", items.values())};
  feature->kind = Kind::kList;
  if (list.form == ArrowForm::kFixedList && IsFloat(feature->columns[0].type)) {
    feature->kind = Kind::kEmbedding;
    feature->fixed_length = static_cast<uint32_t>(list.width);
  }
  return {};
}

// `greatest`: of the values seen, where the name could be that of a time. `inner`: gets features of
// lists in lists.
Status InferColumn(const TableColumn& column, int64_t greatest, FeatureSpec* feature,
                   std::vector<FeatureSpec>* inner) {
  feature->name = column.name;
  const ArrowField& values = column.field->values();
  if (values.form == ArrowForm::kUnsupported) return Fault(column.name, ArrowAdvice(values));
  const bool is_number = IsArrowNumber(values.form);
  if (values.dictionary || (!is_number && !IsArrowBytes(values.form) && !IsArrowList(values.form)))
    return Fault(column.name, "found " + DescribeArrow(*column.field));
  if (IsArrowList(values.form)) return InferList(column.name, values, feature, inner);
  feature->columns = {{.name = "", .type = values.type, .id_space = ""}};
  if (is_number && values.instant_nanos != 0) {
    feature->kind = Kind::kTimestamp;
    feature->columns[0].type = Type::kInt64;
    feature->columns[0].time_unit = UnitOf(values.instant_nanos);
    return {};
  }
  feature->kind = KindByName(column.name, values.type, greatest);
  if (feature->kind != Kind::kTimestamp) return {};
  if (greatest == INT64_MIN) {
    feature->kind = Kind::kDense;  // The unit is not known.
  } else {
    feature->columns[0].time_unit = UnitBySize(greatest);
  }
  return {};
}

// The greatest value of each int64 column whose name may be that of a time.
Result<std::unordered_map<std::string, int64_t>> GreatestTimes(
    const ArrowSchema& table, const std::vector<TableColumn>& columns, const ArrowArray& rows) {
  std::unordered_map<std::string, int64_t> greatest;
  Schema times;
  for (const TableColumn& column : columns) {
    const ArrowField& values = column.field->values();
    if (values.form != ArrowForm::kNumber || values.type != Type::kInt64 || values.is_span ||
        values.instant_nanos != 0 ||
        KindByName(column.name, Type::kInt64, INT64_MAX) != Kind::kTimestamp) {
      continue;
    }
    FeatureSpec& feature = times.features.emplace_back();
    feature.name = column.name;
    feature.columns = {{.name = "", .type = Type::kInt64, .id_space = ""}};
    feature.nested = false;
  }
  if (times.features.empty()) return greatest;
  const auto target = std::make_shared<const Schema>(std::move(times));
  DSI_ASSIGN_OR_RETURN(const std::unique_ptr<ArrowInput> input,
                       ArrowInput::Create(table, target, {.ignore_unknown = true}));
  RowBatch batch(target);
  DSI_RETURN_IF_ERROR(input->Append(rows, &batch));
  if (batch.num_rows() == 0) return greatest;
  for (size_t f = 0; f < target->features.size(); ++f) {
    const std::span<const std::byte> bytes = batch.feature(f).values[0];
    int64_t most = INT64_MIN;
    for (size_t at = 0; at < bytes.size(); at += sizeof(int64_t)) {
      most = std::max(most, LoadLE<int64_t>(&bytes[at]));
    }
    greatest[target->features[f].name] = most;
  }
  return greatest;
}

Result<Schema> InferFromArrow(const ArrowSchema& table, const ArrowArray* rows,
                              ArrowSchemaReport* report) {
  DSI_ASSIGN_OR_RETURN(const ArrowField fields, ParseArrowSchema(table));
  DSI_ASSIGN_OR_RETURN(const std::vector<TableColumn> columns, ListTableColumns(fields));
  std::unordered_map<std::string, int64_t> greatest;
  if (rows != nullptr) {
    DSI_ASSIGN_OR_RETURN(greatest, GreatestTimes(table, columns, *rows));
  }
  std::unordered_set<std::string_view> names;
  for (const TableColumn& column : columns) names.insert(column.name);
  Schema schema;
  std::vector<FeatureSpec> inner;      // Behind all that are columns.
  std::vector<FeatureSpec> may_order;  // Days do not order the rows of a session.
  for (const TableColumn& column : columns) {
    if (NeverHasValue(*column.field)) {
      report->dropped.push_back(column.name);
      continue;
    }
    const auto seen = greatest.find(column.name);
    FeatureSpec feature;
    const size_t num_inner = inner.size();
    DSI_RETURN_IF_ERROR(
        InferColumn(column, seen == greatest.end() ? INT64_MIN : seen->second, &feature, &inner));
    feature.nested = MayNest(column.name, names);
    // Beside a list of lists; those of members never nest.
    for (size_t i = num_inner; i < inner.size(); ++i) inner[i].nested &= feature.nested;
    if (!IsDays(column.field->values())) may_order.push_back(feature);
    schema.features.push_back(std::move(feature));
  }
  std::move(inner.begin(), inner.end(), std::back_inserter(schema.features));
  if (schema.features.empty())
    return BadInput("found no columns with values to find a schema from");
  schema.cluster_by = ClusterByNames(may_order);
  const Status sound = schema.Validate();
  if (sound.code() == StatusCode::kInvalidArgument) {
    return Status(StatusCode::kBadInput, sound.message());
  }
  DSI_RETURN_IF_ERROR(sound);
  if (rows != nullptr) DSI_RETURN_IF_ERROR(NoteDoubts(table, *rows, schema, report));
  return schema;
}

}  // namespace
}  // namespace internal

Result<Schema> SchemaFromArrow(const ArrowSchema& schema, const ArrowArray* rows,
                               ArrowSchemaReport* report) {
  ArrowSchemaReport unused;
  return internal::NoThrow([&]() -> Result<Schema> {
    return internal::InferFromArrow(schema, rows, report != nullptr ? report : &unused);
  });
}

}  // namespace dsi
