#include "dsi/python/src/dataset_plan.h"

#include <memory>

#include "dsi/dataset/dataset_plan.h"
#include "dsi/python/src/dataset.h"
#include "dsi/python/src/told_call.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

nb::dict Told(const PlannedReads& reads) {
  nb::dict told;
  told["rows"] = reads.num_rows;
  told["stripes"] = reads.num_stripes;
  told["stripes_skipped"] = reads.stripes_skipped;
  told["reads"] = reads.reads;
  told["bytes"] = reads.bytes;
  told["bytes_needed"] = reads.bytes_needed;
  told["directory_reads"] = reads.directory_reads;
  told["directory_bytes"] = reads.directory_bytes;
  return told;
}

nb::dict Plan(const PyDataset& dataset, const DatasetScanOptions& options) {
  auto plan = std::make_shared<DatasetPlan>();
  RunUntold([=, from = dataset.dataset()]() -> Status {
    DSI_ASSIGN_OR_RETURN(*plan, from->Plan(options));
    return Status::Ok();
  });
  nb::list files;
  for (const DatasetPlan::File& file : plan->files) {
    nb::dict told = Told(file.reads);
    told["file"] = file.file;
    told["is_skipped"] = file.is_skipped;
    told["steps"] = file.steps;
    files.append(told);
  }
  nb::dict told = Told(plan->reads);
  told["files"] = files;
  told["files_skipped"] = plan->files_skipped;
  return told;
}

}  // namespace

void BindDatasetPlan(nb::module_& module) {
  module.def("dataset_plan", Plan, nb::arg("dataset"), nb::arg("options"));
}

}  // namespace dsi::python
