// Directory -> Schema: the inverse of what the writer stores (spec §8, §12).
#include <string>
#include <unordered_map>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/reader/describe/describe_internal.h"

namespace dsi::internal {
namespace {

FeatureSpec FeatureOfLeader(const OpenColumn& leader) {
  const ColumnRecord& r = leader.record;
  FeatureSpec feature;
  feature.name = leader.feature_name();
  feature.kind = r.kind;
  feature.id = leader.feature_id();
  feature.max_length = r.max_length;
  feature.fixed_length = r.fixed_length;
  feature.newest_first = r.newest_first;
  feature.nested = r.nested;
  if (r.has_default) feature.default_bits = r.default_bits;
  return feature;
}

Result<ColumnSpec> SpecOfColumn(const OpenFile& file, const OpenColumn& column) {
  const ColumnRecord& r = column.record;
  ColumnSpec spec;
  if (r.name_size != r.feature_name_size) spec.name = column.name.substr(r.feature_name_size + 1U);
  spec.type = r.type;
  spec.hashed = r.hashed;
  spec.time_unit = r.time_unit;
  if (r.id_space != kNone16) {
    DSI_ASSIGN_OR_RETURN(const IdSpaceRecord space, file.LoadIdSpace(r.id_space));
    DSI_ASSIGN_OR_RETURN(spec.id_space, LoadOptionalName(file, space.name_offset, space.name_size));
  }
  return spec;
}

std::string FeatureName(const OpenColumn& column) {
  return column.name.substr(0, column.record.feature_name_size);
}

// By column: whether this build can read all columns of its feature (S-010, S-011).
std::vector<bool> ReadableFeatures(const std::vector<OpenColumn>& columns) {
  std::vector<bool> readable(columns.size(), true);
  for (const OpenColumn& column : columns) {
    if (!column.record.Support().ok()) readable[column.first_column()] = false;
  }
  for (const OpenColumn& column : columns)
    readable[column.ordinal] = readable[column.first_column()];
  return readable;
}

// Of groups by ordinal, with their features, keeps those declared. F-073: parts of the same name
// are one.
Status JoinDeclaredGroups(const OpenFile& file, const std::vector<OpenColumn>& columns,
                          const std::vector<bool>& readable, std::vector<GroupSpec>* groups) {
  std::vector<GroupSpec> declared;
  std::unordered_map<std::string, size_t> by_name;
  for (uint32_t g = 0; g < groups->size(); ++g) {
    DSI_ASSIGN_OR_RETURN(const GroupRecord record, file.LoadGroup(g));
    if (record.source != 1 && record.source != 3) continue;
    if ((*groups)[g].features.empty()) continue;  // All of them are of a newer version.
    DSI_ASSIGN_OR_RETURN(std::string name,
                         LoadOptionalName(file, record.name_offset, record.name_size));
    const auto [at, fresh] = by_name.emplace(name, declared.size());
    if (fresh) {
      declared.push_back({.name = std::move(name), .owner = {}, .features = {}});
      if (record.source == 1 && record.owner != kNone32 && readable[record.owner])
        declared.back().owner = FeatureName(columns[record.owner]);
    }
    GroupSpec& group = declared[at->second];
    for (std::string& feature : (*groups)[g].features) group.features.push_back(std::move(feature));
  }
  *groups = std::move(declared);
  return Status::Ok();
}

}  // namespace

Result<Schema> RebuildSchema(const OpenFile& file) {
  DSI_ASSIGN_OR_RETURN(const std::vector<OpenColumn> columns, LoadAllColumns(file));
  Schema schema;
  schema.groups.resize(file.core().groups.count);
  DSI_ASSIGN_OR_RETURN(const std::vector<PrecisionRecord> precisions, LoadPrecisions(file));
  const std::vector<bool> readable = ReadableFeatures(columns);
  for (const OpenColumn& column : columns) {
    if (!readable[column.ordinal]) continue;
    if (column.record.place == 0) {
      schema.features.push_back(FeatureOfLeader(column));
      schema.groups[column.record.group].features.push_back(schema.features.back().name);
    } else if (schema.features.empty()) {
      return Corrupt("column {}: no leader before it (F-070)", column.ordinal);
    }
    DSI_ASSIGN_OR_RETURN(ColumnSpec spec, SpecOfColumn(file, column));
    DSI_ASSIGN_OR_RETURN(const PrecisionRecord precision, PrecisionOf(precisions, column));
    spec.precision = precision.precision;
    spec.max_error = precision.max_error;
    schema.features.back().columns.push_back(std::move(spec));
  }
  DSI_RETURN_IF_ERROR(JoinDeclaredGroups(file, columns, readable, &schema.groups));
  for (const uint32_t key : file.core().cluster_keys) {
    if (!readable[key]) break;  // Rows are ordered by those before it all the same.
    schema.cluster_by.push_back(FeatureName(columns[key]));
  }
  DSI_ASSIGN_OR_RETURN(schema.metadata, LoadUserMetadata(file));
  return schema;
}

}  // namespace dsi::internal
