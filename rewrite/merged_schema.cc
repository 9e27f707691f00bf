// One schema for the rows of many files.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/dataset_access_internal.h"
#include "dsi/format/reserved_names_internal.h"
#include "dsi/rewrite/rewritten_schema_internal.h"

namespace dsi::internal {
namespace {

// A copy would lose what cannot be read.
Status RefuseUnsupported(const Reader& reader, const std::string& path) {
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, reader.Columns());
  for (const ColumnInfo& column : columns) {
    if (!column.support.ok()) return column.support.At(path);
  }
  return Status::Ok();
}

// Adds features of an older file that newer ones lack, with the groups they are in.
void AddMissing(const Schema& older, const std::set<std::string_view>& wanted, Schema* schema) {
  const auto is_new = [&](const std::string& name) {
    return wanted.contains(name) && schema->FindFeature(name) < 0;
  };
  for (const GroupSpec& group : older.groups) {
    std::vector<std::string> added;
    std::copy_if(group.features.begin(), group.features.end(), std::back_inserter(added), is_new);
    if (added.empty()) continue;
    const auto known = std::find_if(
        schema->groups.begin(), schema->groups.end(),
        [&](const GroupSpec& other) { return !group.name.empty() && other.name == group.name; });
    if (known != schema->groups.end()) {
      known->features.insert(known->features.end(), added.begin(), added.end());
    } else {
      schema->groups.push_back(
          {.name = group.name, .owner = group.owner, .features = std::move(added)});
    }
  }
  std::vector<FeatureSpec> added;
  for (const FeatureSpec& feature : older.features) {
    if (is_new(feature.name)) added.push_back(feature);
  }
  for (FeatureSpec& feature : added) schema->features.push_back(std::move(feature));
}

void DropPositions(Schema* schema) {
  std::erase_if(schema->features,
                [](const FeatureSpec& feature) { return feature.name == kPositionName; });
}

}  // namespace

Result<Schema> MergedSchema(const Dataset& from) {
  const DatasetFiles& files = DatasetAccess::Files(from);
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, from.Columns());
  std::unordered_map<std::string_view, const ColumnInfo*> by_name;
  std::set<std::string_view> features;
  for (const ColumnInfo& column : columns) {
    if (column.feature == kPositionName) continue;
    by_name[column.name] = &column;
    features.insert(column.feature);
  }
  Schema schema;
  std::map<std::string, double> max_error;  // By column.
  for (size_t i = files.files().size(); i-- > 0;) {
    DSI_ASSIGN_OR_RETURN(const auto reader, files.Acquire(i));
    DSI_RETURN_IF_ERROR(RefuseUnsupported(*reader, files.files()[i].path));
    DSI_ASSIGN_OR_RETURN(Schema of_file, reader->schema());
    DropPositions(&of_file);
    for (const FeatureSpec& feature : of_file.features) {
      for (size_t c = 0; c < feature.columns.size(); ++c) {
        double& greatest = max_error[ColumnName(feature, c)];
        greatest = std::max(greatest, feature.columns[c].max_error);
      }
    }
    if (i + 1 == files.files().size()) {
      schema = std::move(of_file);
      continue;
    }
    AddMissing(of_file, features, &schema);
    if (schema.cluster_by.empty()) schema.cluster_by = of_file.cluster_by;
    schema.metadata.insert(of_file.metadata.begin(), of_file.metadata.end());
  }
  for (FeatureSpec& feature : schema.features) {
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      const ColumnInfo& merged = *by_name.at(ColumnName(feature, c));
      feature.columns[c].type = merged.type;
      feature.columns[c].max_error = max_error[merged.name];
      if (c != 0) continue;
      feature.max_length = merged.max_length;
      feature.default_bits = merged.default_bits;
    }
  }
  return schema;
}

}  // namespace dsi::internal
