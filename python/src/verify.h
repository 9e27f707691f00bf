// Whether files are as they were written, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace dsi::python {

void BindVerify(nanobind::module_& module);

}  // namespace dsi::python
