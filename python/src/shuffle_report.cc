#include "dsi/python/src/shuffle_report.h"

#include <nanobind/stl/string.h>

#include <memory>

#include "dsi/dataset/shuffle_report.h"
#include "dsi/python/src/dataset.h"
#include "dsi/python/src/told_call.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

nb::dict Report(const PyDataset& dataset, const DatasetScanOptions& options, uint64_t max_batches,
                nb::object progress) {
  auto told = std::make_shared<ToldCall>(std::move(progress));
  auto report = std::make_shared<ShuffleReport>();
  Interruptible calls;
  RunTold(&calls, told, [=, from = dataset.dataset()]() -> Status {
    DSI_ASSIGN_OR_RETURN(
        *report, ReportShuffle(*from, options, max_batches, [&](uint64_t done, uint64_t total) {
          return told->Tell("batches", done, total);
        }));
    return Status::Ok();
  });
  nb::dict made;
  made["batches"] = report->batches;
  made["rows"] = report->rows;
  made["mixing_rows"] = report->mixing_rows;
  made["sessions_per_batch"] = report->sessions_per_batch;
  made["sessions_in_file_order"] = report->sessions_in_file_order;
  made["sessions_at_random"] = report->sessions_at_random;
  made["sessions_cut"] = report->sessions_cut;
  made["collisions"] = report->collisions;
  made["collisions_at_random"] = report->collisions_at_random;
  made["label_drift"] = report->label_drift;
  made["label_drift_in_file_order"] = report->label_drift_in_file_order;
  made["dedup_factor"] = report->dedup_factor;
  made["dedup_factor_in_file_order"] = report->dedup_factor_in_file_order;
  made["bytes_read"] = report->bytes_read;
  made["bytes_in_file_order"] = report->bytes_in_file_order;
  made["seconds"] = report->seconds;
  made["seconds_in_file_order"] = report->seconds_in_file_order;
  return made;
}

}  // namespace

void BindShuffleReport(nb::module_& module) {
  module.def("shuffle_report", Report, nb::arg("dataset"), nb::arg("options"),
             nb::arg("max_batches"), nb::arg("progress").none());
}

}  // namespace dsi::python
