#include "dsi/python/src/comparison.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/comparison.h"
#include "dsi/python/src/dataset.h"
#include "dsi/python/src/status.h"
#include "dsi/python/src/told_call.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

Comparison Compare(const PyDataset& a, const PyDataset& b, std::vector<std::string> features,
                   std::vector<std::string> key, const DatasetScanOptions& rows, uint32_t threads,
                   uint64_t memory_bytes, nb::object progress) {
  auto told = std::make_shared<ToldCall>(std::move(progress));
  CompareOptions options{.features = std::move(features),
                         .key = std::move(key),
                         .filter_a = rows.scan.filter,
                         .filter_b = rows.scan.filter,
                         .threads = threads,
                         .memory_bytes = memory_bytes};
  options.progress = [at = told.get()](uint64_t done, uint64_t total) {
    return at->Tell("read", done, total);
  };
  auto found = std::make_shared<Comparison>();
  Interruptible calls;
  RunTold(&calls, told, [=, of_a = a.dataset(), of_b = b.dataset()]() -> Status {
    DSI_ASSIGN_OR_RETURN(*found, CompareDatasets(*of_a, *of_b, options));
    return Status::Ok();
  });
  return std::move(*found);
}

std::optional<uint64_t> First(const std::optional<uint64_t>& count, uint64_t first) {
  return count.value_or(0) == 0 ? std::nullopt : std::optional(first);
}

nb::object FirstDiffering(const ComparedColumn& column) {
  if (column.differing == 0) return nb::none();
  return nb::make_tuple(column.row_a, column.row_b);
}

}  // namespace

void BindComparison(nb::module_& module) {
  nb::class_<ComparedColumn>(module, "ComparedColumn", "A column of either dataset, or of both.")
      .def_prop_ro("name", &ComparedColumn::name, "As the first dataset has it, if it does.")
      .def_ro("a", &ComparedColumn::a, "None: that one lacks it.")
      .def_ro("b", &ComparedColumn::b, "None: that one lacks it.")
      .def_ro(
          "changes", &ComparedColumn::changes,
          "What the schemas say differently: 'name', 'id', 'kind', 'type', 'unit', 'id_space',\n"
          "'max_length', 'length', 'newest', 'nested', 'default', 'precision', 'hashed'.")
      .def_prop_ro(
          "not_compared",
          [](const ComparedColumn& c) -> std::optional<std::string> {
            if (c.support.ok()) return std::nullopt;
            return std::string(c.support.message());
          },
          "Why its values were not compared; None: they were.")
      .def_ro("num_differing", &ComparedColumn::differing, "Of the rows that were compared.")
      .def_prop_ro("first", FirstDiffering, nb::sig("def first(self) -> tuple[int, int] | None"),
                   "The row of the first dataset and that of the second where they differ first.")
      .def_ro("has_same_values", &ComparedColumn::has_same_values,
              "All rows together have the same values, in whichever order.")
      .def("__repr__", [](const ComparedColumn& c) {
        return "dsi.ComparedColumn(" + c.name() + ": " +
               (c.support.ok() ? std::to_string(c.differing) + " rows differ"
                               : std::string(c.support.message())) +
               ")";
      });
  nb::class_<Comparison>(module, "Comparison", "What differs between two datasets.")
      .def_ro("num_rows_a", &Comparison::rows_a)
      .def_ro("num_rows_b", &Comparison::rows_b)
      .def_ro("num_compared", &Comparison::pairs, "Rows of one key, or of one place.")
      .def_ro("num_differing", &Comparison::differing, "Of these, in one column or more.")
      .def_ro(
          "only_a", &Comparison::only_a,
          "Rows of the first whose key, or without a key whose values, the second lacks. None:\n"
          "not known, for they did not fit into memory_bytes or no column could be compared.")
      .def_ro("only_b", &Comparison::only_b)
      .def_prop_ro("first_only_a",
                   [](const Comparison& c) { return First(c.only_a, c.first_only_a); })
      .def_prop_ro("first_only_b",
                   [](const Comparison& c) { return First(c.only_b, c.first_only_b); })
      .def_ro("has_same_rows", &Comparison::has_same_rows, "In whichever order.")
      .def_prop_ro("has_same_columns", &Comparison::has_same_columns,
                   "Their schemas say the same, and all could be compared.")
      .def_prop_ro("is_same", &Comparison::is_same,
                   "The same columns and, in them, the same rows in the same order; with a key in\n"
                   "whichever order.")
      .def_ro("columns", &Comparison::columns,
              "Those of the first dataset, then those that the second alone has.")
      .def("__repr__", [](const Comparison& c) {
        return "dsi.Comparison(" + std::string(c.is_same() ? "the same" : "they differ") + ": " +
               std::to_string(c.rows_a) + " and " + std::to_string(c.rows_b) + " rows, " +
               std::to_string(c.differing) + " of " + std::to_string(c.pairs) +
               " compared rows differ)";
      });
  module.def("compare", Compare, nb::arg("a"), nb::arg("b"), nb::arg("features"), nb::arg("key"),
             nb::arg("rows"), nb::arg("threads"), nb::arg("memory_bytes"),
             nb::arg("progress").none(), "What differs between two datasets.");
}

}  // namespace dsi::python
