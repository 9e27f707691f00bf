// Tables that many jobs write, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace dsi::python {

void BindTable(nanobind::module_& module);

}  // namespace dsi::python
