#include "dsi/python/src/text.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <new>
#include <tuple>
#include <utility>

#include "dsi/python/src/status.h"
#include "dsi/python/src/text_bytes.h"
#include "dsi/python/src/words.h"
#include "dsi/text/text_paths.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

using Strings = std::vector<std::string>;

TextFormat FormatOf(const std::string& word) {
  return Value<TextFormat>({{"", TextFormat::kFromName},
                            {"jsonl", TextFormat::kJsonLines},
                            {"csv", TextFormat::kCsv},
                            {"tsv", TextFormat::kTsv},
                            {"criteo", TextFormat::kCriteo},
                            {"tfrecord", TextFormat::kTfRecord}},
                           "format", word);
}

TimeUnit UnitOf(const std::string& word) {
  return Value<TimeUnit>({{"", TimeUnit::kNone},
                          {"s", TimeUnit::kSeconds},
                          {"ms", TimeUnit::kMillis},
                          {"us", TimeUnit::kMicros},
                          {"ns", TimeUnit::kNanos}},
                         "epoch_unit", word);
}

// '\0': the usual one.
char CharacterOf(const char* name, const std::string& text) {
  if (text.size() == 1) return text[0];
  if (text.empty()) return '\0';
  Raise({StatusCode::kInvalidArgument,
         std::string(name) + " is '" + text + "', expected one ASCII character"});
}

void Make(TextInputOptions* out, const std::string& format, Strings header,
          const std::string& separator, bool quotes, std::string missing,
          const std::string& list_separator, Strings time_formats, const std::string& epoch_unit,
          const std::string& null_entries, bool ignore_unknown, int threads,
          uint64_t writer_memory_bytes) {
  TextInputOptions options;
  options.format = FormatOf(format);
  options.header = std::move(header);
  options.separator = CharacterOf("separator", separator);
  options.quotes = quotes;
  options.missing = std::move(missing);
  if (!list_separator.empty())
    options.list_separator = CharacterOf("list_separator", list_separator);
  options.time_formats = std::move(time_formats);
  options.epoch_unit = UnitOf(epoch_unit);
  options.null_entries = NullEntriesOf(null_entries);
  options.ignore_unknown = ignore_unknown;
  options.threads = threads;
  if (writer_memory_bytes != 0) KeepWithin(writer_memory_bytes, &options);
  new (out) TextInputOptions(std::move(options));
}

Strings List(const Strings& paths, const TextInputOptions& options) {
  auto files = std::make_shared<Strings>();
  RunUntold([=, format = options.format]() -> Status {
    DSI_ASSIGN_OR_RETURN(*files, ListTexts(paths, format));
    return Status::Ok();
  });
  return std::move(*files);
}

std::vector<TextFile> FilesOf(const Strings& paths) {
  std::vector<TextFile> files;
  for (const std::string& path : paths)
    files.push_back({.path = path, .name = {}, .before_open = {}});
  return files;
}

// The schema, objects of many names with how many, ids that floats round, and times that are
// strings with an example.
std::tuple<std::string, std::vector<std::pair<std::string, uint64_t>>, Strings,
           std::vector<std::pair<std::string, std::string>>>
FindSchema(const Strings& paths, const TextInputOptions& text, uint64_t rows, Strings lists,
           bool skip_bad_rows, nb::object progress) {
  auto told = std::make_shared<ToldCall>(std::move(progress));
  auto report = std::make_shared<InferReport>();
  auto schema = std::make_shared<std::string>();
  Interruptible calls;
  RunTold(&calls, told, [=, lists = std::move(lists)]() -> Status {
    InferOptions options{.text = text, .max_rows = rows, .lists = lists, .progress = {}};
    if (skip_bad_rows) options.text.on_bad_row = [](const BadRow&) { return Status::Ok(); };
    options.progress = [at = told.get()](uint64_t done, uint64_t total) {
      return at->Tell("schema", done, total);
    };
    DSI_ASSIGN_OR_RETURN(const Schema found, InferSchema(FilesOf(paths), options, report.get()));
    DSI_ASSIGN_OR_RETURN(*schema, found.ToJson());
    return Status::Ok();
  });
  std::vector<std::pair<std::string, uint64_t>> maps;
  for (NamesAsData& map : report->maps) maps.emplace_back(std::move(map.name), map.names);
  return {std::move(*schema), std::move(maps), std::move(report->rounded_ids),
          std::move(report->text_times)};
}

}  // namespace

Status AppendTextRows(const Strings& paths, TextInputOptions options, const nb::object& bad_row,
                      ToldCall* told, Writer* writer, TextRows* report) {
  if (!bad_row.is_none()) {
    options.on_bad_row = [&bad_row, told, report](const BadRow& row) -> Status {
      if (report->bad_rows++ == 0) report->first_bad_row = row.reason;
      const auto call = [&]() -> nb::object {
        return bad_row(ShownText(row.file), row.line, nb::bytes(row.text.data(), row.text.size()),
                       ShownText(row.reason));
      };
      if (told->Ask(call)) return Status::Ok();
      return {StatusCode::kCancelled, "reading was cancelled by on_bad_row"};
    };
  }
  DSI_ASSIGN_OR_RETURN(const auto rows, TextInput::Open(FilesOf(paths), writer->schema(), options));
  RowBatch batch(writer->schema());
  while (true) {
    const Result<bool> more = rows->Next(std::numeric_limits<size_t>::max(), &batch);
    report->rows += batch.num_rows();
    if (batch.num_rows() != 0) {
      const Status added = writer->Append(std::move(batch));
      if (!added.ok()) {
        told->stopped = true;  // A file without these rows must not be published.
        return added;
      }
    }
    DSI_RETURN_IF_ERROR(more.status());
    if (!*more) break;
    if (!told->Tell("read", rows->bytes_done(), rows->bytes_total()))
      return {StatusCode::kCancelled, "reading was cancelled by progress"};
  }
  report->coverage = rows->coverage();
  return Status::Ok();
}

void BindText(nb::module_& module) {
  nb::class_<TextInputOptions>(module, "TextOptions", "How texts are read.")
      .def("__init__", Make, nb::kw_only(), nb::arg("format") = "", nb::arg("header") = Strings(),
           nb::arg("separator") = "", nb::arg("quotes") = true, nb::arg("missing") = "",
           nb::arg("list_separator") = "", nb::arg("time_formats") = Strings(),
           nb::arg("epoch_unit") = "", nb::arg("null_entries") = "fail",
           nb::arg("ignore_unknown") = false, nb::arg("threads") = 0,
           nb::arg("writer_memory_bytes") = 0);
  module.def("list_texts", List, nb::arg("paths"), nb::arg("options"),
             "The files that paths, patterns, folders and URLs stand for.");
  module.def("schema_of_text", FindSchema, nb::arg("paths"), nb::arg("options"), nb::arg("rows"),
             nb::arg("lists"), nb::arg("skip_bad_rows"), nb::arg("progress").none(),
             "Found from the rows of a text, as JSON; objects with so many names, each in few\n"
             "rows, that they may be data, with the number of them; ids that floats round; and\n"
             "times that are strings, with an example.");
}

}  // namespace dsi::python
