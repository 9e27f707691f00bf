// Shape codes to lengths and places: running sums. Included once per Highway target.

#include "dsi/dedup/expand_internal.h"

#include <algorithm>
#include <cstring>
#include <string>

// The fallback without SIMD is compiled beside the other targets, so that tests can hold it.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/dedup/shape_starts.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dsi/base/running_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Writes lengths and places of all rows; returns the sum of the lengths, which cannot wrap: 2^32
// rows of less than 2^32 values. *max_code is the greatest code.
uint64_t ListStarts(const uint32_t* HWY_RESTRICT codes, size_t count,
                    uint32_t* HWY_RESTRICT lengths, uint64_t* HWY_RESTRICT starts,
                    uint8_t* HWY_RESTRICT present, uint32_t* max_code) {
  uint64_t total = 0;
  uint32_t greatest = 0;
  size_t row = 0;
#if DSI_VECTOR_RUNNING_SUM
  if (count > 1) {
    const SumTag<uint64_t> d;
    const hn::Rebind<uint32_t, decltype(d)> d32;
    const hn::Rebind<uint8_t, decltype(d)> d8;
    const hn::Rebind<int32_t, decltype(d)> di32;
    const auto one = hn::Set(d32, 1U);
    auto largest = hn::Zero(d32);
    const auto load = [&](size_t i) HWY_ATTR {
      const auto code = hn::LoadU(d32, codes + i);
      largest = hn::Max(largest, code);
      const auto is_there = hn::Min(code, one);
      const auto length = hn::Sub(code, is_there);
      hn::StoreU(length, d32, lengths + i);
      hn::StoreU(hn::DemoteTo(d8, hn::BitCast(di32, is_there)), d8, present + i);
      return hn::PromoteTo(d, length);
    };
    // The sum up to a row is where the next one starts; the last row has no next.
    const auto store = [&](size_t i, auto sums) HWY_ATTR { hn::StoreU(sums, d, starts + i + 1); };
    starts[0] = 0;
    total = SumWholeVectors<uint64_t>(count - 1, 0, load, store);
    greatest = hn::GetLane(hn::MaxOfLanes(d32, largest));
    row = (count - 1) / hn::Lanes(d) * hn::Lanes(d);
  }
#endif
  for (; row < count; ++row) {
    const uint32_t code = codes[row];
    const uint32_t is_there = std::min(code, 1U);
    greatest = std::max(greatest, code);
    lengths[row] = code - is_there;
    starts[row] = total;
    present[row] = static_cast<uint8_t>(is_there);
    total += lengths[row];
  }
  *max_code = greatest;
  return total;
}

// Codes of 0 and 1, eight at a time: a multiplication makes their running counts. Returns how many
// are 1; of other codes only *max_code is right.
uint64_t ScalarStarts(const uint8_t* HWY_RESTRICT codes, size_t count, uint32_t entries,
                      uint32_t* HWY_RESTRICT lengths, uint64_t* HWY_RESTRICT starts,
                      uint8_t* max_code) {
  uint8_t greatest = 0;
  for (size_t row = 0; row < count; ++row) greatest = std::max(greatest, codes[row]);
  *max_code = greatest;
  uint64_t total = 0;
  size_t row = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<uint64_t, 8> d;
  const hn::Rebind<uint32_t, decltype(d)> d32;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const size_t lanes = hn::Lanes(d);
  const hn::Repartition<uint32_t, decltype(d)> pairs;
  const auto entries32 = hn::Set(d32, entries);
  for (; row + 8 <= count; row += 8) {
    uint64_t bytes;
    std::memcpy(&bytes, codes + row, 8);
    const uint64_t sums = bytes * 0x0101010101010101ULL;
    const uint64_t before = sums << 8;
    uint8_t counts[8];
    std::memcpy(counts, &before, 8);
    const auto base = hn::Set(d, total);
    for (size_t j = 0; j < 8; j += lanes) {
      const auto code = hn::PromoteTo(d32, hn::LoadU(d8, codes + row + j));
      hn::StoreU(hn::Mul(code, entries32), d32, lengths + row + j);
      const auto rows_before = hn::PromoteTo(d32, hn::LoadU(d8, counts + j));
      const auto values_before =
          hn::MulEven(hn::BitCast(pairs, hn::PromoteTo(d, rows_before)), hn::Set(pairs, entries));
      hn::StoreU(hn::Add(base, values_before), d, starts + row + j);
    }
    total += (sums >> 56) * entries;
  }
#endif
  for (; row < count; ++row) {
    lengths[row] = codes[row] * entries;
    starts[row] = total;
    total += uint64_t{codes[row]} * entries;
  }
  return total;
}

// The compiler makes vectors of this loop, other ones on every target.
uint32_t LengthsOf(const uint32_t* HWY_RESTRICT codes, size_t count, uint32_t* HWY_RESTRICT lengths,
                   uint8_t* HWY_RESTRICT present) {
  uint32_t greatest = 0;
  for (size_t row = 0; row < count; ++row) {
    const uint32_t code = codes[row];
    greatest = std::max(greatest, code);
    lengths[row] = code - std::min(code, 1U);
    present[row] = static_cast<uint8_t>(std::min(code, 1U));
  }
  return greatest;
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(ListStarts);
HWY_EXPORT(ScalarStarts);
HWY_EXPORT(LengthsOf);

namespace {

Status TooManyValues(uint64_t found, uint64_t max_values) {
  return Status(StatusCode::kCorrupt, "shape codes ask for " + std::to_string(found) +
                                          " values, at most " + std::to_string(max_values) +
                                          " are stored (D-011)");
}

}  // namespace

uint32_t ShapesToLengths(std::span<const uint32_t> codes, uint32_t* lengths, uint8_t* present) {
  return HWY_DYNAMIC_DISPATCH(LengthsOf)(codes.data(), codes.size(), lengths, present);
}

Result<uint64_t> ShapesToStarts(std::span<const uint32_t> codes, uint64_t max_values,
                                uint32_t* lengths, uint64_t* starts, uint8_t* present,
                                uint32_t* greatest) {
  constexpr uint32_t kMaxCode = 1U << 31;
  const uint64_t total = HWY_DYNAMIC_DISPATCH(ListStarts)(codes.data(), codes.size(), lengths,
                                                          starts, present, greatest);
  if (*greatest > kMaxCode) {
    return Status(StatusCode::kCorrupt, "shape code " + std::to_string(*greatest) +
                                            ", at most 2147483648 is allowed (F-090)");
  }
  if (total > max_values) return TooManyValues(total, max_values);
  return total;
}

Result<uint64_t> ShapesToStarts(std::span<const uint8_t> codes, uint32_t entries_per_row,
                                uint64_t max_values, uint32_t* lengths, uint64_t* starts,
                                uint32_t* greatest) {
  uint8_t max_code = 0;
  uint64_t total = HWY_DYNAMIC_DISPATCH(ScalarStarts)(codes.data(), codes.size(), entries_per_row,
                                                      lengths, starts, &max_code);
  *greatest = max_code;
  if (max_code > 1) {
    return Status(StatusCode::kCorrupt, "shape code " + std::to_string(max_code) +
                                            " of a kind without lengths, 0 or 1 expected (D-010)");
  }
  if (total > max_values) return TooManyValues(total, max_values);
  return total;
}

}  // namespace dsi::internal
#endif  // HWY_ONCE
