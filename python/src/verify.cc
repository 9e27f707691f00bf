#include "dsi/python/src/verify.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/dataset/verify_files.h"
#include "dsi/python/src/open_options.h"
#include "dsi/python/src/status.h"
#include "dsi/python/src/told_call.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

std::string_view StateName(const FileVerdict& file) { return FileStateName(file.state()); }

std::vector<FileVerdict> Verify(std::vector<std::string> where, uint32_t threads,
                                uint64_t memory_bytes, nb::object progress,
                                const OpenOptions& open) {
  auto told = std::make_shared<ToldCall>(std::move(progress));
  VerifyFilesOptions options;
  options.open = open;
  options.threads = threads;
  if (memory_bytes != 0) options.memory_bytes = memory_bytes;
  options.progress = [told = told.get()](const VerifyFilesProgress& now) {
    return now.files_total == 1 ? told->Tell("bytes", now.bytes_done, now.bytes_total)
                                : told->Tell("files", now.files_done, now.files_total);
  };
  auto verdict = std::make_shared<FilesVerdict>();
  Interruptible calls;
  RunTold(&calls, told, [=]() -> Status {
    DSI_ASSIGN_OR_RETURN(*verdict, VerifyFiles(where, options));
    return verdict->together;
  });
  return std::move(verdict->files);
}

}  // namespace

void BindVerify(nb::module_& module) {
  nb::class_<Damage>(module, "Damage", "One finding in a file.")
      .def_prop_ro("message", [](const Damage& d) { return d.status.message(); })
      .def_ro("where", &Damage::where, "Which part of the file; '': all of it.")
      .def("__repr__", [](const Damage& d) {
        return "dsi.Damage(" + d.where + (d.where.empty() ? "" : ": ") +
               std::string(d.status.message()) + ")";
      });
  nb::class_<FileVerdict>(module, "FileVerdict", "Whether a file is as it was written.")
      .def_ro("path", &FileVerdict::path)
      .def_prop_ro("state", StateName,
                   "'sound'; 'unsupported': sound, but for what only a newer version can judge;\n"
                   "'unreadable'; 'damaged'.")
      .def_ro("bytes", &FileVerdict::bytes)
      .def_ro("num_rows", &FileVerdict::num_rows)
      .def_ro("is_overlay", &FileVerdict::is_overlay)
      .def_ro("damage", &FileVerdict::damage,
              "What is not as it was written, or as a manifest or a table says.")
      .def_ro("unsupported", &FileVerdict::unsupported)
      .def_ro("whole_bytes", &FileVerdict::whole_bytes,
              "Where the file ends in an unfinished append: its first so many are a whole file.")
      .def_prop_ro(
          "error",
          [](const FileVerdict& f) -> std::optional<std::string> {
            if (f.failure.ok()) return std::nullopt;
            return std::string(f.failure.message());
          },
          "Why it could not be judged to its end; None: it was.")
      .def("__repr__", [](const FileVerdict& f) {
        return "dsi.FileVerdict(" + f.path + ": " + std::string(StateName(f)) + ")";
      });
  module.def("verify", Verify, nb::arg("where"), nb::kw_only(), nb::arg("threads") = 0,
             nb::arg("memory_bytes") = 0, nb::arg("progress").none() = nb::none(), nb::arg("open"));
}

}  // namespace dsi::python
