// Tables that come in through Arrow's C interfaces: capsules of others.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dsi/arrow/abi.h"
#include "dsi/arrow/arrow_input.h"

namespace dsi::python {

// A stream of arrays, to be read once.
class PyArrowStream {
 public:
  explicit PyArrowStream(std::shared_ptr<ArrowStream> stream) : stream_(std::move(stream)) {}
  // Each takes what is in the capsules: they are empty afterwards.
  static PyArrowStream OfStream(nanobind::capsule stream);
  static PyArrowStream OfArray(nanobind::capsule schema, nanobind::capsule array);

  const std::shared_ptr<ArrowStream>& stream() const { return stream_; }
  // The schema as JSON, and what ArrowSchemaReport says.
  std::tuple<std::string, std::vector<std::string>, std::vector<std::string>,
             std::vector<std::pair<std::string, std::string>>>
  InferSchema() const;

 private:
  std::shared_ptr<ArrowStream> stream_;
};

// Opens a stream of one array; takes both.
PyArrowStream StreamOf(ArrowSchema schema, ArrowArray array);

void BindArrowStream(nanobind::module_& module);

}  // namespace dsi::python
