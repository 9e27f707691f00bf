// Where rows of text come from: files, standard input, pipes with a name. Finding a schema takes a
// second look at the rows, so what can be read but once is first copied.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/base/status.h"
#include "dsi/tools/input_spool_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::tools {

// Of a word of --format; empty: by the names' endings.
TextFormat ParseFormat(const std::string& word);

struct TextSourceOptions {
  // Files, patterns and folders (text_paths.h); "-" is standard input.
  std::vector<std::string> paths;
  std::string format;  // "jsonl", "csv", "tsv", "criteo", "tfrecord"; empty: by the names' endings.
  std::string schema_file;         // Empty: the schema is inferred.
  uint64_t infer_rows = 0;         // Rows looked at; 0: all.
  std::string scratch_folder;      // Where copies lie; empty: the system's.
  bool skip_bad_rows = false;      // Rows that cannot be read are no error to finding the schema.
  uint64_t memory_bytes = 0;       // Of the writer of the rows; 0: it is not stated.
  TextInputOptions text;           // What cells look like, and the threads that parse.
  std::string epoch_unit;          // Of numbers of times; empty: the features' own.
  std::string null_entries;        // "fail", "drop" or "fill"; empty: fail.
  std::vector<std::string> lists;  // Columns of CSV that are lists, where the schema is inferred.
};

class TextSource {
 public:
  // Finds the files and their schema.
  static Result<TextSource> Open(const TextSourceOptions& options, Progress* progress);

  const Schema& schema() const { return schema_; }
  // What the schema was found from; empty where it was given.
  const InferReport& inference() const { return inference_; }
  // Rows from the first one on, for a schema that has at least the features of schema(). Once.
  // `on_bad_row` may be empty.
  Result<std::unique_ptr<TextInput>> OpenRows(
      std::shared_ptr<const Schema> schema, bool ignore_unknown,
      std::function<Status(const BadRow&)> on_bad_row) const;
  // Bytes of the input that `rows` has read, as they came, compressed or not.
  uint64_t bytes_in(const TextInput& rows) const;
  // As it stands in messages: the only file, or how many there are.
  const std::string& name() const { return name_; }
  size_t num_files() const { return files_.size(); }

 private:
  TextSource() = default;
  // Copies those that can be read but once, or has them become the standard input in their turn.
  Status ReadOnce(const TextSourceOptions& options, Progress* progress);

  std::string name_;
  std::vector<TextFile> files_;
  TextInputOptions text_;
  std::vector<InputSpool> spools_;
  Schema schema_;
  InferReport inference_;
};

// What cells, lists and times look like: --header to --epoch-unit.
std::vector<CLI::Option*> AddValueForms(CLI::App* app, TextSourceOptions* options);

// The words that --format takes.
inline constexpr const char* kTextFormatWords[] = {"jsonl", "csv", "tsv", "criteo", "tfrecord"};

bool IsDsiName(const std::string& path);
// Endings of names of JSON Lines: .jsonl, .json, .ndjson.
bool IsJsonLinesName(const std::string& path);

// A schema as JSON. kBadInput, for a .dsi file too.
Status LoadSchema(const std::string& path, Schema* schema);

}  // namespace dsi::tools
