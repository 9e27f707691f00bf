// Two files in one input: a dataset of both. Eight letters, the size of the first file, the first
// file, the second. Any other input is one file, taken twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace dsi::fuzz {

inline constexpr char kPairLetters[] = "DSI PAIR";  // Without the 0 at their end.
inline constexpr size_t kPairHeadSize = 16;         // Files stand at multiples of 8.

struct FilePair {
  std::span<const std::byte> first;
  std::span<const std::byte> second;
  bool is_pair = false;
};

inline FilePair SplitPair(std::span<const std::byte> input) {
  const FilePair twice{input, input};
  if (input.size() < kPairHeadSize || std::memcmp(input.data(), kPairLetters, 8) != 0) return twice;
  uint64_t size = 0;
  std::memcpy(&size, input.data() + 8, sizeof(size));
  const auto files = input.subspan(kPairHeadSize);
  if (size > files.size()) return twice;
  return {files.first(size), files.subspan(size), true};
}

inline std::vector<std::byte> JoinPair(std::span<const std::byte> first,
                                       std::span<const std::byte> second) {
  std::vector<std::byte> input(kPairHeadSize);
  const uint64_t size = first.size();
  std::memcpy(input.data(), kPairLetters, 8);
  std::memcpy(input.data() + 8, &size, sizeof(size));
  input.insert(input.end(), first.begin(), first.end());
  input.insert(input.end(), second.begin(), second.end());
  return input;
}

}  // namespace dsi::fuzz
