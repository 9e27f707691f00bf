#include "dsi/python/src/arrow_stream.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "dsi/python/src/interruptible.h"
#include "dsi/python/src/status.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

// What is in a capsule of this name, which nobody has taken yet.
template <typename T>
T* InCapsule(const nb::capsule& capsule, const char* name) {
  auto* held = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (held == nullptr) throw nb::python_error();
  if (held->release == nullptr) {
    Raise({StatusCode::kInvalidArgument,
           std::string("the capsule '") + name + "' was used before, or holds nothing"});
  }
  return held;
}

// Moves it out: the capsule is empty afterwards.
template <typename T>
T Taken(T* held) {
  T taken = *held;
  held->release = nullptr;
  return taken;
}

// A stream that gives one schema and one array.
struct Single {
  ArrowSchema schema;
  ArrowArray array;

  static Single* Of(ArrowArrayStream* stream) { return static_cast<Single*>(stream->private_data); }

  static int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
    Single* self = Of(stream);
    if (self->schema.release == nullptr) return EINVAL;
    *out = self->schema;
    self->schema.release = nullptr;
    return 0;
  }

  static int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
    Single* self = Of(stream);
    *out = self->array;  // Without a release at the second call: the end.
    self->array.release = nullptr;
    return 0;
  }

  static void Release(ArrowArrayStream* stream) {
    Single* self = Of(stream);
    if (self->schema.release != nullptr) self->schema.release(&self->schema);
    if (self->array.release != nullptr) self->array.release(&self->array);
    delete self;
    stream->release = nullptr;
  }
};

PyArrowStream Open(ArrowArrayStream stream) {
  nb::gil_scoped_release release;
  return PyArrowStream(Take(ArrowStream::Open(&stream)));
}

}  // namespace

PyArrowStream StreamOf(ArrowSchema schema, ArrowArray array) {
  ArrowArrayStream stream = {};
  stream.get_schema = Single::GetSchema;
  stream.get_next = Single::GetNext;
  stream.get_last_error = [](ArrowArrayStream*) -> const char* {
    return "a stream of one array was asked for its schema twice";
  };
  stream.release = Single::Release;
  stream.private_data = new Single{schema, array};
  return Open(stream);
}

PyArrowStream PyArrowStream::OfStream(nb::capsule stream) {
  return Open(Taken(InCapsule<ArrowArrayStream>(stream, "arrow_array_stream")));
}

PyArrowStream PyArrowStream::OfArray(nb::capsule schema, nb::capsule array) {
  auto* type = InCapsule<ArrowSchema>(schema, "arrow_schema");
  auto* rows = InCapsule<ArrowArray>(array, "arrow_array");
  return StreamOf(Taken(type), Taken(rows));
}

std::tuple<std::string, std::vector<std::string>, std::vector<std::string>,
           std::vector<std::pair<std::string, std::string>>>
PyArrowStream::InferSchema() const {
  struct Found {
    Status status;
    std::string json;
    ArrowSchemaReport report;
  };
  auto found = std::make_shared<Found>();
  Interruptible calls;
  try {
    calls.Run([stream = stream_, found] {
      const Result<Schema> schema = stream->InferSchema(&found->report);
      const Result<std::string> json = schema.ok() ? schema->ToJson() : schema.status();
      found->status = json.status();
      if (json.ok()) found->json = *json;
    });
  } catch (nb::python_error&) {
    calls.Wait();  // The stream may be Python's, which must not go away meanwhile.
    throw;
  }
  Check(found->status);
  ArrowSchemaReport& report = found->report;
  return {std::move(found->json), std::move(report.dropped), std::move(report.rounded_ids),
          std::move(report.text_times)};
}

void BindArrowStream(nb::module_& module) {
  nb::class_<PyArrowStream>(module, "ArrowStream", "Arrays of a table, to be read once.")
      .def_static("of_stream", &PyArrowStream::OfStream, nb::arg("stream"),
                  "Of the capsule of __arrow_c_stream__, which it takes.")
      .def_static("of_array", &PyArrowStream::OfArray, nb::arg("schema"), nb::arg("array"),
                  "Of the capsules of __arrow_c_array__, which it takes.")
      .def("infer_schema", &PyArrowStream::InferSchema,
           nb::sig("def infer_schema(self) -> "
                   "tuple[str, list[str], list[str], list[tuple[str, str]]]"),
           "A schema as JSON, found from the stream's types and its first array; the columns that\n"
           "are no features since they are of type null; ids that floats round; times that are\n"
           "strings, with an example.");
}

}  // namespace dsi::python
