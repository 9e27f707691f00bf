#include "dsi/tools/row_choice_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/text/filter_text.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

using Span = StoredRows::Span;

Result<uint64_t> CountIn(const StoredRows& stored, const RowTextOptions& rows, Span span) {
  DSI_RETURN_IF_ERROR(CheckInterrupt());
  return stored.Count(rows, span);
}

// The row of the span that is its n-th to pass, counted from 1; the span has as many.
Result<uint64_t> FindRow(const StoredRows& stored, const RowTextOptions& rows, Span span,
                         uint64_t n) {
  while (span.end - span.begin > 1) {
    const uint64_t middle = span.begin + (span.end - span.begin) / 2;
    DSI_ASSIGN_OR_RETURN(const uint64_t before, CountIn(stored, rows, {span.begin, middle}));
    if (before >= n) {
      span.end = middle;
    } else {
      n -= before;
      span.begin = middle;
    }
  }
  return span.begin;
}

// What each part has of the rows asked for, or all of them where counting reads nothing.
std::vector<Span> Pieces(const StoredRows& stored, const RowTextOptions& rows) {
  const Span all = {std::min(rows.row_begin, stored.num_rows()),
                    std::min(rows.row_end, stored.num_rows())};
  if (rows.filter.empty() && stored.is_complete())
    return {{all.begin, std::max(all.begin, all.end)}};
  std::vector<Span> pieces;
  for (const Span part : stored.Parts()) {
    const Span piece = {std::max(all.begin, part.begin), std::min(all.end, part.end)};
    if (piece.begin < piece.end) pieces.push_back(piece);
  }
  return pieces;
}

bool ShowCounted(const StoredRows& stored, uint64_t rows_seen, Progress* progress) {
  return progress->Update("counting", rows_seen, stored.num_rows(), ProgressUnit::kRows);
}

bool ParseRowNumber(std::string_view text, uint64_t* number) {
  if (text.empty() || text.size() > 19) return false;
  *number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    *number = *number * 10 + static_cast<uint64_t>(c - '0');
  }
  return true;
}

}  // namespace

Result<RowSpanText> ParseRowSpan(std::string_view option, std::string_view text) {
  RowSpanText rows;
  const size_t colon = text.find(':');
  bool valid = colon != std::string_view::npos;
  if (valid && colon > 0) valid = ParseRowNumber(text.substr(0, colon), &rows.begin);
  if (valid && colon + 1 < text.size()) valid = ParseRowNumber(text.substr(colon + 1), &rows.end);
  if (valid && rows.begin <= rows.end) return rows;
  return internal::InvalidArgument("{} takes first:end, such as 100:200, not '{}'", option, text);
}

std::vector<CLI::Option*> AddRowChoice(CLI::App* app, RowChoice* choice) {
  CLI::Option* where = app->add_option("--where", choice->where,
                                       "Only rows such as 'label = 1', or 'label = 1 or "
                                       "user.age < 30'; repeatable, all must hold")
                           ->allow_extra_args(false)
                           ->type_name("TERM");
  CLI::Option* sample =
      app->add_option("--sample", choice->sample, "Only this share of them, such as 0.01")
          ->check(CLI::Range(0.0, 1.0).description(""))
          ->type_name("SHARE");
  CLI::Option* seed = app->add_option("--seed", choice->seed,
                                      "With --sample: another number, other rows; default 0")
                          ->needs(sample)
                          ->type_name("N");
  return {where, sample, seed};
}

TailAndCount AddTailAndCount(CLI::App* app, RowChoice* choice) {
  CLI::Option* tail = AddCount(app, "--tail", &choice->tail, "Only the last so many of the rows");
  CLI::Option* count =
      app->add_flag("--count", choice->count, "Only the number of the rows, all of the file")
          ->excludes(tail);
  return {tail, count};
}

Result<RowFilter> FilterOf(const StoredRows& stored, const RowChoice& choice) {
  if (choice.where.empty()) return FilterOf(std::span<const ColumnInfo>(), choice);
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, stored.Columns());
  return FilterOf(columns, choice);
}

Result<RowFilter> FilterOf(std::span<const ColumnInfo> columns, const RowChoice& choice) {
  RowFilter filter;
  filter.seed = choice.seed;
  for (const std::string& text : choice.where) {
    auto predicate = ParsePredicate(text, columns);
    if (!predicate.ok()) return predicate.status().At("--where '" + text + "'");
    filter.where.push_back(*std::move(predicate));
  }
  if (choice.sample != 1) filter.sample.push_back({.when = {}, .keep = choice.sample});
  return filter;
}

Result<uint64_t> CountRows(const StoredRows& stored, const RowTextOptions& rows,
                           Progress* progress) {
  uint64_t count = 0;
  uint64_t seen = 0;
  for (const Span piece : Pieces(stored, rows)) {
    DSI_ASSIGN_OR_RETURN(const uint64_t more, CountIn(stored, rows, piece));
    count += more;
    seen += piece.end - piece.begin;
    if (!ShowCounted(stored, seen, progress)) return CheckInterrupt();
  }
  return count;
}

Status PrintCount(const StoredRows& stored, const RowTextOptions& rows, Console* console) {
  Progress progress(*console);
  DSI_ASSIGN_OR_RETURN(const uint64_t count, CountRows(stored, rows, &progress));
  progress.Clear();
  if (console->json) return PrintJson({{"rows", count}}, console);
  return console->Print(fmt::format("{}\n", count));
}

Status KeepFirst(const StoredRows& stored, uint64_t count, RowTextOptions* rows,
                 Progress* progress) {
  uint64_t needed = count;
  if (needed == 0) rows->row_end = rows->row_begin;
  for (const Span piece : Pieces(stored, *rows)) {
    if (needed == 0) break;
    DSI_ASSIGN_OR_RETURN(const uint64_t found, CountIn(stored, *rows, piece));
    if (!ShowCounted(stored, piece.end, progress)) return CheckInterrupt();
    if (found < needed) {
      needed -= found;
      continue;
    }
    DSI_ASSIGN_OR_RETURN(const uint64_t last, FindRow(stored, *rows, piece, needed));
    rows->row_end = last + 1;
    break;
  }
  return Status::Ok();
}

Status KeepLast(const StoredRows& stored, uint64_t count, RowTextOptions* rows,
                Progress* progress) {
  uint64_t needed = count;
  std::vector<Span> pieces = Pieces(stored, *rows);
  if (needed == 0) rows->row_begin = rows->row_end = std::min(rows->row_end, stored.num_rows());
  while (needed != 0 && !pieces.empty()) {
    const Span piece = pieces.back();
    pieces.pop_back();
    DSI_ASSIGN_OR_RETURN(const uint64_t found, CountIn(stored, *rows, piece));
    if (!ShowCounted(stored, stored.num_rows() - piece.begin, progress)) return CheckInterrupt();
    if (found < needed) {
      needed -= found;
      continue;
    }
    DSI_ASSIGN_OR_RETURN(rows->row_begin, FindRow(stored, *rows, piece, found - needed + 1));
    break;
  }
  return Status::Ok();
}

}  // namespace dsi::tools
