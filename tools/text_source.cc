#include "dsi/tools/text_source_internal.h"

#include <utility>

#include "dsi/text/lines/byte_source_internal.h"
#include "dsi/text/lines/text_rows_internal.h"

namespace dsi::tools {
namespace {

TextFormat ParseFormat(const std::string& word) {
  if (word == "jsonl") return TextFormat::kJsonLines;
  if (word == "csv") return TextFormat::kCsv;
  if (word == "tsv") return TextFormat::kTsv;
  return TextFormat::kFromName;
}

}  // namespace

Result<TextSource> TextSource::Open(const TextSourceOptions& options, Progress* progress) {
  TextSource source;
  source.name_ = internal::SourceName(options.path);
  source.path_ = options.path;
  // By the name that was given: a copy has none.
  DSI_ASSIGN_OR_RETURN(source.text_.format,
                       internal::ResolveTextFormat(options.path, ParseFormat(options.format)));
  if (!options.schema_file.empty()) {
    DSI_ASSIGN_OR_RETURN(source.schema_, Schema::FromJsonFile(options.schema_file));
  }
  const bool read_once = !CanBeReadTwice(options.path);
  if (read_once) {
    DSI_RETURN_IF_ERROR(MakeStandardInput(options.path));
    source.path_ = "-";
  }
  if (!options.schema_file.empty()) return source;
  if (read_once) {
    DSI_ASSIGN_OR_RETURN(InputSpool spool,
                         InputSpool::Copy(source.name_, options.scratch_folder, progress));
    source.path_ = spool.path();
    source.spool_.emplace(std::move(spool));
  }
  InferOptions infer{.text = source.text_, .max_rows = options.infer_rows, .progress = {}};
  infer.progress = [progress](uint64_t done, uint64_t total) {
    return progress->Update("finding the schema", done, total, ProgressUnit::kBytes);
  };
  auto schema = InferSchema(source.path_, infer, &source.inference_);
  if (!schema.ok()) return source.Explain(schema.status());
  source.schema_ = *std::move(schema);
  return source;
}

Result<std::unique_ptr<TextInput>> TextSource::OpenRows(std::shared_ptr<const Schema> schema,
                                                        bool ignore_unknown) const {
  TextInputOptions text = text_;
  text.ignore_unknown = ignore_unknown;
  auto rows = TextInput::Open(path_, std::move(schema), text);
  if (!rows.ok()) return Explain(rows.status());
  return rows;
}

uint64_t TextSource::bytes_in(const TextInput& rows) const {
  return spool_.has_value() ? spool_->bytes_in() : rows.bytes_done();
}

Status TextSource::Explain(const Status& status) const {
  const std::string read_as = internal::SourceName(path_);
  std::string message = status.message();
  const size_t at = message.find(read_as);
  if (at != std::string::npos) message.replace(at, read_as.size(), name_);
  return Status(status.code(), std::move(message));
}

bool IsDsiName(const std::string& path) { return path.ends_with(".dsi"); }

bool IsJsonLinesName(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".json") || path.ends_with(".ndjson");
}

}  // namespace dsi::tools
