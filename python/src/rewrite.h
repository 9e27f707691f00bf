// Files rewritten and rows deleted, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace dsi::python {

void BindRewrite(nanobind::module_& module);

}  // namespace dsi::python
