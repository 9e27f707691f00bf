// A value of a column, as tables and JSON show it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "dsi/format/types.h"
#include "dsi/reader/file_info.h"

namespace dsi::tools {

// By the type of the column: bool and unsigned, signed, floats, strings. None where there is no
// value.
using ColumnValue = std::variant<std::monostate, uint64_t, int64_t, double, std::string>;

bool IsTime(const ColumnInfo& column);
// The time of a timestamp, where it has one.
std::string TimeOf(const ColumnInfo& column, const ColumnValue& value);

// For a table: times as such, long strings cut.
std::string ValueText(const ColumnInfo& column, const ColumnValue& value);
// As cat writes it: infinities, which JSON lacks, are strings.
nlohmann::ordered_json ValueJson(const ColumnValue& value);

// "2023-11-14T22:13:20.123Z", with as many digits as the unit has; empty where there is no unit, or
// the year is not one of 1 to 9999.
std::string TimeText(int64_t time, TimeUnit unit);

}  // namespace dsi::tools
