// Scans and batches for Python as Arrow's C interfaces.
#pragma once

#include <nanobind/nanobind.h>

namespace dsi::python {

void BindArrowOutput(nanobind::module_& module);

}  // namespace dsi::python
