// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace dsi::tools {

std::string CountText(uint64_t count);    // 1,234,567
std::string BytesText(uint64_t bytes);    // 512 B, 3.4 MiB
std::string SecondsText(double seconds);  // 0.123 s, 12.3 s, 4 min 05 s
std::string RateText(double per_second);  // 1.23 M: followed by the caller's unit, such as "rows/s"
std::string FactorText(double numerator, double denominator);  // 12.3x; "-" without a denominator
std::string ShareText(uint64_t bytes, uint64_t of);  // "1.23%"

}  // namespace dsi::tools
