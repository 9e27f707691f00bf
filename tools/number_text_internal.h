// Numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dsi::tools {

std::string CountText(uint64_t count);  // 1,234,567
// "1 read", "2 reads"
std::string CountOf(uint64_t count, std::string_view noun);
// "400  (6.1 rows each)"; of none that rows have no session.
std::string SessionsText(uint64_t sessions, uint64_t rows);
constexpr size_t kMostNames = 5;  // In a line of text; --json has all.
// "a, b and 3 more"
std::string NameList(const std::vector<std::string>& names, size_t most = kMostNames);
std::string BytesText(uint64_t bytes);    // 512 B, 3.4 MiB
std::string SecondsText(double seconds);  // 1.25 ms, 0.123 s, 12.3 s, 4 min 05 s
std::string RateText(double per_second);  // 1.23 M: followed by the caller's unit, such as "rows/s"
std::string FactorText(double numerator, double denominator);  // 12.3x; "-" without a denominator
std::string ShareText(uint64_t bytes, uint64_t of);            // "1.23%"

}  // namespace dsi::tools
