// One bit per row: does the row differ from the one it is compared with? The search for groups
// adds, counts and compares such patterns; a feature over 65,536 rows is 8 KiB of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace dsi::internal {

class ChangeBits {
 public:
  ChangeBits() = default;
  explicit ChangeBits(size_t num_rows) : words_((num_rows + 63) / 64) {}

  // A row changes where `same` is 0.
  static ChangeBits FromRepeats(std::span<const uint8_t> same) {
    ChangeBits bits(same.size());
    size_t row = 0;
    for (; row + 8 <= same.size(); row += 8) {
      // Eight bytes of 0 or 1 become eight bits: the multiplication moves byte i to bit 56 + i.
      uint64_t bytes;
      std::memcpy(&bytes, same.data() + row, 8);
      const uint64_t packed = ((bytes ^ 0x0101010101010101ULL) * 0x0102040810204080ULL) >> 56;
      bits.words_[row / 64] |= packed << (row % 64);
    }
    for (; row < same.size(); ++row) {
      if (same[row] == 0) bits.Set(row);
    }
    return bits;
  }

  // A row changes where changes(row) says so.
  template <typename Changes>
  static ChangeBits Of(size_t num_rows, const Changes& changes) {
    ChangeBits bits(num_rows);
    for (size_t first = 0; first < num_rows; first += 64) {
      const size_t count = std::min<size_t>(64, num_rows - first);
      uint64_t word = 0;
      for (size_t i = 0; i < count; ++i) word |= uint64_t{changes(first + i)} << i;
      bits.words_[first / 64] = word;
    }
    return bits;
  }

  void Set(size_t row) { words_[row / 64] |= uint64_t{1} << (row % 64); }
  bool Test(size_t row) const { return (words_[row / 64] >> (row % 64) & 1) != 0; }

  void Add(const ChangeBits& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }

  uint32_t Count() const {
    uint64_t count = 0;
    for (const uint64_t word : words_) count += CountBits(word);
    return static_cast<uint32_t>(count);
  }

  uint32_t CountWith(const ChangeBits& other) const {
    uint64_t count = 0;
    for (size_t i = 0; i < words_.size(); ++i) count += CountBits(words_[i] | other.words_[i]);
    return static_cast<uint32_t>(count);
  }

  // Calls visit(row) for each row that changes, ascending.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t word = words_[i]; word != 0; word &= word - 1)
        visit(static_cast<uint32_t>(i * 64) + static_cast<uint32_t>(std::countr_zero(word)));
    }
  }

  // Appends every step-th of the rows that change, from the first on.
  void AppendEvery(uint32_t step, std::vector<uint32_t>* rows) const {
    uint32_t skip = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      uint64_t word = words_[i];
      const uint32_t count = static_cast<uint32_t>(std::popcount(word));
      if (count <= skip) {
        skip -= count;
        continue;
      }
      for (; word != 0; word &= word - 1) {
        if (skip-- != 0) continue;
        rows->push_back(static_cast<uint32_t>(i * 64) +
                        static_cast<uint32_t>(std::countr_zero(word)));
        skip = step - 1;
      }
    }
  }

  // Finds equal patterns; operator== decides.
  uint64_t Hash() const {
    uint64_t hash = 0;
    for (const uint64_t word : words_) {
      hash = (std::rotl(hash, 23) ^ word) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 32;
    }
    return hash;
  }

  bool operator==(const ChangeBits&) const = default;

 private:
  // In whole vectors, where std::popcount is a call for the sake of CPUs that lack the instruction.
  static uint64_t CountBits(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + (word >> 2 & 0x3333333333333333ULL);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    word += word >> 8;
    word += word >> 16;
    return (word + (word >> 32)) & 0x7F;
  }

  std::vector<uint64_t> words_;
};

}  // namespace dsi::internal
