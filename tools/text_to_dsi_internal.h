// Text to .dsi: one half of convert.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/io/file.h"
#include "dsi/tools/bad_rows_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/text_report_internal.h"
#include "dsi/tools/text_source_internal.h"
#include "dsi/tools/writer_choice_internal.h"
#include "dsi/writer/writer.h"

namespace dsi::tools {

struct TextToDsiOptions {
  TextSourceOptions source;
  std::string out;
  WriterChoice choice;
  bool ignore_unknown = false;
  BadRowOptions bad_rows;
  uint64_t max_rows = UINT64_MAX;   // Later rows of the text are left out,
  uint64_t max_bytes = UINT64_MAX;  // as are those beyond so many bytes in memory.
};

struct TextToDsiReport {
  WriteReport written;
  uint64_t bytes_in = 0;  // As they lie in the input, compressed or not.
  bool cut = false;       // There were more rows than asked for.
  TextFit fit;
};

// Into options.out. Rows that were skipped are in the file of rejects however it ends.
Result<TextToDsiReport> TextToDsi(const TextToDsiOptions& options, Progress* progress);
// Into a file of the caller's.
Result<TextToDsiReport> TextToDsi(const TextToDsiOptions& options,
                                  std::unique_ptr<WritableFile> file, Progress* progress);

}  // namespace dsi::tools
