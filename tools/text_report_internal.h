// What became of a text, in words: what was decided for it, and what of it did not reach the file.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/tools/bad_rows_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::tools {

struct TextFit {
  std::string source;  // As it is called in messages.
  uint64_t num_files = 1;
  Schema schema;          // That the rows were read with; cluster_by as it was used.
  bool inferred = false;  // The schema was found, not given.
  InferReport inference;
  TextCoverage coverage;
  bool keep_order = false;
  bool said_clustered = false;  // --clustered.
  bool came_clustered = false;  // Rows stand in the file, by its keys, as they came.
  bool explain = false;         // What decided on each feature was asked for.
  bool read = false;            // Rows were read, so that `coverage` and `rows` mean something.
  uint64_t rows = 0;
  RejectedRows rejected = {};
};

// Keys, time, labels, texts and types; names that lead to no feature.
void AddDecisions(const TextFit& fit, FactList* facts);
nlohmann::ordered_json DecisionsJson(const TextFit& fit);

// What somebody should look at: values left out, features that never occurred, no rows, rows of
// several sessions mixed.
std::vector<std::string> WarningsOf(const TextFit& fit);

}  // namespace dsi::tools
