#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dsi/reader/scan_metrics.h"
#include "dsi/tools/bench_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

double RowsPerSecond(const BenchRound& round) {
  return static_cast<double>(round.stats.rows) / round.wall_seconds;
}

double BytesPerSecond(const BenchRound& round, double seconds) {
  return static_cast<double>(round.stats.output_bytes) / seconds;
}

// memcpy as fast as it was in any round.
double CopySeconds(const std::vector<BenchSeries>& series) {
  double least = 0;
  for (const BenchSeries& s : series) {
    for (const BenchRound& round : s.rounds) {
      if (round.copy_seconds != 0 && (least == 0 || round.copy_seconds < least))
        least = round.copy_seconds;
    }
  }
  return least;
}

// How much longer a consumer that computes takes than reading or computing alone, from the first
// batch on: nothing can be computed before.
double LossOf(const BenchRound& overlapped, const BenchRound& alone) {
  const double reading = alone.seconds - alone.first_seconds;
  return (overlapped.wall_seconds - overlapped.first_seconds) /
             std::max(reading, overlapped.compute_seconds) -
         1;
}

Json SecondsJson(const ScanSeconds& seconds) {
  return {{"read", seconds.read},
          {"decode", seconds.decode},
          {"fill", seconds.fill},
          {"blocked", seconds.blocked},
          {"wait", seconds.wait}};
}

Status PrintAsJson(const BenchOptions& options, size_t num_columns,
                   const std::vector<BenchSeries>& series, const std::vector<BenchRound>& alone,
                   Console* console) {
  const BenchRound& best = series.front().best();
  const ScanStats& stats = best.stats;
  Json seconds = Json::array();
  for (const BenchRound& round : series.front().rounds) seconds.push_back(round.wall_seconds);
  Json by_threads = Json::array();
  for (const BenchSeries& s : series) {
    Json entry = {{"threads", s.best().stats.threads},
                  {"rows_per_second", RowsPerSecond(s.best())},
                  {"speedup", RowsPerSecond(s.best()) / RowsPerSecond(best)},
                  {"limit", ScanLimitName(LimitOf(s.best().stats))},
                  {"batches_ready", s.best().batches_ready},
                  {"stage_seconds", SecondsJson(s.best().stats.seconds)}};
    if (!alone.empty()) entry["overlap_loss"] = LossOf(s.best(), alone.front());
    by_threads.push_back(std::move(entry));
  }
  return PrintJson({{"layout", options.layout},
                    {"batch_size", options.batch_size},
                    {"columns", num_columns},
                    {"rows", stats.rows},
                    {"rows_dropped", stats.rows_dropped},
                    {"batches", stats.batches},
                    {"read_ahead_bytes", options.read_ahead},
                    {"seconds", seconds},
                    {"rows_per_second", RowsPerSecond(best)},
                    {"bytes_read", stats.bytes_read},
                    {"bytes_needed", stats.bytes_needed},
                    {"reads", stats.reads},
                    {"output_bytes", stats.output_bytes},
                    {"output_bytes_per_second", BytesPerSecond(best, best.wall_seconds)},
                    {"memcpy_bytes_per_second", BytesPerSecond(best, CopySeconds(series))},
                    {"values_decoded", stats.values_decoded},
                    {"values_expanded", stats.values_expanded},
                    {"by_threads", by_threads}},
                   console);
}

std::string LimitText(const ScanStats& stats) {
  switch (LimitOf(stats)) {
    case ScanLimit::kStorage:
      return "storage limits this scan: most of its time it waits for bytes";
    case ScanLimit::kDecoding:
      return "decoding limits this scan";
    case ScanLimit::kExpansion:
      return "expansion limits this scan: most of its time goes from unique rows to tensors";
    case ScanLimit::kConsumer:
      return "the consumer limits this scan: finished batches wait for it";
    case ScanLimit::kNothing:
      break;
  }
  return "nothing was read";
}

std::string SeriesText(const std::vector<BenchSeries>& series, const std::vector<BenchRound>& alone,
                       const Console& console) {
  using Align = TextTable::Align;
  std::vector<TextTable::Column> columns = {
      {"threads", Align::kRight},
      {"rows/s", Align::kRight},
      {.title = "output/s", .align = Align::kRight, .minor = true},
      {"speed-up", Align::kRight},
      {"read", Align::kRight},
      {"decode", Align::kRight},
      {"fill", Align::kRight},
      {"blocked", Align::kRight},
      {"wait", Align::kRight},
      {"batches ready", Align::kRight}};
  if (!alone.empty()) columns.push_back({"loss", Align::kRight});
  TextTable table(std::move(columns));
  for (const BenchSeries& s : series) {
    const BenchRound& best = s.best();
    const ScanSeconds& seconds = best.stats.seconds;
    std::vector<std::string> cells = {
        CountText(best.stats.threads),
        RateText(RowsPerSecond(best)),
        RateText(BytesPerSecond(best, best.wall_seconds)) + "B",
        fmt::format("{:.2f}x", RowsPerSecond(best) / RowsPerSecond(series.front().best())),
        SecondsText(seconds.read),
        SecondsText(seconds.decode),
        SecondsText(seconds.fill),
        SecondsText(seconds.blocked),
        SecondsText(seconds.wait),
        fmt::format("{:.1f}", best.batches_ready)};
    if (!alone.empty()) cells.push_back(fmt::format("{:.1f}%", 100 * LossOf(best, alone.front())));
    table.AddRow(std::move(cells));
  }
  return table.Render(console);
}

}  // namespace

const BenchRound& BenchSeries::best() const {
  return *std::min_element(
      rounds.begin(), rounds.end(),
      [](const BenchRound& a, const BenchRound& b) { return a.wall_seconds < b.wall_seconds; });
}

Status PrintBench(const BenchOptions& options, size_t num_columns,
                  const std::vector<BenchSeries>& series, const std::vector<BenchRound>& alone,
                  Console* console) {
  if (console->json) return PrintAsJson(options, num_columns, series, alone, console);
  const BenchRound& best = series.front().best();
  const ScanStats& stats = best.stats;
  const double copy_seconds = CopySeconds(series);
  FactList facts;
  facts.Add("layout", fmt::format("{}, {}, {} batch{} of {}", options.layout,
                                  CountOf(num_columns, "column"), CountText(stats.batches),
                                  stats.batches == 1 ? "" : "es", CountText(options.batch_size)));
  facts.Add("rows", CountText(stats.rows) +
                        (stats.rows_dropped == 0
                             ? ""
                             : fmt::format("  ({} left out)", CountText(stats.rows_dropped))));
  facts.Add("time", fmt::format("{}  (best of {})", SecondsText(best.wall_seconds),
                                series.front().rounds.size()));
  facts.Add("speed", fmt::format("{}rows/s", RateText(RowsPerSecond(best))));
  facts.Add("bytes read", fmt::format("{}  ({}, {} needed)", BytesText(stats.bytes_read),
                                      CountOf(stats.reads, "read"), BytesText(stats.bytes_needed)));
  facts.Add("output", fmt::format("{}  ({}B/s)", BytesText(stats.output_bytes),
                                  RateText(BytesPerSecond(best, best.wall_seconds))));
  facts.Add("memcpy of it", fmt::format("{}B/s  (reading takes {} as long)",
                                        RateText(BytesPerSecond(best, copy_seconds)),
                                        FactorText(best.wall_seconds, copy_seconds)));
  facts.Add("dedupe factor",
            fmt::format("{}  ({} values from {} decoded)",
                        FactorText(static_cast<double>(stats.values_expanded),
                                   static_cast<double>(stats.values_decoded)),
                        CountText(stats.values_expanded), CountText(stats.values_decoded)));
  for (const BenchSeries& s : series) {
    const ScanStats& of = s.best().stats;
    facts.Add(
        series.size() == 1 ? "limit" : fmt::format("limit, {}", CountOf(of.threads, "thread")),
        LimitText(of));
  }
  std::string text = facts.Render(*console);
  text += "\n" + SeriesText(series, alone, *console);
  return console->Print(text);
}

}  // namespace dsi::tools
