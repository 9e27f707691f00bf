// The rows that dsictl dedup looks at: those of a .dsi file, or of a text that is first written as
// one in memory; all, or so many from the front that sessions stay whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/reader/reader.h"
#include "dsi/tools/dedup/feature_rows_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/text_to_dsi_internal.h"

namespace dsi::tools {

struct SampleOptions {
  // A .dsi file alone, or texts.
  std::vector<std::string> in;
  TextToDsiOptions text;  // How texts are read; out is not used.
  bool of_dsi() const;
  uint64_t max_rows = 0;      // 0: all.
  uint64_t memory_bytes = 0;  // Of rows of a text held at once.
};

struct SampledTable {
  std::unique_ptr<Reader> reader;
  Schema schema;            // As the text or the file has it, without "__position".
  uint64_t num_rows = 0;    // Rows [0, num_rows) of the reader are looked at.
  uint64_t total_rows = 0;  // Of the whole input; 0: unknown, and more than num_rows.
  bool is_text = false;
  std::string name;       // As it stands in messages.
  TextFit fit;            // Of a text …
  InferReport inference;  // … and what was found out about keys, where there is no session.

  // By the keys that the schema clusters by; no session without them.
  std::vector<std::string> session_keys;
  const FeatureSpec* time = nullptr;  // The last of cluster_by, else the first timestamp.
  RowCodes sessions;                  // num_values 0: none.
};

Result<std::unique_ptr<SampledTable>> OpenSample(const SampleOptions& options, Progress* progress);

struct RewriteResult {
  WriteReport report;
  std::vector<std::byte> bytes;
};

// Keys that the first rows could be clustered by.
Status FindKeys(const Reader& reader, const Schema& schema, InferReport* report);

// Writes the sample anew, into memory, with another schema (the same features in the same order; a
// list of one id each may have become a key) and other options.
Result<RewriteResult> Rewrite(const SampledTable& table, const Schema& schema,
                              WriterOptions options, std::string_view what, Progress* progress);

}  // namespace dsi::tools
