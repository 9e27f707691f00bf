// Speed of decoding and encoding, each encoding beside memcpy of its output, the kernels without
// SIMD, and the decoder of Zstandard on the same values; of skewed codes also Huffman codes. Stops
// where a node is not of the encoding that its case is called after. `bench/codecs` runs it and
// says what the figures mean; alone it is an ordinary Google Benchmark program.
//   build/release/bin/codecs_bench --benchmark_filter=delta
// DSI_BENCH_VALUES=<folder>: writes the values of every case there and stops, for other systems.
// DSI_BENCH_COLUMNS=<folder>: decodes the columns of its files, `<name>.<width>[f|s]` (floats,
// shared ids), by every encoding instead.
#include <benchmark/benchmark.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "dsi/bench/codecs_figures/columns.h"
#include "dsi/codecs/choice/entropy_internal.h"
#include "dsi/codecs/simd_internal.h"
#include "dsi/dedup/expand_internal.h"

namespace dsi::bench {
namespace {

void DecodeZstd(benchmark::State& state, const Column& column, const Residence& residence) {
  Bytes frame(ZSTD_compressBound(column.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), column.bytes(), column.size(), 3));
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                   ZSTD_freeDCtx);
  RunPages(state, frame, residence, column.width,
           [&](std::span<const std::byte> in, std::byte* out) {
             benchmark::DoNotOptimize(
                 ZSTD_decompressDCtx(context.get(), out, column.size(), in.data(), in.size()));
           });
}

void CopyOutput(benchmark::State& state, const Column& column, const Residence& residence) {
  const Bytes values(column.bytes(), column.bytes() + column.size());
  RunPages(state, values, residence, column.width,
           [&](std::span<const std::byte> in, std::byte* out) {
             std::memcpy(out, in.data(), in.size());
           });
}

template <typename Run>
void Register(const std::string& name, const Run& run) {
  benchmark::RegisterBenchmark(name.c_str(), run);
}

// A variant under the fallback without SIMD.
template <typename Run>
auto WithoutSimd(const Run& run) {
  return [run](benchmark::State& state) {
    internal::ForceSimdTarget(internal::RunnableSimdTargets().back());
    run(state);
    internal::ForceSimdTarget(0);
  };
}

size_t CountFor(const Residence& residence, int width) {
  return residence.page_bytes / static_cast<size_t>(width);
}

// A page is made larger where its dictionary's ids would not fit.
Residence RoomFor(const Case& one, Residence residence) {
  residence.page_bytes =
      std::max(residence.page_bytes, one.fewest_values() * static_cast<size_t>(one.width));
  return residence;
}

// Of skewed codes, all of which are below 2^16: bits for a value.
double Entropy(const Column& column) {
  std::vector<uint16_t> codes(column.count);
  for (size_t i = 0; i < column.count; ++i)
    std::memcpy(&codes[i], column.bytes() + i * size_t(column.width), sizeof(codes[i]));
  return internal::EntropyBits(codes, 16);
}

void RegisterDecode(const Case& one, const Residence& asked) {
  const Residence residence = RoomFor(one, asked);
  const std::string name = one.name + "/" + residence.name + "/";
  const auto column = [=] { return Fill(one, CountFor(residence, one.width)); };
  const auto ours = [=](benchmark::State& state) {
    const Column values = column();
    const Node node = EncodeColumn(values, one.plan, one.dictionary());
    CheckFollows(one, node, values.count);
    DecodeNodes(state, values, node, residence);
  };
  Register(name + "memcpy",
           [=](benchmark::State& state) { CopyOutput(state, column(), residence); });
  Register(name + "dsi", ours);
  Register(name + "scalar", WithoutSimd(ours));
  Register(name + "zstd", [=](benchmark::State& state) { DecodeZstd(state, column(), residence); });
  if (one.plan.encoding != Encoding::kSkewed) return;
  Register(name + "huffman", [=](benchmark::State& state) {
    const Column values = column();
    DecodeNodes(state, values, EncodeColumn(values, HuffmanPlan(), {}), residence);
    state.counters["entropy_bits"] = Entropy(values);
  });
}

// Shape codes of lists to lengths and starts: 12 bytes per row come out.
void RegisterOffsets(const Residence& residence) {
  constexpr int kWidth = 12;
  const auto offsets = [=](benchmark::State& state) {
    const size_t count = CountFor(residence, kWidth);
    std::mt19937_64 random(3);
    std::vector<uint32_t> codes(count);
    for (uint32_t& code : codes) code = static_cast<uint32_t>(random() % 60);
    std::vector<uint32_t> lengths(count);
    std::vector<uint64_t> starts(count);
    std::vector<uint8_t> present(count);
    uint32_t greatest = 0;
    for (auto _ : state) {
      if (!internal::ShapesToStarts(codes, ~uint64_t{0}, lengths.data(), starts.data(),
                                    present.data(), &greatest)
               .ok())
        std::abort();
      benchmark::ClobberMemory();
    }
    SetRates(state, {"", count * kWidth, 1}, kWidth, static_cast<double>(count) * 4);
  };
  const auto copy = [=](benchmark::State& state) {
    const Column column{4, residence.page_bytes / 4,
                        std::vector<uint64_t>(residence.page_bytes / 8)};
    CopyOutput(state, column, residence);
  };
  const std::string name = std::string("offsets/u32/lengths/") + residence.name + "/";
  Register(name + "memcpy", copy);
  Register(name + "dsi", offsets);
  Register(name + "scalar", WithoutSimd(offsets));
}

// A page of the size that a writer makes by default: with the choice of a plan, as for the first
// page of a stream, and by a plan already chosen, as for the others.
void RegisterEncode(const Case& one) {
  constexpr size_t kPageValues = 65536;
  const auto run = [one](benchmark::State& state, bool choose) {
    const Column column = Fill(one, kPageValues);
    const EncodeTuning tuning;
    EncodePlan plan = internal::ChoosePlan(column.view(), tuning);
    Bytes page;
    for (auto _ : state) {
      page.clear();
      internal::ArrayEncoder encoder(column.view(), tuning);
      if (choose) plan = encoder.Choose();
      encoder.Encode(plan, &page);
    }
    SetRates(state, {"", column.size(), 1}, one.width, static_cast<double>(page.size()));
    state.SetLabel(DescribeIn(page, column.count));
  };
  Register(one.name + "/page/dsi", [=](benchmark::State& state) { run(state, true); });
  Register(one.name + "/page/planned", [=](benchmark::State& state) { run(state, false); });
}

void WriteValues(const std::filesystem::path& folder) {
  for (const Case& one : DecodeCases()) {
    std::string name = one.name;
    for (char& letter : name) letter = letter == '/' ? '~' : letter;
    const Column column = Fill(one, CountFor(RoomFor(one, kL2), one.width));
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(column.bytes()),
               static_cast<std::streamsize>(column.size()));
  }
}

void RegisterAll() {
  if (const char* columns = std::getenv("DSI_BENCH_COLUMNS")) {
    RegisterColumns(columns);
    return;
  }
  for (const Residence& residence : {kL1, kL2, kDram}) {
    const bool in_dram = residence.pages > 1;
    for (const Case& one : DecodeCases()) {
      // Memory is the same for all of a kind, and filling it takes long.
      const bool is_wanted = !in_dram || one.in_dram;
      const bool fits_l1 = RoomFor(one, kL1).page_bytes == kL1.page_bytes;
      if (is_wanted && (fits_l1 || residence.name != std::string("L1")))
        RegisterDecode(one, residence);
    }
    if (!in_dram) RegisterOffsets(residence);
  }
  for (const Case& one : EncodeCases()) RegisterEncode(one);
}

}  // namespace
}  // namespace dsi::bench

int main(int argc, char** argv) {
  if (const char* folder = std::getenv("DSI_BENCH_VALUES")) {
    dsi::bench::WriteValues(folder);
    return 0;
  }
  dsi::bench::RegisterAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
