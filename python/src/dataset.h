// Datasets for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace dsi::python {

void BindDataset(nanobind::module_& module);

}  // namespace dsi::python
