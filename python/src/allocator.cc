#include "dsi/python/src/allocator.h"

#include <nanobind/stl/tuple.h>

#include <tuple>
#include <utility>

namespace nb = nanobind;

namespace dsi::python {

PythonAllocator::PythonAllocator(nb::object allocate) : allocate_(std::move(allocate)) {}

PythonAllocator::~PythonAllocator() {
  // After the end of the interpreter nothing of its memory is touched.
  if (!nb::is_alive()) {
    allocate_.release();
    for (auto& [address, owner] : owners_) owner.release();
    return;
  }
  nb::gil_scoped_acquire hold;
  allocate_.reset();
  owners_.clear();
}

void* PythonAllocator::Allocate(size_t size) {
  nb::gil_scoped_acquire hold;
  auto [address, owner] = nb::cast<std::tuple<uintptr_t, nb::object>>(allocate_(size));
  owners_[address] = std::move(owner);
  return reinterpret_cast<void*>(address);
}

void PythonAllocator::Free(void* slab, size_t /*size*/) {
  if (!nb::is_alive()) return;
  nb::gil_scoped_acquire hold;
  owners_.erase(reinterpret_cast<uintptr_t>(slab));
}

nb::object PythonAllocator::OwnerOf(const void* slab) const {
  auto at = owners_.find(reinterpret_cast<uintptr_t>(slab));
  return at == owners_.end() ? nb::none() : at->second;
}

}  // namespace dsi::python
