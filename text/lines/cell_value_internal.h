// What a text without a type of its own stands for: a cell of CSV, or a key in a path.
#pragma once

#include <cstdint>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/format/schema.h"
#include "dsi/text/lines/time_forms_internal.h"
#include "dsi/writer/row_batch.h"

namespace dsi::internal {

enum class NumberText : uint8_t { kNone, kInt, kUint, kDouble };

// Reads a whole text as a number: int64, uint64 beyond, else a float ("NaN", "Infinity" too). Whole
// numbers beyond 64 bits are kNone. "-0" is a float, for int64 has no negative zero.
NumberText ParseNumber(std::string_view text, int64_t* whole, uint64_t* big, double* number);

// Reads a truth value as JSON, Python and R write it: true, True or TRUE. False: it is none.
bool ParseTruth(std::string_view text, bool* value);

// A time as text, or a number of one, in the unit of a column. kBadInput, kOutOfRange: found and
// expected.
Status ReadCellTime(std::string_view text, TimeUnit unit, const TimeForms& times, int64_t* time);

// Sets a feature that has one value a row; an empty text sets strings alone. kBadInput: found and
// expected; the errors of the batch.
Status SetCellValue(const Schema& schema, uint32_t feature, std::string_view text,
                    const TimeForms& times, RowBatch* batch);

}  // namespace dsi::internal
