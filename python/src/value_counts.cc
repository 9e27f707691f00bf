#include "dsi/python/src/value_counts.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dsi/dataset/value_counts.h"
#include "dsi/python/src/dataset.h"
#include "dsi/python/src/schema.h"
#include "dsi/python/src/status.h"
#include "dsi/python/src/tensor.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

using Shared = std::shared_ptr<ValueCounts>;

template <typename T>
constexpr Type kTypeOf = Type::kInt64;
template <>
constexpr Type kTypeOf<uint64_t> = Type::kUint64;
template <>
constexpr Type kTypeOf<double> = Type::kFloat64;

template <typename T>
Tensor ArrayOf(const Shared& counts, const std::vector<T>& values) {
  return Tensor::Of(counts, values.data(), kTypeOf<T>, {static_cast<int64_t>(values.size())});
}

nb::object Values(const Shared& counts) {
  return std::visit(
      [&]<typename T>(const std::vector<T>& values) -> nb::object {
        if constexpr (std::is_same_v<T, std::string>) {
          nb::list texts;
          for (const std::string& text : values) texts.append(nb::bytes(text.data(), text.size()));
          return texts;
        } else {
          return nb::cast(ArrayOf(counts, values));
        }
      },
      counts->values);
}

std::vector<std::shared_ptr<ValueCounts>> Count(PyDataset& self, const DatasetScanOptions& scan,
                                                uint64_t memory_bytes) {
  CountOptions options;
  options.scan = scan;
  options.memory_bytes = memory_bytes;
  options.progress = [](uint64_t, uint64_t) {
    nb::gil_scoped_acquire hold;
    return PyErr_CheckSignals() == 0;
  };
  nb::gil_scoped_release release;
  std::vector<std::shared_ptr<ValueCounts>> shared;
  for (ValueCounts& counts : Take(CountValues(*self.dataset(), options)))
    shared.push_back(std::make_shared<ValueCounts>(std::move(counts)));
  return shared;
}

}  // namespace

void BindValueCounts(nb::module_& module) {
  nb::class_<ValueCounts>(module, "ValueCounts", "Which values a column has and how often.")
      .def_ro("column", &ValueCounts::column)
      .def_prop_ro("type", [](const ValueCounts& c) { return TypeName(c.type); })
      .def_ro("rows", &ValueCounts::rows)
      .def_ro("missing", &ValueCounts::missing)
      .def_ro("entries", &ValueCounts::entries)
      .def_ro("min_length", &ValueCounts::min_length)
      .def_ro("max_length", &ValueCounts::max_length)
      .def_prop_ro("values", Values, nb::sig("def values(self) -> Tensor | list[bytes]"),
                   "A Tensor of int64, uint64 or float64 [different values], or a list of bytes.")
      .def_prop_ro(
          "counts", [](const Shared& c) { return ArrayOf(c, c->counts); },
          "uint64 [different values].")
      .def("__len__", [](const ValueCounts& c) { return c.counts.size(); })
      .def("num_at_least", &ValueCounts::NumAtLeast, nb::arg("count"))
      .def_prop_ro("mean", &ValueCounts::Mean)
      .def_prop_ro("deviation", &ValueCounts::Deviation)
      .def(
          "quantiles",
          [](const ValueCounts& c, const std::vector<double>& shares) {
            return Take(c.Quantiles(shares));
          },
          nb::arg("shares"), "Positions in values.");
  module.def("count_values", Count, nb::arg("dataset"), nb::arg("options"), nb::arg("memory_bytes"),
             "Of each column of the options.");
}

}  // namespace dsi::python
