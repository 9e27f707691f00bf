#include "dsi/python/src/rewrite.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset_scan.h"
#include "dsi/python/src/dataset.h"
#include "dsi/python/src/status.h"
#include "dsi/python/src/told_call.h"
#include "dsi/python/src/writer_options.h"
#include "dsi/rewrite/compact_table.h"
#include "dsi/rewrite/delete_from_table.h"
#include "dsi/rewrite/delete_rows.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/rewrite/recover.h"
#include "dsi/rewrite/rewrite.h"

namespace nb = nanobind;

namespace dsi::python {
namespace {

const char* PhaseName(RewriteProgress::Phase phase) {
  switch (phase) {
    case RewriteProgress::Phase::kKeys:
      return "keys";
    case RewriteProgress::Phase::kCheck:
      return "check";
    case RewriteProgress::Phase::kRead:
      return "read";
    case RewriteProgress::Phase::kWrite:
      return "write";
  }
  return "";
}

bool Tell(ToldCall* told, const RewriteProgress& now) {
  const bool writes = now.phase == RewriteProgress::Phase::kWrite;
  return told->Tell(PhaseName(now.phase), writes ? now.write.rows_done : now.rows_done,
                    writes ? now.write.rows_total : now.rows_total);
}

using Names = std::vector<std::string>;

std::vector<std::pair<std::string, nb::dict>> RewriteFiles(
    const PyDataset& from, const std::string& to, const DatasetScanOptions& rows, Names only,
    Names drop, std::vector<std::pair<std::string, std::string>> rename,
    const std::optional<std::string>& schema, std::map<std::string, std::string> metadata,
    uint64_t shard_rows, uint64_t shard_bytes, const WriterOptions& writer, nb::object progress) {
  auto options = std::make_shared<RewriteOptions>();
  options->filter = rows.scan.filter;
  options->writer = writer;
  options->features = {
      std::move(only), std::move(drop), std::move(rename), {}, std::move(metadata)};
  if (schema.has_value()) options->features.schema = Take(Schema::FromJson(*schema));
  auto told = std::make_shared<ToldCall>(std::move(progress));
  options->progress = [at = told.get()](const RewriteProgress& now) { return Tell(at, now); };
  auto written = std::make_shared<std::vector<RewrittenShard>>();
  Interruptible calls;
  RunTold(&calls, told, [=, dataset = from.dataset()]() -> Status {
    if (shard_rows == 0 && shard_bytes == 0) {
      DSI_ASSIGN_OR_RETURN(const WriteReport report, Rewrite(*dataset, to, *options));
      written->push_back({to, report});
      return Status::Ok();
    }
    DSI_ASSIGN_OR_RETURN(*written,
                         RewriteShards(*dataset, to, {shard_rows, shard_bytes}, *options));
    return Status::Ok();
  });
  std::vector<std::pair<std::string, nb::dict>> made;
  for (const RewrittenShard& shard : *written)
    made.emplace_back(shard.path, ReportDict(shard.report));
  return made;
}

nb::tuple RecoverRows(const PyDataset& from, const std::string& to, bool keep_rows,
                      const WriterOptions& writer, nb::object progress) {
  auto told = std::make_shared<ToldCall>(std::move(progress));
  RecoverOptions options{.keep_rows = keep_rows, .writer = writer};
  options.progress = [at = told.get()](const RewriteProgress& now) { return Tell(at, now); };
  auto report = std::make_shared<RecoverReport>();
  Interruptible calls;
  RunTold(&calls, told, [=, dataset = from.dataset()]() -> Status {
    DSI_ASSIGN_OR_RETURN(*report, Recover(*dataset, to, options));
    return Status::Ok();
  });
  nb::list lost;
  for (const LostRows& part : report->lost) {
    lost.append(nb::make_tuple(from.dataset()->files()[part.file].path, part.begin, part.end,
                               part.features, part.left_out, part.why.message()));
  }
  return nb::make_tuple(ReportDict(report->written), lost);
}

nb::dict DeletedDict(const DeleteReport& report) {
  nb::dict made;
  made["num_rows"] = report.num_rows;
  made["num_deleted"] = report.num_deleted;
  made["num_deleted_rows"] = report.num_deleted_rows;
  made["file_bytes"] = report.file_bytes;
  return made;
}

DeleteOptions DeleteOptionsOf(bool dry_run, uint64_t memory_bytes, ToldCall* told) {
  DeleteOptions options;
  options.dry_run = dry_run;
  options.memory_bytes = memory_bytes;
  options.progress = [told](uint64_t done, uint64_t total) {
    return told->Tell("read", done, total);
  };
  return options;
}

nb::dict Delete(const std::string& path, const DatasetScanOptions& rows, bool dry_run,
                uint64_t memory_bytes, nb::object progress) {
  auto told = std::make_shared<ToldCall>(std::move(progress));
  auto report = std::make_shared<DeleteReport>();
  const DeleteOptions options = DeleteOptionsOf(dry_run, memory_bytes, told.get());
  Interruptible calls;
  RunTold(&calls, told, [=, where = rows.scan.filter.where]() -> Status {
    DSI_ASSIGN_OR_RETURN(*report, DeleteRows(path, where, options));
    return Status::Ok();
  });
  return DeletedDict(*report);
}

std::vector<nb::dict> DeleteOfFiles(const PyDataset& files, const DatasetScanOptions& rows,
                                    bool dry_run, uint64_t memory_bytes, nb::object progress) {
  auto told = std::make_shared<ToldCall>(std::move(progress));
  auto reports = std::make_shared<std::vector<DeleteReport>>();
  const DeleteOptions options = DeleteOptionsOf(dry_run, memory_bytes, told.get());
  Interruptible calls;
  RunTold(&calls, told, [=, where = rows.scan.filter.where, of = files.dataset()]() -> Status {
    DSI_ASSIGN_OR_RETURN(*reports, DeleteRows(*of, where, options));
    return Status::Ok();
  });
  std::vector<nb::dict> made;
  for (const DeleteReport& report : *reports) made.push_back(DeletedDict(report));
  return made;
}

nb::tuple DeleteFrom(Table& table, const DatasetScanOptions& rows, std::string job,
                     std::string message, bool erase, bool dry_run, nb::object progress) {
  auto told = std::make_shared<ToldCall>(std::move(progress));
  auto report = std::make_shared<TableDeleteReport>();
  TableDeleteOptions options{.job = std::move(job),
                             .message = std::move(message),
                             .erase = erase,
                             .dry_run = dry_run,
                             .memory_bytes = rows.scan.memory_bytes};
  options.progress = [at = told.get()](uint64_t done, uint64_t total) {
    return at->Tell("read", done, total);
  };
  Interruptible calls;
  RunTold(&calls, told, [=, &table, where = rows.scan.filter.where]() -> Status {
    DSI_ASSIGN_OR_RETURN(*report, DeleteFromTable(&table, where, options));
    return Status::Ok();
  });
  return nb::make_tuple(report->num_rows, report->num_deleted, report->files, report->snapshot);
}

nb::tuple Compact(Table& table, uint64_t file_bytes, bool fold_overlays, std::string message,
                  bool dry_run, const WriterOptions& writer, nb::object progress) {
  auto told = std::make_shared<ToldCall>(std::move(progress));
  auto report = std::make_shared<CompactReport>();
  CompactOptions options{.file_bytes = file_bytes,
                         .fold_overlays = fold_overlays,
                         .message = std::move(message),
                         .dry_run = dry_run,
                         .writer = writer};
  options.progress = [at = told.get()](uint64_t done, uint64_t total) {
    return at->Tell("merge", done, total);
  };
  Interruptible calls;
  RunTold(&calls, told, [=, &table]() -> Status {
    DSI_ASSIGN_OR_RETURN(*report, CompactTable(&table, options));
    return Status::Ok();
  });
  return nb::make_tuple(report->merged, report->bytes_before, report->bytes_after,
                        report->snapshot);
}

using RowRanges = std::vector<std::pair<uint64_t, uint64_t>>;

std::shared_ptr<OverlayOptions> OverlayOptionsOf(std::string key, bool broadcast,
                                                 const RowRanges& rows, Names only, Names drop,
                                                 std::map<std::string, std::string> metadata,
                                                 const WriterOptions& writer, ToldCall* told) {
  auto options = std::make_shared<OverlayOptions>();
  options->key = std::move(key);
  options->broadcast = broadcast;
  for (const auto& [begin, end] : rows) options->rows.push_back({begin, end});
  options->features = {std::move(only), std::move(drop), {}, {}, std::move(metadata)};
  options->writer = writer;
  options->progress = [told](const RewriteProgress& now) { return Tell(told, now); };
  return options;
}

nb::tuple ReportTuple(const OverlayReport& report) {
  return nb::make_tuple(ReportDict(report.write), report.num_given, report.num_deleted,
                        report.num_unused);
}

nb::tuple MakeOverlay(const PyDataset& from, const std::string& base, const std::string& to,
                      std::string key, bool broadcast, const RowRanges& rows, Names only,
                      Names drop, std::map<std::string, std::string> metadata,
                      const WriterOptions& writer, nb::object progress) {
  auto told = std::make_shared<ToldCall>(std::move(progress));
  const auto options = OverlayOptionsOf(std::move(key), broadcast, rows, std::move(only),
                                        std::move(drop), std::move(metadata), writer, told.get());
  auto report = std::make_shared<OverlayReport>();
  Interruptible calls;
  RunTold(&calls, told, [=, dataset = from.dataset()]() -> Status {
    DSI_ASSIGN_OR_RETURN(*report, WriteOverlay(*dataset, base, to, *options));
    return Status::Ok();
  });
  return ReportTuple(*report);
}

nb::tuple MakeOverlays(const PyDataset& from, const PyDataset& bases, const std::string& name,
                       std::string key, bool broadcast, Names only, Names drop,
                       std::map<std::string, std::string> metadata, const WriterOptions& writer,
                       nb::object progress) {
  auto told = std::make_shared<ToldCall>(std::move(progress));
  const auto options = OverlayOptionsOf(std::move(key), broadcast, {}, std::move(only),
                                        std::move(drop), std::move(metadata), writer, told.get());
  auto report = std::make_shared<OverlaysReport>();
  Interruptible calls;
  RunTold(&calls, told, [=, dataset = from.dataset(), of = bases.dataset()]() -> Status {
    DSI_ASSIGN_OR_RETURN(*report, WriteOverlays(*dataset, *of, name, *options));
    return Status::Ok();
  });
  nb::list made;
  for (const BaseOverlay& one : report->bases)
    made.append(nb::make_tuple(one.base, one.path, one.is_written, ReportTuple(one.report)));
  return nb::make_tuple(made, report->num_unused);
}

}  // namespace

void BindRewrite(nb::module_& module) {
  module.def("rewrite", RewriteFiles, nb::arg("dataset"), nb::arg("to"), nb::arg("rows"),
             nb::arg("only"), nb::arg("drop"), nb::arg("rename"), nb::arg("schema").none(),
             nb::arg("metadata"), nb::arg("shard_rows"), nb::arg("shard_bytes"), nb::arg("writer"),
             nb::arg("progress").none(), "Paths of the files written, and what was written.");
  module.def("recover", RecoverRows, nb::arg("dataset"), nb::arg("to"), nb::arg("keep_rows"),
             nb::arg("writer"), nb::arg("progress").none(),
             "What was written; of rows that are lost the path, first and end, features, whether "
             "they are left out, and why.");
  module.def("write_overlay", MakeOverlay, nb::arg("dataset"), nb::arg("base"), nb::arg("to"),
             nb::arg("key"), nb::arg("broadcast"), nb::arg("rows"), nb::arg("only"),
             nb::arg("drop"), nb::arg("metadata"), nb::arg("writer"), nb::arg("progress").none(),
             "What was written; rows given, deleted in the base, and not used.");
  module.def("write_overlays", MakeOverlays, nb::arg("dataset"), nb::arg("bases"), nb::arg("name"),
             nb::arg("key"), nb::arg("broadcast"), nb::arg("only"), nb::arg("drop"),
             nb::arg("metadata"), nb::arg("writer"), nb::arg("progress").none(),
             "Of each base: its path, that of the overlay, whether it was written, and what; "
             "rows not used.");
  module.def("delete_rows", Delete, nb::arg("path"), nb::arg("rows"), nb::arg("dry_run"),
             nb::arg("memory_bytes"), nb::arg("progress").none(), "What was deleted.");
  module.def("delete_rows_of_files", DeleteOfFiles, nb::arg("dataset"), nb::arg("rows"),
             nb::arg("dry_run"), nb::arg("memory_bytes"), nb::arg("progress").none(),
             "What was deleted of each file.");
  module.def("delete_from_table", DeleteFrom, nb::arg("table"), nb::arg("rows"), nb::arg("job"),
             nb::arg("message"), nb::arg("erase"), nb::arg("dry_run"), nb::arg("progress").none(),
             "Rows of the table and rows deleted, files replaced, the snapshot.");
  module.def("compact_table", Compact, nb::arg("table"), nb::arg("file_bytes"),
             nb::arg("fold_overlays"), nb::arg("message"), nb::arg("dry_run"), nb::arg("writer"),
             nb::arg("progress").none(),
             "Files that were merged, their bytes before and after, the snapshot.");
}

}  // namespace dsi::python
