#include "dsi/python/src/status.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;

namespace dsi::python {

void Raise(const Status& status) {
  nb::gil_scoped_acquire hold;
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  nb::object made =
      nb::module_::import_("dsi.errors")
          .attr("_from_code")(std::string(StatusCodeName(status.code())), status.message());
  PyErr_SetObject(made.type().ptr(), made.ptr());
  throw nb::python_error();
}

}  // namespace dsi::python
