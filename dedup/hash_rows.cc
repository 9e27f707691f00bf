// Row hashes: XXH3 over a row's entries, or a multiply-mix where a row is one number.

#include <atomic>
#include <cstring>

#include "dsi/dedup/row_compare_internal.h"
#include "dsi/dedup/unique_rows_internal.h"
#include "dsi/base/xxh3_internal.h"

namespace dsi::internal {
namespace {

// The only mutable state of the folder, and only tests write it; a mask of ones changes nothing.
std::atomic<uint64_t> hash_mask{~uint64_t{0}};

constexpr uint64_t kMissingHash = 0x9AE16A3B2F90404FULL;
constexpr uint64_t kPrime1 = 0x9E3779B97F4A7C15ULL;
constexpr uint64_t kPrime2 = 0xBF58476D1CE4E5B9ULL;

// Two multiplications and two shifts (the finisher of splitmix64, one round short) spread every
// input bit over the low and the high half, which the table uses as place and as tag.
inline uint64_t Mix(uint64_t value) {
  value = (value ^ (value >> 32)) * kPrime1;
  value = (value ^ (value >> 29)) * kPrime2;
  return value ^ (value >> 32);
}

template <typename T>
void HashScalars(const FeatureRows& column, size_t num_rows, uint64_t mask, uint64_t* hashes) {
  const std::byte* data = column.values[0].data;
  for (size_t row = 0; row < num_rows; ++row) {
    uint64_t hash = kMissingHash;
    if (ShapeOf(column, row) != 0) {
      T value;
      std::memcpy(&value, data + StartOf(column, row) * sizeof(T), sizeof(T));
      hash = Mix(uint64_t{value} + kPrime2);
    }
    hashes[row] = hash & mask;
  }
}

inline bool IsScalar(const FeatureRows& column) {
  return column.entries_per_row == 1 && column.values.size() == 1;
}

inline uint64_t HashEntries(const FeatureRows& column, size_t row) {
  const uint32_t shape = ShapeOf(column, row);
  if (shape == 0) return kMissingHash;
  const size_t entries = EntriesOf(column, shape);
  uint64_t hash = shape;
  if (entries == 0) return Mix(hash);
  const uint64_t start = StartOf(column, row);
  for (const FeatureRows::Values& values : column.values) {
    const size_t width = static_cast<size_t>(values.width);
    hash = Xxh3(values.data + start * width, entries * width, hash);
  }
  return hash;
}

}  // namespace

void HashRows(const FeatureRows& column, size_t num_rows, std::span<uint64_t> hashes) {
  const uint64_t mask = hash_mask.load(std::memory_order_relaxed);
  if (IsScalar(column)) {
    switch (column.values[0].width) {
      case 1:
        return HashScalars<uint8_t>(column, num_rows, mask, hashes.data());
      case 2:
        return HashScalars<uint16_t>(column, num_rows, mask, hashes.data());
      case 4:
        return HashScalars<uint32_t>(column, num_rows, mask, hashes.data());
      default:
        return HashScalars<uint64_t>(column, num_rows, mask, hashes.data());
    }
  }
  for (size_t row = 0; row < num_rows; ++row) hashes[row] = HashEntries(column, row) & mask;
}

uint64_t HashRow(const FeatureRows& column, uint32_t row) {
  const uint64_t mask = hash_mask.load(std::memory_order_relaxed);
  if (!IsScalar(column)) return HashEntries(column, row) & mask;
  if (ShapeOf(column, row) == 0) return kMissingHash & mask;
  uint64_t value = 0;
  const size_t width = static_cast<size_t>(column.values[0].width);
  std::memcpy(&value, column.values[0].data + StartOf(column, row) * width, width);
  return Mix(value + kPrime2) & mask;
}

void CombineHashes(std::span<uint64_t> into, std::span<const uint64_t> column) {
  const uint64_t mask = hash_mask.load(std::memory_order_relaxed);
  for (size_t row = 0; row < into.size(); ++row) {
    into[row] = Mix(into[row] * kPrime1 + column[row] + kPrime2) & mask;
  }
}

void SetHashBitsForTest(int bits) {
  hash_mask.store(bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1, std::memory_order_relaxed);
}

}  // namespace dsi::internal
