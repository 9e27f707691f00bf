// A text of any format, plain or packed: a schema is found or refused, and rows are read with it,
// those that cannot be read left out or not. What was found from all rows reads all rows.
//
// Input: a byte for the format and its options, then the bytes of the file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "dsi/text/text_input.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// The rows read, and what ended the reading.
dsi::Status ReadAll(const std::string& path, const std::shared_ptr<const dsi::Schema>& schema,
                    const dsi::TextInputOptions& options, uint64_t* rows) {
  *rows = 0;
  DSI_ASSIGN_OR_RETURN(const auto input, dsi::TextInput::Open(path, schema, options));
  dsi::RowBatch batch(schema);
  while (true) {
    batch.Clear();
    DSI_ASSIGN_OR_RETURN(const bool more, input->Next(7, &batch));
    if (!more) return {};
    *rows += batch.num_rows();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const uint8_t choice = data[0];
  const int file = memfd_create("fuzz_text", MFD_CLOEXEC);
  Require(file >= 0);
  Require(write(file, data + 1, size - 1) == static_cast<ssize_t>(size - 1));
  const std::string path = "/proc/self/fd/" + std::to_string(file);

  dsi::TextInputOptions options;
  options.format = static_cast<dsi::TextFormat>(1 + choice % 5);
  const bool has_cells =
      options.format == dsi::TextFormat::kCsv || options.format == dsi::TextFormat::kTsv;
  options.list_separator = has_cells && (choice & 0x40) != 0 ? ',' : '|';
  options.max_line_bytes = 1 << 16;
  options.quotes = !has_cells || (choice & 0x20) == 0;
  std::vector<std::string> lists;
  if ((choice & 0x80) != 0) {
    options.null_entries = (choice & 0x10) != 0 ? dsi::NullEntries::kDrop : dsi::NullEntries::kFill;
    options.time_formats = {"%d/%m/%Y %I:%M:%S.%f %p", "iso"};
  }
  if (has_cells && (choice & 0x80) != 0) {
    lists = {"a"};
    options.separator = ';';
    options.header = {"a", "b"};
    options.missing = "\\N";
  }
  const auto schema =
      dsi::InferSchema(path, {.text = options, .max_rows = 0, .lists = lists, .progress = {}});
  if (!schema.ok()) Require(!schema.status().message().empty());
  uint64_t bad = 0;
  dsi::TextInputOptions leave_out = options;
  leave_out.on_bad_row = [&bad](const dsi::BadRow& row) {
    Require(!row.reason.empty());
    ++bad;
    return dsi::Status();
  };
  const auto found =
      dsi::InferSchema(path, {.text = leave_out, .max_rows = 0, .lists = lists, .progress = {}});
  for (const auto* of : {&schema, &found}) {
    if (!of->ok()) continue;
    Require((*of)->Validate().ok());
    const auto shared = std::make_shared<const dsi::Schema>(**of);
    uint64_t rows = 0;
    uint64_t rows_left = 0;
    const dsi::Status read = ReadAll(path, shared, options, &rows);
    if (of == &schema && options.format != dsi::TextFormat::kCriteo) Require(read.ok());
    bad = 0;
    const dsi::Status read_again = ReadAll(path, shared, leave_out, &rows_left);
    if (read.ok()) Require(read_again.ok() && rows_left == rows && bad == 0);
  }
  close(file);
  return 0;
}
