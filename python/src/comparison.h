// Two datasets held against each other.
#pragma once

#include <nanobind/nanobind.h>

namespace dsi::python {

void BindComparison(nanobind::module_& module);

}  // namespace dsi::python
