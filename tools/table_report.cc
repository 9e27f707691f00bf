#include "dsi/tools/table_report_internal.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "dsi/tools/column_value_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string TimeOf(const TableSnapshot& one) {
  return TimeText(static_cast<int64_t>(one.time_ms), TimeUnit::kMillis);
}

Json JsonOf(const TableSnapshot& one) {
  return {{"number", one.number}, {"operation", TableOperationName(one.operation)},
          {"job", one.job},       {"message", one.message},
          {"time", TimeOf(one)},  {"files", one.num_files},
          {"rows", one.num_rows}};
}

}  // namespace

Status PrintSnapshot(const TableSnapshot& snapshot, Console* console) {
  if (console->json) return PrintJson(JsonOf(snapshot), console);
  if (console->quiet) return Status::Ok();
  return console->Print(fmt::format("snapshot {} ({}, job {}): {}, {}\n", snapshot.number,
                                    TableOperationName(snapshot.operation), Printable(snapshot.job),
                                    CountOf(snapshot.num_files, "file"),
                                    CountOf(snapshot.num_rows, "row")));
}

Status PrintSnapshots(const std::vector<TableSnapshot>& snapshots, Console* console) {
  if (console->json) {
    Json list = Json::array();
    for (const TableSnapshot& one : snapshots) list.push_back(JsonOf(one));
    return PrintJson(list, console);
  }
  using Align = TextTable::Align;
  TextTable table({{.title = "snapshot", .align = Align::kRight},
                   {.title = "operation"},
                   {.title = "job"},
                   {.title = "time"},
                   {.title = "files", .align = Align::kRight},
                   {.title = "rows", .align = Align::kRight},
                   {.title = "message", .minor = true}});
  for (const TableSnapshot& one : snapshots) {
    table.AddRow({std::to_string(one.number), std::string(TableOperationName(one.operation)),
                  one.job, TimeOf(one), CountText(one.num_files), CountText(one.num_rows),
                  one.message});
  }
  return console->Print(table.Render(*console));
}

Status PrintCompaction(const CompactReport& report, bool is_dry_run, Console* console) {
  uint64_t files = 0;
  for (const std::vector<std::string>& run : report.merged) files += run.size();
  if (console->json) {
    return PrintJson(Json{{"merged", report.merged},
                          {"bytes_before", report.bytes_before},
                          {"bytes_after", report.bytes_after},
                          {"snapshot", report.snapshot.number}},
                     console);
  }
  if (console->quiet) return Status::Ok();
  if (is_dry_run) {
    for (const std::vector<std::string>& run : report.merged) {
      for (const std::string& name : run)
        DSI_RETURN_IF_ERROR(console->Print(Printable(name) + "\n"));
      DSI_RETURN_IF_ERROR(console->Print("\n"));
    }
  }
  std::string text = fmt::format("{}: {} into {}", is_dry_run ? "would be merged" : "merged",
                                 CountOf(files, "file"), CountText(report.merged.size()));
  text += ", " + BytesText(report.bytes_before);
  if (!is_dry_run) text += " into " + BytesText(report.bytes_after);
  return console->Print(fmt::format("{} (snapshot {})\n", text, report.snapshot.number));
}

Status PrintGarbage(const TableGarbage& garbage, bool is_dry_run, Console* console) {
  if (console->json) {
    return PrintJson(Json{{"snapshots", garbage.snapshots}, {"files", garbage.files}}, console);
  }
  if (console->quiet) return Status::Ok();
  if (is_dry_run) {
    for (const uint64_t number : garbage.snapshots)
      DSI_RETURN_IF_ERROR(console->Print(fmt::format("snapshot {}\n", number)));
    for (const std::string& name : garbage.files)
      DSI_RETURN_IF_ERROR(console->Print(Printable(name) + "\n"));
  }
  return console->Print(fmt::format("{}: {}, {}\n", is_dry_run ? "would be removed" : "removed",
                                    CountOf(garbage.snapshots.size(), "snapshot"),
                                    CountOf(garbage.files.size(), "file")));
}

}  // namespace dsi::tools
