// Stored values -> the type asked for, a page at a time. A value that does not fit is noted, not
// refused: it may belong to a row that nobody reads.
//
// Integers and floats to floats round to nearest, unless they must be exact; a finite number never
// becomes infinite. Floats to integers must be whole numbers in range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/codecs/value_map_internal.h"
#include "dsi/format/types.h"

namespace dsi::internal {

struct Conversion {
  // Converts `count` values. Positions (`position` + index) of values that do not fit are appended
  // to *unfit and become 0. False when a stored bool is neither 0 nor 1 (S-011): its position is
  // appended and the result is void.
  bool (*run)(const void* from, size_t count, uint64_t position, std::byte* to,
              CountedVector<uint64_t>* unfit) = nullptr;
  size_t to_width = 8;
  bool in_place = false;  // `from` and `to` may be the same memory.
  // In place of `run`: what decoding makes of the values, all of which fit.
  std::shared_ptr<const ValueMap> map = nullptr;

  bool is_none() const { return run == nullptr && map == nullptr; }
};

// Unsigned integers of one width whose bits are asked for as signed ones.
constexpr bool IsBitCast(Type from, Type to) {
  return (from == Type::kUint64 && to == Type::kInt64) ||
         (from == Type::kUint32 && to == Type::kInt32);
}

enum class Casting : uint8_t {
  kValue,
  kBits,   // Pairs that IsBitCast keep their bits.
  kExact,  // Integers that a float type cannot count to do not fit it.
};

// Null `run`: nothing to do. `to` is the stored type or int32, int64, float32 or float64.
Conversion FindConversion(Type from, Type to, Casting casting);

// The bits of `value` as a number of type `to`; false when it does not fit.
bool BitsOf(double value, Type to, uint64_t* bits);
// The bits of type `from` as bits of type `to`; false when the value does not fit.
bool ConvertBits(uint64_t bits, Type from, Type to, Casting casting, uint64_t* converted);

}  // namespace dsi::internal
