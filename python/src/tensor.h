// An array in memory of the library, handed to Python without a copy: DLPack (with and without a
// version) and the buffer protocol.
//
// Ownership: a Tensor, each DLPack capsule made of it and each buffer view hold a share of the
// memory. The deleter of a capsule needs no interpreter and may run on any thread.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dsi/format/types.h"

namespace dsi::python {

struct Tensor {
  std::shared_ptr<const void> owner;
  void* data = nullptr;
  Type dtype = Type::kInt64;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // In bytes, row-major.
  int64_t slab_offset = -1;      // Of `data` in the batch's slab; -1: it lies elsewhere.

  // A row-major array of these dimensions.
  static Tensor Of(std::shared_ptr<const void> owner, const void* data, Type dtype,
                   std::vector<int64_t> shape);
  int64_t size() const;  // Elements.
};

void BindTensor(nanobind::module_& module);

}  // namespace dsi::python
