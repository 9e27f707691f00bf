// Terms of a filter as Python has them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "dsi/reader/row_filter.h"

namespace dsi::python {

using TermValue = std::variant<int64_t, uint64_t, double, std::string, nanobind::bytes>;
// Column, comparison, value, values of a set; subject and salt.
using Term =
    std::tuple<std::string, std::string, TermValue, std::vector<TermValue>, std::string, uint64_t>;
// Terms of which one must hold.
using Clause = std::vector<Term>;
using SamplingTerm = std::pair<std::vector<Clause>, double>;

// InvalidArgument: an unknown comparison or subject, a clause without terms.
std::vector<Predicate> Predicates(std::vector<Clause> clauses);

void BindFilter(nanobind::module_& module);

}  // namespace dsi::python
