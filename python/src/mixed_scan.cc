#include "dsi/python/src/mixed_scan.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <utility>

#include "dsi/python/src/held.h"
#include "dsi/python/src/status.h"
#include "dsi/reader/scan_metrics.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

Exhausted ExhaustedOf(std::string_view word) {
  if (word == "stop") return Exhausted::kStop;
  if (word == "drop") return Exhausted::kDrop;
  if (word == "repeat") return Exhausted::kRepeat;
  Raise({StatusCode::kInvalidArgument,
         "exhausted is '" + std::string(word) + "', expected one of 'stop', 'drop', 'repeat'"});
}

// Round r reads what the first one does in the order of r epochs later.
Result<std::unique_ptr<DatasetScan>> OpenRound(OpenMixture* mixture, size_t source,
                                               const std::shared_ptr<const Dataset>& dataset,
                                               DatasetScanOptions options, uint64_t round,
                                               const std::string& state) {
  options.order.epoch += round;
  options.state = state;
  options.scan.allocator = mixture->allocator.get();
  auto open = std::make_shared<OpenScan>();
  open->dataset = dataset;
  open->allocator = mixture->allocator;
  open->process = mixture->process;
  open->handed_over = true;
  Result<std::unique_ptr<DatasetScan>> scan = dataset->NewScan(options);
  if (!scan.ok()) return scan.status();
  open->scan = *std::move(scan);
  mixture->sources[source] = open;
  return std::unique_ptr<DatasetScan>(std::make_unique<SharedScan>(std::move(open)));
}

}  // namespace

PyMixedScan::PyMixedScan(std::vector<Source> sources, std::string_view exhausted, std::string state,
                         nb::object allocate)
    : open_(std::make_shared<OpenMixture>()), scans_(sources.size()) {
  open_->process = getpid();
  open_->sources.resize(sources.size());
  if (!allocate.is_none())
    open_->allocator = std::make_shared<PythonAllocator>(std::move(allocate));
  open_->pool = std::make_shared<BatchPool>(open_->allocator);
  std::vector<MixedSource> mixed;
  for (size_t i = 0; i < sources.size(); ++i) {
    auto& [dataset, weight, options] = sources[i];
    mixed.push_back({weight, [mixture = open_.get(), i, shared = dataset->dataset(),
                              asked = std::move(options)](uint64_t round, const std::string& from) {
                       return OpenRound(mixture, i, shared, asked, round, from);
                     }});
  }
  const MixedScanOptions options = {ExhaustedOf(exhausted), std::move(state)};
  auto status = std::make_shared<Status>();
  next_.calls().Run([open = open_, mixed = std::move(mixed), options, status] {
    Result<std::unique_ptr<MixedScan>> scan = MixedScan::Make(mixed, options);
    if (scan.ok()) {
      open->scan = *std::move(scan);
    } else {
      *status = scan.status();
    }
  });
  Check(*status);
  state_ = Take(open_->scan->state());
}

PyMixedScan::~PyMixedScan() { LetGo(); }

// Waits for threads that may want the interpreter's lock.
void PyMixedScan::Cancel() {
  if (open_ == nullptr || getpid() != open_->process) return;
  open_->is_closed = true;
  open_->scan->Cancel();
}

void PyMixedScan::LetGo() {
  Cancel();
  auto left = next_.TakeLeft();
  auto open = std::move(open_);
  nb::gil_scoped_release release;
  left = nullptr;
  open = nullptr;
}

const std::shared_ptr<OpenMixture>& PyMixedScan::open() const {
  if (open_ == nullptr) Raise({StatusCode::kInvalidArgument, kClosedMixture});
  return open_;
}

std::optional<PyBatch> PyMixedScan::Next() {
  CheckProcess(open()->process);
  const Held held(open_);
  const std::shared_ptr<OpenMixture>& open = held.get();
  const auto made = next_.Run([open](NextCall::Made* out) {
    FillNext(open->scan.get(), open->pool.get(), out);
    out->source = open->scan->source();
    if (open->is_closed && !out->status.ok())
      out->status = {StatusCode::kInvalidArgument, kClosedMixture};
  });
  state_ = std::move(made->state);
  if (!made->more) return std::nullopt;
  source_ = made->source;
  return PyBatch{std::move(made->batch), open->allocator};
}

std::optional<uint64_t> PyMixedScan::num_batches() const {
  const uint64_t count = open()->scan->num_batches();
  if (count == MixedScan::kWithoutEnd) return std::nullopt;
  return count;
}

std::shared_ptr<PyScan> PyMixedScan::ScanOf(size_t source) {
  if (source >= scans_.size()) throw nb::index_error("no such source");
  if (open_ == nullptr) return scans_[source];
  next_.Wait();
  if (open_ == nullptr) return scans_[source];  // Closed by another thread.
  const std::shared_ptr<OpenScan>& now = open_->sources[source];
  std::shared_ptr<PyScan>& known = scans_[source];
  if (now != nullptr && (known == nullptr || known->open() != now))
    known = std::make_shared<PyScan>(now);
  return known;
}

std::string PyMixedScan::PrometheusText(const std::vector<std::string>& labels) {
  std::vector<LabelledStats> sources;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (const std::shared_ptr<PyScan> scan = ScanOf(i))
      sources.push_back({labels[i], scan->stats()});
  }
  return Take(dsi::PrometheusText(sources));
}

void PyMixedScan::Close() {
  if (open_ == nullptr) return;
  if (getpid() == open_->process) {
    Cancel();
    for (size_t i = 0; i < scans_.size(); ++i) {
      if (const std::shared_ptr<PyScan> scan = ScanOf(i)) scan->Close();
    }
  }
  LetGo();
}

void BindMixedScan(nb::module_& module) {
  nb::class_<PyMixedScan>(
      module, "MixedScan",
      "Batches of several datasets by weight. One thread at a time; works without the\n"
      "interpreter's lock, and a signal ends waiting at once, as of Scan.")
      .def(nb::init<std::vector<PyMixedScan::Source>, std::string_view, std::string, nb::object>(),
           nb::arg("sources"), nb::kw_only(), nb::arg("exhausted") = "stop", nb::arg("state") = "",
           nb::arg("allocate").none() = nb::none())
      .def("next", &PyMixedScan::Next, "The next batch; None at the end. Errors end the mixture.")
      .def_prop_ro("source", &PyMixedScan::source, "Of the last batch.")
      .def_prop_ro("state", &PyMixedScan::state,
                   "With the states of all sources: JSON, of batches handed out so far.")
      .def_prop_ro("num_batches", &PyMixedScan::num_batches,
                   "All of this mixture, exact; None: it has no end.")
      .def("scan", &PyMixedScan::ScanOf, nb::arg("source"),
           "The scan of a source in its round, for all but its batches; None: it had ended where\n"
           "the state was taken.")
      .def("prometheus_text", &PyMixedScan::PrometheusText, nb::arg("labels"),
           "Of all sources, each with its labels as they stand in Prometheus' text format.")
      .def("close", &PyMixedScan::Close,
           "Ends what is made ahead and gives back its memory; batches that were handed out stay.");
}

}  // namespace dsi::python
