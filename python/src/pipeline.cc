#include "dsi/python/src/pipeline.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>

#include "dsi/python/src/status.h"

namespace nb = nanobind;

namespace dsi::python {

void BindPipeline(nb::module_& module) {
  nb::class_<Pipeline>(module, "Pipeline", "Steps that make features of those of a file.")
      .def_static(
          "from_json",
          [](std::string_view json) {
            nb::gil_scoped_release release;
            return Take(Pipeline::FromJson(json));
          },
          nb::arg("json"), "BadInput names the step, the member and what was expected.")
      .def_static(
          "from_file",
          [](const std::string& path) {
            nb::gil_scoped_release release;
            return Take(Pipeline::FromJsonFile(path));
          },
          nb::arg("path"), "As from_json; IoError and NotFound for the file.")
      .def(
          "to_json",
          [](const Pipeline& self) {
            nb::gil_scoped_release release;
            return Take(self.ToJson());
          },
          "Equal pipelines give equal text.")
      .def_prop_ro(
          "features", [](const Pipeline& self) { return Take(self.Features()); },
          "Names that steps take and none makes, each once, by first use.");
}

}  // namespace dsi::python
