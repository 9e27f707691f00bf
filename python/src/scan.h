// Scans of datasets for Python.
#pragma once

#include <nanobind/nanobind.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsi/python/src/allocator.h"
#include "dsi/python/src/batch.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/dataset_scan.h"
#include "dsi/python/src/interruptible.h"

namespace dsi::python {

// All that a running call of a scan refers to. In a process forked from the one that made it, its
// threads are not there: it is refused, and never destroyed.
struct OpenScan {
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<PythonAllocator> allocator;
  std::shared_ptr<BatchPool> pool;
  std::unique_ptr<DatasetScan> scan;
  bool handed_over = false;
  pid_t process = 0;

  ~OpenScan();
};

class PyScan {
 public:
  // `allocate` is None or a callable: bytes to (address, owner); the memory is the owner's.
  PyScan(std::shared_ptr<const Dataset> dataset, DatasetScanOptions options,
         nanobind::object allocate);
  ~PyScan();
  PyScan(const PyScan&) = delete;
  PyScan& operator=(const PyScan&) = delete;

  // None at the end.
  std::optional<PyBatch> Next();
  // Of the batches handed out so far: a batch that a signal left being made is not one of them.
  const std::string& state() const { return state_; }
  const DatasetScan& scan() const;
  ScanStats stats() const;
  bool is_repeated() const;
  // Ends what is made ahead and gives back its memory; batches that were handed out stay. Next is
  // refused from now on; state, stats and is_repeated stay what they are.
  void Close();
  // Gives the rest of the batches to somebody else: Next is refused from now on.
  std::shared_ptr<OpenScan> HandOver();
  const std::shared_ptr<OpenScan>& open() const;

 private:
  std::shared_ptr<OpenScan> open_;
  Interruptible calls_;
  struct Made;
  std::shared_ptr<Made> made_;  // By the call that is running or ended.
  std::string state_;
  ScanStats stats_;  // Once it is closed; and so is what follows.
  bool is_repeated_ = false;
};

void BindScan(nanobind::module_& module);

}  // namespace dsi::python
