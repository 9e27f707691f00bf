// One schema for the rows of many files.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/dataset/dataset_access_internal.h"
#include "dsi/dataset/files/schema_view_internal.h"
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

// Adds those of the features of `from` that are asked for to groups of the same names, or new ones.
template <typename IsAsked>
void AddToGroups(const Schema& from, const IsAsked& is_asked, Schema* schema) {
  for (const GroupSpec& group : from.groups) {
    std::vector<std::string> added;
    std::copy_if(group.features.begin(), group.features.end(), std::back_inserter(added), is_asked);
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
}

// Adds features of an older file that newer ones lack, with the groups they are in.
void AddMissing(const Schema& older, const std::set<std::string_view>& wanted, Schema* schema) {
  const auto is_new = [&](const std::string& name) {
    return wanted.contains(name) && schema->FindFeature(name) < 0;
  };
  AddToGroups(older, is_new, schema);
  std::vector<FeatureSpec> added;
  for (const FeatureSpec& feature : older.features) {
    if (is_new(feature.name)) added.push_back(feature);
  }
  for (FeatureSpec& feature : added) schema->features.push_back(std::move(feature));
}

// DS-026: columns that sequences have in some files.
void AddLacking(std::span<const ColumnInfo> columns, Schema* schema) {
  std::unordered_map<std::string_view, FeatureSpec*> sequences;
  for (FeatureSpec& feature : schema->features) {
    if (feature.kind == Kind::kSequence) sequences[feature.name] = &feature;
  }
  for (const ColumnInfo& column : columns) {
    const auto sequence = sequences.find(column.feature);
    if (sequence == sequences.end()) continue;
    std::vector<ColumnSpec>& known = sequence->second->columns;
    const std::string name = column.name.substr(column.feature.size() + 1);
    const auto is_it = [&](const ColumnSpec& spec) { return spec.name == name; };
    if (std::any_of(known.begin(), known.end(), is_it)) continue;
    known.push_back({.name = name,
                     .type = column.type,
                     .id_space = column.id_space,
                     .precision = column.precision,
                     .hashed = column.hashed,
                     .time_unit = column.time_unit});
  }
}

void DropPositions(Schema* schema) {
  std::erase_if(schema->features,
                [](const FeatureSpec& feature) { return feature.name == kPositionName; });
}

// DS-042: features of an overlay in the place of those that they are, and behind them. One that the
// overlay declares in no group stays in that of the base.
void AddOverlay(const Schema& overlay, Schema* schema) {
  for (const FeatureSpec& feature : overlay.features) {
    auto at = std::find_if(schema->features.begin(), schema->features.end(),
                           [&](const FeatureSpec& other) { return other.id == feature.id; });
    if (at == schema->features.end()) {
      at = std::find_if(schema->features.begin(), schema->features.end(),
                        [&](const FeatureSpec& other) { return other.name == feature.name; });
    }
    if (at == schema->features.end()) {
      schema->features.push_back(feature);
      continue;
    }
    const bool is_declared =
        std::any_of(overlay.groups.begin(), overlay.groups.end(), [&](const GroupSpec& group) {
          return std::find(group.features.begin(), group.features.end(), feature.name) !=
                 group.features.end();
        });
    for (GroupSpec& group : schema->groups) {
      if (is_declared) std::erase(group.features, at->name);
      std::replace(group.features.begin(), group.features.end(), at->name, feature.name);
      if (group.owner == at->name) group.owner = feature.name;
    }
    std::replace(schema->cluster_by.begin(), schema->cluster_by.end(), at->name, feature.name);
    *at = feature;
  }
  AddToGroups(
      overlay, [](const std::string&) { return true; }, schema);
  std::erase_if(schema->groups, [](const GroupSpec& group) { return group.features.empty(); });
  schema->metadata.insert(overlay.metadata.begin(), overlay.metadata.end());
}

// By what a file and its overlays call features: how the dataset calls them (DS-021). Those that it
// calls the same are left out.
using NewNames = std::map<std::string, std::string>;
NewNames FindNewNames(const SchemaView& view, size_t file) {
  NewNames names;
  for (size_t variant = 0; variant < view.schemas().num_variants(file); ++variant) {
    for (uint32_t column = 0; column < view.columns().size(); ++column) {
      const std::string& name = view.columns()[column].feature;
      const ColumnInfo* const there = view.InFile(file, column, variant);
      if (there != nullptr && there->feature != name) names.emplace(there->feature, name);
    }
  }
  return names;
}

using MaxErrors = std::map<std::string, double>;  // By column.

// That of a file, or of an overlay.
Result<Schema> SchemaOf(const Reader& reader, const std::string& path, const NewNames& names,
                        MaxErrors* max_error) {
  DSI_RETURN_IF_ERROR(RefuseUnsupported(reader, path));
  DSI_ASSIGN_OR_RETURN(Schema of_file, reader.schema());
  DropPositions(&of_file);
  RenameFeatures(names, &of_file);
  for (const FeatureSpec& feature : of_file.features) {
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      double& greatest = (*max_error)[ColumnName(feature, c)];
      greatest = std::max(greatest, feature.columns[c].max_error);
    }
  }
  return of_file;
}

// That of a file with its overlays.
Result<Schema> WholeSchema(const DatasetFiles& files, size_t i, const NewNames& names,
                           MaxErrors* max_error) {
  DSI_ASSIGN_OR_RETURN(auto reader, files.Acquire(i));
  DSI_ASSIGN_OR_RETURN(Schema whole, SchemaOf(*reader, files.files()[i].path, names, max_error));
  for (const PlacedOverlay& placed : files.overlays_of(i)) {
    DSI_ASSIGN_OR_RETURN(reader, files.AcquireOverlay(placed.overlay));
    DSI_ASSIGN_OR_RETURN(
        const Schema overlay,
        SchemaOf(*reader, files.overlays()[placed.overlay].path, names, max_error));
    AddOverlay(overlay, &whole);
  }
  return whole;
}

}  // namespace

Result<Schema> MergedSchema(const Dataset& from, std::span<const ColumnInfo> columns) {
  const DatasetFiles& files = DatasetAccess::Files(from);
  std::unordered_map<std::string_view, const ColumnInfo*> by_name;
  std::set<std::string_view> features;
  for (const ColumnInfo& column : columns) {
    if (column.feature == kPositionName) continue;
    by_name[column.name] = &column;
    features.insert(column.feature);
  }
  std::vector<Status> conflicts;  // Those stand in `columns`.
  DSI_ASSIGN_OR_RETURN(const auto view, MakeView(files, {}, &conflicts));
  Schema schema;
  MaxErrors max_error;
  for (size_t i = files.files().size(); i-- > 0;) {
    DSI_ASSIGN_OR_RETURN(Schema of_file, WholeSchema(files, i, FindNewNames(*view, i), &max_error));
    if (i + 1 == files.files().size()) {
      schema = std::move(of_file);
      continue;
    }
    AddMissing(of_file, features, &schema);
    if (schema.cluster_by.empty()) schema.cluster_by = of_file.cluster_by;
    schema.metadata.insert(of_file.metadata.begin(), of_file.metadata.end());
  }
  AddLacking(columns, &schema);
  for (FeatureSpec& feature : schema.features) {
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      const auto known = by_name.find(ColumnName(feature, c));
      if (known == by_name.end()) {
        return BadInput(
            "{}: an overlay of some stripes calls the feature otherwise; rename it first",
            QuoteForMessage(ColumnName(feature, c)));
      }
      const ColumnInfo& merged = *known->second;
      feature.columns[c].type = merged.type;
      if (IsFloat(merged.type)) feature.columns[c].id_space.clear();  // Of integers (DS-023).
      // S-014: told beside a precision alone.
      const bool is_rounded = feature.columns[c].precision != Precision::kExact;
      feature.columns[c].max_error = is_rounded ? max_error[merged.name] : 0;
      if (c != 0) continue;
      feature.max_length = merged.max_length;
      feature.default_bits = merged.default_bits;
    }
  }
  return schema;
}

}  // namespace dsi::internal
