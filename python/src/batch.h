// A batch as Python holds it: shared by all tensors made of it, and given back for another batch
// when the last of them is gone.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <atomic>
#include <memory>

#include "dsi/python/src/allocator.h"
#include "dsi/reader/batch.h"

namespace dsi::python {

// Batches whose tensors are all gone, so that a scan in steady state allocates nothing. With an
// allocator of the caller's none is kept: who made the memory decides when it is used again (a copy
// to a device may still read it).
class BatchPool : public std::enable_shared_from_this<BatchPool> {
 public:
  // Null: the heap. The allocator lives as long as the pool and all batches of it.
  explicit BatchPool(std::shared_ptr<PythonAllocator> allocator)
      : allocator_(std::move(allocator)) {}
  ~BatchPool();
  BatchPool(const BatchPool&) = delete;
  BatchPool& operator=(const BatchPool&) = delete;
  // Its last owner may be on any thread and need not hold the interpreter's lock.
  std::shared_ptr<Batch> Take();

 private:
  void GiveBack(std::unique_ptr<Batch> batch);

  std::shared_ptr<PythonAllocator> allocator_;
  std::array<std::atomic<Batch*>, 4> spare_{};  // No lock: a fork may leave one taken.
};

struct PyBatch {
  std::shared_ptr<Batch> batch;
  std::shared_ptr<PythonAllocator> allocator;  // Null: the memory is of the library.
};

void BindBatch(nanobind::module_& module);

}  // namespace dsi::python
