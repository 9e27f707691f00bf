#include "dsi/tools/text_source_internal.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/io/descriptor_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/text/lines/byte_source_internal.h"
#include "dsi/text/lines/text_rows_internal.h"
#include "dsi/tools/foreign_format_internal.h"

namespace dsi::tools {
namespace {

TextFormat ParseFormat(const std::string& word) {
  if (word == "jsonl") return TextFormat::kJsonLines;
  if (word == "csv") return TextFormat::kCsv;
  if (word == "tsv") return TextFormat::kTsv;
  return TextFormat::kFromName;
}

Status CheckIsThere(const std::string& path) {
  if (!internal::SchemeOf(path).empty()) return Status::Ok();
  struct stat info {};
  if (stat(path.c_str(), &info) != 0)
    return internal::SystemError(path, "opening for reading", errno);
  if (S_ISDIR(info.st_mode)) return internal::InvalidArgument("{}: a folder, not a file", path);
  return Status::Ok();
}

}  // namespace

Status LoadSchema(const std::string& path, Schema* schema) {
  if (IsDsiName(path))
    return internal::BadInput(
        "{}: a .dsi file, expected a schema as JSON; 'dsictl schema {} > FILE' prints that of the "
        "file",
        path, ShellWord(path));
  DSI_ASSIGN_OR_RETURN(*schema, Schema::FromJsonFile(path));
  return Status::Ok();
}

Result<TextSource> TextSource::Open(const TextSourceOptions& options, Progress* progress) {
  TextSource source;
  source.name_ = internal::SourceName(options.path);
  source.path_ = options.path;
  // By the name that was given: a copy has none.
  const auto format = internal::ResolveTextFormat(options.path, ParseFormat(options.format));
  if (!format.ok()) {
    // Of a mistyped name nobody wants to hear what its ending is.
    DSI_RETURN_IF_ERROR(CheckIsThere(options.path));
    return format.status();
  }
  source.text_.format = *format;
  if (!options.schema_file.empty()) {
    DSI_RETURN_IF_ERROR(LoadSchema(options.schema_file, &source.schema_));
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

bool IsDsiName(const std::string& path) {
  if (internal::SchemeOf(path).empty()) return path.ends_with(".dsi");
  return std::string_view(path).substr(0, path.find_first_of("?#")).ends_with(".dsi");
}

bool IsJsonLinesName(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".json") || path.ends_with(".ndjson");
}

}  // namespace dsi::tools
