// Options of writers, for Python.
#pragma once

#include <nanobind/nanobind.h>

#include "dsi/writer/writer.h"

namespace dsi::python {

nanobind::dict ReportDict(const WriteReport& report);
void BindWriterOptions(nanobind::module_& module);

}  // namespace dsi::python
