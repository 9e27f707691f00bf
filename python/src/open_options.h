// How files are opened, as the keywords of Python say it.
#pragma once

#include <nanobind/nanobind.h>

#include "dsi/io/open.h"

namespace dsi::python {

// What opens files with one of them shares who asks S3.
void BindOpenOptions(nanobind::module_& module);

}  // namespace dsi::python
