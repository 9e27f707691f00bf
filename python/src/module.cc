// The native module dsi._dsi: the library as it is; what Python users see is made of it in
// python/dsi.
#include <nanobind/nanobind.h>

#include "dsi/python/src/batch.h"
#include "dsi/python/src/dataset.h"
#include "dsi/base/version.h"
#include "dsi/python/src/scan.h"
#include "dsi/python/src/scan_options.h"
#include "dsi/python/src/tensor.h"

NB_MODULE(_dsi, module) {
  // Objects of a script's own may well live until the interpreter ends.
  nanobind::set_leak_warnings(false);
  module.attr("__version__") = DSI_VERSION;
  dsi::python::BindTensor(module);
  dsi::python::BindBatch(module);
  dsi::python::BindScanOptions(module);
  dsi::python::BindScan(module);
  dsi::python::BindDataset(module);
}
