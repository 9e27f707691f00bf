// Times as text (ISO 8601) in a predicate of timestamps, as numbers of the column's unit.
#pragma once

#include <string_view>

#include "dsi/base/status.h"
#include "dsi/format/types.h"
#include "dsi/reader/row_filter.h"

namespace dsi::internal {

// kInvalidArgument: a string that is no time; `name` is the column's.
Status CheckTimes(const Predicate& predicate, std::string_view name, TimeUnit unit);

// The predicate with numbers in place of times, CheckTimes being ok. A time between two numbers of
// the unit compares as one: none is equal to it.
Predicate TimesAsNumbers(const Predicate& predicate, TimeUnit unit);

}  // namespace dsi::internal
