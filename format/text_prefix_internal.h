// The first bytes of a string, by which statistics tell strings apart (spec F-083).
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"

namespace dsi::internal {

class TextPrefix {
 public:
  static constexpr size_t kMaxSize = 24;

  TextPrefix() = default;
  explicit TextPrefix(std::string_view text)
      : size_(static_cast<uint8_t>(std::min(text.size(), kMaxSize))) {
    std::copy_n(text.begin(), size_, bytes_.begin());
  }

  std::string_view view() const { return {bytes_.data(), size_}; }
  // It is the string itself.
  bool is_whole() const { return size_ < kMaxSize; }

  // As the strings, unless they differ behind these bytes; bytes are unsigned.
  friend bool operator==(const TextPrefix& a, const TextPrefix& b) { return a.view() == b.view(); }
  friend std::strong_ordering operator<=>(const TextPrefix& a, const TextPrefix& b) {
    return a.view().compare(b.view()) <=> 0;
  }

 private:
  std::array<char, kMaxSize> bytes_{};
  uint8_t size_ = 0;
};

// The most bytes that two bounds take.
constexpr size_t kMaxTextBounds = 3 + 2 * TextPrefix::kMaxSize;

// The least and the greatest, of which bytes that are the same stand once.
void AppendTextBounds(const TextPrefix& least, const TextPrefix& greatest,
                      std::vector<std::byte>* out);
// Takes them off the front of *bytes. kCorrupt (F-083).
Status TakeTextBounds(std::span<const std::byte>* bytes, TextPrefix* least, TextPrefix* greatest);

}  // namespace dsi::internal
