#include "dsi/python/src/arrow_output.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/arrow/abi.h"
#include "dsi/arrow/arrow_output.h"
#include "dsi/python/src/batch.h"
#include "dsi/python/src/dataset.h"
#include "dsi/python/src/scan.h"
#include "dsi/python/src/status.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

// A capsule that owns a struct of Arrow's, filled by `fill`, until somebody takes what is in it.
template <typename Struct, typename Fill>
nb::object Capsule(const char* name, const Fill& fill) {
  auto made = std::make_unique<Struct>();
  *made = {};
  PyObject* capsule = PyCapsule_New(made.get(), name, [](PyObject* self) {
    auto* held = static_cast<Struct*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
  if (capsule == nullptr) throw nb::python_error();
  Struct* out = made.release();
  nb::object owner = nb::steal(capsule);
  Status status;
  {
    nb::gil_scoped_release release;
    status = fill(out);
  }
  Check(status);
  return owner;
}

nb::object SchemaOf(const ArrowOutput& self) {
  return Capsule<ArrowSchema>("arrow_schema",
                              [&](ArrowSchema* out) { return self.ExportSchema(out); });
}

ArrowOutput OutputOf(const PyScan& scan, bool binary) {
  nb::gil_scoped_release release;
  const std::vector<ColumnInfo> columns = Take(scan.open()->dataset->Columns());
  ArrowOutputOptions options;
  options.binary = binary;
  return Take(ArrowOutput::Make(scan.scan().columns(), columns, options));
}

nb::object StreamOf(const ArrowOutput& self, PyScan& scan) {
  if (scan.open()->allocator != nullptr) {
    Raise({StatusCode::kInvalidArgument,
           "a scan with an allocator is no stream: its memory is the caller's"});
  }
  std::shared_ptr<OpenScan> open = scan.HandOver();
  return Capsule<ArrowArrayStream>("arrow_array_stream", [&](ArrowArrayStream* out) {
    return self.ExportStream(std::make_unique<SharedScan>(open), nullptr, out);
  });
}

std::vector<Projection> Projections(PyDataset& dataset, const std::vector<std::string>& names,
                                    bool dictionaries, const Pipeline* pipeline) {
  nb::gil_scoped_release release;
  ArrowOutputOptions options;
  options.dictionaries = dictionaries;
  std::vector<ColumnInfo> columns = dataset.Columns(pipeline);
  // As a scan that is asked for nothing: what is made, and no columns.
  if (pipeline != nullptr && names.empty())
    std::erase_if(columns, [](const ColumnInfo& column) { return !column.is_made; });
  return Take(ArrowProjections(columns, names, options));
}

}  // namespace

void BindArrowOutput(nb::module_& module) {
  nb::class_<ArrowOutput>(module, "ArrowOutput", "What the columns of a scan are in Arrow.")
      .def_static("of", OutputOf, nb::arg("scan"), nb::arg("binary") = false,
                  "InvalidArgument: a column of the scan that has no form in Arrow.")
      .def("schema", SchemaOf, "A capsule 'arrow_schema'.")
      .def(
          "batch",
          [](const ArrowOutput& self, const PyBatch& batch) {
            nb::object array = Capsule<ArrowArray>(
                "arrow_array", [&](ArrowArray* out) { return self.ExportBatch(batch.batch, out); });
            return nb::make_tuple(SchemaOf(self), array);
          },
          nb::arg("batch"), nb::sig("def batch(self, batch: Batch) -> tuple[object, object]"),
          "Capsules 'arrow_schema' and 'arrow_array', which share the memory of the batch.")
      .def("stream", StreamOf, nb::arg("scan"),
           "A capsule 'arrow_array_stream' of all batches that are left, which the scan hands "
           "over.");
  module.def("arrow_projections", Projections, nb::arg("dataset"), nb::arg("names"),
             nb::arg("dictionaries") = false, nb::arg("pipeline") = nb::none(),
             "What to scan so that each column can be exported whole; no names: all columns, or\n"
             "with a pipeline all that it makes.");
}

}  // namespace dsi::python
