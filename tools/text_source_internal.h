// Where rows of text come from: a file, standard input, or a pipe with a name. Finding a schema
// takes a second look at the rows, so what can be read but once is first copied.
#pragma once

#include <optional>
#include <string>

#include "dsi/format/schema.h"
#include "dsi/base/status.h"
#include "dsi/tools/input_spool_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::tools {

struct TextSourceOptions {
  std::string path;            // "-" is standard input.
  std::string format;          // "jsonl", "csv", "tsv"; empty: by the path's ending.
  std::string schema_file;     // Empty: the schema is inferred.
  uint64_t infer_rows = 0;     // Rows looked at; 0: all.
  std::string scratch_folder;  // Where copies lie; empty: the system's.
};

class TextSource {
 public:
  // Opens the source and finds its schema.
  static Result<TextSource> Open(const TextSourceOptions& options, Progress* progress);

  const Schema& schema() const { return schema_; }
  // What the schema was found from; empty where it was given.
  const InferReport& inference() const { return inference_; }
  // Rows from the first one on, for a schema that has at least the features of schema(). Once.
  Result<std::unique_ptr<TextInput>> OpenRows(std::shared_ptr<const Schema> schema,
                                              bool ignore_unknown) const;
  // Bytes of the input that `rows` has read, as they came, compressed or not.
  uint64_t bytes_in(const TextInput& rows) const;
  // As it stands in messages: the path that was given, or "standard input".
  const std::string& name() const { return name_; }
  // The same error with that name where it has the copy's.
  Status Explain(const Status& status) const;

 private:
  TextSource() = default;

  std::string name_;
  std::string path_;
  TextInputOptions text_;
  std::optional<InputSpool> spool_;
  Schema schema_;
  InferReport inference_;
};

// The words that --format takes.
inline constexpr const char* kTextFormatWords[] = {"jsonl", "csv", "tsv"};

bool IsDsiName(const std::string& path);
// Endings of names of JSON Lines: .jsonl, .json, .ndjson.
bool IsJsonLinesName(const std::string& path);

// A schema as JSON. kBadInput, for a .dsi file too.
Status LoadSchema(const std::string& path, Schema* schema);

}  // namespace dsi::tools
