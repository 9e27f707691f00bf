// dsictl bench: reads batches as a trainer would, and measures. The yardstick is memcpy of the very
// bytes that the batches consist of: a reader that only expands stored rows can hardly be faster.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "dsi/reader/reader.h"
#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/unsupported_features_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string file;
  std::vector<std::string> features;
  std::string layout = "padded";
  uint32_t width = 0;
  uint32_t batch_size = 4096;
  uint32_t repeat = 3;
  RowChoice choice;
};

struct Round {
  double seconds = 0;
  double copy_seconds = 0;
  uint64_t batches = 0;
  uint64_t output_bytes = 0;
  ScanStats stats;
};

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

// The layout asked for where it has a meaning; single numbers have but one.
Projection ProjectionOf(const ColumnInfo& column, const Options& options) {
  Projection projection = PlainProjection(column);
  if (options.layout == "dense") {
    projection.layout = Layout::kDense;
  } else if (HasLengths(column.kind, column.type)) {
    const std::map<std::string, Layout> layouts = {{"padded", Layout::kPadded},
                                                   {"jagged", Layout::kJagged},
                                                   {"ikjt", Layout::kIkjt},
                                                   {"vbe", Layout::kVbe},
                                                   {"padded-ikjt", Layout::kPaddedIkjt}};
    // Byte strings have no padded form.
    const bool can_pad = column.type != Type::kBytes;
    projection.layout = layouts.at(options.layout);
    if (projection.layout == Layout::kPadded && !can_pad) projection.layout = Layout::kJagged;
    if (projection.layout == Layout::kPaddedIkjt && !can_pad) projection.layout = Layout::kIkjt;
    projection.width = options.width;
    projection.keep = column.newest_first ? Keep::kFirst : Keep::kLast;
    projection.vbe_set = TypeName(column.type);  // One type each.
  }
  return projection;
}

Result<Round> ReadOnce(const Reader& reader, const ScanOptions& scan_options, Batch* batch,
                       std::vector<std::byte>* copy, Progress* progress) {
  Round round;
  const auto start = Clock::now();
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(scan_options));
  round.seconds = Seconds(start);
  while (true) {
    const auto before = Clock::now();
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(batch));
    round.seconds += Seconds(before);
    if (!more) break;
    const auto slab = batch->slab();
    if (copy->size() < slab.size()) copy->resize(slab.size());
    const auto copy_start = Clock::now();
    if (!slab.empty()) std::memcpy(copy->data(), slab.data(), slab.size());
    round.copy_seconds += Seconds(copy_start);
    round.output_bytes += slab.size();
    ++round.batches;
    if (!progress->Update("reading", scan->stats().rows + scan->stats().rows_dropped,
                          reader.info().num_rows, ProgressUnit::kRows)) {
      return CheckInterrupt();
    }
  }
  round.stats = scan->stats();
  return round;
}

Status Print(const Options& options, size_t num_columns, const std::vector<Round>& rounds,
             Console* console) {
  // All rounds do the same work; the fastest was disturbed least.
  const Round& best =
      *std::min_element(rounds.begin(), rounds.end(),
                        [](const Round& a, const Round& b) { return a.seconds < b.seconds; });
  double copy_seconds = best.copy_seconds;
  for (const Round& round : rounds) copy_seconds = std::min(copy_seconds, round.copy_seconds);
  const ScanStats& stats = best.stats;
  const double rows_per_second = static_cast<double>(stats.rows) / best.seconds;
  const double bytes_per_second = static_cast<double>(best.output_bytes) / best.seconds;
  const double copy_per_second = static_cast<double>(best.output_bytes) / copy_seconds;
  if (console->json) {
    Json seconds = Json::array();
    for (const Round& round : rounds) seconds.push_back(round.seconds);
    return PrintJson({{"layout", options.layout},
                      {"batch_size", options.batch_size},
                      {"columns", num_columns},
                      {"rows", stats.rows},
                      {"rows_dropped", stats.rows_dropped},
                      {"batches", best.batches},
                      {"seconds", seconds},
                      {"rows_per_second", rows_per_second},
                      {"bytes_read", stats.bytes_read},
                      {"bytes_needed", stats.bytes_needed},
                      {"reads", stats.reads},
                      {"output_bytes", best.output_bytes},
                      {"output_bytes_per_second", bytes_per_second},
                      {"memcpy_bytes_per_second", copy_per_second},
                      {"values_decoded", stats.values_decoded},
                      {"values_expanded", stats.values_expanded}},
                     console);
  }
  FactList facts;
  facts.Add("layout", fmt::format("{}, {}, {} batch{} of {}", options.layout,
                                  CountOf(num_columns, "column"), CountText(best.batches),
                                  best.batches == 1 ? "" : "es", CountText(options.batch_size)));
  facts.Add("rows", CountText(stats.rows) +
                        (stats.rows_dropped == 0
                             ? ""
                             : fmt::format("  ({} left out)", CountText(stats.rows_dropped))));
  facts.Add("time", fmt::format("{}  (best of {})", SecondsText(best.seconds), rounds.size()));
  facts.Add("speed", fmt::format("{}rows/s", RateText(rows_per_second)));
  facts.Add("bytes read", fmt::format("{}  ({}, {} needed)", BytesText(stats.bytes_read),
                                      CountOf(stats.reads, "read"), BytesText(stats.bytes_needed)));
  facts.Add("output",
            fmt::format("{}  ({}B/s)", BytesText(best.output_bytes), RateText(bytes_per_second)));
  facts.Add("memcpy of it",
            fmt::format("{}B/s  (reading takes {} as long)", RateText(copy_per_second),
                        FactorText(best.seconds, copy_seconds)));
  facts.Add("dedupe factor",
            fmt::format("{}  ({} values from {} decoded)",
                        FactorText(static_cast<double>(stats.values_expanded),
                                   static_cast<double>(stats.values_decoded)),
                        CountText(stats.values_expanded), CountText(stats.values_decoded)));
  return console->Print(facts.Render(*console));
}

Status Run(const Options& options, Console* console) {
  DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(options.file));
  DSI_ASSIGN_OR_RETURN(auto columns, ChooseColumns(*reader, options.features));
  ScanOptions scan;
  scan.batch_size = options.batch_size;
  DSI_ASSIGN_OR_RETURN(scan.filter, FilterOf(*reader, options.choice));
  Batch batch;
  std::vector<std::byte> copy;
  std::vector<Round> rounds;
  {
    Progress progress(*console);
    while (rounds.size() < options.repeat) {
      scan.features.clear();
      for (const ColumnInfo& column : columns)
        scan.features.push_back(ProjectionOf(column, options));
      const auto round = ReadOnce(*reader, scan, &batch, &copy, &progress);
      if (round.ok()) {
        rounds.push_back(*round);
        continue;
      }
      progress.Clear();
      DSI_RETURN_IF_ERROR(LeaveOutUnsupported(round.status(), options.features, "",
                                              ReadRows(*reader, 0, UINT64_MAX), &columns));
      rounds.clear();
    }
  }
  return Print(options, columns.size(), rounds, console);
}

}  // namespace

VerbAction AddBench(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  app->add_option("FILE", options->file, "A .dsi file: a path or a URL")->required()->type_name("");
  AddNameList(app, "--features", &options->features, "What to read; * and ? match")->required();
  app->add_option("--layout", options->layout, "Form of the batches; default padded")
      ->check(CLI::IsMember({"padded", "jagged", "ikjt", "padded-ikjt", "vbe", "dense"}))
      ->type_name("WORD");
  app->add_option("--batch-size", options->batch_size, "Rows in a batch; default 4096")
      ->check(CLI::Range(1U, 1U << 24).description(""))
      ->type_name("N");
  app->add_option("--width", options->width,
                  "Padded lists: entries per row, the newest stay; default: the longest")
      ->type_name("N");
  app->add_option("--repeat", options->repeat, "Read the file so often; default 3")
      ->check(CLI::Range(1U, 1000U).description(""))
      ->type_name("N");
  AddRowChoice(app, &options->choice);
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "The first round may wait for the disk; the best round is reported.\n\nExamples:\n"
      "  dsictl bench clicks.dsi --features label,'user.*' --width 50\n"
      "  dsictl bench clicks.dsi --features 'user.*' --layout ikjt --batch-size 8192\n");
  return [options, console] { return Run(*options, console); };
}

}  // namespace dsi::tools
