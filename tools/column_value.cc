#include "dsi/tools/column_value_internal.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <ctime>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "dsi/tools/console_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostText = 24;  // Of a string, in a table.

}  // namespace

bool IsTime(const ColumnInfo& column) {
  return column.kind == Kind::kTimestamp && column.time_unit != TimeUnit::kNone;
}

std::string TimeOf(const ColumnInfo& column, const ColumnValue& value) {
  const auto* const time = std::get_if<int64_t>(&value);
  return time != nullptr && IsTime(column) ? TimeText(*time, column.time_unit) : "";
}

std::string ValueText(const ColumnInfo& column, const ColumnValue& value) {
  const std::string time = TimeOf(column, value);
  if (!time.empty()) return time;
  return std::visit(
      [&](const auto& number) -> std::string {
        using T = std::decay_t<decltype(number)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "";
        } else if constexpr (std::is_same_v<T, std::string>) {
          return CutToWidth(Printable(number), kMostText);
        } else if constexpr (std::is_same_v<T, double>) {
          // Digits that the type does not have would be made up.
          return column.type == Type::kFloat32 ? fmt::format("{}", static_cast<float>(number))
                                               : fmt::format("{}", number);
        } else {
          return fmt::format("{}", number);
        }
      },
      value);
}

Json ValueJson(const ColumnValue& value) {
  return std::visit(
      [](const auto& number) -> Json {
        using T = std::decay_t<decltype(number)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<T, double>) {
          if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
          return number;
        } else {
          return number;
        }
      },
      value);
}

std::string TimeText(int64_t time, TimeUnit unit) {
  int64_t per_second = 1;
  int digits = 0;
  switch (unit) {
    case TimeUnit::kNone:
      return "";
    case TimeUnit::kSeconds:
      break;
    case TimeUnit::kMillis:
      per_second = 1'000;
      digits = 3;
      break;
    case TimeUnit::kMicros:
      per_second = 1'000'000;
      digits = 6;
      break;
    case TimeUnit::kNanos:
      per_second = 1'000'000'000;
      digits = 9;
      break;
  }
  int64_t seconds = time / per_second;
  int64_t fraction = time % per_second;
  if (fraction < 0) {
    fraction += per_second;
    --seconds;
  }
  constexpr int64_t kYear1 = -62'135'596'800;
  constexpr int64_t kYear10000 = 253'402'300'800;
  if (seconds < kYear1 || seconds >= kYear10000) return "";
  const std::time_t since_1970 = seconds;
  std::string text = fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(since_1970));
  if (digits > 0) text += fmt::format(".{:0{}}", fraction, digits);
  return text + "Z";
}

}  // namespace dsi::tools
