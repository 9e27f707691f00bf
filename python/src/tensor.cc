#include "dsi/python/src/tensor.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "dsi/python/src/dlpack.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

constexpr int32_t kCpu = 1;

// What a capsule holds: the memory, and the arrays that its DLTensor points to.
template <typename Managed>
struct Export {
  Tensor tensor;
  std::vector<int64_t> element_strides;
  Managed managed = {};

  static void Delete(Managed* self) { delete static_cast<Export*>(self->manager_ctx); }
};

// Consumers of the form without a version know no bool: it goes to them as bytes.
DLDataType DlType(Type type, bool knows_bool) {
  const auto bits = static_cast<uint8_t>(8 * TypeWidth(type));
  if (type == Type::kBool && knows_bool) return {6, bits, 1};
  if (IsFloat(type)) return {2, bits, 1};
  return {static_cast<uint8_t>(IsSignedInteger(type) ? 0 : 1), bits, 1};
}

template <typename Managed>
Export<Managed>* MakeExport(const Tensor& tensor, bool knows_bool) {
  auto* made = new Export<Managed>{tensor, {}, {}};
  for (int64_t bytes : tensor.strides)
    made->element_strides.push_back(bytes / TypeWidth(tensor.dtype));
  DLTensor& out = made->managed.dl_tensor;
  out.data = tensor.size() == 0 ? nullptr : tensor.data;
  out.device = {kCpu, 0};
  out.ndim = static_cast<int32_t>(tensor.shape.size());
  out.dtype = DlType(tensor.dtype, knows_bool);
  out.shape = made->tensor.shape.data();
  out.strides = made->element_strides.data();
  out.byte_offset = 0;
  made->managed.manager_ctx = made;
  made->managed.deleter = &Export<Managed>::Delete;
  return made;
}

// A capsule that nobody took still owns the tensor; who takes it gives it another name.
template <typename Managed>
nb::object Capsule(Managed* managed, const char* name) {
  PyObject* capsule = PyCapsule_New(managed, name, [](PyObject* self) {
    const char* kept =
        sizeof(Managed) == sizeof(DLManagedTensor) ? "dltensor" : "dltensor_versioned";
    if (!PyCapsule_IsValid(self, kept)) return;
    auto* left = static_cast<Managed*>(PyCapsule_GetPointer(self, kept));
    left->deleter(left);
  });
  if (capsule == nullptr) {
    managed->deleter(managed);
    throw nb::python_error();
  }
  return nb::steal(capsule);
}

nb::object ToDlpack(const Tensor& tensor, nb::handle,
                    std::optional<std::tuple<int, int>> max_version,
                    std::optional<std::tuple<int, int>> device, std::optional<bool> copy) {
  if (device && std::get<0>(*device) != kCpu)
    throw nb::buffer_error("dsi tensors lie in the memory of the CPU: copy there first");
  if (copy && *copy)
    throw nb::buffer_error("dsi hands out tensors without a copy; copy the result");
  if (max_version && std::get<0>(*max_version) >= 1) {
    auto* made = MakeExport<DLManagedTensorVersioned>(tensor, true);
    made->managed.version = {1, 0};
    return Capsule(&made->managed, "dltensor_versioned");
  }
  return Capsule(&MakeExport<DLManagedTensor>(tensor, false)->managed, "dltensor");
}

const char* BufferFormat(Type type) {
  switch (type) {
    case Type::kBool:
      return "?";
    case Type::kInt8:
      return "b";
    case Type::kInt16:
      return "h";
    case Type::kInt32:
      return "i";
    case Type::kInt64:
      return "q";
    case Type::kUint8:
    case Type::kBytes:
      return "B";
    case Type::kUint16:
      return "H";
    case Type::kUint32:
      return "I";
    case Type::kUint64:
      return "Q";
    case Type::kFloat32:
      return "f";
    case Type::kFloat64:
      return "d";
  }
  return "B";
}

int GetBuffer(PyObject* self, Py_buffer* view, int flags) {
  auto* tensor = nb::inst_ptr<Tensor>(nb::handle(self));
  static char nothing;  // An empty buffer has an address as well.
  const int width = TypeWidth(tensor->dtype);
  view->obj = Py_NewRef(self);
  view->buf = tensor->data != nullptr ? tensor->data : &nothing;
  view->len = tensor->size() * width;
  view->itemsize = width;
  view->readonly = 0;
  view->ndim = static_cast<int>(tensor->shape.size());
  view->format =
      (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(BufferFormat(tensor->dtype)) : nullptr;
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  view->shape = reinterpret_cast<Py_ssize_t*>(tensor->shape.data());
  view->strides = reinterpret_cast<Py_ssize_t*>(tensor->strides.data());
  view->suboffsets = nullptr;
  view->internal = nullptr;
  return 0;
}

PyType_Slot kTensorSlots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(GetBuffer)}, {0, nullptr}};

std::string DtypeName(Type type) {
  return type == Type::kBytes ? "uint8" : std::string(TypeName(type));
}

}  // namespace

Tensor Tensor::Of(std::shared_ptr<const void> owner, const void* data, Type dtype,
                  std::vector<int64_t> shape) {
  Tensor made;
  made.owner = std::move(owner);
  made.data = const_cast<void*>(data);
  made.dtype = dtype;
  made.shape = std::move(shape);
  made.strides.resize(made.shape.size());
  int64_t stride = TypeWidth(dtype);
  for (size_t i = made.shape.size(); i-- > 0;) {
    made.strides[i] = stride;
    stride *= made.shape[i];
  }
  return made;
}

int64_t Tensor::size() const {
  int64_t product = 1;
  for (int64_t extent : shape) product *= extent;
  return product;
}

void BindTensor(nb::module_& module) {
  nb::class_<Tensor>(
      module, "Tensor", nb::type_slots(kTensorSlots),
      "An array of the library, shared without a copy.\n\n"
      "torch.from_dlpack(t), numpy.asarray(t) and jax.dlpack.from_dlpack(t) give arrays of the\n"
      "same memory, which lives as long as any of them. Row-major, on the CPU, writable;\n"
      "starts at a multiple of 64 bytes.")
      .def_prop_ro(
          "shape", [](const Tensor& t) { return nb::tuple(nb::cast(t.shape)); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "Extent of each dimension.")
      .def_prop_ro(
          "dtype", [](const Tensor& t) { return DtypeName(t.dtype); },
          "Name of the element type, as numpy has it: 'int64', 'float32', 'uint8', ...")
      .def_prop_ro(
          "ndim", [](const Tensor& t) { return t.shape.size(); }, "Number of dimensions.")
      .def_prop_ro(
          "nbytes", [](const Tensor& t) { return t.size() * TypeWidth(t.dtype); },
          "Bytes of all elements.")
      .def_prop_ro(
          "slab_offset", [](const Tensor& t) { return t.slab_offset; },
          "Byte of Batch.slab where it starts; -1: it lies elsewhere.")
      .def("__len__",
           [](const Tensor& t) {
             if (t.shape.empty()) throw nb::type_error("a tensor without dimensions has no length");
             return t.shape[0];
           })
      .def("__repr__",
           [](const Tensor& t) {
             nb::object shape = nb::tuple(nb::cast(t.shape));
             return "dsi.Tensor(shape=" + nb::cast<std::string>(nb::str(shape)) +
                    ", dtype=" + DtypeName(t.dtype) + ")";
           })
      .def("__dlpack__", ToDlpack, nb::kw_only(), nb::arg("stream").none() = nb::none(),
           nb::arg("max_version").none() = nb::none(), nb::arg("dl_device").none() = nb::none(),
           nb::arg("copy").none() = nb::none(),
           "A DLPack capsule; of version 1 where max_version allows it. BufferError: another "
           "device\n"
           "than the CPU, or copy=True.")
      .def(
          "__dlpack_device__", [](const Tensor&) { return std::make_tuple(kCpu, 0); },
          "(1, 0): memory of the CPU.");
}

}  // namespace dsi::python
