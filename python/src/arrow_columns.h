// Columns made of buffers of Python's (numpy arrays) as an array of Arrow's.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dsi::python {

// One column: Arrow's format, and buffers in the order of its layout. Their sizes are not checked;
// offsets are, by who reads the array.
struct ArrowColumn {
  std::string name;
  std::string format;
  int64_t length = 0;
  int64_t null_count = 0;
  std::vector<const void*> buffers;
  std::vector<std::shared_ptr<const ArrowColumn>> children;
  std::shared_ptr<const void> views;  // Keeps the buffers; ends under the interpreter's lock.
};

void BindArrowColumns(nanobind::module_& module);

}  // namespace dsi::python
