// Opens texts and loops over their rows; the formats are in json_rows.cc and delimited_rows.cc.
#include "dsi/text/text_input.h"

#include <array>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/text/lines/text_rows_internal.h"

namespace dsi {
namespace internal {
namespace {

struct Ending {
  std::string_view text;
  TextFormat format;
};
constexpr std::array<Ending, 5> kEndings = {{{".jsonl", TextFormat::kJsonLines},
                                             {".ndjson", TextFormat::kJsonLines},
                                             {".json", TextFormat::kJsonLines},
                                             {".csv", TextFormat::kCsv},
                                             {".tsv", TextFormat::kTsv}}};

}  // namespace

Result<TextFormat> ResolveTextFormat(const std::string& path, TextFormat asked) {
  if (asked != TextFormat::kFromName) return asked;
  if (path == "-") return TextFormat::kJsonLines;
  std::string_view name = path;
  for (const std::string_view compressed : {".gz", ".zst"}) {
    if (name.ends_with(compressed)) {
      name.remove_suffix(compressed.size());
      break;
    }
  }
  for (const Ending& ending : kEndings) {
    if (name.ends_with(ending.text)) return ending.format;
  }
  return InvalidArgument(
      "{}: the name does not tell the format, expected .jsonl, .ndjson, .json, "
      ".csv or .tsv (and .gz or .zst after it), or a stated format",
      path);
}

Result<std::unique_ptr<LineSource>> OpenLines(const std::string& path, uint64_t max_line_bytes) {
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> bytes, OpenByteSource(path));
  return std::make_unique<LineSource>(std::move(bytes), SourceName(path), max_line_bytes);
}

void RowTextInput::AddAbsent(const std::vector<uint8_t>& has_value, TextCoverage* coverage) const {
  for (size_t f = 0; f < has_value.size(); ++f) {
    if (has_value[f] == 0) coverage->absent.push_back(schema_->features[f].name);
  }
}

Status RowTextInput::AtLine(const Status& status) const {
  const Status at = status.At(lines_->Where());
  // A value that fits no column, or a feature set twice, is a fault of the text here.
  if (at.code() == StatusCode::kOutOfRange || at.code() == StatusCode::kInvalidArgument) {
    return {StatusCode::kBadInput, at.message()};
  }
  return at;
}

Result<bool> RowTextInput::Next(size_t max_rows, RowBatch* batch) {
  if (batch == nullptr || batch->shared_schema() != schema_) {
    return NoThrow([]() -> Result<bool> {
      return InvalidArgument("no batch, or one of another schema object than the text input");
    });
  }
  Result<bool> more = NoThrow([&]() -> Result<bool> {
    for (size_t count = 0; count < max_rows; ++count) {
      DSI_ASSIGN_OR_RETURN(const bool has_row, SetRow(batch));
      if (!has_row) return count > 0;
      const Status ended = batch->EndRow();
      if (!ended.ok()) return AtLine(ended);
    }
    return true;
  });
  if (!more.ok()) batch->DropRow();
  return more;
}

}  // namespace internal

TextInput::~TextInput() = default;

Result<std::unique_ptr<TextInput>> TextInput::Open(const std::string& path,
                                                   std::shared_ptr<const Schema> schema,
                                                   const TextInputOptions& options) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<TextInput>> {
    if (schema == nullptr) return internal::InvalidArgument("no schema");
    DSI_RETURN_IF_ERROR(schema->Validate());
    DSI_ASSIGN_OR_RETURN(const TextFormat format,
                         internal::ResolveTextFormat(path, options.format));
    DSI_ASSIGN_OR_RETURN(std::unique_ptr<internal::LineSource> lines,
                         internal::OpenLines(path, options.max_line_bytes));
    if (format == TextFormat::kJsonLines) {
      return internal::MakeJsonInput(std::move(lines), std::move(schema), options);
    }
    const char delimiter = format == TextFormat::kCsv ? ',' : '\t';
    return internal::MakeDelimitedInput(std::move(lines), std::move(schema), options, delimiter);
  });
}

}  // namespace dsi
