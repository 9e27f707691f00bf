// The structs of DLPack, as its specification states them (https://dmlc.github.io/dlpack): the form
// without a version, which every consumer takes, and that of version 1.
#pragma once

#include <cstdint>

namespace dsi::python {

struct DLDevice {
  int32_t device_type;  // 1: kDLCPU. Pinned memory too, since consumers know it as such.
  int32_t device_id;
};

struct DLDataType {
  uint8_t code;  // 0 int, 1 uint, 2 float, 6 bool.
  uint8_t bits;
  uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // In elements; never null.
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;  // Bit 0: read-only, bit 1: is a copy.
  DLTensor dl_tensor;
};

}  // namespace dsi::python
