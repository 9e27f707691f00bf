// Scans of datasets for Python.
#pragma once

#include <nanobind/nanobind.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/python/src/allocator.h"
#include "dsi/python/src/batch.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/dataset_scan.h"
#include "dsi/python/src/next_call.h"

namespace dsi::python {

// All that a running call of a scan refers to. In a process forked from the one that made it, its
// threads are not there: it is refused, and never destroyed.
struct OpenScan {
  std::shared_ptr<const Dataset> dataset;
  std::shared_ptr<PythonAllocator> allocator;
  std::shared_ptr<BatchPool> pool;
  std::unique_ptr<DatasetScan> scan;
  bool handed_over = false;
  std::atomic<bool> is_closed = false;  // While a call may run.
  pid_t process = 0;

  ~OpenScan();
};

inline constexpr char kClosedScan[] = "this scan was closed";
inline constexpr char kClosedMixture[] = "this mixture was closed";

// A scan that others ask as well.
class SharedScan final : public DatasetScan {
 public:
  explicit SharedScan(std::shared_ptr<OpenScan> open) : open_(std::move(open)) {}
  Result<bool> Next(Batch* batch) override { return open_->scan->Next(batch); }
  uint64_t num_batches() const noexcept override { return open_->scan->num_batches(); }
  std::span<const ScanColumn> columns() const noexcept override { return open_->scan->columns(); }
  const ScanStats& stats() const noexcept override { return open_->scan->stats(); }
  Result<std::string> state() const override { return open_->scan->state(); }
  Status RowsOf(const Batch& batch, std::vector<BatchRow>* rows) const override {
    return open_->scan->RowsOf(batch, rows);
  }
  bool is_repeated() const noexcept override { return open_->scan->is_repeated(); }

 private:
  std::shared_ptr<OpenScan> open_;
};

class PyScan {
 public:
  // `allocate` is None or a callable: bytes to (address, owner); the memory is the owner's.
  PyScan(std::shared_ptr<const Dataset> dataset, DatasetScanOptions options,
         nanobind::object allocate);
  // What somebody else hands out, to ask of it what is not a batch.
  explicit PyScan(std::shared_ptr<OpenScan> open);
  ~PyScan();
  PyScan(const PyScan&) = delete;
  PyScan& operator=(const PyScan&) = delete;

  // None at the end.
  std::optional<PyBatch> Next();
  // Of the batches handed out so far: a batch that a signal left being made is not one of them.
  const std::string& state() const { return state_; }
  const DatasetScan& scan() const;
  // Both wait for a call that a signal left while it runs.
  ScanStats stats();
  bool is_repeated();
  // Ends what is made ahead and gives back its memory; batches that were handed out stay. Next is
  // refused from now on; state, stats and is_repeated stay what they are.
  void Close();
  // Gives the rest of the batches to somebody else: Next is refused from now on.
  std::shared_ptr<OpenScan> HandOver();
  const std::shared_ptr<OpenScan>& open() const;

 private:
  void Cancel();
  void LetGo();
  void WaitForCall();

  std::shared_ptr<OpenScan> open_;
  NextCall next_;
  std::string state_;
  ScanStats stats_;  // Once it is closed; and so is what follows.
  bool is_repeated_ = false;
};

void BindScan(nanobind::module_& module);

}  // namespace dsi::python
