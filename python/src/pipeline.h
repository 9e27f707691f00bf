// Pipelines of transforms for Python.
#pragma once

#include <nanobind/nanobind.h>

#include "dsi/transform/pipeline.h"

namespace dsi::python {

void BindPipeline(nanobind::module_& module);

}  // namespace dsi::python
