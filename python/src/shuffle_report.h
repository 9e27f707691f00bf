// What an order does to batches, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace dsi::python {

void BindShuffleReport(nanobind::module_& module);

}  // namespace dsi::python
