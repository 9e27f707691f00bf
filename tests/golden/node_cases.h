// The golden nodes: every encoding in every width that it has, with its flags, and some forms that
// are allowed and never written.
#pragma once

#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "dsi/codecs/width_internal.h"
#include "dsi/tests/golden/node_case.h"

namespace dsi::internal::test {

inline const EncodePlan kRaw = Plan(Encoding::kRaw);
inline const EncodePlan kPacked = Plan(Encoding::kPacked);

inline uint64_t Float32(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }
inline uint64_t Float64(double value) { return std::bit_cast<uint64_t>(value); }

inline std::string TypeOf(int width) {
  return width == 1 ? "u8" : width == 2 ? "u16" : width == 4 ? "u32" : "u64";
}

// E-010, E-011. No payload has 8 bytes by chance, so that raw is never taken for constant.
inline void AddLeaves(NodeCaseList* list) {
  for (const int width : {1, 2, 4, 8}) {
    const std::string u = TypeOf(width);
    const auto n = static_cast<size_t>(width);
    list->Add(u, width, {0, ~uint64_t{0}, Noise(1), Noise(2), 1}, kRaw);
    list->Add(u, width, Values(n + 1, ~uint64_t{1}), Plan(Encoding::kConstant));
  }
}

// E-020 to E-022: short blocks, and a full one before a short one.
inline void AddPacked(NodeCaseList* list) {
  const auto add = [list](std::string name, int width, size_t count, uint64_t base, int bits) {
    list->Add(std::move(name), width,
              Generate(count, [&](size_t i) { return base + (Noise(i) & LowMask(bits)); }),
              kPacked);
  };
  add("u8_short", 1, 23, 0, 3);
  add("u16_short", 2, 23, 0, 11);
  add("u32_short", 4, 23, 0, 29);
  add("u64_short", 8, 23, 0, 53);
  add("u8_short_bases", 1, 45, 200, 2);
  add("u16_short_bases", 2, 45, 0xFFFE, 2);  // Wraps around (E-004).
  add("u32_short_bases", 4, 45, 1'000'000'000, 9);
  add("u64_short_bases", 8, 45, ~uint64_t{99}, 7);
  add("u8_full", 1, 1030, 0, 3);
  add("u16_full", 2, 1030, 0, 3);
  add("u32_full", 4, 1030, 0, 3);
  add("u64_full_bases", 8, 1030, 60, 3);
}

// E-030: up, down, around the end of the range; differences of differences to the depth of E-003.
inline void AddDelta(NodeCaseList* list) {
  const EncodePlan delta = Plan(Encoding::kDelta, {kPacked});
  const auto up = [](uint64_t start, uint64_t step) {
    uint64_t value = start - step;
    return Generate(60, [=](size_t i) mutable { return value += step + Noise(i) % 4; });
  };
  list->Add("u8", 1, up(5, 3), delta);
  list->Add("u16", 2, up(65000, 40), delta);
  list->Add("u32", 4, up(1'700'000'000, ~uint64_t{20}), delta);
  list->Add("u64", 8, up(1'700'000'000'000, 977), delta);
  list->Add("u64_of_delta", 8, Generate(50, [](size_t i) { return i * i * 50 + Noise(i) % 3; }),
            Plan(Encoding::kDelta, {delta}));
  EncodePlan deep = kPacked;
  for (int depth = 5; depth >= 1; --depth) deep = Plan(Encoding::kDelta, {deep});
  list->Add("u64_depth_6", 8, Generate(40, [](size_t i) { return i * i * i * i * i; }), deep);
  list->AddByHand(
      "u8_two_values",
      {.encoding = 3, .width = 1, .count = 2, .payload = Number(250) + RawNode(1, {19})},
      {250, 240});
}

// E-040, E-050, E-051, E-070.
inline void AddRepeats(NodeCaseList* list) {
  for (const int width : {1, 2, 4, 8}) {
    const std::string u = TypeOf(width);
    const EncodePlan& numbers = width < 4 ? kPacked : kRaw;
    const size_t count = width == 1 ? 96 : 50;
    list->Add(u, width, Generate(count, [](size_t i) { return Noise(i / 9 + i / 35); }),
              Plan(Encoding::kRuns, {numbers, kRaw}));
    list->Add(u, width, Generate(count, [](size_t i) { return Noise(Noise(i) % 4); }),
              Plan(Encoding::kDictionary, {kRaw, kPacked}));
    list->Add(u, width, Generate(90, [](size_t i) { return i % 37 == 8 ? Noise(i) : 12; }),
              Plan(Encoding::kSparse, {numbers, kRaw}));
    list->AddShared(u, width, {Noise(1), 3, 200, 9, 60'000}, 30, numbers);
  }
  const Values ids = Generate(280, [](size_t i) { return 3 * i; });
  list->AddShared("u64_codes_u16", 8, ids, 40, kPacked);
  for (const int width : {1, 2, 4, 8}) {
    list->AddShared(TypeOf(width) + "_literals", width, {Noise(1), 3, 200}, 30,
                    width < 4 ? kPacked : kRaw, {Noise(7), 61, 60'000, 3});
  }
  list->AddByHand("u64_codes_u32",
                  {.encoding = 6, .width = 8, .count = 3, .payload = RawNode(4, {2, 0, 1})},
                  {2003, 2001, 2002}, {2001, 2002, 2003});
  list->Add("u32_codes_u16", 4, Generate(330, [&](size_t i) { return ids[i * 3 % 280]; }),
            Plan(Encoding::kDictionary, {Plan(Encoding::kDelta, {kPacked}), kPacked}));
  list->AddByHand("u16_codes_u32",
                  {.encoding = 5,
                   .width = 2,
                   .count = 3,
                   .aux = 2,
                   .payload = RawNode(2, {7, 9}) + RawNode(4, {1, 0, 1})},
                  {9, 7, 9});
  list->Add("u32_nested", 4, Generate(120, [&](size_t i) { return ids[Noise(i / 5) % 4]; }),
            Plan(Encoding::kDictionary, {kRaw, Plan(Encoding::kRuns, {kPacked, kPacked})}));
}

// E-080.
inline void AddParts(NodeCaseList* list) {
  const EncodePlan constant = Plan(Encoding::kConstant);
  const auto low_bits = [](uint64_t high, int bits, int shift) {
    return Generate(bits < 10 ? 100 : 40,
                    [=](size_t i) { return (high | (Noise(i) & LowMask(bits))) << shift; });
  };
  const auto split = [](std::vector<EncodePlan> parts, int low, int shift, bool sign_low) {
    EncodePlan plan = Plan(Encoding::kSplit, std::move(parts), low, shift);
    plan.sign_low = sign_low;
    return plan;
  };
  list->Add("u8", 1, low_bits(0xA0, 3, 0), split({constant, kPacked}, 3, 0, false));
  list->Add("u16_no_low", 2, low_bits(0, 7, 9), split({kPacked}, 0, 9, false));
  list->Add("u32_shift", 4, low_bits(0x1230000, 11, 4), split({kPacked, kPacked}, 9, 4, false));
  list->Add("u64", 8, low_bits(uint64_t{0xABC} << 44, 42, 0),
            split({kPacked, kPacked}, 42, 0, false));
  const auto signed_floats = [](auto bits_of, unsigned steps) {
    return Generate(50, [=](size_t i) {
      const double size = 1 + static_cast<double>(Noise(i) % steps) / steps;
      return bits_of(i % 3 == 0 ? -size : size);
    });
  };
  list->Add("u32_sign_low", 4, signed_floats(Float32, 999),
            split({constant, kPacked}, 24, 0, true));
  list->Add("u64_sign_low_shift", 8, signed_floats(Float64, 64),
            split({kPacked, kPacked}, 7, 46, true));
  list->Add("u16_patches", 2,
            Generate(110, [](size_t i) { return i % 40 == 9 ? Noise(i) : i % 13; }),
            split({Plan(Encoding::kSparse, {kRaw, kRaw}), kPacked}, 4, 0, false));
  list->AddByHand("u32_wide_high",
                  {.encoding = 9,
                   .width = 4,
                   .param = 3,
                   .count = 2,
                   .payload = RawNode(4, {1, 2}) + RawNode(1, {5, 6})},
                  {13, 22});
}

// E-100.
inline void AddCompressed(NodeCaseList* list) {
  const auto again = [](size_t count) {
    return Generate(count, [](size_t i) { return Noise(i % 17); });
  };
  const EncodePlan zstd = Plan(Encoding::kCompressed, {kRaw}, 1);
  EncodePlan literals = zstd;
  literals.literals_only = true;
  list->Add("u8_zstd_literals", 1,
            Generate(200, [](size_t i) { return Noise(i) & Noise(i + 9) & 7; }), literals);
  list->Add("u16_lz4", 2, again(80), Plan(Encoding::kCompressed, {kRaw}, 2));
  list->Add("u32_zstd", 4, again(50), zstd);
  list->Add("u32_zstd_nested", 4, Generate(120, [](size_t i) { return 9000 + i / 3 % 6; }),
            Plan(Encoding::kCompressed, {Plan(Encoding::kRuns, {kPacked, kRaw})}, 1));
  list->Add("u64_lz4", 8, again(40), Plan(Encoding::kCompressed, {kRaw}, 2));
}

// E-110: classes of no bits and of many; where all have none there are no words.
inline void AddSkewed(NodeCaseList* list) {
  const EncodePlan skewed = Plan(Encoding::kSkewed, {kPacked, kRaw});
  const auto skew = [](size_t count, int most_bits) {
    return Generate(count, [=](size_t i) {
      return Noise(i) & LowMask(static_cast<int>(Noise(i + 1) % 8 * most_bits / 7));
    });
  };
  list->Add("u8", 1, Generate(300, [](size_t i) { return i % 5 == 0 ? Noise(i) : 3; }), skewed);
  list->Add("u16", 2, skew(120, 12), skewed);
  list->Add("u32", 4, skew(80, 24), skewed);
  list->Add("u64", 8, skew(70, 56), skewed);
  list->Add("u32_no_words", 4, Generate(80, [](size_t i) { return i % 7 == 2 ? 1U << 30 : 5; }),
            skewed);
}

// E-120: codes of every width, both limits of the exponent, exceptions of every kind.
inline void AddDecimal(NodeCaseList* list) {
  const auto plan = [](int exponent, const EncodePlan& codes = kRaw) {
    return Plan(Encoding::kDecimal, {codes, kRaw, kRaw}, exponent);
  };
  const auto quotients = [](auto bits_of, uint64_t range, double divisor, size_t count = 30) {
    return Generate(count, [=](size_t i) {
      const double integer = static_cast<double>(Noise(i) % range) - static_cast<double>(range / 3);
      return bits_of(integer / divisor);
    });
  };
  const auto with_exceptions = [](Values values, auto bits_of, uint64_t odd_nan) {
    values[0] = bits_of(-0.0);
    values[8] = bits_of(HUGE_VAL);
    values[9] = bits_of(-HUGE_VAL);
    values[17] = odd_nan;  // With a payload, and signalling.
    values[20] = 1;        // The smallest number above zero.
    values[29] = bits_of(1.0 / 3);
    return values;
  };
  list->Add("f32_u8", 4, quotients(Float32, 200, 10), plan(1));
  list->Add("f32_u16", 4, quotients(Float32, 60000, 100), plan(2));
  list->Add("f32_u32", 4, quotients(Float32, 1 << 20, 1), plan(0, kPacked));
  list->Add("f32_exponent_10", 4, quotients(Float32, 99, 1e10), plan(10));
  list->Add("f32_exceptions", 4,
            with_exceptions(quotients(Float32, 90, 100, 40), Float32, 0x7FA00001), plan(2));
  list->Add("f64_u8", 8, quotients(Float64, 200, 100), plan(2));
  list->Add("f64_u16", 8, quotients(Float64, 60000, 100), plan(2));
  list->Add("f64_u32", 8, quotients(Float64, 1 << 30, 1000), plan(3));
  list->Add("f64_u64", 8, quotients(Float64, uint64_t{1} << 50, 1e5), plan(5, kPacked));
  list->Add("f64_exponent_22", 8, quotients(Float64, 99, 1e22), plan(22));
  list->Add("f64_exceptions", 8,
            with_exceptions(quotients(Float64, 9000, 100), Float64, 0xFFF4000000000001),
            plan(2, kPacked));
}

inline std::vector<NodeCase> NodeCases() {
  NodeCaseList list;
  for (const auto add :
       {AddLeaves, AddPacked, AddDelta, AddRepeats, AddParts, AddCompressed, AddSkewed, AddDecimal})
    add(&list);
  return list.cases;
}

}  // namespace dsi::internal::test
