// From the schemas of the files read to that of the file written, and where each of its columns
// comes from.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/format/schema.h"
#include "dsi/rewrite/rewrite.h"

namespace dsi::internal {

struct RewritePlan {
  Schema schema;
  // By feature of the schema, then column: how it is asked for of the dataset; empty: the dataset
  // lacks the feature.
  std::vector<std::vector<Projection>> sources;
  // A feature that rows were clustered by and that is left out; empty: none.
  std::string lost_key = {};
};

// How BatchColumns wants a column that a writer is to take as one of this feature: lists jagged,
// single numbers and embeddings padded, also where they stand in a file as lists of one entry.
Projection AskForColumn(const FeatureSpec& feature, size_t column);
// Gives features other names wherever the schema says them; those that are not there stay.
void RenameFeatures(const std::map<std::string, std::string>& names, Schema* schema);
// The schema of all files together, of these columns of the dataset, without the places of rows. A
// feature that files cannot be reconciled in is that of the last one.
Result<Schema> MergedSchema(const Dataset& from, std::span<const ColumnInfo> columns);
Result<RewritePlan> PlanFeatures(const Dataset& from, const FeatureChanges& changes);
// The same, with the keys of the writer. kInvalidArgument: none are left.
Result<RewritePlan> PlanRewrite(const Dataset& from, const FeatureChanges& changes,
                                const WriterOptions& writer);

}  // namespace dsi::internal
