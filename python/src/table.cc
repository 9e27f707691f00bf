#include "dsi/python/src/table.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/table.h"
#include "dsi/python/src/open_options.h"
#include "dsi/python/src/status.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

DatasetOptions OptionsOf(uint32_t threads, const OpenOptions& open) {
  DatasetOptions options;
  options.threads = threads;
  options.open = open;
  // Ctrl-C ends looking at many files; what it raises is raised by the call.
  options.progress = [](uint64_t, uint64_t) {
    nb::gil_scoped_acquire hold;
    return PyErr_CheckSignals() == 0;
  };
  return options;
}

TableSnapshot Commit(Table& self, const std::string& job, const std::vector<std::string>& messages,
                     const std::string& operation, std::optional<uint64_t> base,
                     std::vector<std::string> replaced, const std::string& message) {
  TableCommitOptions options{.base = base, .replaced = std::move(replaced), .message = message};
  if (!ParseTableOperation(operation, &options.operation)) {
    Raise({StatusCode::kInvalidArgument,
           "operation is '" + operation + "', expected one of 'append', 'overwrite', 'replace'"});
  }
  nb::gil_scoped_release release;
  return Take(self.Commit(job, messages, options));
}

nb::tuple CollectGarbage(Table& self, uint64_t keep, uint64_t younger_than_ms, uint64_t grace_ms,
                         bool dry_run) {
  TableGarbage garbage;
  {
    nb::gil_scoped_release release;
    garbage = Take(self.CollectGarbage({.keep = keep,
                                        .younger_than_ms = younger_than_ms,
                                        .grace_ms = grace_ms,
                                        .dry_run = dry_run}));
  }
  return nb::make_tuple(garbage.snapshots, garbage.files);
}

}  // namespace

void BindTable(nb::module_& module) {
  nb::class_<TableSnapshot>(module, "TableSnapshot", "One state of a table.")
      .def_ro("number", &TableSnapshot::number)
      .def_prop_ro("operation",
                   [](const TableSnapshot& s) { return TableOperationName(s.operation); })
      .def_ro("job", &TableSnapshot::job)
      .def_ro("message", &TableSnapshot::message)
      .def_ro("time_ms", &TableSnapshot::time_ms)
      .def_ro("num_files", &TableSnapshot::num_files)
      .def_ro("num_rows", &TableSnapshot::num_rows);
  nb::class_<StagedFile>(module, "StagedFile", "A file that a task is about to add.")
      .def_prop_ro("path", &StagedFile::path)
      .def(
          "finish",
          [](StagedFile& self) {
            nb::gil_scoped_release release;
            return Take(self.Finish());
          },
          "Its message, once it is written.");
  const TableGcOptions usual;
  nb::class_<Table>(module, "Table", "A table that many jobs write.")
      .def_static(
          "open",
          [](const std::string& where, bool create, uint32_t threads, const OpenOptions& open) {
            const DatasetOptions options = OptionsOf(threads, open);
            nb::gil_scoped_release release;
            return Take(create ? Table::Create(where, options) : Table::Open(where, options));
          },
          nb::arg("where"), nb::kw_only(), nb::arg("create") = false, nb::arg("threads") = 0,
          nb::arg("open"))
      .def_prop_ro("where", &Table::where)
      .def("newest",
           [](const Table& self) {
             nb::gil_scoped_release release;
             return Take(self.Newest());
           })
      .def("snapshots",
           [](const Table& self) {
             nb::gil_scoped_release release;
             return Take(self.Snapshots());
           })
      .def(
          "stage",
          [](const Table& self, const std::string& job, const std::string& task) {
            nb::gil_scoped_release release;
            return Take(self.Stage(job, task));
          },
          nb::arg("job"), nb::arg("task"))
      .def(
          "stage_copy",
          [](const Table& self, const std::string& job, const std::string& task,
             const std::string& path) {
            nb::gil_scoped_release release;
            return Take(self.StageCopy(job, task, path));
          },
          nb::arg("job"), nb::arg("task"), nb::arg("path"))
      .def("commit", Commit, nb::arg("job"), nb::arg("messages"), nb::arg("operation"),
           nb::arg("base").none(), nb::arg("replaced"), nb::arg("message"))
      .def(
          "abort",
          [](Table& self, const std::string& job) {
            nb::gil_scoped_release release;
            return Take(self.Abort(job));
          },
          nb::arg("job"))
      .def("gc", CollectGarbage, nb::arg("keep") = usual.keep,
           nb::arg("younger_than_ms") = usual.younger_than_ms, nb::arg("grace_ms") = usual.grace_ms,
           nb::arg("dry_run") = false,
           nb::sig("def gc(self, keep: int = ..., younger_than_ms: int = ..., grace_ms: int = ..., "
                   "dry_run: bool = False) -> tuple[list[int], list[str]]"),
           "Numbers of snapshots and names of files that were removed.");
}

}  // namespace dsi::python
