// What a scan of a dataset will read, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace dsi::python {

void BindDatasetPlan(nanobind::module_& module);

}  // namespace dsi::python
