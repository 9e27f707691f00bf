// What a scan reads and in which order, made of keyword arguments.
#pragma once

#include <nanobind/nanobind.h>

#include "dsi/dataset/dataset_scan.h"

namespace dsi::python {

void BindScanOptions(nanobind::module_& module);

}  // namespace dsi::python
