#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/format/reserved_names_internal.h"
#include "dsi/io/file.h"
#include "dsi/tools/dedup/sampled_table_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

using internal::kPositionName;

const FeatureSpec* Find(const Schema& schema, const std::string& name) {
  const int at = schema.FindFeature(name);
  return at < 0 ? nullptr : &schema.features[static_cast<size_t>(at)];
}

// Of a text a quarter more is read than is looked at, for sessions that began early and end late.
uint64_t RowsToRead(uint64_t max_rows) {
  return max_rows == 0 || max_rows > UINT64_MAX / 2 ? UINT64_MAX : max_rows + max_rows / 4;
}

Status OpenText(const SampleOptions& options, SampledTable* table, bool* cut, Progress* progress) {
  table->is_text = true;
  TextToDsiOptions text = options.text;
  text.source.paths = options.in;
  text.max_rows = RowsToRead(options.max_rows);
  text.max_bytes = options.memory_bytes;
  if (text.max_rows != UINT64_MAX && text.source.infer_rows == 0)
    text.source.infer_rows = text.max_rows;
  // The writer needs some room beside the rows.
  text.choice.writer.memory_bytes = options.memory_bytes * 2;
  std::vector<std::byte> bytes;
  DSI_ASSIGN_OR_RETURN(TextToDsiReport report,
                       TextToDsi(text, CreateMemoryFile(&bytes, "the table"), progress));
  table->schema = report.fit.schema;
  table->name = report.fit.source;
  table->fit = std::move(report.fit);
  table->inference = table->fit.inference;
  *cut = report.cut;
  table->total_rows = report.cut ? 0 : report.written.num_rows;
  DSI_ASSIGN_OR_RETURN(table->reader, Reader::Open(OpenMemoryFile(std::move(bytes), "the table")));
  return Status::Ok();
}

Status OpenDsi(const SampleOptions& options, SampledTable* table) {
  table->name = options.in[0];
  DSI_ASSIGN_OR_RETURN(table->reader, Reader::Open(table->name));
  DSI_ASSIGN_OR_RETURN(table->schema, table->reader->schema());
  table->total_rows = table->reader->info().num_rows;
  Schema& schema = table->schema;
  std::erase_if(schema.features, [](const FeatureSpec& f) { return f.name == kPositionName; });
  std::erase(schema.cluster_by, kPositionName);
  for (GroupSpec& group : schema.groups) std::erase(group.features, kPositionName);
  std::erase_if(schema.groups, [](const GroupSpec& group) { return group.features.empty(); });
  return schema.cluster_by.empty() ? FindKeys(*table->reader, schema, &table->inference)
                                   : Status::Ok();
}

// Rows from the front that are at most `most`, and end where a session does.
uint64_t WholeSessions(const std::vector<uint32_t>& sessions, uint64_t most) {
  if (sessions.size() <= most) return sessions.size();
  for (uint64_t row = most; row > 0; --row) {
    if (sessions[row] != sessions[row - 1]) return row;
  }
  return most;  // One session fills it all.
}

Status FindSessions(SampledTable* table) {
  std::vector<std::string> keys = table->schema.cluster_by;
  if (!keys.empty()) {
    const FeatureSpec* const last = Find(table->schema, keys.back());
    if (last != nullptr && last->kind == Kind::kTimestamp) {
      table->time = last;
      keys.pop_back();
    }
  }
  for (const FeatureSpec& feature : table->schema.features) {
    if (table->time == nullptr && feature.kind == Kind::kTimestamp) table->time = &feature;
  }
  table->session_keys = keys;
  for (const std::string& name : keys) {
    const FeatureSpec* const key = Find(table->schema, name);
    if (key == nullptr) continue;  // The schema was checked.
    DSI_ASSIGN_OR_RETURN(RowCodes codes, LoadCodes(*table->reader, *key, table->num_rows));
    table->sessions =
        table->sessions.codes.empty() ? std::move(codes) : Combine(table->sessions, codes);
  }
  return Status::Ok();
}

}  // namespace

bool SampleOptions::of_dsi() const { return in.size() == 1 && IsDsiName(in[0]); }

Result<std::unique_ptr<SampledTable>> OpenSample(const SampleOptions& options, Progress* progress) {
  auto table = std::make_unique<SampledTable>();
  bool cut = false;
  DSI_RETURN_IF_ERROR(options.of_dsi() ? OpenDsi(options, table.get())
                                       : OpenText(options, table.get(), &cut, progress));
  const uint64_t rows = table->reader->info().num_rows;
  if (rows == 0) return internal::InvalidArgument("{}: no rows to look at", table->name);
  // A text that was cut short gives up the sessions that may go on behind the cut.
  uint64_t most = options.max_rows == 0 ? rows : std::min(rows, options.max_rows);
  if (cut) most = std::min(most, rows - rows / 5);
  table->num_rows = std::min(rows, most + 1);
  if (table->num_rows >= kNoCode)
    return internal::InvalidArgument("at most {} rows can be looked at: --max-rows", kNoCode - 1);
  DSI_RETURN_IF_ERROR(FindSessions(table.get()));
  const uint64_t whole =
      table->sessions.codes.empty() ? most : WholeSessions(table->sessions.codes, most);
  if (whole != table->num_rows) {
    table->num_rows = whole;
    table->sessions = {};
    DSI_RETURN_IF_ERROR(FindSessions(table.get()));
  }
  return table;
}

}  // namespace dsi::tools
