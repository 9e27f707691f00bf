#include "dsi/python/src/writer.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "dsi/python/src/row_setter.h"
#include "dsi/python/src/status.h"
#include "dsi/python/src/text_bytes.h"
#include "dsi/python/src/words.h"
#include "dsi/python/src/writer_options.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

// Rows that are collected before the writer takes them.
constexpr size_t kRowsAtOnce = 8192;

const char* PhaseName(WriteProgress::Phase phase) {
  switch (phase) {
    case WriteProgress::Phase::kCluster:
      return "cluster";
    case WriteProgress::Phase::kEncode:
      return "encode";
    case WriteProgress::Phase::kPublish:
      return "publish";
  }
  return "";
}

std::unique_ptr<PyWriter> Create(const std::string& path, const std::string& schema,
                                 const WriterOptions& options, nb::object progress) {
  return std::make_unique<PyWriter>(path, schema, options, std::move(progress));
}

}  // namespace

OpenWriter::OpenWriter(nb::object told) : ToldCall(std::move(told)), process(getpid()) {}

OpenWriter::~OpenWriter() {
  if (getpid() != process) static_cast<void>(writer.release());
  LetGo(&bad_row);
}

PyWriter::PyWriter(const std::string& path, const std::string& schema_json, WriterOptions options,
                   nb::object progress)
    : open_(std::make_shared<OpenWriter>(std::move(progress))) {
  options.progress = [open = open_.get()](const WriteProgress& at) {
    return open->Tell(PhaseName(at.phase), at.rows_done, at.rows_total);
  };
  nb::gil_scoped_release release;
  open_->writer = Take(Writer::Create(path, Take(Schema::FromJson(schema_json)), options));
  schema_ = open_->writer->schema();
}

const std::shared_ptr<OpenWriter>& PyWriter::Open() const {
  if (open_ == nullptr || open_->writer == nullptr || open_->stopped)
    Raise({StatusCode::kInvalidArgument,
           "the writer is finished or was given up, or an error took rows from it"});
  if (open_->process != getpid()) {
    Raise({StatusCode::kInvalidArgument,
           "this writer belongs to the process that this one was forked from"});
  }
  return open_;
}

std::string PyWriter::schema() const { return Take(schema_->ToJson()); }

uint64_t PyWriter::AppendRows(nb::iterable rows, bool ignore_unknown,
                              const std::string& null_entries) {
  // What runs in between, rows and progress, may finish the writer or give it up.
  const std::shared_ptr<OpenWriter> open = Open();
  RowSetter setter(schema_, ignore_unknown, NullEntriesOf(null_entries));
  RowBatch batch(schema_);
  const uint64_t before = num_rows();
  const auto flush = [&] {
    if (open->stopped || open_ != open)
      return Status(StatusCode::kInvalidArgument, "the writer is finished or was given up");
    nb::gil_scoped_release release;
    Status status = open->writer->Append(std::move(batch));
    if (!status.ok()) open->stopped = true;  // A file without these rows must not be published.
    return status;
  };
  // Stripes may be written on the way: what progress raised then is raised here.
  const auto check = [&](const Status& status) {
    if (status.code() == StatusCode::kCancelled)
      RunTold(&calls_, open, [status] { return status; });
    Check(status);
  };
  uint64_t added = 0;
  nb::object iterator = nb::steal(PyObject_GetIter(rows.ptr()));
  if (!iterator.is_valid()) throw nb::python_error();
  while (true) {
    const nb::object row = nb::steal(PyIter_Next(iterator.ptr()));
    if (!row.is_valid()) {
      // The rows before what the iterator raised are added as well.
      PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
      PyErr_Fetch(&type, &value, &trace);
      const Status status = flush();
      if (!status.ok()) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        check(status);
      }
      PyErr_Restore(type, value, trace);
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return added;
    }
    Status status;
    try {
      status = setter.Add(row, &batch);
    } catch (const nb::python_error&) {
      // What a value raised; the rows before are added as well.
      batch.DropRow();
      check(flush());
      throw;
    }
    if (!status.ok()) {
      check(flush());
      Raise(status.At("row " + std::to_string(before + added)));
    }
    ++added;
    if (batch.num_rows() < kRowsAtOnce) continue;
    check(flush());
    if (!open->Tell("append", before + added, 0) || PyErr_CheckSignals() != 0) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      RunTold(&calls_, open,
              [] { return Status(StatusCode::kCancelled, "appending was cancelled by progress"); });
    }
  }
}

uint64_t PyWriter::AppendArrow(PyArrowStream& stream, bool ignore_unknown,
                               const std::string& null_entries, uint64_t total_rows) {
  const std::shared_ptr<OpenWriter> open = Open();
  ArrowInputOptions options;
  options.ignore_unknown = ignore_unknown;
  options.null_entries = NullEntriesOf(null_entries);
  const uint64_t before = num_rows();
  RunTold(&calls_, open,
          [open, schema = schema_, from = stream.stream(), options, before, total_rows] {
            ArrowStreamOptions all;
            all.input = options;
            all.progress = [&](uint64_t done) {
              return open->Tell("append", before + done, total_rows);
            };
            return AppendStream(from.get(), open->writer.get(), all).status();
          });
  return open->writer->num_rows() - before;
}

nb::dict PyWriter::AppendText(const std::vector<std::string>& paths,
                              const TextInputOptions& options, nb::object bad_row) {
  const std::shared_ptr<OpenWriter> open = Open();
  open->bad_row = std::move(bad_row);
  auto read = std::make_shared<TextRows>();
  RunTold(&calls_, open, [=] {
    return AppendTextRows(paths, options, open->bad_row, open.get(), open->writer.get(),
                          read.get());
  });
  nb::dict made;
  made["num_rows"] = read->rows;
  made["num_bad_rows"] = read->bad_rows;
  made["first_bad_row"] = ShownText(read->first_bad_row);
  nb::dict ignored;
  for (const IgnoredName& name : read->coverage.ignored)
    ignored[ShownText(name.name)] = name.values;
  made["ignored"] = ignored;
  made["more_ignored"] = read->coverage.more_ignored;
  made["absent"] = read->coverage.absent;
  return made;
}

uint64_t PyWriter::num_rows() const { return Open()->writer->num_rows(); }

uint64_t PyWriter::size_bytes() const { return Open()->writer->size_bytes(); }

nb::dict PyWriter::Finish() {
  Open();
  auto report = std::make_shared<WriteReport>();
  RunTold(&calls_, open_, [open = open_, report] {
    Result<WriteReport> made = open->writer->Finish();
    if (made.ok()) *report = *made;
    return made.status();
  });
  Discard();
  return ReportDict(*report);
}

void PyWriter::Discard() {
  if (open_ == nullptr) return;
  open_->stopped = true;
  // A call that a signal left behind ends by itself, and with it the writer.
  std::shared_ptr<OpenWriter> open = std::exchange(open_, nullptr);
  nb::gil_scoped_release release;
  open.reset();
}

void BindWriter(nb::module_& module) {
  nb::class_<PyWriter>(module, "Writer", "Writes one file; one thread at a time.")
      .def_static("create", Create, nb::arg("path"), nb::arg("schema"), nb::arg("options"),
                  nb::arg("progress").none() = nb::none())
      .def_prop_ro("schema", &PyWriter::schema, "As the file will have it: JSON.")
      .def("append_rows", &PyWriter::AppendRows, nb::arg("rows"), nb::arg("ignore_unknown") = false,
           nb::arg("null_entries") = "fail",
           nb::sig("def append_rows(self, rows: collections.abc.Iterable[object], "
                   "ignore_unknown: bool = False, null_entries: str = 'fail') -> int"),
           "Rows that are dicts; how many were added.")
      .def("append_arrow", &PyWriter::AppendArrow, nb::arg("stream"),
           nb::arg("ignore_unknown") = false, nb::arg("null_entries") = "fail",
           nb::arg("total_rows") = 0, "What is left of a stream; how many rows were added.")
      .def("append_text", &PyWriter::AppendText, nb::arg("paths"), nb::arg("options"),
           nb::arg("bad_row").none() = nb::none(),
           nb::sig("def append_text(self, paths: collections.abc.Sequence[str], "
                   "options: TextOptions, bad_row: object | None = None) -> dict[str, object]"),
           "The rows of texts; what was read.")
      .def_prop_ro("num_rows", &PyWriter::num_rows, "Rows added so far.")
      .def_prop_ro("size_bytes", &PyWriter::size_bytes,
                   "Bytes of their values, lengths and row numbers.")
      .def("finish", &PyWriter::Finish, nb::sig("def finish(self) -> dict[str, int | float]"),
           "Writes and publishes; what was written.")
      .def("discard", &PyWriter::Discard, "Gives up; nothing is left.");
}

}  // namespace dsi::python
