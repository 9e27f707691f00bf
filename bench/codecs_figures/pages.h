// Runs of a decoder over pages that lie in a cache or in memory, and their rates.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "dsi/bench/codecs_figures/nodes.h"

namespace dsi::bench {

// Where the output of one iteration fits: so many pages of so many bytes, all different memory.
struct Residence {
  const char* name;
  size_t page_bytes;
  size_t pages;
};
inline constexpr Residence kL1 = {"L1", 16 << 10, 1};
inline constexpr Residence kL2 = {"L2", 512 << 10, 1};
inline constexpr Residence kDram = {"DRAM", 1 << 20, 256};

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

inline void SetRates(benchmark::State& state, const Residence& residence, int width,
                     double stored) {
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

inline void DecodeNodes(benchmark::State& state, const Column& column, const Node& node,
                        const Residence& residence) {
  internal::DecodeScratch scratch;
  const internal::SharedDictionary shared = node.shared();
  RunPages(state, node.page, residence, column.width,
           [&](std::span<const std::byte> in, std::byte* out) {
             if (!internal::DecodeNode(in, column.width, column.count, shared, &scratch, out).ok())
               std::abort();
           });
  state.SetLabel(DescribeIn(node.page, column.count));
}

}  // namespace dsi::bench
