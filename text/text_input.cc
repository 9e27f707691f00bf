// Opens texts and loops over their rows; the formats are in json_rows.cc and delimited_rows.cc.
#include "dsi/text/text_input.h"

#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/text/lines/text_rows_internal.h"
#include "dsi/text/many_files_internal.h"

namespace dsi {
namespace internal {

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

Result<bool> RowTextInput::AddRow(RowBatch* batch) {
  Status status = SetRow(batch);
  if (status.ok()) {
    status = batch->EndRow();
    if (status.ok()) return true;
    status = AtLine(status);
  }
  if (!on_bad_row_ || lines_->failed() || status.code() != StatusCode::kBadInput) return status;
  batch->DropRow();
  DSI_RETURN_IF_ERROR(on_bad_row_({.file = lines_->name(),
                                   .line = row_line(),
                                   .text = row_text(),
                                   .reason = status.message()}));
  return false;
}

Result<bool> RowTextInput::Next(size_t max_rows, RowBatch* batch) {
  if (batch == nullptr || batch->shared_schema() != schema_) {
    return NoThrow([]() -> Result<bool> {
      return InvalidArgument("no batch, or one of another schema object than the text input");
    });
  }
  Result<bool> more = NoThrow([&]() -> Result<bool> {
    for (size_t count = 0; count < max_rows;) {
      DSI_ASSIGN_OR_RETURN(const bool has_row, NextRow());
      if (!has_row) return count > 0;
      DSI_ASSIGN_OR_RETURN(const bool added, AddRow(batch));
      if (added) ++count;
    }
    return true;
  });
  if (!more.ok()) batch->DropRow();
  return more;
}

}  // namespace internal

TextInput::~TextInput() = default;

Result<std::unique_ptr<TextInput>> TextInput::Open(const std::vector<TextFile>& files,
                                                   std::shared_ptr<const Schema> schema,
                                                   const TextInputOptions& options) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<TextInput>> {
    if (schema == nullptr) return internal::InvalidArgument("no schema");
    DSI_RETURN_IF_ERROR(schema->Validate());
    DSI_ASSIGN_OR_RETURN(auto opened, internal::TextFiles::Create(files, options));
    auto input =
        std::make_unique<internal::ManyFiles>(std::move(opened), std::move(schema), options);
    DSI_RETURN_IF_ERROR(input->OpenNext());
    return std::unique_ptr<TextInput>(std::move(input));
  });
}

Result<std::unique_ptr<TextInput>> TextInput::Open(const std::string& path,
                                                   std::shared_ptr<const Schema> schema,
                                                   const TextInputOptions& options) {
  return internal::NoThrow([&] {
    return Open(std::vector<TextFile>{{.path = path, .name = "", .before_open = {}}},
                std::move(schema), options);
  });
}

}  // namespace dsi
