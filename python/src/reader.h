// What single files tell of themselves, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace dsi::python {

// After BindDataset and BindScanOptions, whose types it takes.
void BindReader(nanobind::module_& module);

}  // namespace dsi::python
