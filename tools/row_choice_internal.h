// Which of the stored rows a verb takes: --where, --sample and --seed; and the first or last so
// many of those.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/reader/reader.h"
#include "dsi/text/row_text.h"
#include "dsi/tools/console_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/stored_rows_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {

struct RowChoice {
  static constexpr uint64_t kAll = UINT64_MAX;

  std::vector<std::string> where;
  double sample = 1;  // Share of the rows that stays, 0 to 1.
  uint64_t seed = 0;
  uint64_t tail = kAll;  // The last so many of them.
  bool count = false;    // Only their number.
};

// "a:b", "a:" or ":b".
struct RowSpanText {
  uint64_t begin = 0;
  uint64_t end = UINT64_MAX;
};
Result<RowSpanText> ParseRowSpan(std::string_view option, std::string_view text);

// Adds --where, --sample and --seed, which write to *choice.
std::vector<CLI::Option*> AddRowChoice(CLI::App* app, RowChoice* choice);
// Adds --tail and --count, which exclude each other.
struct TailAndCount {
  CLI::Option* tail = nullptr;
  CLI::Option* count = nullptr;
};
TailAndCount AddTailAndCount(CLI::App* app, RowChoice* choice);

// All terms joined by "and", then the sample. Errors are those of ParsePredicate.
Result<RowFilter> FilterOf(const StoredRows& stored, const RowChoice& choice);
Result<RowFilter> FilterOf(std::span<const ColumnInfo> columns, const RowChoice& choice);

// Rows of [row_begin, row_end) that pass the filter. With a filter its columns are read, stripe by
// stripe or file by file, within memory_bytes; without one nothing is. kCancelled: a signal
// arrived.
Result<uint64_t> CountRows(const StoredRows& stored, const RowTextOptions& rows,
                           Progress* progress);
// Prints that number, with a progress bar.
Status PrintCount(const StoredRows& stored, const RowTextOptions& rows, Console* console);
// Moves row_end, or row_begin, so that the first or last `count` rows that pass are left. Reads as
// CountRows does, but only as far as is needed.
Status KeepFirst(const StoredRows& stored, uint64_t count, RowTextOptions* rows,
                 Progress* progress);
Status KeepLast(const StoredRows& stored, uint64_t count, RowTextOptions* rows, Progress* progress);

}  // namespace dsi::tools
