// Mixtures of scans for Python.
#pragma once

#include <nanobind/nanobind.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dsi/dataset/mixed_scan.h"
#include "dsi/python/src/dataset.h"
#include "dsi/python/src/next_call.h"
#include "dsi/python/src/scan.h"

namespace dsi::python {

// All that a running call of a mixture refers to.
struct OpenMixture {
  std::shared_ptr<PythonAllocator> allocator;
  std::shared_ptr<BatchPool> pool;
  // Of each source its scan of this round; null: it had ended where the state was taken.
  std::vector<std::shared_ptr<OpenScan>> sources;
  std::unique_ptr<MixedScan> scan;
  std::atomic<bool> is_closed = false;  // While a call may run.
  pid_t process = 0;
};

class PyMixedScan {
 public:
  // A dataset, its weight, and what is read of it in the first round.
  using Source = std::tuple<PyDataset*, uint32_t, DatasetScanOptions>;

  // All batches lie in memory of one allocator, since their memory goes from source to source.
  PyMixedScan(std::vector<Source> sources, std::string_view exhausted, std::string state,
              nanobind::object allocate);
  ~PyMixedScan();
  PyMixedScan(const PyMixedScan&) = delete;
  PyMixedScan& operator=(const PyMixedScan&) = delete;

  // None at the end.
  std::optional<PyBatch> Next();
  size_t source() const { return source_; }
  const std::string& state() const { return state_; }
  // None: there is no end.
  std::optional<uint64_t> num_batches() const;
  // For all but batches. Null: a source that had ended where the state was taken.
  std::shared_ptr<PyScan> ScanOf(size_t source);
  // Of each source whose scan there is, with labels of its own.
  std::string PrometheusText(const std::vector<std::string>& labels);
  // As PyScan::Close; the scans of the sources are closed as well.
  void Close();

 private:
  void Cancel();
  void LetGo();
  const std::shared_ptr<OpenMixture>& open() const;

  std::shared_ptr<OpenMixture> open_;
  NextCall next_;
  std::vector<std::shared_ptr<PyScan>> scans_;  // Made when they were asked for.
  std::string state_;
  size_t source_ = 0;
};

void BindMixedScan(nanobind::module_& module);

}  // namespace dsi::python
