// What the order of a dataset costs: of 10^6 files and 10^10 rows, state, resume and shares are
// arithmetic and take no longer than those of one file.
//   build/release/bin/dataset_order_bench
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "dsi/dataset/order/row_order_internal.h"
#include "dsi/dataset/order/scan_state_internal.h"

namespace {

using namespace dsi;
using namespace dsi::internal;

constexpr uint64_t kRows = 10'000'000'000;
constexpr uint64_t kFiles = 1'000'000;
constexpr uint32_t kBatch = 4096;

const std::vector<uint64_t>& FileEnds() {
  static const std::vector<uint64_t> ends = [] {
    std::vector<uint64_t> list;
    uint64_t end = 0;
    for (uint64_t i = 0; i < kFiles; ++i) list.push_back(end += 5'000 + SplitMix64(1, i) % 10'001);
    return list;
  }();
  return ends;
}

DatasetOrder MakeOrder(OrderUnit unit, const RowSpan& rows) {
  auto order = DatasetOrder::Make({.unit = unit, .seed = 7, .mixing_rows = 65'536}, kBatch, 9,
                                  FileEnds(), {&rows, 1});
  if (!order.ok()) std::abort();
  return *std::move(order);
}

// A place of `ranks` ranks, halfway, some of them resumed before in other worlds.
ScanState Halfway(uint32_t ranks) {
  ScanState state;
  state.num_rows = kRows;
  state.batch_size = kBatch;
  state.StartAnew();
  for (uint32_t world = ranks; world > ranks / 2; world -= (ranks + 7) / 8) {
    state.world = world;
    state.handed_out = RunOfRank(CountBatchesOf(state.left), 0, world, state.remainder).count / 9;
    if (world > ranks / 2 + (ranks + 7) / 8) state.left = state.Remaining();
  }
  return state;
}

void WriteState(benchmark::State& state) {
  const ScanState at = Halfway(static_cast<uint32_t>(state.range(0)));
  size_t bytes = 0;
  for (auto _ : state) bytes = at.ToJson().size();
  state.counters["bytes"] = static_cast<double>(bytes);
  state.counters["spans"] = static_cast<double>(at.left.size());
}
BENCHMARK(WriteState)->Arg(1)->Arg(64)->Arg(1024)->Unit(benchmark::kMicrosecond);

// From the text to the first batch's rows of the last rank.
void Resume(benchmark::State& state, OrderUnit unit) {
  const std::string json = Halfway(static_cast<uint32_t>(state.range(0))).ToJson();
  const RowSpan rows = {0, unit == OrderUnit::kBlock ? kRows : FileEnds().back()};
  DatasetOrder order = MakeOrder(unit, rows);
  std::vector<RowSpan> found;
  order.Find(0, 1, &found);  // Lists the units where they are files.
  for (auto _ : state) {
    if (unit == OrderUnit::kBlock) order = MakeOrder(unit, rows);
    auto at = ScanState::FromJson(json);
    if (!at.ok()) std::abort();
    const auto share =
        BatchShare::Make(at->Remaining(), {.rank = at->world - 1, .world = at->world});
    if (!share.ok()) std::abort();
    const uint64_t batch = share->at(0) % (order.num_rows() / kBatch);
    order.Find(batch * kBatch, (batch + 1) * kBatch, &found);
    benchmark::DoNotOptimize(found.data());
  }
}
BENCHMARK_CAPTURE(Resume, blocks, OrderUnit::kBlock)
    ->Arg(1)
    ->Arg(64)
    ->Arg(1024)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Resume, files, OrderUnit::kFile)
    ->Arg(1)
    ->Arg(64)
    ->Arg(1024)
    ->Unit(benchmark::kMicrosecond);

void MakeShare(benchmark::State& state) {
  const auto world = static_cast<uint32_t>(state.range(0));
  const BatchSpan all = {0, kRows / kBatch};
  for (auto _ : state) {
    const auto share = BatchShare::Make({&all, 1}, {.rank = world / 2, .world = world});
    if (!share.ok()) std::abort();
    benchmark::DoNotOptimize(share->at(share->size() / 2));
  }
}
BENCHMARK(MakeShare)->Arg(8)->Arg(1024);

// Once for each scan in the order of files: one entry for each of 10^6.
void ListFiles(benchmark::State& state) {
  const RowSpan rows = {0, FileEnds().back()};
  std::vector<RowSpan> found;
  for (auto _ : state) {
    const DatasetOrder order = MakeOrder(OrderUnit::kFile, rows);
    order.Find(rows.end / 2, rows.end / 2 + kBatch, &found);
    benchmark::DoNotOptimize(found.data());
  }
}
BENCHMARK(ListFiles)->Unit(benchmark::kMillisecond);

void FindBatch(benchmark::State& state, OrderUnit unit) {
  const RowSpan rows = {0, FileEnds().back()};
  const DatasetOrder order = MakeOrder(unit, rows);
  std::vector<RowSpan> found;
  order.Find(0, 1, &found);
  uint64_t i = 0;
  for (auto _ : state) {
    const uint64_t batch = SplitMix64(3, ++i) % (rows.end / kBatch);
    order.Find(batch * kBatch, (batch + 1) * kBatch, &found);
    benchmark::DoNotOptimize(found.data());
  }
}
BENCHMARK_CAPTURE(FindBatch, blocks, OrderUnit::kBlock);
BENCHMARK_CAPTURE(FindBatch, files, OrderUnit::kFile);

void Mix64Ki(benchmark::State& state, Mix mix) {
  constexpr uint32_t kWindow = 65'536;
  std::vector<uint32_t> starts;
  for (uint32_t row = 0; row < kWindow; row += 16) starts.push_back(row);
  std::vector<uint32_t> order;
  uint64_t window = 0;
  for (auto _ : state) MixWindow({.mix = mix}, 9, ++window, starts, kWindow, &order);
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * kWindow);
}
BENCHMARK_CAPTURE(Mix64Ki, rows, Mix::kRows)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Mix64Ki, sessions, Mix::kSessions)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
