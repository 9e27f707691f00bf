// Speed of decoding and encoding, each encoding beside memcpy of its output, the kernels without
// SIMD, and the decoder of Zstandard on the same values. `bench/codecs` runs it and says what the
// figures mean; alone it is an ordinary Google Benchmark program.
//   build/release/bin/codecs_bench --benchmark_filter=delta
// DSI_BENCH_VALUES=<folder>: writes the values of every case there and stops, for other systems.
// DSI_BENCH_COLUMNS=<folder>: decodes the columns of its files, `<name>.<width>[f]`, by every
// encoding instead.
#include <benchmark/benchmark.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "dsi/bench/codecs_figures/cases.h"
#include "dsi/codecs/simd_internal.h"
#include "dsi/dedup/expand_internal.h"

namespace dsi::bench {
namespace {

using internal::EncodeTuning;
using Bytes = std::vector<std::byte>;

// Where the output of one iteration fits: so many pages of so many bytes, all different memory.
struct Residence {
  const char* name;
  size_t page_bytes;
  size_t pages;
};
constexpr Residence kL1 = {"L1", 16 << 10, 1};
constexpr Residence kL2 = {"L2", 512 << 10, 1};
constexpr Residence kDram = {"DRAM", 1 << 20, 256};

// Copies of one page's bytes, and room for as many decoded pages.
class Pages {
 public:
  Pages(const Bytes& page, const Residence& residence) : page_size_(page.size()) {
    const size_t stride = (page.size() + 63) / 64 * 64;
    stride_ = stride;
    in_.resize(stride * residence.pages + 64);
    out_.resize(residence.page_bytes * residence.pages + 64);
    for (size_t i = 0; i < residence.pages; ++i)
      std::memcpy(Aligned(in_) + i * stride, page.data(), page.size());
  }
  std::span<const std::byte> in(size_t i) { return {Aligned(in_) + i * stride_, page_size_}; }
  std::byte* out(size_t offset) { return Aligned(out_) + offset; }

 private:
  static std::byte* Aligned(Bytes& bytes) {
    return bytes.data() + (64 - reinterpret_cast<uintptr_t>(bytes.data()) % 64) % 64;
  }
  size_t page_size_;
  size_t stride_ = 0;
  Bytes in_;
  Bytes out_;
};

void SetRates(benchmark::State& state, const Residence& residence, int width, double stored) {
  const auto bytes = static_cast<double>(residence.page_bytes * residence.pages);
  const auto done = static_cast<double>(state.iterations()) * bytes;
  state.counters["bytes_per_second"] = benchmark::Counter(done, benchmark::Counter::kIsRate);
  state.counters["values_per_second"] =
      benchmark::Counter(done / width, benchmark::Counter::kIsRate);
  state.counters["stored_per_byte"] = stored * static_cast<double>(residence.pages) / bytes;
}

// Calls decode(page bytes, out) for every page of the residence, again and again.
template <typename Decode>
void RunPages(benchmark::State& state, const Bytes& page, const Residence& residence, int width,
              const Decode& decode) {
  Pages pages(page, residence);
  for (auto _ : state) {
    for (size_t i = 0; i < residence.pages; ++i)
      decode(pages.in(i), pages.out(i * residence.page_bytes));
    benchmark::ClobberMemory();
  }
  SetRates(state, residence, width, static_cast<double>(page.size()));
}

void DecodeOurs(benchmark::State& state, const Column& column, const EncodePlan& plan,
                const Residence& residence) {
  Bytes page;
  internal::EncodeNode(column.view(), plan, EncodeTuning(), &page);
  internal::DecodeScratch scratch;
  const internal::SharedDictionary none;
  RunPages(state, page, residence, column.width,
           [&](std::span<const std::byte> in, std::byte* out) {
             if (!internal::DecodeNode(in, column.width, column.count, none, &scratch, out).ok())
               std::abort();
           });
  const auto words = internal::DescribeNode(page, column.count);
  if (words.ok()) state.SetLabel(*words);
}

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

void RegisterDecode(const Case& one, const Residence& residence) {
  const std::string name = one.name + "/" + residence.name + "/";
  const auto column = [one, residence] { return Fill(one, CountFor(residence, one.width)); };
  const auto ours = [=](benchmark::State& state) {
    DecodeOurs(state, column(), one.plan, residence);
  };
  Register(name + "memcpy",
           [=](benchmark::State& state) { CopyOutput(state, column(), residence); });
  Register(name + "dsi", ours);
  Register(name + "scalar", WithoutSimd(ours));
  Register(name + "zstd", [=](benchmark::State& state) { DecodeZstd(state, column(), residence); });
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
    for (auto _ : state) {
      if (!internal::ShapesToStarts(codes, ~uint64_t{0}, lengths.data(), starts.data()).ok())
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
      if (choose) plan = internal::ChoosePlan(column.view(), tuning);
      internal::EncodeNode(column.view(), plan, tuning, &page);
    }
    SetRates(state, {"", column.size(), 1}, one.width, static_cast<double>(page.size()));
    const auto words = internal::DescribeNode(page, column.count);
    if (words.ok()) state.SetLabel(*words);
  };
  Register(one.name + "/page/dsi", [=](benchmark::State& state) { run(state, true); });
  Register(one.name + "/page/planned", [=](benchmark::State& state) { run(state, false); });
}

void WriteValues(const std::filesystem::path& folder) {
  for (const Case& one : DecodeCases()) {
    std::string name = one.name;
    for (char& letter : name) letter = letter == '/' ? '~' : letter;
    const Column column = Fill(one, CountFor(kL2, one.width));
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(column.bytes()),
               static_cast<std::streamsize>(column.size()));
  }
}

// A column of a real table: at most a page of it, by every encoding that takes it.
void RegisterColumn(const std::filesystem::path& path) {
  auto column = std::make_shared<Column>();
  const std::string kind = path.extension().string();  // ".8" or ".4f".
  column->width = kind.at(1) - '0';
  column->is_float = kind.size() > 2;
  column->count = std::min<size_t>(std::filesystem::file_size(path), kL2.page_bytes) /
                  static_cast<size_t>(column->width);
  column->words.resize(kL2.page_bytes / 8);
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(column->words.data()),
            static_cast<std::streamsize>(column->size()));
  const Residence residence = {"L2", column->size(), 1};
  const EncodePlan raw = Plan(Encoding::kRaw);
  const EncodePlan packed = Plan(Encoding::kPacked);
  const EncodePlan zstd = Plan(Encoding::kCompressed, {raw}, 1);
  const std::vector<std::pair<std::string, EncodePlan>> plans = {
      {"raw", raw},
      {"packed", packed},
      {"delta", Plan(Encoding::kDelta, {packed})},
      {"runs", Plan(Encoding::kRuns, {packed, packed})},
      {"dictionary", Plan(Encoding::kDictionary, {raw, packed})},
      {"sparse", Plan(Encoding::kSparse, {packed, packed})},
      {"byte planes", Plan(Encoding::kBytePlanes, std::vector<EncodePlan>(8, zstd))},
      {"zstd", zstd},
      {"lz4", Plan(Encoding::kCompressed, {raw}, 2)},
      {"chosen", internal::ChoosePlan(column->view(), EncodeTuning())}};
  for (const auto& [name, plan] : plans) {
    Register(path.stem().string() + "/" + name, [=, forced = plan](benchmark::State& state) {
      DecodeOurs(state, *column, forced, residence);
    });
  }
}

void RegisterAll() {
  if (const char* columns = std::getenv("DSI_BENCH_COLUMNS")) {
    for (const auto& entry : std::filesystem::directory_iterator(columns))
      RegisterColumn(entry.path());
    return;
  }
  for (const Residence& residence : {kL1, kL2, kDram}) {
    const bool in_dram = residence.pages > 1;
    for (const Case& one : DecodeCases()) {
      // Memory is the same for all of a kind, and filling it takes long.
      if (!in_dram || one.in_dram) RegisterDecode(one, residence);
    }
    RegisterOffsets(residence);
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
