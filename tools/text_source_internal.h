// Where rows of text come from: a file, or standard input. Finding a schema takes a second look at
// the rows, so standard input is first copied to a nameless temporary file.
#pragma once

#include <optional>
#include <string>

#include "dsi/format/schema.h"
#include "dsi/format/status.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/scratch_file_internal.h"
#include "dsi/writer/text_input.h"

namespace dsi::tools {

struct TextSourceOptions {
  std::string path;         // "-" is standard input.
  std::string format;       // "jsonl", "csv", "tsv"; empty: by the path's ending.
  std::string schema_file;  // Empty: the schema is inferred.
  uint64_t infer_rows = 0;  // Rows looked at; 0: all.
  std::string scratch_folder;
};

class TextSource {
 public:
  // Opens the source and finds its schema.
  static Result<TextSource> Open(const TextSourceOptions& options, Progress* progress);

  const Schema& schema() const { return schema_; }
  // Rows from the first one on, for a schema that has at least the features of schema(). Once.
  Result<std::unique_ptr<TextInput>> OpenRows(std::shared_ptr<const Schema> schema,
                                              bool ignore_unknown) const;
  // The same error with "standard input" where it names the temporary file.
  Status Explain(const Status& status) const;

 private:
  TextSource() = default;

  std::string path_;
  TextInputOptions text_;
  std::optional<ScratchFile> spool_;
  Schema schema_;
};

// The words that --format takes.
inline constexpr const char* kTextFormatWords[] = {"jsonl", "csv", "tsv"};

bool IsDsiName(const std::string& path);
// Endings of names of JSON Lines: .jsonl, .json, .ndjson.
bool IsJsonLinesName(const std::string& path);

}  // namespace dsi::tools
