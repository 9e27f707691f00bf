// Schemas for Python: as JSON.
#pragma once

#include <nanobind/nanobind.h>

namespace dsi::python {

void BindSchema(nanobind::module_& module);

}  // namespace dsi::python
