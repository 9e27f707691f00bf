// Memory of batches that a callable of Python's gives, such as torch's pinned memory.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>

#include "dsi/reader/batch.h"

namespace dsi::python {

// The callable gets a number of bytes and returns (address, owner): memory aligned to 64 bytes that
// lives as long as the owner does. It is called by the thread that makes batches, under the
// interpreter's lock. What it raises becomes ResourceExhausted.
class PythonAllocator final : public SlabAllocator {
 public:
  explicit PythonAllocator(nanobind::object allocate);
  ~PythonAllocator() override;
  void* Allocate(size_t size) override;
  void Free(void* slab, size_t size) override;
  // Of the slab of a batch; None: it is not from here. Under the interpreter's lock.
  nanobind::object OwnerOf(const void* slab) const;

 private:
  nanobind::object allocate_;
  std::map<uintptr_t, nanobind::object> owners_;
};

}  // namespace dsi::python
