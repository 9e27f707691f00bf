#include "dsi/dataset/compare/hash_values_internal.h"

#include <xxhash.h>

#include <bit>
#include <cmath>
#include <cstddef>

namespace dsi::internal {
namespace {

// Whole numbers that an int64 holds are its 64 bits; a row with any other number tells of each what
// its bits are, and has a seed of its own.
constexpr uint64_t kMissing = 0x6D697373696E67ULL;  // What is added to the seed.
constexpr uint64_t kWide = 0x77696465ULL;

enum class NumberClass : uint64_t { kSigned, kUnsigned, kReal };
struct Number {
  uint64_t bits = 0;
  NumberClass of = NumberClass::kSigned;
};

Number NumberOf(uint64_t value) {
  return {value, value >> 63 == 0 ? NumberClass::kSigned : NumberClass::kUnsigned};
}

Number NumberOf(double value) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (value >= -kTwoTo63 && value < kTwoTo63) {
    const auto whole = static_cast<int64_t>(value);
    const bool is_whole =
        static_cast<double>(whole) == value && !(whole == 0 && std::signbit(value));
    if (is_whole) return {std::bit_cast<uint64_t>(whole), NumberClass::kSigned};
  } else if (value >= kTwoTo63 && value < 2 * kTwoTo63) {  // Floats that large are whole numbers.
    return {static_cast<uint64_t>(value), NumberClass::kUnsigned};
  }
  return {std::bit_cast<uint64_t>(value), NumberClass::kReal};
}

// Of a NaN every bit, which a conversion would not keep.
Number NumberOf(float value) {
  if (!std::isnan(value)) return NumberOf(double{value});
  const auto bits = uint64_t{std::bit_cast<uint32_t>(value)};
  const uint64_t sign = bits >> 31 << 63;
  const uint64_t mantissa = (bits & 0x7FFFFF) << 29;
  return {sign | 0x7FF0000000000000ULL | mantissa, NumberClass::kReal};
}

RowHash HashBytes(const void* bytes, size_t size, uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, seed);
  return {hash.low64, hash.high64};
}

template <typename T>
RowHash HashNumbers(const T* values, size_t count, uint64_t seed, std::vector<uint64_t>* words) {
  words->resize(2 * count);
  bool is_wide = false;
  for (size_t i = 0; i < count; ++i) {
    const Number number = NumberOf(values[i]);
    (*words)[i] = number.bits;
    (*words)[count + i] = static_cast<uint64_t>(number.of);
    is_wide |= number.of != NumberClass::kSigned;
  }
  // What all of them are goes without saying.
  const size_t told = is_wide ? 2 * count : count;
  return HashBytes(words->data(), told * sizeof(uint64_t), is_wide ? seed + kWide : seed);
}

}  // namespace

void HashValues(const JaggedView& rows, uint64_t seed, std::vector<RowHash>* hashes) {
  hashes->resize(rows.rows);
  std::vector<uint64_t> words;
  const RowHash missing = HashBytes(nullptr, 0, seed + kMissing);
  for (size_t r = 0; r < rows.rows; ++r) {
    RowHash& hash = (*hashes)[r];
    if (rows.present[r] == 0) {
      hash = missing;
      continue;
    }
    const auto begin = static_cast<size_t>(rows.offsets[r]);
    const size_t count = static_cast<size_t>(rows.offsets[r + 1]) - begin;
    if (rows.dtype == Type::kUint64) {
      hash = HashNumbers(static_cast<const uint64_t*>(rows.values) + begin, count, seed, &words);
    } else if (rows.dtype == Type::kFloat32) {
      hash = HashNumbers(static_cast<const float*>(rows.values) + begin, count, seed, &words);
    } else if (rows.dtype == Type::kFloat64) {
      hash = HashNumbers(static_cast<const double*>(rows.values) + begin, count, seed, &words);
    } else {
      const size_t width = rows.dtype == Type::kBytes ? 1 : sizeof(int64_t);
      hash = HashBytes(static_cast<const std::byte*>(rows.values) + begin * width, count * width,
                       seed);
    }
  }
}

}  // namespace dsi::internal
