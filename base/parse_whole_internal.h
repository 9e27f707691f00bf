// Whole numbers as text.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace dsi::internal {

// The text is one number in decimal and nothing else, which fits the type. False: `*number` means
// nothing.
template <typename T>
bool ParseWhole(std::string_view text, T* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace dsi::internal
