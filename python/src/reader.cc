#include "dsi/python/src/reader.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/io/open.h"
#include "dsi/python/src/dataset.h"
#include "dsi/python/src/status.h"
#include "dsi/reader/reader.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

// A dedup group over all stripes of its file.
struct GroupTotals {
  GroupInfo group;
  uint64_t rows = 0;
  uint64_t unique_rows = 0;
  uint64_t index_bytes = 0;
};

std::unique_ptr<Reader> OfDataset(const PyDataset& dataset, size_t file) {
  nb::gil_scoped_release release;
  const auto files = dataset.dataset()->files();
  if (file >= files.size()) {
    Raise({StatusCode::kOutOfRange, "there is no file " + std::to_string(file) +
                                        ": the dataset has " + std::to_string(files.size())});
  }
  return Take(Reader::Open(Take(OpenUri(files[file].path, dataset.open_options()))));
}

std::vector<ColumnInfo> Columns(const Reader& reader) {
  nb::gil_scoped_release release;
  return Take(reader.Columns());
}

// Stripes whose index has an unknown form are left out of all three numbers.
std::vector<GroupTotals> Groups(const Reader& reader) {
  nb::gil_scoped_release release;
  const auto stripes = reader.stripes();
  std::vector<GroupTotals> made;
  for (GroupInfo& group : Take(reader.Groups())) {
    GroupTotals totals;
    for (size_t i = 0; i < group.stripes.size() && i < stripes.size(); ++i) {
      const GroupInfo::PerStripe& stripe = group.stripes[i];
      if (!stripe.support.ok()) continue;
      totals.rows += stripes[i].num_rows;
      totals.unique_rows += stripe.num_unique;
      totals.index_bytes += stripe.index_bytes;
    }
    totals.group = std::move(group);
    made.push_back(std::move(totals));
  }
  return made;
}

std::map<std::string, std::string> Metadata(const Reader& reader) {
  nb::gil_scoped_release release;
  return Take(reader.Metadata());
}

std::vector<LayoutPart> Layout(const Reader& reader) {
  nb::gil_scoped_release release;
  return Take(reader.Layout());
}

ReadPlan Plan(const Reader& reader, const DatasetScanOptions& options) {
  nb::gil_scoped_release release;
  return Take(reader.Plan(options.scan));
}

void BindParts(nb::module_& module) {
  nb::class_<GroupTotals>(module, "Group", "A dedup group of a file, over all its stripes.")
      .def_prop_ro("name", [](const GroupTotals& t) { return t.group.name; })
      .def_prop_ro("declared", [](const GroupTotals& t) { return t.group.declared; })
      .def_prop_ro(
          "owner", [](const GroupTotals& t) { return t.group.owner; },
          "Column whose state the group holds; '': unknown.")
      .def_prop_ro(
          "ordinal", [](const GroupTotals& t) { return t.group.ordinal; },
          "0: the columns that every row has for itself.")
      .def_prop_ro("columns", [](const GroupTotals& t) { return t.group.columns; })
      .def_ro("rows", &GroupTotals::rows)
      .def_ro("unique_rows", &GroupTotals::unique_rows)
      .def_ro("index_bytes", &GroupTotals::index_bytes);
  nb::class_<LayoutPart>(module, "LayoutPart", "A kind of part that a file is made of.")
      .def_ro("name", &LayoutPart::name)
      .def_ro("count", &LayoutPart::count)
      .def_ro("bytes", &LayoutPart::bytes)
      .def_ro("content_bytes", &LayoutPart::content_bytes,
              "What they hold: more than `bytes` where they are compressed.");
  nb::class_<ReadPlan>(module, "ReadPlan", "What a scan of one file will read.")
      .def_ro("bytes", &ReadPlan::bytes)
      .def_ro("bytes_needed", &ReadPlan::bytes_needed, "Pages alone, without gaps between them.")
      .def_prop_ro("reads", [](const ReadPlan& plan) { return plan.ranges.size(); })
      .def_ro("num_pages", &ReadPlan::num_pages)
      .def_ro("directory_reads", &ReadPlan::directory_reads)
      .def_ro("directory_bytes", &ReadPlan::directory_bytes)
      .def_ro("steps", &ReadPlan::steps,
              "Reads that wait for one another up to the first batch; 0: it answers at once.")
      .def_ro("stripes_skipped", &ReadPlan::stripes_skipped);
}

}  // namespace

void BindReader(nb::module_& module) {
  BindParts(module);
  nb::class_<Reader>(module, "Reader",
                     "What one file tells of itself; calls from many threads are safe.")
      .def_static("of", OfDataset, nb::arg("dataset"), nb::arg("file"),
                  "Opens the file of this number.")
      .def_prop_ro("num_rows", [](const Reader& r) { return r.info().num_rows; })
      .def_prop_ro("num_deleted_rows", [](const Reader& r) { return r.info().num_deleted_rows; })
      .def_prop_ro("num_sessions", [](const Reader& r) { return r.info().num_sessions; })
      .def_prop_ro("num_stripes", [](const Reader& r) { return r.info().num_stripes; })
      .def_prop_ro("file_bytes", [](const Reader& r) { return r.info().file_bytes; })
      .def_prop_ro("writer", [](const Reader& r) { return r.info().writer; })
      .def("columns", Columns, "With what is stored of them, and their groups.")
      .def("groups", Groups, "All of them; the first is that of rows.")
      .def("metadata", Metadata, "The notes that were stored with it.")
      .def("layout", Layout, "Where the bytes are; their sum is the file's.")
      .def("plan", Plan, nb::arg("options"),
           "Of the options what is of the scan of one file counts. Reads no page.");
}

}  // namespace dsi::python
