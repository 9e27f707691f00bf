// Counts of values, with arrays of values and counts that share the memory of the library.
#pragma once

#include <nanobind/nanobind.h>

namespace dsi::python {

void BindValueCounts(nanobind::module_& module);

}  // namespace dsi::python
