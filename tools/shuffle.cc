// dsictl shuffle: what an order does to the batches of a dataset, before a job is run with it.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/shuffle_report.h"
#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostMixingRows = uint64_t{1} << 30;

struct ShuffleOptions {
  std::vector<std::string> where;
  std::vector<std::string> features;
  std::string unit = "stripe";
  std::string mix = "sessions";
  uint64_t seed = 0;
  uint64_t epoch = 0;
  uint64_t block_rows = 65536;
  uint64_t mixing_rows = 262144;
  uint64_t mixing_bytes = 0;
  const CLI::Option* by_bytes = nullptr;  // Given: mixing_bytes counts.
  uint64_t batches = 0;
  uint32_t batch_size = 4096;
  uint32_t threads = 1;
};

Json JsonOf(const ShuffleReport& report) {
  return {{"batches", report.batches},
          {"rows", report.rows},
          {"mixing_rows", report.mixing_rows},
          {"sessions_per_batch", report.sessions_per_batch},
          {"sessions_in_file_order", report.sessions_in_file_order},
          {"sessions_at_random", report.sessions_at_random},
          {"sessions_cut", report.sessions_cut},
          {"collisions", report.collisions},
          {"collisions_at_random", report.collisions_at_random},
          {"label_drift", report.label_drift},
          {"label_drift_in_file_order", report.label_drift_in_file_order},
          {"dedup_factor", report.dedup_factor},
          {"dedup_factor_in_file_order", report.dedup_factor_in_file_order},
          {"bytes_read", report.bytes_read},
          {"bytes_in_file_order", report.bytes_in_file_order},
          {"seconds", report.seconds},
          {"seconds_in_file_order", report.seconds_in_file_order}};
}

// 0 stands for what the files do not have.
std::string Number(double value) { return value == 0 ? "-" : fmt::format("{:.2f}", value); }

Status Print(const ShuffleReport& report, const ShuffleOptions& options, Console* console) {
  if (console->json) return PrintJson(JsonOf(report), console);
  using Align = TextTable::Align;
  TextTable table({{.title = "of a batch, on average"},
                   {.title = "this order", .align = Align::kRight},
                   {.title = "file order", .align = Align::kRight},
                   {.title = "random rows", .align = Align::kRight}});
  const bool has_sessions = report.sessions_per_batch != 0;
  const auto rows = report.batches == 0
                        ? 0.0
                        : static_cast<double>(report.rows) / static_cast<double>(report.batches);
  const auto rate = [&](double seconds) {
    return seconds == 0 ? std::string("-") : RateText(static_cast<double>(report.rows) / seconds);
  };
  table.AddRow({"sessions", Number(report.sessions_per_batch),
                Number(report.sessions_in_file_order), Number(report.sessions_at_random)});
  table.AddRow({"rows of a session that has one there already",
                has_sessions ? Number(report.collisions) : "-",
                has_sessions ? Number(rows - report.sessions_in_file_order) : "-",
                has_sessions ? Number(report.collisions_at_random) : "-"});
  table.AddRow({"label drift: 1 as of random rows, more is worse", Number(report.label_drift),
                Number(report.label_drift_in_file_order), report.label_drift == 0 ? "-" : "1.00"});
  table.AddRow({"dedup factor of lists: entries for each unique one", Number(report.dedup_factor),
                Number(report.dedup_factor_in_file_order), ""});
  TextTable whole({{.title = "of the scan"},
                   {.title = "this order", .align = Align::kRight},
                   {.title = "file order", .align = Align::kRight}});
  whole.AddRow({"sessions cut, with rows in several batches",
                has_sessions ? fmt::format("{:.1f} %", 100 * report.sessions_cut) : "-", ""});
  whole.AddRow({"bytes read", BytesText(report.bytes_read), BytesText(report.bytes_in_file_order)});
  whole.AddRow({"rows/s", rate(report.seconds), rate(report.seconds_in_file_order)});
  const std::string mixing =
      report.mixing_rows == 0
          ? "not mixed"
          : fmt::format("{} mixed, {} rows at a time", options.mix, CountText(report.mixing_rows));
  return console->Print(fmt::format("{}, {}; unit {}, {}\n\n", CountOf(report.batches, "batch"),
                                    CountOf(report.rows, "row"), options.unit, mixing) +
                        table.Render(*console) + "\n" + whole.Render(*console));
}

// Only lists can be looked at, and each is named once.
Status ChooseLists(const Dataset& dataset, const std::vector<std::string>& names,
                   std::vector<Projection>* lists) {
  if (names.empty()) return Status::Ok();
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, dataset.Columns());
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> chosen, ChooseColumns(columns, names));
  for (const ColumnInfo& column : chosen) {
    if (HasLengths(column.kind, column.type))
      lists->push_back({.name = column.name, .layout = Layout::kJagged});
  }
  if (!lists->empty()) return Status::Ok();
  return internal::InvalidArgument("--features: {} is no list", chosen.front().name);
}

Status CheckRange(std::string_view option, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return Status::Ok();
  return internal::InvalidArgument("{}: expected {} to {}, not {}", option, least, most, value);
}

Status Run(const ShuffleOptions& options, Console* console) {
  DSI_RETURN_IF_ERROR(CheckRange("--block-rows", options.block_rows, 1, UINT32_MAX));
  DSI_RETURN_IF_ERROR(CheckRange("--mixing-rows", options.mixing_rows, 0, kMostMixingRows));
  DatasetOptions open;
  open.progress = [](uint64_t, uint64_t) { return InterruptSignal() == 0; };
  DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(options.where, open));
  const std::map<std::string, OrderUnit> units = {{"none", OrderUnit::kNone},
                                                  {"block", OrderUnit::kBlock},
                                                  {"stripe", OrderUnit::kStripe},
                                                  {"file", OrderUnit::kFile}};
  DatasetScanOptions scan;
  scan.scan.batch_size = options.batch_size;
  scan.scan.threads = options.threads;
  DSI_RETURN_IF_ERROR(ChooseLists(*dataset, options.features, &scan.scan.features));
  scan.order.unit = units.at(options.unit);
  scan.order.seed = options.seed;
  scan.order.epoch = options.epoch;
  scan.order.block_rows = static_cast<uint32_t>(options.block_rows);
  if (options.by_bytes->count() != 0) {
    DSI_RETURN_IF_ERROR(CheckRange("--mixing-bytes", options.mixing_bytes, 1, UINT64_MAX));
    scan.order.mixing_bytes = options.mixing_bytes;
  } else {
    scan.order.mixing_rows = static_cast<uint32_t>(options.mixing_rows);
  }
  scan.order.mix = options.mix == "rows" ? Mix::kRows : Mix::kSessions;
  Progress progress(*console);
  auto report = ReportShuffle(*dataset, scan, options.batches, [&](uint64_t done, uint64_t total) {
    return progress.Update("reading", done * options.batch_size, total * options.batch_size,
                           ProgressUnit::kRows);
  });
  progress.Clear();
  if (!report.ok()) return report.status();
  return Print(*report, options, console);
}

}  // namespace

VerbAction AddShuffle(CLI::App* app, Console* console) {
  auto options = std::make_shared<ShuffleOptions>();
  app->add_option("WHERE", options->where,
                  "Files, patterns, folders or manifests, which are one table")
      ->required()
      ->type_name("");
  app->add_option(
         "--unit", options->unit,
         "What is put in another order: nothing, runs of rows, stripes, files; default stripe")
      ->check(CLI::IsMember({"none", "block", "stripe", "file"}))
      ->type_name("WORD");
  AddCount(app, "--block-rows", &options->block_rows,
           "With --unit block: rows of one; default 65536");
  CLI::Option* const rows = AddCount(app, "--mixing-rows", &options->mixing_rows,
                                     "Rows that are held and mixed at a time; 0: none; default "
                                     "262144");
  options->by_bytes = AddSize(app, "--mixing-bytes", &options->mixing_bytes,
                              "As many rows instead as are expected to take so much memory, of "
                              "what is read here")
                          ->excludes(rows);
  app->add_option("--mix", options->mix,
                  "What is mixed: whole sessions, which keeps dedup, or rows; default sessions")
      ->check(CLI::IsMember({"sessions", "rows"}))
      ->type_name("WORD");
  AddCount(app, "--seed", &options->seed, "Another seed, another order; default 0");
  AddCount(app, "--epoch", &options->epoch, "Another epoch, another order; default 0");
  AddNameList(app, "--features", &options->features,
              "Lists to read, for dedup and bytes; * and ? match; default: all");
  app->add_option("--batch-size", options->batch_size, "Rows in a batch; default 4096")
      ->check(CLI::Range(1U, 1U << 24).description(""))
      ->type_name("N");
  AddCount(app, "--batches", &options->batches,
           "Look at the first so many of either order; default: all");
  app->add_option("--threads", options->threads, "Threads of the scan; 0: all cores; default 1")
      ->check(CLI::Range(0U, 1024U).description(""))
      ->type_name("N");
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Scans twice, in this order and in that of the files. 'random rows' is what as many rows "
      "drawn\n"
      "from all that were looked at would give.\n\nExamples:\n"
      "  dsictl shuffle 'day=*/part-*.dsi'\n"
      "  dsictl shuffle clicks.dsi --unit block --block-rows 16k --mix rows --batches 50\n");
  return [options, console] { return Run(*options, console); };
}

}  // namespace dsi::tools
