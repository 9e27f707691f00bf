#include "dsi/python/src/arrow_columns.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "dsi/python/src/arrow_stream.h"
#include "dsi/python/src/status.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

using Column = std::shared_ptr<const ArrowColumn>;

struct Views {
  std::vector<Py_buffer> held;

  ~Views() {
    if (!nb::is_alive()) return;
    nb::gil_scoped_acquire hold;
    for (Py_buffer& view : held) PyBuffer_Release(&view);
  }
};

// What an exported struct owns: the column, and the structs of its children.
template <typename Struct>
struct Owned {
  Column column;
  std::vector<Struct> children;
  std::vector<Struct*> pointers;

  static void Release(Struct* self) {
    auto* owned = static_cast<Owned*>(self->private_data);
    for (Struct& child : owned->children) {
      if (child.release != nullptr) child.release(&child);
    }
    delete owned;
    self->release = nullptr;
  }
};

template <typename Struct>
void Export(const Column& column, Struct* out, void (*fill)(const Column&, Struct*)) {
  *out = {};
  auto* owned = new Owned<Struct>{column, std::vector<Struct>(column->children.size()), {}};
  for (size_t i = 0; i < column->children.size(); ++i) {
    fill(column->children[i], &owned->children[i]);
    owned->pointers.push_back(&owned->children[i]);
  }
  out->n_children = static_cast<int64_t>(owned->pointers.size());
  out->children = owned->pointers.data();
  out->release = Owned<Struct>::Release;
  out->private_data = owned;
}

void ExportSchema(const Column& column, ArrowSchema* out) {
  Export(column, out, ExportSchema);
  out->format = column->format.c_str();
  out->name = column->name.c_str();
  out->flags = ARROW_FLAG_NULLABLE;
}

void ExportArray(const Column& column, ArrowArray* out) {
  Export(column, out, ExportArray);
  out->length = column->length;
  out->null_count = column->null_count;
  out->n_buffers = static_cast<int64_t>(column->buffers.size());
  out->buffers = const_cast<const void**>(column->buffers.data());
}

Column Make(std::string name, std::string format, int64_t length, int64_t null_count,
            const std::vector<nb::object>& buffers, std::vector<Column> children) {
  auto made = std::make_shared<ArrowColumn>();
  auto views = std::make_shared<Views>();
  for (const nb::object& buffer : buffers) {
    if (buffer.is_none()) {
      made->buffers.push_back(nullptr);
      continue;
    }
    Py_buffer view;
    if (PyObject_GetBuffer(buffer.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
    views->held.push_back(view);
    made->buffers.push_back(view.buf);
  }
  made->name = std::move(name);
  made->format = std::move(format);
  made->length = length;
  made->null_count = null_count;
  made->children = std::move(children);
  made->views = std::move(views);
  return made;
}

PyArrowStream Stream(std::vector<Column> columns, int64_t num_rows) {
  auto table = std::make_shared<ArrowColumn>();
  table->format = "+s";
  table->length = num_rows;
  table->buffers = {nullptr};
  table->children = std::move(columns);
  ArrowSchema schema;
  ArrowArray array;
  ExportSchema(table, &schema);
  ExportArray(table, &array);
  return StreamOf(schema, array);
}

}  // namespace

void BindArrowColumns(nb::module_& module) {
  nb::class_<ArrowColumn>(module, "ArrowColumn", "A column made of buffers, which it keeps.")
      .def_static("make", Make, nb::arg("name"), nb::arg("format"), nb::arg("length"),
                  nb::arg("null_count"), nb::arg("buffers"),
                  nb::arg("children") = std::vector<Column>(),
                  "Buffers as the layout of the format has them, contiguous and as long as it "
                  "asks for;\n"
                  "None: no buffer.")
      .def_ro("length", &ArrowColumn::length);
  module.def("stream_of_columns", Stream, nb::arg("columns"), nb::arg("num_rows"),
             "A stream of one array, with these columns of num_rows rows.");
}

}  // namespace dsi::python
