#include "dsi/text/lines/text_files_internal.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/io/uri_internal.h"
#include "dsi/text/lines/tf_record_source_internal.h"

namespace dsi::internal {
namespace {

// Each file takes a number, beside that of a line.
constexpr size_t kMaxFiles = 1'000'000;

struct Ending {
  std::string_view text;
  TextFormat format;
};
constexpr std::array<Ending, 7> kEndings = {{{".jsonl", TextFormat::kJsonLines},
                                             {".ndjson", TextFormat::kJsonLines},
                                             {".json", TextFormat::kJsonLines},
                                             {".csv", TextFormat::kCsv},
                                             {".tsv", TextFormat::kTsv},
                                             {".tfrecord", TextFormat::kTfRecord},
                                             {".tfrecords", TextFormat::kTfRecord}}};

// One may be a control character, as Hive has them.
bool IsSeparator(char c) {
  return static_cast<unsigned char>(c) < 0x80 && c != '\0' && c != '\n' && c != '\r' && c != '"';
}

bool IsListSeparator(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return IsSeparator(c) && !letter && std::string_view("+-.").find(c) == std::string_view::npos;
}

// How cells are written says nothing of other formats, which would pass over it in silence.
Status CheckCellOptions(TextFormat format, const TextInputOptions& options) {
  if (format == TextFormat::kCsv || format == TextFormat::kTsv) return {};
  const char* stated = nullptr;
  if (options.list_separator != TextInputOptions().list_separator) stated = "a list separator";
  if (!options.missing.empty()) stated = "what missing cells hold";
  if (!options.quotes) stated = "that cells have no quotes";
  if (!options.header.empty()) stated = "a header";
  if (options.separator != '\0') stated = "a separator of cells";
  if (stated == nullptr) return {};
  return InvalidArgument("{} is stated, which only CSV and TSV have", stated);
}

}  // namespace

TextFormat FormatOfName(std::string_view path) {
  std::string_view name = NameOfPath(path);
  if (name == "-") return TextFormat::kJsonLines;
  for (const Packing packing : kPackings) {
    const std::string_view ending = EndingOf(packing);
    if (!name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    break;
  }
  for (const Ending& ending : kEndings) {
    if (name.ends_with(ending.text)) return ending.format;
  }
  return TextFormat::kFromName;
}

Result<TextFiles> TextFiles::Create(std::vector<TextFile> files, const TextInputOptions& options) {
  if (files.empty() || files.size() > kMaxFiles) {
    return InvalidArgument("{} files, expected 1 to {}", files.size(), kMaxFiles);
  }
  if (!IsListSeparator(options.list_separator)) {
    return InvalidArgument(
        "list separator {}: expected one character that stands in no number, such as | , ; or a "
        "space",
        QuoteForMessage({&options.list_separator, 1}));
  }
  if (options.separator != '\0' && !IsSeparator(options.separator)) {
    return InvalidArgument(
        "separator {}: expected one ASCII character that is neither quote nor line break",
        QuoteForMessage({&options.separator, 1}));
  }
  DSI_ASSIGN_OR_RETURN(TimeForms times,
                       TimeForms::Create(options.time_formats, options.epoch_unit));
  TextFormat format = options.format;
  const TextFile* first = nullptr;
  for (const TextFile& file : files) {
    if (options.format != TextFormat::kFromName) break;
    const TextFormat found = FormatOfName(file.path);
    if (found == TextFormat::kFromName) {
      return InvalidArgument(
          "{}: the name does not tell the format, expected .jsonl, .ndjson, .json, "
          ".csv, .tsv or .tfrecord (and .gz, .zst or .lz4 after it), or a stated format",
          file.path);
    }
    if (first != nullptr && found != format) {
      return InvalidArgument(
          "{} and {}: names of different formats, expected one for all files, or a stated format",
          first->path, file.path);
    }
    format = found;
    first = &file;
  }
  DSI_RETURN_IF_ERROR(CheckCellOptions(format, options));
  return TextFiles(std::move(files), format, std::move(times), options.max_line_bytes);
}

std::string TextFiles::Name(size_t file) const {
  return files_[file].name.empty() ? SourceName(files_[file].path) : files_[file].name;
}

std::vector<std::string> TextFiles::Names() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < files_.size(); ++i) names.push_back(Name(i));
  return names;
}

Result<std::unique_ptr<ByteSource>> TextFiles::OpenBytes(const std::atomic<bool>* stop) {
  const std::string name = Name(opened_);
  const TextFile& file = files_[opened_++];
  if (file.before_open) DSI_RETURN_IF_ERROR(file.before_open());
  return OpenByteSource(file.path, name, stop);
}

bool TextFiles::AllOpenAtOnce() const {
  return std::all_of(files_.begin(), files_.end(),
                     [](const TextFile& file) { return OpensAtOnce(file); });
}

bool TextFiles::OpensAtOnce(const TextFile& file) {
  if (file.before_open || file.path == "-") return false;
  struct stat info {};
  return !SchemeOf(file.path).empty() ||
         (::stat(file.path.c_str(), &info) == 0 && S_ISREG(info.st_mode));
}

Result<std::unique_ptr<LineSource>> TextFiles::OpenNext() {
  const std::string name = Name(opened_);
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> bytes, OpenBytes());
  if (format_ == TextFormat::kTfRecord) {
    return std::unique_ptr<LineSource>(
        std::make_unique<TfRecordSource>(std::move(bytes), name, max_line_bytes_));
  }
  return std::make_unique<LineSource>(std::move(bytes), name, max_line_bytes_);
}

uint64_t TextFiles::CountBytes() const {
  uint64_t bytes = 0;
  for (const TextFile& file : files_) {
    struct stat info {};
    if (file.path == "-" || ::stat(file.path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      return 0;
    bytes += static_cast<uint64_t>(info.st_size);
  }
  return bytes;
}

}  // namespace dsi::internal
