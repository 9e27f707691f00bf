#include "dsi/tools/number_text_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace dsi::tools {

std::string CountText(uint64_t count) {
  std::string text = fmt::format("{}", count);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string CountOf(uint64_t count, std::string_view noun) {
  const std::string_view ending = count == 1 ? "" : noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", CountText(count), noun, ending);
}

std::string NameList(const std::vector<std::string>& names, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", CountText(names.size() - most));
  return text;
}

std::string SessionsText(uint64_t sessions, uint64_t rows) {
  if (sessions == 0) return "none";
  return fmt::format("{}  ({:.1f} rows each)", CountText(sessions),
                     static_cast<double>(rows) / static_cast<double>(sessions));
}

std::string BytesText(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  // 1023.95 would be shown as 1024.0.
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string SecondsText(double seconds) {
  if (seconds < 0.0995) return fmt::format("{:.2f} ms", seconds * 1000);
  if (seconds < 1) return fmt::format("{:.3f} s", seconds);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<uint64_t>(seconds);
  return fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string RateText(double per_second) {
  if (!std::isfinite(per_second)) return "-";
  if (per_second >= 1e9) return fmt::format("{:.2f} G", per_second / 1e9);
  if (per_second >= 1e6) return fmt::format("{:.2f} M", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.1f} k", per_second / 1e3);
  return fmt::format("{:.0f} ", per_second);
}

std::string FactorText(double numerator, double denominator) {
  if (!(denominator > 0)) return "-";
  return fmt::format("{:.2f}x", numerator / denominator);
}

std::string ShareText(uint64_t bytes, uint64_t of) {
  return fmt::format(
      "{:.2f}%", 100 * static_cast<double>(bytes) / static_cast<double>(std::max<uint64_t>(1, of)));
}

}  // namespace dsi::tools
