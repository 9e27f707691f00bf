// dsictl bench: reads batches as a trainer would, and measures. The yardstick is memcpy of the very
// bytes that the batches consist of: a reader that only expands stored rows can hardly be faster.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/access_log.h"
#include "dsi/reader/reader.h"
#include "dsi/tools/bench_internal.h"
#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/unsupported_features_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

// The layout asked for where it has a meaning; single numbers have but one.
Projection ProjectionOf(const ColumnInfo& column, const BenchOptions& options) {
  Projection projection = PlainProjection(column);
  if (options.layout == "dense") {
    projection.layout = Layout::kDense;
  } else if (HasLengths(column.kind, column.type)) {
    const std::map<std::string, Layout> layouts = {
        {"padded", Layout::kPadded}, {"jagged", Layout::kJagged},
        {"ikjt", Layout::kIkjt},     {"vbe", Layout::kVbe},
        {"kjt", Layout::kKjt},       {"padded-ikjt", Layout::kPaddedIkjt}};
    // Byte strings have no padded form.
    const bool can_pad = column.type != Type::kBytes;
    projection.layout = layouts.at(options.layout);
    if (projection.layout == Layout::kPadded && !can_pad) projection.layout = Layout::kJagged;
    if (projection.layout == Layout::kPaddedIkjt && !can_pad) projection.layout = Layout::kIkjt;
    projection.width = options.width;
    projection.keep = column.newest_first ? Keep::kFirst : Keep::kLast;
    projection.set = TypeName(column.type);  // One type each.
  }
  const std::map<std::string, Type> dtypes = {{"int32", Type::kInt32},
                                              {"int64", Type::kInt64},
                                              {"float32", Type::kFloat32},
                                              {"float64", Type::kFloat64}};
  const auto dtype = dtypes.find(options.dtype);
  if (dtype != dtypes.end() && column.type != Type::kBytes) projection.dtype = dtype->second;
  return projection;
}

// How a round is read.
struct Reading {
  bool copies = false;         // The yardstick between batches.
  double compute_seconds = 0;  // What the consumer computes for each batch.
};

// Stands for a model on the same machine.
double Compute(double seconds) {
  const auto start = Clock::now();
  while (Seconds(start) < seconds) {
  }
  return seconds == 0 ? 0 : Seconds(start);
}

Result<BenchRound> ReadOnce(const StoredRows& stored, const ScanOptions& scan_options,
                            const Reading& reading, Batch* batch, std::vector<std::byte>* copy,
                            Progress* progress) {
  BenchRound round;
  const auto start = Clock::now();
  DSI_ASSIGN_OR_RETURN(const auto scan, stored.NewScan(scan_options));
  round.seconds = Seconds(start);
  while (true) {
    const auto before = Clock::now();
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(batch));
    round.seconds += Seconds(before);
    if (!more) break;
    if (round.first_seconds == 0) round.first_seconds = Seconds(start);
    round.batches_ready += static_cast<double>(scan->stats().batches_ready);
    round.compute_seconds += Compute(reading.compute_seconds);
    if (reading.copies) {
      const auto slab = batch->slab();
      if (copy->size() < slab.size()) copy->resize(slab.size());
      const auto copy_start = Clock::now();
      if (!slab.empty()) std::memcpy(copy->data(), slab.data(), slab.size());
      round.copy_seconds += Seconds(copy_start);
    }
    if (!progress->Update("reading", scan->stats().rows + scan->stats().rows_dropped,
                          stored.num_rows(), ProgressUnit::kRows)) {
      return CheckInterrupt();
    }
  }
  // Batches made ahead are made while the consumer is busy too.
  round.wall_seconds =
      scan_options.read_ahead_bytes == 0 ? round.seconds + round.compute_seconds : Seconds(start);
  round.stats = scan->stats();
  round.batches_ready /= static_cast<double>(std::max<uint64_t>(1, round.stats.batches));
  return round;
}

// Everything that is measured of one choice of columns.
class Measurement {
 public:
  Measurement(const StoredRows& stored, const BenchOptions& options, ScanOptions scan,
              Progress* progress)
      : stored_(stored), options_(options), scan_(std::move(scan)), progress_(progress) {
    for (const uint32_t threads : options.threads) series.push_back({threads, {}});
  }

  Status Run() {
    for (uint32_t i = 0; i < options_.repeat; ++i) {
      if (options_.compute) {
        // Reading by itself says how long the consumer is to compute.
        DSI_ASSIGN_OR_RETURN(BenchRound round, Read(options_.threads.front(), 0, {}));
        if (alone.empty() || round.seconds < alone.front().seconds) alone = {round};
      }
      for (BenchSeries& one : series) DSI_RETURN_IF_ERROR(Measure(&one));
    }
    return Status::Ok();
  }

  std::vector<BenchSeries> series;
  std::vector<BenchRound> alone;

 private:
  Result<BenchRound> Read(uint32_t threads, uint64_t read_ahead, const Reading& reading) {
    scan_.threads = threads;
    scan_.read_ahead_bytes = read_ahead;
    return ReadOnce(stored_, scan_, reading, &batch_, &copy_, progress_);
  }

  Status Measure(BenchSeries* one) {
    Reading reading;
    // Copies between batches would be computing.
    reading.copies = options_.read_ahead == 0;
    if (options_.compute) {
      const BenchRound& read = alone.front();
      reading.compute_seconds = (read.seconds - read.first_seconds) /
                                static_cast<double>(std::max<uint64_t>(2, read.stats.batches) - 1);
    }
    DSI_ASSIGN_OR_RETURN(BenchRound round, Read(one->threads, options_.read_ahead, reading));
    if (!reading.copies) {
      DSI_ASSIGN_OR_RETURN(const BenchRound copied, Read(one->threads, 0, {.copies = true}));
      round.copy_seconds = copied.copy_seconds;
    }
    one->rounds.push_back(round);
    return Status::Ok();
  }

  const StoredRows& stored_;
  const BenchOptions& options_;
  ScanOptions scan_;
  Progress* progress_;
  Batch batch_;
  std::vector<std::byte> copy_;
};

Status Run(const BenchOptions& options, Console* console) {
  if (options.compute && options.read_ahead == 0)
    return internal::InvalidArgument("--compute needs --read-ahead, such as 256M");
  Progress progress(*console);
  DSI_ASSIGN_OR_RETURN(const StoredRows stored, StoredRows::Open(options.where, &progress));
  DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, stored.Columns());
  DSI_ASSIGN_OR_RETURN(columns, ChooseColumns(columns, options.features));
  ScanOptions scan;
  scan.batch_size = options.batch_size;
  DSI_ASSIGN_OR_RETURN(scan.filter, FilterOf(stored, options.choice));
  for (;;) {
    scan.features.clear();
    for (const ColumnInfo& column : columns) scan.features.push_back(ProjectionOf(column, options));
    Measurement measurement(stored, options, scan, &progress);
    const Status status = measurement.Run();
    progress.Clear();
    if (status.ok() && !options.access_log.empty()) {
      std::vector<std::string> names;
      for (const ColumnInfo& column : columns) names.push_back(column.name);
      DSI_RETURN_IF_ERROR(AppendAccess(options.access_log, names));
    }
    if (status.ok())
      return PrintBench(options, columns.size(), measurement.series, measurement.alone, console);
    const auto new_scan = [&](const ScanOptions& of) { return stored.NewScan(of); };
    DSI_RETURN_IF_ERROR(LeaveOutUnsupported(status, options.features, "",
                                            ReadRows(new_scan, 0, UINT64_MAX), &columns));
  }
}

}  // namespace

VerbAction AddBench(CLI::App* app, Console* console) {
  auto options = std::make_shared<BenchOptions>();
  AddStoredRows(app, &options->where);
  AddNameList(app, "--features", &options->features, "What to read; * and ? match")->required();
  app->add_option("--layout", options->layout, "Form of the batches; default padded")
      ->check(CLI::IsMember({"padded", "jagged", "ikjt", "padded-ikjt", "vbe", "kjt", "dense"}))
      ->type_name("WORD");
  app->add_option("--batch-size", options->batch_size, "Rows in a batch; default 4096")
      ->check(CLI::Range(1U, 1U << 24).description(""))
      ->type_name("N");
  app->add_option("--width", options->width,
                  "Padded lists: entries per row, the newest stay; default: the longest")
      ->type_name("N");
  app->add_option("--repeat", options->repeat, "Read all of it so often; default 3")
      ->check(CLI::Range(1U, 1000U).description(""))
      ->type_name("N");
  app->add_option("--threads", options->threads,
                  "Threads of a scan, or several numbers to compare; 0: all cores; default 1")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0U, 1024U).description(""))
      ->type_name("N,...");
  AddSize(app, "--read-ahead", &options->read_ahead,
          "Make batches ahead, in so much memory; default: none");
  app->add_flag("--compute", options->compute,
                "Compute for as long as reading takes, and tell how much of it is lost");
  app->add_option("--access-log", options->access_log,
                  "Add a line that says what was read, for --layout-from of convert and rewrite")
      ->type_name("FILE");
  app->add_option("--dtype", options->dtype, "Type of all values; default: as stored")
      ->check(CLI::IsMember({"int32", "int64", "float32", "float64"}))
      ->type_name("WORD");
  AddRowChoice(app, &options->choice);
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "The first round may wait for the disk; the best round is reported.\n\nExamples:\n"
      "  dsictl bench clicks.dsi --features label,'user.*' --width 50\n"
      "  dsictl bench clicks.dsi --features 'user.*' --layout ikjt --batch-size 8192\n"
      "  dsictl bench 'day=*/*.dsi' --features 'user.*' --threads 1,2 --read-ahead 256M\n");
  return [options, console] { return Run(*options, console); };
}

}  // namespace dsi::tools
