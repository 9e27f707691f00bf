// The native module dsi._dsi: the library as it is; what Python users see is made of it in
// python/dsi.
#include <nanobind/nanobind.h>

#include "dsi/base/version.h"
#include "dsi/python/src/arrow_columns.h"
#include "dsi/python/src/arrow_output.h"
#include "dsi/python/src/arrow_stream.h"
#include "dsi/python/src/batch.h"
#include "dsi/python/src/comparison.h"
#include "dsi/python/src/dataset.h"
#include "dsi/python/src/dataset_plan.h"
#include "dsi/python/src/filter.h"
#include "dsi/python/src/mixed_scan.h"
#include "dsi/python/src/open_options.h"
#include "dsi/python/src/pipeline.h"
#include "dsi/python/src/reader.h"
#include "dsi/python/src/rewrite.h"
#include "dsi/python/src/scan.h"
#include "dsi/python/src/scan_options.h"
#include "dsi/python/src/schema.h"
#include "dsi/python/src/shuffle_report.h"
#include "dsi/python/src/table.h"
#include "dsi/python/src/tensor.h"
#include "dsi/python/src/text.h"
#include "dsi/python/src/value_counts.h"
#include "dsi/python/src/verify.h"
#include "dsi/python/src/writer.h"
#include "dsi/python/src/writer_options.h"

// What NB_MODULE makes is called by the function of that name below.
#define PyInit__dsi MakeModule

NB_MODULE(_dsi, module) {
  // Objects of a script's own may well live until the interpreter ends.
  nanobind::set_leak_warnings(false);
  module.attr("version") = DSI_VERSION;
  dsi::python::BindTensor(module);
  dsi::python::BindBatch(module);
  dsi::python::BindPipeline(module);
  dsi::python::BindFilter(module);
  dsi::python::BindScanOptions(module);
  dsi::python::BindScan(module);
  dsi::python::BindOpenOptions(module);
  dsi::python::BindDataset(module);
  dsi::python::BindDatasetPlan(module);
  dsi::python::BindComparison(module);
  dsi::python::BindShuffleReport(module);
  dsi::python::BindValueCounts(module);
  dsi::python::BindMixedScan(module);
  dsi::python::BindSchema(module);
  dsi::python::BindArrowOutput(module);
  dsi::python::BindArrowStream(module);
  dsi::python::BindArrowColumns(module);
  dsi::python::BindText(module);
  dsi::python::BindWriterOptions(module);
  dsi::python::BindWriter(module);
  dsi::python::BindRewrite(module);
  dsi::python::BindReader(module);
  dsi::python::BindTable(module);
  dsi::python::BindVerify(module);
}

#undef PyInit__dsi

// A second interpreter of the process would take the place of the first in what nanobind keeps of
// types. From 3.12 on Python asks modules; before, and for interpreters made in the old way, it
// does not.
extern "C" NB_EXPORT PyObject* PyInit__dsi() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError, "dsi can be imported in the main interpreter only");
    return nullptr;
  }
  return MakeModule();
}
