#include "dsi/tools/convert_report_internal.h"

#include <fmt/format.h>

#include "dsi/tools/explain_schema_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/text_table_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

double RowsPerSecond(const Conversion& done, uint64_t rows) {
  return static_cast<double>(rows) / done.seconds;
}

void AddTime(const Conversion& done, uint64_t rows, FactList* facts) {
  facts->Add("time", fmt::format("{}  ({}rows/s)", SecondsText(done.seconds),
                                 RateText(RowsPerSecond(done, rows))));
}

std::string Factor(uint64_t a, uint64_t b) {
  return FactorText(static_cast<double>(a), static_cast<double>(b));
}

}  // namespace

Json JobsJson(const Conversion& done) {
  Json jobs = Json::array();
  for (size_t j = 0; j < done.jobs_after.size(); ++j) {
    const JobReads& before = done.jobs_before[j];
    const JobReads& after = done.jobs_after[j];
    jobs.push_back({{"times", after.times},
                    {"columns", after.features},
                    {"reads_before", before.reads},
                    {"bytes_before", before.bytes},
                    {"reads_after", after.reads},
                    {"bytes_after", after.bytes}});
  }
  return jobs;
}

std::string JobsTable(const Conversion& done, const Console& console) {
  using Align = TextTable::Align;
  TextTable table({{"jobs of the log", Align::kRight},
                   {"columns", Align::kRight},
                   {"reads before", Align::kRight},
                   {"after", Align::kRight},
                   {"bytes before", Align::kRight},
                   {"after", Align::kRight}});
  for (size_t j = 0; j < done.jobs_after.size(); ++j) {
    const JobReads& before = done.jobs_before[j];
    const JobReads& after = done.jobs_after[j];
    table.AddRow({CountText(after.times), CountText(after.features), CountText(before.reads),
                  CountText(after.reads), BytesText(before.bytes), BytesText(after.bytes)});
  }
  return "\n" + table.Render(console);
}

Status ReportToDsi(const Conversion& done, const WriteReport& w, const TextFit* fit,
                   Console* console) {
  if (console->json) {
    Json json = {{"output", done.out},
                 {"rows", w.num_rows},
                 {"sessions", w.num_sessions},
                 {"stripes", w.num_stripes},
                 {"groups", w.num_groups},
                 {"values_in", w.values_in},
                 {"values_stored", w.values_stored},
                 {"index_bytes", w.index_bytes},
                 {"spilled_bytes", w.spilled_bytes},
                 {"bytes_in", done.bytes_in},
                 {"bytes_out", w.file_bytes},
                 {"seconds", done.seconds},
                 {"encode_seconds", w.encode_seconds},
                 {"choose_seconds", w.choose_seconds},
                 {"rows_per_second", RowsPerSecond(done, w.num_rows)}};
    if (fit != nullptr) json["input"] = DecisionsJson(*fit);
    if (fit != nullptr && fit->explain) json["input"]["features"] = FeaturesJson(*fit);
    if (!done.jobs_after.empty()) json["jobs"] = JobsJson(done);
    return PrintJson(json, console);
  }
  if (console->quiet) return Status::Ok();
  if (fit != nullptr && fit->explain)
    DSI_RETURN_IF_ERROR(console->Print(ExplanationTable(*fit, *console) + "\n"));
  FactList facts;
  facts.Add("rows", CountText(w.num_rows));
  if (fit != nullptr) AddDecisions(*fit, &facts);
  facts.Add("sessions", SessionsText(w.num_sessions, w.num_rows));
  facts.Add("values",
            fmt::format("{} in, {} stored", CountText(w.values_in), CountText(w.values_stored)));
  facts.Add("dedupe factor", Factor(w.values_in, w.values_stored));
  facts.Add("groups", fmt::format("{}  (indexes: {})", w.num_groups, BytesText(w.index_bytes)));
  facts.Add("stripes", CountText(w.num_stripes));
  // Of values left out "smaller" would say nothing.
  const bool all_stored = w.num_rows != 0 && fit != nullptr && fit->rejected.rows == 0 &&
                          fit->coverage.ignored.empty() && fit->coverage.more_ignored == 0;
  const std::string change = w.file_bytes > done.bytes_in
                                 ? Factor(w.file_bytes, done.bytes_in) + " larger"
                                 : Factor(done.bytes_in, w.file_bytes) + " smaller";
  facts.Add("bytes",
            fmt::format("{} in, {} out{}", BytesText(done.bytes_in), BytesText(w.file_bytes),
                        all_stored ? fmt::format("  ({})", change) : ""));
  AddTime(done, w.num_rows, &facts);
  const std::string jobs = done.jobs_after.empty() ? "" : JobsTable(done, *console);
  return console->Print(facts.Render(*console) + jobs);
}

Status ReportToText(const Conversion& done, uint64_t rows, uint64_t bytes_out, Console* console) {
  if (console->json) {
    return PrintJson({{"output", done.out},
                      {"rows", rows},
                      {"bytes_in", done.bytes_in},
                      {"bytes_out", bytes_out},
                      {"seconds", done.seconds},
                      {"rows_per_second", RowsPerSecond(done, rows)}},
                     console);
  }
  if (console->quiet) return Status::Ok();
  FactList facts;
  facts.Add("rows", CountText(rows));
  facts.Add("bytes", fmt::format("{} in, {} out", BytesText(done.bytes_in), BytesText(bytes_out)));
  AddTime(done, rows, &facts);
  return console->Print(facts.Render(*console));
}

}  // namespace dsi::tools
