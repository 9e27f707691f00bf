// Datasets for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"

namespace dsi::python {

// A dataset, and its columns once they were asked for.
class PyDataset {
 public:
  PyDataset(std::unique_ptr<Dataset> dataset, OpenOptions open)
      : dataset_(std::move(dataset)), open_(std::move(open)) {}
  ~PyDataset() { delete columns_.load(); }
  PyDataset(const PyDataset&) = delete;
  PyDataset& operator=(const PyDataset&) = delete;

  const std::shared_ptr<const Dataset>& dataset() const { return dataset_; }
  // How its files are opened.
  const OpenOptions& open_options() const { return open_; }
  // Takes the interpreter's lock from nobody: called without it.
  const std::vector<ColumnInfo>& Columns();
  // With a pipeline (null: none) all that a scan with it may name. Called without the lock, too.
  std::vector<ColumnInfo> Columns(const Pipeline* pipeline);

 private:
  std::shared_ptr<const Dataset> dataset_;
  OpenOptions open_;
  std::atomic<const std::vector<ColumnInfo>*> columns_ = nullptr;  // Set once. No lock: forks.
};

void BindDataset(nanobind::module_& module);

}  // namespace dsi::python
