// What codecs_bench decodes and encodes: per encoding a way to make values that suit it, and the
// plan that forces it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

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

// Values of one width, aligned to 8 bytes.
struct Column {
  int width = 8;
  size_t count = 0;
  std::vector<uint64_t> words;
  bool is_float = false;

  size_t size() const { return count * static_cast<size_t>(width); }
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(words.data()); }
  ArrayView view() const { return {words.data(), count, width, false, is_float}; }
};

using Next = std::function<uint64_t(std::mt19937_64&)>;

struct Case {
  std::string name;  // "<encoding>/<u32 or so>/<what>".
  int width;
  EncodePlan plan;
  std::function<Next()> values;  // A fresh source of values; a source may remember its last value.
  bool is_float = false;
  bool in_dram = false;  // Also measured with more output than caches hold.
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

// Numbers of so many random bits above a base.
inline std::function<Next()> Bits(int bits, uint64_t base = 0) {
  const uint64_t mask = bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits);
  return [=] { return [=](std::mt19937_64& random) { return base + (random() & mask); }; };
}

// Steps up and down of so many bits.
inline std::function<Next()> Steps(int bits) {
  return [=] {
    return [value = uint64_t{1} << 40, bits](std::mt19937_64& random) mutable {
      return value += (random() >> (64 - bits)) - (uint64_t{1} << (bits - 1));
    };
  };
}

// `size` different hashes, all equally often, or the first ones most often (Zipf's law, roughly).
inline std::function<Next()> Ids(size_t size, bool skewed) {
  return [=] {
    return [=](std::mt19937_64& random) {
      const auto uniform = static_cast<double>(random() >> 11) * 0x1p-53;
      const double rank = skewed ? std::pow(static_cast<double>(size), uniform) - 1
                                 : uniform * static_cast<double>(size);
      return (static_cast<uint64_t>(rank) + 1) * 0x9E3779B97F4A7C15ULL >> 1;
    };
  };
}

// Each value `length` times in the mean.
inline std::function<Next()> Repeats(unsigned length, int bits) {
  return [=] {
    return [=, value = uint64_t{0}](std::mt19937_64& random) mutable {
      if (random() % length == 0) value = random() >> (64 - bits);
      return value;
    };
  };
}

inline std::function<Next()> MostlyZero(unsigned one_in) {
  return [=] {
    return [=](std::mt19937_64& random) {
      return random() % one_in == 0 ? random() & 0xFFFF : uint64_t{0};
    };
  };
}

// Standard normal float32 with so many zero bits at the end.
inline std::function<Next()> Floats(int zero_bits) {
  return [=] {
    return [=, normal = std::normal_distribution<float>()](std::mt19937_64& random) mutable {
      const float value = normal(random);
      uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      return uint64_t{bits >> zero_bits << zero_bits};
    };
  };
}

inline std::vector<Case> DecodeCases() {
  const EncodePlan raw = Plan(Encoding::kRaw);
  const EncodePlan packed = Plan(Encoding::kPacked);
  const EncodePlan zstd = Plan(Encoding::kCompressed, {raw}, 1);
  const EncodePlan lz4 = Plan(Encoding::kCompressed, {raw}, 2);
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, int width, const EncodePlan& plan,
                       std::function<Next()> values, bool is_float = false) {
    cases.push_back({name, width, plan, std::move(values), is_float, false});
  };
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
  const EncodePlan dictionary = Plan(Encoding::kDictionary, {raw, packed});
  add("dictionary/u64/256", 8, dictionary, Ids(256, false));
  add("dictionary/u64/4Ki", 8, dictionary, Ids(4096, false));
  add("dictionary/u64/64Ki", 8, dictionary, Ids(65536, false));
  add("dictionary/u64/64Ki-skewed", 8, dictionary, Ids(65536, true));
  add("dictionary/u32/4Ki", 4, dictionary, Ids(4096, false));
  const EncodePlan runs = Plan(Encoding::kRuns, {packed, packed});
  add("runs/u32/mean3", 4, runs, Repeats(3, 16));
  add("runs/u64/mean3", 8, runs, Repeats(3, 40));
  add("runs/u64/mean30", 8, runs, Repeats(30, 40));
  add("bitmap/u8/1", 1, Plan(Encoding::kBitmap), Bits(1));
  add("bitmap/u32/1", 4, Plan(Encoding::kBitmap), Bits(1));
  add("sparse/u32/2%", 4, Plan(Encoding::kSparse, {packed, packed}), MostlyZero(50));
  add("split/f32/12", 4, Plan(Encoding::kSplit, {packed, packed}, 12, 8), Floats(8), true);
  const EncodePlan planes =
      Plan(Encoding::kBytePlanes, {packed, raw, raw, raw, raw, raw, raw, packed});
  add("planes/f32/8", 4, planes, Floats(8), true);
  add("planes/u64/b52", 8, planes, Bits(52));
  add("zstd/u64/4Ki", 8, zstd, Ids(4096, true));
  add("lz4/u64/4Ki", 8, lz4, Ids(4096, true));
  for (Case& one : cases) {
    for (const char* name : {"packed/u32/b12", "packed/u64/b20", "delta/u64/b20",
                             "dictionary/u64/64Ki", "runs/u64/mean30", "planes/f32/8"})
      one.in_dram |= one.name == name;
  }
  return cases;
}

// Pages as a writer meets them, encoded with the choice.
inline std::vector<Case> EncodeCases() {
  const EncodePlan any;
  return {{"encode/u64/ids-4Ki", 8, any, Ids(4096, true)},
          {"encode/u64/ids-64Ki", 8, any, Ids(65536, true)},
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
