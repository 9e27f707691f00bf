// What predicates of a filter say of rows of a model, and predicates made at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "dsi/reader/row_filter.h"
#include "dsi/tests/support/scan_model.h"

namespace dsi::test {

// Wide enough to hold a value of every type exactly.
using Wide = long double;
Wide Widen(uint64_t bits, Type type);

// One number or string per row.
bool IsComparable(const ModelColumn& column);

// A value of the column as a predicate has it.
FilterValue ValueOf(const ModelColumn& column, const std::vector<uint64_t>& entries);

// The predicate holds for the row, or one of its alternatives does.
bool Passes(const ModelTable& table, const Predicate& predicate, size_t row);

// A predicate of some column, with values of it or beside them, and with alternatives at times.
Predicate RandomPredicate(const ModelTable& table, std::mt19937_64* random);

}  // namespace dsi::test
