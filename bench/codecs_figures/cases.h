// What codecs_bench decodes and encodes: per encoding values that suit it, and the plan that forces
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dsi/bench/codecs_figures/values.h"
#include "dsi/codecs/encoded_array_internal.h"

namespace dsi::bench {

using internal::ArrayView;
using internal::EncodePlan;
using internal::Encoding;

inline EncodePlan Plan(Encoding encoding, std::vector<EncodePlan> children = {}, int param = 0,
                       int shift = 0) {
  EncodePlan plan;
  plan.encoding = encoding;
  plan.param = static_cast<uint8_t>(param);
  plan.shift = static_cast<uint8_t>(shift);
  plan.children = std::move(children);
  return plan;
}

// Huffman codes of Zstandard for each byte of a value of two, without a search for matches.
inline EncodePlan HuffmanPlan() {
  EncodePlan half = Plan(Encoding::kCompressed, {Plan(Encoding::kRaw)}, 1);
  half.literals_only = true;
  return Plan(Encoding::kSplit, {half, half}, 8);
}

// Values of one width, aligned to 8 bytes.
struct Column {
  int width = 8;
  size_t count = 0;
  std::vector<uint64_t> words;
  bool is_float = false;

  size_t size() const { return count * static_cast<size_t>(width); }
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(words.data()); }
  ArrayView view() const { return {words.data(), count, width, is_float}; }
};

struct Case {
  std::string name;  // "<encoding>/<u32 or so>/<what>".
  int width;
  EncodePlan plan;
  Source values;
  bool is_float = false;
  size_t ids = 0;        // A dictionary's entries.
  bool in_dram = false;  // Also measured with more output than caches hold.

  // A page's dictionary pays only where ids come again; a shared one is not the page's.
  size_t fewest_values() const { return plan.encoding == Encoding::kDictionary ? 2 * ids : 1; }
  // The shared dictionary; else nothing.
  std::vector<uint64_t> dictionary() const {
    std::vector<uint64_t> entries(plan.encoding == Encoding::kSharedDictionary ? ids : 0);
    for (size_t rank = 0; rank < entries.size(); ++rank) entries[rank] = IdOf(rank);
    return entries;
  }
};

inline Column Fill(const Case& one, size_t count) {
  Column column{one.width, count, std::vector<uint64_t>((count * size_t(one.width) + 7) / 8),
                one.is_float};
  auto* bytes = reinterpret_cast<std::byte*>(column.words.data());
  std::mt19937_64 random(7);
  const Next next = one.values();
  for (size_t i = 0; i < count; ++i) {
    const uint64_t value = next(random);
    std::memcpy(bytes + i * size_t(one.width), &value, size_t(one.width));
  }
  return column;
}

// Cases of plain numbers, one line for each kind.
inline void AddNumbers(std::vector<Case>* cases) {
  const EncodePlan raw = Plan(Encoding::kRaw);
  const EncodePlan packed = Plan(Encoding::kPacked);
  const auto add = [&](const std::string& name, int width, const EncodePlan& plan, Source values,
                       bool is_float = false) {
    cases->push_back({name, width, plan, std::move(values), is_float});
  };
  add("raw/u32/b32", 4, raw, Bits(32));
  add("raw/u64/b64", 8, raw, Bits(64));
  add("constant/u32/b20", 4, Plan(Encoding::kConstant), Bits(0, 1'000'000));
  add("constant/u64/b60", 8, Plan(Encoding::kConstant), Bits(0, uint64_t{1} << 60));
  for (const int bits : {4, 6}) add("packed/u8/b" + std::to_string(bits), 1, packed, Bits(bits));
  for (const int bits : {5, 11}) add("packed/u16/b" + std::to_string(bits), 2, packed, Bits(bits));
  for (const int bits : {1, 4, 7, 8, 11, 12, 16, 20, 27})
    add("packed/u32/b" + std::to_string(bits), 4, packed, Bits(bits));
  for (const int bits : {1, 8, 12, 16, 20, 33, 48})
    add("packed/u64/b" + std::to_string(bits), 8, packed, Bits(bits));
  add("packed/u32/b12+base", 4, packed, Bits(12, 1'000'000'000));
  add("packed/u64/b20+base", 8, packed, Bits(20, uint64_t{1} << 60));
  const EncodePlan delta = Plan(Encoding::kDelta, {packed});
  add("delta/u8/b3", 1, delta, Steps(3));
  add("delta/u16/b6", 2, delta, Steps(6));
  for (const int bits : {4, 12}) add("delta/u32/b" + std::to_string(bits), 4, delta, Steps(bits));
  for (const int bits : {4, 20}) add("delta/u64/b" + std::to_string(bits), 8, delta, Steps(bits));
  add("delta-delta/u64/times", 8, Plan(Encoding::kDelta, {delta}), Clock(6));
  const EncodePlan runs = Plan(Encoding::kRuns, {packed, packed});
  add("runs/u32/mean3", 4, runs, Repeats(3, 16));
  add("runs/u64/mean3", 8, runs, Repeats(3, 40));
  add("runs/u64/mean30", 8, runs, Repeats(30, 40));
  add("sparse/u32/2%", 4, Plan(Encoding::kSparse, {packed, packed}), MostlyZero(50));
  add("split/f32/12", 4, Plan(Encoding::kSplit, {packed, packed}, 12, 8), Floats(8), true);
  // Selectors and offsets look random.
  const EncodePlan skewed = Plan(Encoding::kSkewed, {packed, raw});
  add("skewed/u16/zipf-4Ki", 2, skewed, ZipfCodes(4096));
  add("skewed/u16/zipf-64Ki", 2, skewed, ZipfCodes(65536));
  add("skewed/u32/zipf-64Ki", 4, skewed, ZipfCodes(65536));
  add("decimal/f32/cents-b14", 4, Plan(Encoding::kDecimal, {packed}, 2), Prices<float>(14), true);
  add("decimal/f64/cents-b20", 8, Plan(Encoding::kDecimal, {packed}, 2), Prices<double>(20), true);
  add("zstd/u64/zipf-4Ki", 8, Plan(Encoding::kCompressed, {raw}, 1), ZipfIds(4096));
  add("lz4/u64/zipf-4Ki", 8, Plan(Encoding::kCompressed, {raw}, 2), ZipfIds(4096));
}

// Cases of ids that a dictionary holds. Skewed: each as often as the others, and Zipf's law on top.
inline void AddIds(std::vector<Case>* cases) {
  const EncodePlan raw = Plan(Encoding::kRaw);
  const auto add = [&](const std::string& name, int width, Encoding encoding, size_t ids,
                       const Source& values, bool has_literals = false) {
    // Codes that fill their width are left as they are.
    const size_t codes = ids + (has_literals ? 1 : 0);
    const EncodePlan packed = codes == 256 || codes == 65536 ? raw : Plan(Encoding::kPacked);
    std::vector<EncodePlan> children = {raw, packed};
    if (encoding == Encoding::kSharedDictionary) {
      children = {packed};
      if (has_literals) children.push_back(raw);
    }
    cases->push_back({name, width, Plan(encoding, children), values, false, ids});
  };
  const auto both = [](size_t ids) { return Alternating(EvenIds(ids), ZipfIds(ids)); };
  constexpr Encoding kOwn = Encoding::kDictionary;
  add("dictionary/u64/256", 8, kOwn, 256, EvenIds(256));
  add("dictionary/u64/4Ki", 8, kOwn, 4096, EvenIds(4096));
  add("dictionary/u64/64Ki", 8, kOwn, 65536, EvenIds(65536));
  add("dictionary/u64/64Ki-skewed", 8, kOwn, 65536, both(65536));
  add("dictionary/u32/256", 4, kOwn, 256, EvenIds(256));
  add("dictionary/u32/4Ki", 4, kOwn, 4096, EvenIds(4096));
  constexpr Encoding kShared = Encoding::kSharedDictionary;
  add("shared/u64/4Ki", 8, kShared, 4096, EvenIds(4096));
  add("shared/u64/64Ki", 8, kShared, 65536, EvenIds(65536));
  add("shared/u64/4Ki+literals", 8, kShared, 4096, WithStrangers(EvenIds(4096), 10), true);
  add("shared/u64/64Ki+literals", 8, kShared, 65536, WithStrangers(EvenIds(65536), 10), true);
}

inline std::vector<Case> DecodeCases() {
  std::vector<Case> cases;
  AddNumbers(&cases);
  AddIds(&cases);
  for (Case& one : cases) {
    for (const char* name :
         {"raw/u64/b64", "constant/u64/b60", "packed/u32/b12", "packed/u64/b20", "delta/u64/b20",
          "delta-delta/u64/times", "dictionary/u64/64Ki", "shared/u64/64Ki",
          "shared/u64/64Ki+literals", "runs/u64/mean30", "sparse/u32/2%", "split/f32/12",
          "skewed/u16/zipf-64Ki", "decimal/f32/cents-b14", "decimal/f64/cents-b20",
          "zstd/u64/zipf-4Ki", "lz4/u64/zipf-4Ki"})
      one.in_dram |= one.name == name;
  }
  return cases;
}

// Pages as a writer meets them, encoded with the choice.
inline std::vector<Case> EncodeCases() {
  const EncodePlan any;
  return {{"encode/u64/ids-4Ki", 8, any, ZipfIds(4096)},
          {"encode/u64/ids-64Ki", 8, any, ZipfIds(65536)},
          {"encode/u64/ids-unique", 8, any, Bits(63)},
          {"encode/u64/times", 8, any, Steps(20)},
          {"encode/u64/runs", 8, any, Repeats(16, 40)},
          {"encode/u32/counts", 4, any, Bits(9)},
          {"encode/u32/sparse", 4, any, MostlyZero(50)},
          {"encode/f32/cut", 4, any, Floats(12), true},
          {"encode/f32/full", 4, any, Floats(0), true},
          {"encode/u8/labels", 1, any, Bits(1)}};
}

}  // namespace dsi::bench
