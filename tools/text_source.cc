#include "dsi/tools/text_source_internal.h"

#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "dsi/io/descriptor_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;

TextFormat ParseFormat(const std::string& word) {
  if (word == "jsonl") return TextFormat::kJsonLines;
  if (word == "csv") return TextFormat::kCsv;
  if (word == "tsv") return TextFormat::kTsv;
  return TextFormat::kFromName;
}

Result<ScratchFile> SpoolStandardInput(const std::string& folder, Progress* progress) {
  DSI_ASSIGN_OR_RETURN(ScratchFile spool, ScratchFile::Create(folder));
  std::vector<char> block(kReadBytes);
  while (progress->Update("reading", spool.size(), 0, ProgressUnit::kBytes)) {
    const ssize_t n = read(STDIN_FILENO, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return internal::SystemError("standard input", "cannot read", errno);
    if (n == 0) break;
    DSI_RETURN_IF_ERROR(spool.Append({block.data(), static_cast<size_t>(n)}));
  }
  DSI_RETURN_IF_ERROR(CheckInterrupt());
  DSI_RETURN_IF_ERROR(spool.Flush());
  return spool;
}

}  // namespace

Result<TextSource> TextSource::Open(const TextSourceOptions& options, Progress* progress) {
  TextSource source;
  source.path_ = options.path;
  source.text_.format = ParseFormat(options.format);
  if (options.path == "-" && source.text_.format == TextFormat::kFromName) {
    source.text_.format = TextFormat::kJsonLines;
  }
  if (!options.schema_file.empty()) {
    DSI_ASSIGN_OR_RETURN(source.schema_, Schema::FromJsonFile(options.schema_file));
    return source;
  }
  if (options.path == "-") {
    DSI_ASSIGN_OR_RETURN(ScratchFile spool, SpoolStandardInput(options.scratch_folder, progress));
    source.path_ = spool.path();
    source.spool_.emplace(std::move(spool));
  }
  InferOptions infer{.text = source.text_, .max_rows = options.infer_rows, .progress = {}};
  infer.progress = [progress](uint64_t done, uint64_t total) {
    return progress->Update("finding the schema", done, total, ProgressUnit::kBytes);
  };
  auto schema = InferSchema(source.path_, infer);
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

Status TextSource::Explain(const Status& status) const {
  if (!spool_.has_value()) return status;
  std::string message = status.message();
  const size_t at = message.find(path_);
  if (at != std::string::npos) message.replace(at, path_.size(), "standard input");
  return Status(status.code(), std::move(message));
}

bool IsDsiName(const std::string& path) { return path.ends_with(".dsi"); }

bool IsJsonLinesName(const std::string& path) {
  return path.ends_with(".jsonl") || path.ends_with(".json") || path.ends_with(".ndjson");
}

}  // namespace dsi::tools
