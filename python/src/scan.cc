#include "dsi/python/src/scan.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <utility>

#include "dsi/python/src/allocator.h"
#include "dsi/python/src/held.h"
#include "dsi/python/src/status.h"
#include "dsi/python/src/tensor.h"
#include "dsi/reader/scan_metrics.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

nb::dict StatsDict(const ScanStats& stats) {
  nb::dict made;
  made["rows"] = stats.rows;
  made["rows_dropped"] = stats.rows_dropped;
  made["stripes_skipped"] = stats.stripes_skipped;
  made["bytes_read"] = stats.bytes_read;
  made["bytes_needed"] = stats.bytes_needed;
  made["reads"] = stats.reads;
  made["values_decoded"] = stats.values_decoded;
  made["values_expanded"] = stats.values_expanded;
  made["batches"] = stats.batches;
  made["batches_ready"] = stats.batches_ready;
  made["output_bytes"] = stats.output_bytes;
  made["threads"] = stats.threads;
  nb::dict seconds;
  seconds["read"] = stats.seconds.read;
  seconds["decode"] = stats.seconds.decode;
  seconds["fill"] = stats.seconds.fill;
  seconds["blocked"] = stats.seconds.blocked;
  seconds["wait"] = stats.seconds.wait;
  made["seconds"] = seconds;
  return made;
}

nb::tuple RowsOf(const PyScan& scan, const PyBatch& batch) {
  std::vector<BatchRow> rows;
  Check(scan.scan().RowsOf(*batch.batch, &rows));
  auto files = std::make_shared<std::vector<uint32_t>>();
  auto numbers = std::make_shared<std::vector<uint64_t>>();
  for (const BatchRow& row : rows) {
    files->push_back(row.file);
    numbers->push_back(row.row);
  }
  const std::vector<int64_t> shape = {static_cast<int64_t>(rows.size())};
  return nb::make_tuple(Tensor::Of(files, files->data(), Type::kUint32, shape),
                        Tensor::Of(numbers, numbers->data(), Type::kUint64, shape));
}

}  // namespace

OpenScan::~OpenScan() {
  if (getpid() == process || scan == nullptr) return;
  // Its threads are those of another process: who waits for them waits for ever.
  static_cast<void>(scan.release());
  new std::shared_ptr<const Dataset>(dataset);
  new std::shared_ptr<PythonAllocator>(allocator);
}

PyScan::PyScan(std::shared_ptr<const Dataset> dataset, DatasetScanOptions options,
               nb::object allocate)
    : open_(std::make_shared<OpenScan>()) {
  open_->dataset = std::move(dataset);
  open_->process = getpid();
  if (!allocate.is_none())
    open_->allocator = std::make_shared<PythonAllocator>(std::move(allocate));
  open_->pool = std::make_shared<BatchPool>(open_->allocator);
  options.scan.allocator = open_->allocator.get();
  auto status = std::make_shared<Status>();
  next_.calls().Run([open = open_, options = std::move(options), status] {
    Result<std::unique_ptr<DatasetScan>> scan = open->dataset->NewScan(options);
    if (scan.ok()) {
      open->scan = *std::move(scan);
    } else {
      *status = scan.status();
    }
  });
  Check(*status);
  state_ = Take(open_->scan->state());
}

PyScan::PyScan(std::shared_ptr<OpenScan> open) : open_(std::move(open)) {}

PyScan::~PyScan() { LetGo(); }

// What was handed out as a stream goes on.
void PyScan::Cancel() {
  if (open_ == nullptr || getpid() != open_->process || open_->handed_over) return;
  open_->is_closed = true;
  open_->scan->Cancel();
}

// Waits for threads that may want the interpreter's lock.
void PyScan::LetGo() {
  Cancel();
  auto left = next_.TakeLeft();
  auto open = std::move(open_);
  nb::gil_scoped_release release;
  left = nullptr;
  open = nullptr;
}

void PyScan::Close() {
  if (open_ == nullptr) return;
  if (getpid() == open_->process) {
    Cancel();
    next_.Wait();
    if (open_ == nullptr) return;  // Closed by another thread.
    stats_ = scan().stats();
    is_repeated_ = scan().is_repeated();
  }
  LetGo();
}

const std::shared_ptr<OpenScan>& PyScan::open() const {
  if (open_ == nullptr) Raise({StatusCode::kInvalidArgument, kClosedScan});
  return open_;
}

const DatasetScan& PyScan::scan() const { return *open()->scan; }

// A call that a signal left may still count.
void PyScan::WaitForCall() {
  if (open_ != nullptr && getpid() == open_->process) next_.Wait();
}

ScanStats PyScan::stats() {
  WaitForCall();
  return open_ == nullptr ? stats_ : open_->scan->stats();
}

bool PyScan::is_repeated() {
  WaitForCall();
  return open_ == nullptr ? is_repeated_ : open_->scan->is_repeated();
}

std::optional<PyBatch> PyScan::Next() {
  CheckProcess(open()->process);
  if (open_->handed_over)
    Raise({StatusCode::kInvalidArgument, "the rest of this scan was handed out as a stream"});
  const Held held(open_);
  const std::shared_ptr<OpenScan>& open = held.get();
  const bool waits = next_.is_left() || !open->scan->is_ready();
  const auto made = next_.Run(
      [open](NextCall::Made* out) {
        FillNext(open->scan.get(), open->pool.get(), out);
        if (open->is_closed && !out->status.ok())
          out->status = {StatusCode::kInvalidArgument, kClosedScan};
      },
      waits);
  state_ = std::move(made->state);
  if (!made->more) return std::nullopt;
  return PyBatch{std::move(made->batch), open->allocator};
}

std::shared_ptr<OpenScan> PyScan::HandOver() {
  static_cast<void>(open());  // Refused once it is closed.
  if (open_->handed_over)
    Raise({StatusCode::kInvalidArgument, "this scan was handed out as a stream before"});
  next_.Wait();
  if (next_.is_left()) {
    Raise({StatusCode::kInvalidArgument,
           "a batch that a signal interrupted is to be asked for before the scan is a stream"});
  }
  open_->handed_over = true;
  return open_;
}

void BindScan(nb::module_& module) {
  nb::class_<PyScan>(
      module, "Scan",
      "Batches of a dataset. One thread at a time; works without the interpreter's lock,\n"
      "and a signal ends waiting at once: the batch that was being made comes next.")
      .def("next", &PyScan::Next, "The next batch; None at the end. Errors end the scan.")
      .def_prop_ro(
          "state", &PyScan::state,
          "Where all ranks stand when each has handed out as many batches as this one: JSON.")
      .def_prop_ro("num_batches", [](const PyScan& self) { return self.scan().num_batches(); })
      .def_prop_ro("is_repeated", &PyScan::is_repeated,
                   "The last batch is one that was handed out before (remainder='pad').")
      .def_prop_ro("columns",
                   [](const PyScan& self) {
                     auto columns = self.scan().columns();
                     return std::vector<ScanColumn>(columns.begin(), columns.end());
                   })
      .def_prop_ro("stats", [](PyScan& self) { return StatsDict(self.stats()); })
      .def(
          "prometheus_text",
          [](PyScan& self, const std::string& labels) {
            return Take(PrometheusText(self.stats(), labels));
          },
          nb::arg("labels") = "", "stats in Prometheus' text format; labels as they stand in it.")
      .def("close", &PyScan::Close,
           "Ends what is made ahead and gives back its memory. Batches that were handed out stay,\n"
           "and so do state and stats; next and rows_of are refused.")
      .def("rows_of", RowsOf, nb::arg("batch"),
           nb::sig("def rows_of(self, batch: Batch) -> tuple[Tensor, Tensor]"),
           "Of each row of a batch of this scan its file (position in Dataset.files, uint32) and "
           "its row\n"
           "there (uint64).");
  module.def(
      "join_states",
      [](const std::vector<std::string>& states) {
        nb::gil_scoped_release release;
        return Take(JoinStates(states));
      },
      nb::arg("states"), "Of each rank its state, where they stopped at different places: one.");
  module.def(
      "state_of_batch",
      [](const std::string& state, uint32_t rank, int64_t step) {
        return Take(OptionsOfBatch(state, rank, step)).state;
      },
      nb::arg("state"), nb::arg("rank"), nb::arg("step"),
      "Of which one batch is left: that which a rank hands out so many behind the state.");
}

}  // namespace dsi::python
