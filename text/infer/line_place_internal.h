// A line of one of several files as one number, which orders as the lines are read; 0: no line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace dsi::internal {

inline constexpr int kPlaceLineBits = 44;
inline constexpr uint64_t kMaxPlaceFiles = 1ULL << (64 - kPlaceLineBits);

constexpr uint64_t PlaceOf(uint64_t file, uint64_t line) { return file << kPlaceLineBits | line; }

// Puts places into words.
class PlaceNames {
 public:
  explicit PlaceNames(std::vector<std::string> files) : files_(std::move(files)) {}

  const std::string& File(uint64_t place) const { return files_[place >> kPlaceLineBits]; }
  static uint64_t Line(uint64_t place) { return place & ((1ULL << kPlaceLineBits) - 1); }
  // "line 5", or of several files "line 5 of b.jsonl".
  std::string Text(uint64_t place) const {
    std::string text = fmt::format("line {}", Line(place));
    if (files_.size() > 1) text += " of " + File(place);
    return text;
  }

 private:
  std::vector<std::string> files_;
};

}  // namespace dsi::internal
