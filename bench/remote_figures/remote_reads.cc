// Reads a file by its URI as a trainer does, and its ranges as they are, for bench/remote.
//
//   remote_reads URI FEATURES [BATCH_SIZE [CONNECTIONS]]
//
// FEATURES: names with commas between. Prints JSON: steps of the plan, milliseconds from nothing to
// the first batch and to the end of the scan, also as a dataset, in the order of the file and
// mixed, and of the plan's ranges read by the source alone, in one call of ReadMany for all and in
// one for each stripe.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/dataset_scan.h"
#include "dsi/io/open.h"
#include "dsi/reader/reader.h"

namespace {

using dsi::ReadPlan;
using dsi::ReadRequest;

double Now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Task {
  std::string uri;
  dsi::OpenOptions open;
  dsi::ScanOptions scan;
};

struct ScanTimes {
  double open_ms = 0;
  double first_batch_ms = 0;
  double all_ms = 0;
  uint64_t bytes = 0;
  uint64_t reads = 0;
};

dsi::Status TakeAll(dsi::Scan* scan, double begin, ScanTimes* times) {
  dsi::Batch batch;
  DSI_ASSIGN_OR_RETURN(bool more, scan->Next(&batch));
  times->first_batch_ms = Now() - begin;
  while (more) {
    DSI_ASSIGN_OR_RETURN(more, scan->Next(&batch));
  }
  times->all_ms = Now() - begin;
  times->bytes = scan->stats().bytes_read;
  times->reads = scan->stats().reads;
  return dsi::Status::Ok();
}

dsi::Status ScanAll(const Task& task, ScanTimes* times) {
  const double begin = Now();
  DSI_ASSIGN_OR_RETURN(auto file, dsi::OpenUri(task.uri, task.open));
  DSI_ASSIGN_OR_RETURN(const auto reader, dsi::Reader::Open(std::move(file)));
  times->open_ms = Now() - begin;
  DSI_ASSIGN_OR_RETURN(const auto scan, reader->NewScan(task.scan));
  return TakeAll(scan.get(), begin, times);
}

dsi::Status ScanDataset(const Task& task, const dsi::OrderOptions& order, ScanTimes* times) {
  const double begin = Now();
  dsi::DatasetOptions options;
  options.open = task.open;
  DSI_ASSIGN_OR_RETURN(const auto dataset, dsi::Dataset::Open(task.uri, options));
  times->open_ms = Now() - begin;
  dsi::DatasetScanOptions asked;
  asked.scan = task.scan;
  asked.order = order;
  DSI_ASSIGN_OR_RETURN(const auto scan, dataset->NewScan(asked));
  return TakeAll(scan.get(), begin, times);
}

// Milliseconds of the ranges, over connections that are open already.
dsi::Status ReadRanges(const dsi::RandomAccessFile& file, const ReadPlan& plan, bool by_stripe,
                       double* ms) {
  std::vector<std::vector<std::byte>> memory;
  std::vector<ReadRequest> requests;
  for (const ReadPlan::Range& range : plan.ranges) {
    memory.emplace_back(range.size);
    requests.push_back({range.offset, memory.back()});
  }
  const double begin = Now();
  for (size_t i = 0; i < requests.size();) {
    size_t end = i + 1;
    while (end < requests.size() &&
           (!by_stripe || plan.ranges[end].stripe == plan.ranges[i].stripe)) {
      ++end;
    }
    DSI_RETURN_IF_ERROR(file.ReadMany(std::span(requests).subspan(i, end - i)));
    i = end;
  }
  *ms = Now() - begin;
  return dsi::Status::Ok();
}

dsi::Status Run(const Task& task) {
  ScanTimes times;
  DSI_RETURN_IF_ERROR(ScanAll(task, &times));
  Task ahead = task;
  ahead.scan.read_ahead_bytes = 256 << 20;
  ScanTimes ahead_times;
  DSI_RETURN_IF_ERROR(ScanAll(ahead, &ahead_times));
  ScanTimes dataset_times, mixed_times;
  DSI_RETURN_IF_ERROR(ScanDataset(ahead, {}, &dataset_times));
  // As loaders of Python shuffle.
  const dsi::OrderOptions mixed{
      .unit = dsi::OrderUnit::kBlock, .block_rows = 32768, .mixing_rows = 131072};
  DSI_RETURN_IF_ERROR(ScanDataset(ahead, mixed, &mixed_times));
  DSI_ASSIGN_OR_RETURN(auto file, dsi::OpenUri(task.uri, task.open));
  DSI_ASSIGN_OR_RETURN(const auto reader, dsi::Reader::Open(task.uri));
  DSI_ASSIGN_OR_RETURN(const ReadPlan plan, reader->Plan(task.scan));
  double all_ms = 0;
  double by_stripe_ms = 0;
  for (double* const ms : {&all_ms, &all_ms, &by_stripe_ms})
    DSI_RETURN_IF_ERROR(ReadRanges(*file, plan, ms == &by_stripe_ms, ms));
  std::printf(
      "{\"steps\": %llu, \"open_ms\": %.1f, \"first_batch_ms\": %.1f, \"scan_ms\": %.1f, "
      "\"ahead_ms\": %.1f, \"ahead_first_ms\": %.1f, "
      "\"dataset_ms\": %.1f, \"mixed_ms\": %.1f, \"mixed_bytes\": %llu, "
      "\"scan_bytes\": %llu, \"scan_reads\": %llu, \"plan_ranges\": %zu, \"plan_bytes\": %llu, "
      "\"plan_stripes\": %zu, \"ranges_ms\": %.1f, \"ranges_by_stripe_ms\": %.1f}\n",
      static_cast<unsigned long long>(plan.steps), times.open_ms, times.first_batch_ms,
      times.all_ms, ahead_times.all_ms, ahead_times.first_batch_ms, dataset_times.all_ms,
      mixed_times.all_ms, static_cast<unsigned long long>(mixed_times.bytes),
      static_cast<unsigned long long>(times.bytes), static_cast<unsigned long long>(times.reads),
      plan.ranges.size(), static_cast<unsigned long long>(plan.bytes), reader->stripes().size(),
      all_ms, by_stripe_ms);
  return dsi::Status::Ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: remote_reads URI FEATURES [BATCH [CONN]]\n"), 2;
  Task task{.uri = argv[1], .open = {}, .scan = {}};
  std::istringstream names(argv[2]);
  for (std::string name; std::getline(names, name, ',');)
    task.scan.features.push_back({.name = name, .layout = dsi::Layout::kJagged});
  if (argc > 3) task.scan.batch_size = static_cast<uint32_t>(std::atoi(argv[3]));
  if (argc > 4) task.open.remote.connections = static_cast<uint32_t>(std::atoi(argv[4]));
  const dsi::Status status = Run(task);
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  return 0;
}
