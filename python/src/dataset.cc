#include "dsi/python/src/dataset.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/sessions.h"
#include "dsi/python/src/open_options.h"
#include "dsi/python/src/scan.h"
#include "dsi/python/src/status.h"
#include "dsi/python/src/told_call.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

bool Matches(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]) && pattern[p] != '*') {
      ++p, ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++, from = n;
    } else if (star != std::string_view::npos) {
      p = star + 1, n = ++from;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                     [](char c) { return c == '*'; });
}

bool IsOf(const ColumnInfo& column, std::string_view pattern) {
  return Matches(pattern, column.name) || Matches(pattern, column.feature);
}

bool IsPattern(std::string_view name) { return name.find_first_of("*?") != std::string_view::npos; }

// Of each name or pattern the columns that it stands for, in the order of the dataset.
std::vector<std::vector<ColumnInfo>> Match(PyDataset& self, const std::vector<std::string>& names,
                                           const Pipeline* pipeline) {
  nb::gil_scoped_release release;
  std::vector<std::vector<ColumnInfo>> found(names.size());
  std::vector<ColumnInfo> made;
  if (pipeline != nullptr) made = self.Columns(pipeline);
  const std::vector<ColumnInfo>& columns = pipeline == nullptr ? self.Columns() : made;
  std::unordered_map<std::string_view, std::vector<size_t>> plain;
  std::vector<size_t> patterns;
  for (size_t i = 0; i < names.size(); ++i) {
    if (IsPattern(names[i])) {
      patterns.push_back(i);
    } else {
      plain[names[i]].push_back(i);
    }
  }
  for (const ColumnInfo& column : columns) {
    const auto add = [&](const std::string& name) {
      const auto asked = plain.find(name);
      if (asked == plain.end()) return;
      for (const size_t i : asked->second) found[i].push_back(column);
    };
    add(column.name);
    if (column.feature != column.name) add(column.feature);
    if (column.support.code() == StatusCode::kUnsupported) continue;
    for (const size_t i : patterns) {
      if (!IsOf(column, names[i])) continue;
      Check(column.support);  // Files disagree about it.
      found[i].push_back(column);
    }
  }
  return found;
}

// What patterns pass over, as only a newer version can read it: a message for each column.
std::vector<std::string> LeftOut(PyDataset& self, const std::vector<std::string>& patterns) {
  nb::gil_scoped_release release;
  std::vector<std::string> messages;
  for (const ColumnInfo& column : self.Columns()) {
    if (column.support.code() != StatusCode::kUnsupported) continue;
    if (std::ranges::any_of(patterns, [&](const auto& pattern) { return IsOf(column, pattern); }))
      messages.push_back(column.support.message());
  }
  return messages;
}

// A callable of Python's, kept as long as the dataset may call it.
std::shared_ptr<const nb::object> Keep(nb::object callable) {
  return {new nb::object(std::move(callable)), [](const nb::object* kept) {
            if (!nb::is_alive()) return;
            nb::gil_scoped_acquire hold;
            delete kept;
          }};
}

// Looks at signals, and tells a callable of Python's how far it is. What either raises is raised by
// the call that is cancelled by it; on a thread that is none of Python's it is printed.
bool Tell(const nb::object& progress, uint64_t done, uint64_t total) {
  nb::gil_scoped_acquire hold;
  if (PyErr_CheckSignals() != 0) return false;
  if (progress.is_none()) return true;
  try {
    return progress(done, total).ptr() != Py_False;
  } catch (nb::python_error& error) {
    if (getpid() == gettid()) {
      error.restore();
    } else {
      error.discard_as_unraisable("the progress of a dataset");
    }
    return false;
  }
}

std::unique_ptr<PyDataset> Open(const std::vector<std::string>& where, uint32_t threads,
                                uint32_t max_open_files, nb::object progress,
                                const OpenOptions& open) {
  DatasetOptions options;
  options.threads = threads;
  options.max_open_files = max_open_files;
  options.open = open;
  options.progress = [kept = Keep(std::move(progress))](uint64_t done, uint64_t total) {
    return Tell(*kept, done, total);
  };
  nb::gil_scoped_release release;
  return std::make_unique<PyDataset>(Take(Dataset::Open(where, options)), options.open);
}

nb::object Default(const ColumnInfo& column) {
  if (!column.default_bits) return nb::none();
  return nb::int_(*column.default_bits);
}

void BindColumn(nb::module_& module) {
  nb::class_<ColumnInfo>(module, "Column", "One column of a feature.")
      .def_ro("name", &ColumnInfo::name)
      .def_ro("feature", &ColumnInfo::feature, "The feature that it belongs to.")
      .def_ro("feature_id", &ColumnInfo::feature_id)
      .def_prop_ro(
          "kind", [](const ColumnInfo& c) { return KindName(c.kind); },
          "'dense', 'list', 'weighted', 'sequence', 'embedding', 'label', 'key', 'timestamp' or\n"
          "'string'.")
      .def_prop_ro(
          "type", [](const ColumnInfo& c) { return TypeName(c.type); },
          "How a value is stored: 'bool', 'int8' ... 'uint64', 'float32', 'float64', 'bytes'.")
      .def_prop_ro("unit", [](const ColumnInfo& c) { return TimeUnitName(c.time_unit); })
      .def_ro("id_space", &ColumnInfo::id_space)
      .def_ro("max_length", &ColumnInfo::max_length, "Greatest declared length; 0: none.")
      .def_ro("fixed_length", &ColumnInfo::fixed_length, "Of embeddings: numbers in a row.")
      .def_ro("newest_first", &ColumnInfo::newest_first)
      .def_prop_ro("default_bits", Default)
      .def_prop_ro(
          "precision", [](const ColumnInfo& c) { return PrecisionName(c.precision); },
          "To what values were rounded when they were written: 'exact', 'fp16', 'bf16', 'int8'.")
      .def_ro("max_error", &ColumnInfo::max_error,
              "The greatest difference that rounding made; of a column of a single file.")
      .def_ro("hashed", &ColumnInfo::hashed, "Ids were made of strings (dsi.id_of_text).")
      .def_ro("group", &ColumnInfo::group, "Its dedup group; of a column of a single file.")
      .def_ro("stored_bytes", &ColumnInfo::stored_bytes)
      .def_ro("stored_values", &ColumnInfo::stored_values)
      .def_ro("is_made", &ColumnInfo::is_made, "No file has it: a pipeline makes it.")
      .def_prop_ro(
          "supported", [](const ColumnInfo& c) { return c.support.ok(); },
          "It can be read: this version knows its kind and type, and files agree about it.")
      .def_prop_ro(
          "conflict",
          [](const ColumnInfo& c) -> std::optional<std::string> {
            if (c.support.code() != StatusCode::kBadInput) return std::nullopt;
            return std::string(c.support.message());
          },
          "Which two files cannot be reconciled in it; None: all can.")
      .def("__repr__", [](const ColumnInfo& c) {
        return "dsi.Column(" + c.name + ": " + std::string(KindName(c.kind)) + " " +
               std::string(TypeName(c.type)) + ")";
      });
  nb::class_<ColumnFiles>(module, "ColumnFiles", "Which files of a dataset have a column.")
      .def_ro("column", &ColumnFiles::column, "Where there is a conflict, as the last file has it.")
      .def_prop_ro(
          "conflict",
          [](const ColumnFiles& c) -> std::optional<std::string> {
            if (c.conflict.ok()) return std::nullopt;
            return std::string(c.conflict.message());
          },
          "Which two files cannot be reconciled in it; None: all can.")
      .def_ro("num_files", &ColumnFiles::num_files, "That store it, in some stripes at least.")
      .def_ro("num_blank", &ColumnFiles::num_blank, "That have its sequence without it.")
      .def_ro("first", &ColumnFiles::first, "The first that stores it, by its place in `files`.")
      .def_ro("last", &ColumnFiles::last, "The last that stores it.")
      .def_ro("names", &ColumnFiles::names, "What it is called there, in the order of the files.")
      .def_prop_ro(
          "types",
          [](const ColumnFiles& c) {
            std::vector<std::string> types;
            for (const Type type : c.types) types.emplace_back(TypeName(type));
            return types;
          },
          "As which it is stored there, in the order of the files.")
      .def("__repr__", [](const ColumnFiles& c) {
        return "dsi.ColumnFiles(" + c.column.name + ": " + std::to_string(c.num_files) + " files)";
      });
  nb::class_<DatasetFile>(module, "File", "One file of a dataset.")
      .def_ro("path", &DatasetFile::path)
      .def_ro("bytes", &DatasetFile::bytes)
      .def_ro("num_rows", &DatasetFile::num_rows)
      .def_ro("first_row", &DatasetFile::first_row, "Of the dataset.")
      .def_ro("fingerprint", &DatasetFile::fingerprint)
      .def_ro("overlays", &DatasetFile::overlays,
              "Paths of overlays that have features of its rows; the last has the say.")
      .def("__repr__", [](const DatasetFile& f) {
        return "dsi.File(" + f.path + ", " + std::to_string(f.num_rows) + " rows)";
      });
}

}  // namespace

std::vector<ColumnInfo> PyDataset::Columns(const Pipeline* pipeline) {
  return pipeline == nullptr ? Columns() : Take(dataset_->Columns(*pipeline));
}

const std::vector<ColumnInfo>& PyDataset::Columns() {
  const std::vector<ColumnInfo>* known = columns_.load();
  if (known != nullptr) return *known;
  auto mine = std::make_unique<const std::vector<ColumnInfo>>(Take(dataset_->Columns()));
  return *(columns_.compare_exchange_strong(known, mine.get()) ? mine.release() : known);
}

void BindDataset(nb::module_& module) {
  BindColumn(module);
  nb::class_<PyDataset>(module, "Dataset",
                        "Many files as one table; calls from many threads are safe.")
      .def_static("open", Open, nb::arg("where"), nb::kw_only(), nb::arg("threads") = 0,
                  nb::arg("max_open_files") = DatasetOptions().max_open_files,
                  nb::arg("progress").none() = nb::none(), nb::arg("open"))
      .def_prop_ro(
          "where",
          [](const PyDataset& self) {
            auto where = self.dataset()->where();
            return std::vector<std::string>(where.begin(), where.end());
          },
          "Names that open it again as it is: of a table the snapshot that was read.")
      .def_prop_ro("files",
                   [](const PyDataset& self) {
                     auto files = self.dataset()->files();
                     return std::vector<DatasetFile>(files.begin(), files.end());
                   })
      .def_prop_ro("num_rows", [](const PyDataset& self) { return self.dataset()->num_rows(); })
      .def_prop_ro(
          "snapshot", [](const PyDataset& self) { return self.dataset()->snapshot(); },
          "Of all files, their order and their content.")
      .def(
          "columns",
          [](PyDataset& self, const Pipeline* pipeline) {
            nb::gil_scoped_release release;
            return self.Columns(pipeline);
          },
          nb::arg("pipeline") = nb::none(),
          "With a pipeline all that a scan with it may name, what it makes first.")
      .def("column_files",
           [](const PyDataset& self) {
             nb::gil_scoped_release release;
             return Take(self.dataset()->FilesOfColumns());
           })
      .def("match", Match, nb::arg("names"), nb::arg("pipeline") = nb::none(),
           "Of each name or pattern ('*', '?'; a feature stands for its columns) the columns, in "
           "the\n"
           "order of columns(pipeline); none: an empty list.")
      .def("left_out", LeftOut, nb::arg("patterns"),
           "Why columns that a pattern matches are none of match(): only a newer version can read "
           "them.")
      .def(
          "explain",
          [](const PyDataset& self, const Pipeline& pipeline) {
            nb::gil_scoped_release release;
            return Take(self.dataset()->Resolve(pipeline)).Explain();
          },
          nb::arg("pipeline"), "What a scan runs of a pipeline, in which order: a stage a line.")
      .def(
          "manifest",
          [](const PyDataset& self, const std::string& folder) {
            nb::gil_scoped_release release;
            return Take(self.dataset()->Manifest(folder));
          },
          nb::arg("folder") = "")
      .def(
          "session_starts",
          [](const PyDataset& self, uint64_t begin, uint64_t end) {
            auto starts = std::make_shared<std::vector<uint64_t>>();
            RunUntold([=, dataset = self.dataset()]() -> Status {
              DSI_ASSIGN_OR_RETURN(*starts, SessionStarts(*dataset, {begin, end}));
              return Status::Ok();
            });
            return *starts;
          },
          nb::arg("begin"), nb::arg("end"), "Rows with which sessions begin.")
      .def(
          "split_by_sessions",
          [](const PyDataset& self, uint32_t parts) {
            auto spans = std::make_shared<std::vector<std::pair<uint64_t, uint64_t>>>();
            RunUntold([=, dataset = self.dataset()]() -> Status {
              DSI_ASSIGN_OR_RETURN(const std::vector<DatasetRows> split,
                                   SplitBySessions(*dataset, parts));
              for (const DatasetRows& part : split) spans->emplace_back(part.begin, part.end);
              return Status::Ok();
            });
            return *spans;
          },
          nb::arg("parts"), "Spans of rows, of whole sessions.")
      .def(
          "count_batches",
          [](const PyDataset& self, const DatasetScanOptions& options) {
            nb::gil_scoped_release release;
            return Take(self.dataset()->CountBatches(options));
          },
          nb::arg("options"))
      .def(
          "count_rows",
          [](const PyDataset& self, const DatasetScanOptions& options) {
            auto count = std::make_shared<uint64_t>();
            RunUntold([=, dataset = self.dataset()]() -> Status {
              DSI_ASSIGN_OR_RETURN(*count, dataset->CountRows(options));
              return Status::Ok();
            });
            return *count;
          },
          nb::arg("options"))
      .def(
          "share_state",
          [](const PyDataset& self, const DatasetScanOptions& options) {
            nb::gil_scoped_release release;
            return Take(self.dataset()->ShareState(options));
          },
          nb::arg("options"),
          "The state of a scan by one reader of the batches of this rank, repetitions left out.")
      .def(
          "scan",
          [](const PyDataset& self, const DatasetScanOptions& options, nb::object allocate) {
            return std::make_unique<PyScan>(self.dataset(), options, std::move(allocate));
          },
          nb::arg("options"), nb::arg("allocate").none() = nb::none());
}

}  // namespace dsi::python
