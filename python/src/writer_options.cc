#include "dsi/python/src/writer_options.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/access_log.h"
#include "dsi/python/src/status.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

Tuning TuningOf(const std::string& word) {
  if (word == "nvme") return Tuning::kNvme;
  if (word == "network") return Tuning::kNetwork;
  if (word == "archive") return Tuning::kArchive;
  Raise({StatusCode::kInvalidArgument,
         "tuning is '" + word + "', expected one of 'nvme', 'network', 'archive'"});
}

void Make(WriterOptions* out, std::vector<std::string> cluster_by, bool keep_order,
          bool keep_position, uint32_t stripe_rows, uint64_t stripe_bytes, uint32_t page_values,
          uint64_t memory_bytes, std::string spill_folder, int threads, const std::string& tuning,
          bool dedup, bool find_groups, bool verify_after_encode, bool overwrite,
          const std::string& layout_from, bool clustered) {
  WriterOptions options;
  options.cluster_by = std::move(cluster_by);
  options.keep_order = keep_order;
  options.input_is_clustered = clustered;
  options.keep_position = keep_position;
  options.stripe_rows = stripe_rows;
  options.stripe_bytes = stripe_bytes;
  options.page_values = page_values;
  options.memory_bytes = memory_bytes;
  options.spill_folder = std::move(spill_folder);
  options.threads = threads;
  options.tuning = TuningOf(tuning);
  options.dedup = dedup;
  options.find_groups = find_groups;
  options.verify_after_encode = verify_after_encode;
  options.overwrite = overwrite;
  if (!layout_from.empty()) options.uses = Take(ReadAccessLog(layout_from));
  new (out) WriterOptions(std::move(options));
}

}  // namespace

nb::dict ReportDict(const WriteReport& report) {
  nb::dict made;
  made["num_rows"] = report.num_rows;
  made["num_sessions"] = report.num_sessions;
  made["num_stripes"] = report.num_stripes;
  made["num_groups"] = report.num_groups;
  made["file_bytes"] = report.file_bytes;
  made["values_in"] = report.values_in;
  made["values_stored"] = report.values_stored;
  made["index_bytes"] = report.index_bytes;
  made["spilled_bytes"] = report.spilled_bytes;
  made["came_clustered"] = report.came_clustered;
  made["encode_seconds"] = report.encode_seconds;
  made["choose_seconds"] = report.choose_seconds;
  return made;
}

void BindWriterOptions(nb::module_& module) {
  const WriterOptions usual;
  nb::class_<WriterOptions>(module, "WriterOptions", "How files are written.")
      .def("__init__", Make, nb::kw_only(), nb::arg("cluster_by") = usual.cluster_by,
           nb::arg("keep_order") = false, nb::arg("keep_position") = false,
           nb::arg("stripe_rows") = usual.stripe_rows, nb::arg("stripe_bytes") = usual.stripe_bytes,
           nb::arg("page_values") = usual.page_values, nb::arg("memory_bytes") = 0,
           nb::arg("spill_folder") = usual.spill_folder, nb::arg("threads") = 0,
           nb::arg("tuning") = "nvme", nb::arg("dedup") = true, nb::arg("find_groups") = true,
           nb::arg("verify_after_encode") = true, nb::arg("overwrite") = false,
           nb::arg("layout_from") = "", nb::arg("clustered") = false);
}

}  // namespace dsi::python
