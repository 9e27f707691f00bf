// dsictl shuffle: what an order does to the batches of a dataset, before a job is run with it.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/shuffle_report.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

struct ShuffleOptions {
  std::vector<std::string> where;
  std::vector<std::string> features;
  std::string unit = "stripe";
  std::string mix = "sessions";
  uint64_t seed = 0;
  uint64_t epoch = 0;
  uint64_t block_rows = 65536;
  uint64_t mixing_rows = 262144;
  uint64_t batches = 0;
  uint32_t batch_size = 4096;
  uint32_t threads = 1;
};

Json JsonOf(const ShuffleReport& report) {
  return {{"batches", report.batches},
          {"rows", report.rows},
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

std::string Number(double value) { return fmt::format("{:.2f}", value); }

Status Print(const ShuffleReport& report, Console* console) {
  if (console->json) return PrintJson(JsonOf(report), console);
  using Align = TextTable::Align;
  TextTable table({{.title = ""},
                   {.title = "this order", .align = Align::kRight},
                   {.title = "file order", .align = Align::kRight},
                   {.title = "random rows", .align = Align::kRight}});
  const auto rate = [&](double seconds) {
    return seconds == 0 ? std::string("-") : RateText(static_cast<double>(report.rows) / seconds);
  };
  table.AddRow({"distinct sessions in a batch", Number(report.sessions_per_batch),
                Number(report.sessions_in_file_order), Number(report.sessions_at_random)});
  table.AddRow({"collisions (rows whose session is there already)", Number(report.collisions), "",
                Number(report.collisions_at_random)});
  table.AddRow(
      {"sessions in several batches", fmt::format("{:.1f} %", 100 * report.sessions_cut), "", ""});
  table.AddRow({"drift of the label (1: as chance has it)", Number(report.label_drift),
                Number(report.label_drift_in_file_order), "1.00"});
  table.AddRow({"entries per unique entry (dedup)", Number(report.dedup_factor),
                Number(report.dedup_factor_in_file_order), ""});
  table.AddRow(
      {"bytes read", BytesText(report.bytes_read), BytesText(report.bytes_in_file_order), ""});
  table.AddRow({"rows per second", rate(report.seconds), rate(report.seconds_in_file_order), ""});
  return console->Print(fmt::format("{} batches, {} rows\n", report.batches, report.rows) +
                        table.Render(*console));
}

Status Run(const ShuffleOptions& options, Console* console) {
  DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(options.where));
  const std::map<std::string, OrderUnit> units = {{"none", OrderUnit::kNone},
                                                  {"block", OrderUnit::kBlock},
                                                  {"stripe", OrderUnit::kStripe},
                                                  {"file", OrderUnit::kFile}};
  DatasetScanOptions scan;
  scan.scan.batch_size = options.batch_size;
  scan.scan.threads = options.threads;
  for (const std::string& name : options.features) scan.scan.features.push_back({.name = name});
  scan.order.unit = units.at(options.unit);
  scan.order.seed = options.seed;
  scan.order.epoch = options.epoch;
  scan.order.block_rows = static_cast<uint32_t>(options.block_rows);
  scan.order.mixing_rows = static_cast<uint32_t>(options.mixing_rows);
  scan.order.mix = options.mix == "rows" ? Mix::kRows : Mix::kSessions;
  Progress progress(*console);
  auto report = ReportShuffle(*dataset, scan, options.batches, [&](uint64_t done, uint64_t total) {
    return progress.Update("reading", done * options.batch_size, total * options.batch_size,
                           ProgressUnit::kRows);
  });
  progress.Clear();
  if (!report.ok()) return report.status();
  return Print(*report, console);
}

}  // namespace

VerbAction AddShuffle(CLI::App* app, Console* console) {
  auto options = std::make_shared<ShuffleOptions>();
  app->add_option("WHERE", options->where,
                  "Files, patterns, folders or manifests, which are one table")
      ->required()
      ->type_name("");
  app->add_option("--unit", options->unit, "What is put in another order; default stripe")
      ->check(CLI::IsMember({"none", "block", "stripe", "file"}))
      ->type_name("WORD");
  AddCount(app, "--block-rows", &options->block_rows, "Rows of a block; default 65,536")
      ->check(CLI::Range(uint64_t{1}, uint64_t{UINT32_MAX}).description(""));
  AddCount(app, "--mixing-rows", &options->mixing_rows,
           "Rows that are mixed at a time; 0: none; default 262,144")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 30).description(""));
  app->add_option("--mix", options->mix, "What is dealt out: whole sessions (default) or rows")
      ->check(CLI::IsMember({"sessions", "rows"}))
      ->type_name("WORD");
  AddCount(app, "--seed", &options->seed, "Seed of the order; default 0");
  AddCount(app, "--epoch", &options->epoch, "Epoch; default 0");
  AddNameList(app, "--features", &options->features, "Lists to read; default: all");
  app->add_option("--batch-size", options->batch_size, "Rows in a batch; default 4096")
      ->check(CLI::Range(1U, 1U << 24).description(""))
      ->type_name("N");
  AddCount(app, "--batches", &options->batches, "Look at so many; default: all");
  app->add_option("--threads", options->threads, "Threads of the scan; 0: all cores; default 1")
      ->check(CLI::Range(0U, 1024U).description(""))
      ->type_name("N");
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Scans twice, in this order and in that of the files.\n\nExamples:\n"
      "  dsictl shuffle 'day=*/part-*.dsi'\n"
      "  dsictl shuffle clicks.dsi --unit block --block-rows 16k --mix rows --batches 50\n");
  return [options, console] { return Run(*options, console); };
}

}  // namespace dsi::tools
