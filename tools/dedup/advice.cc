// The dedup groups of a table as it is, and which of them a schema should declare.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "dsi/io/file.h"
#include "dsi/tools/dedup/report_internal.h"
#include "dsi/tools/dedup/trials_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

constexpr double kHardlyMore = 1.002;  // Of bytes, for better groups not to be looked for.

// Values that a scan of these columns decodes.
Result<uint64_t> CountDecoded(const Reader& reader, const std::vector<std::string>& columns) {
  ScanOptions options;
  options.batch_size = kDedupBatchRows;
  for (const std::string& column : columns) {
    Projection& projection = options.features.emplace_back();
    projection.name = column;
    projection.layout = Layout::kIkjt;
  }
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(options));
  Batch batch;
  while (true) {
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) return scan->stats().values_decoded;
  }
}

void LeaveOutOwner(const DedupReport& report, const std::string& owner,
                   std::set<uint32_t>* left_out) {
  for (const GroupReport& group : report.groups) {
    if (group.owner == owner) left_out->insert(group.ordinal);
  }
}

// An index that refers to the group of another owner (a user's to that of sessions) is lost when
// either is declared: schemas know no parents.
std::set<uint32_t> GroupsOfSeveralOwners(const DedupReport& report) {
  std::set<uint32_t> left_out;
  for (const GroupReport& group : report.groups) {
    for (const GroupReport& parent : report.groups) {
      if (parent.ordinal != group.parent || parent.owner == group.owner) continue;
      left_out.insert({group.ordinal, parent.ordinal});
      if (!group.owner.empty()) LeaveOutOwner(report, group.owner, &left_out);
      if (!parent.owner.empty()) LeaveOutOwner(report, parent.owner, &left_out);
    }
  }
  return left_out;
}

Status LeaveOutChanged(const DedupReport& report, const Reader& reader,
                       std::set<uint32_t>* left_out) {
  DSI_ASSIGN_OR_RETURN(const auto groups, reader.Groups());
  const auto stripes = reader.stripes();
  for (const GroupReport& found : report.groups) {
    const auto same = std::any_of(groups.begin(), groups.end(), [&](const GroupInfo& group) {
      return std::find(group.columns.begin(), group.columns.end(), found.first_column) !=
                 group.columns.end() &&
             TotalsOf(group, stripes).forms == found.forms;
    });
    if (same) continue;
    left_out->insert(found.ordinal);
    if (!found.owner.empty()) LeaveOutOwner(report, found.owner, left_out);
  }
  return Status::Ok();
}

}  // namespace

Status DescribeGroups(const Reader& base, const Reader& plain, DedupReport* report) {
  DSI_ASSIGN_OR_RETURN(const auto groups, base.Groups());
  DSI_ASSIGN_OR_RETURN(const auto features, base.Dedup());
  DSI_ASSIGN_OR_RETURN(const auto columns, base.Columns());
  DSI_ASSIGN_OR_RETURN(const auto plain_columns, plain.Columns());
  const auto stripes = base.stripes();
  for (const GroupInfo& info : groups) {
    GroupReport group;
    group.ordinal = info.ordinal;
    group.name = info.name;
    group.owner = info.owner;
    group.parent = info.parent;
    if (!info.columns.empty()) group.first_column = info.columns[0];
    const GroupTotals totals = TotalsOf(info, stripes);
    group.forms = totals.forms;
    group.rows = totals.rows;
    group.unique_rows = totals.unique_rows;
    group.index_bytes = totals.index_bytes;
    for (const FeatureDedup& f : features) {
      if (f.group != info.ordinal) continue;
      group.features.push_back(f.feature);
      group.values += f.row_entries * f.num_columns;
      group.values_stored += f.pool_entries * f.num_columns;
    }
    // Both files have the same columns in the same order.
    for (size_t c = 0; c < columns.size() && c < plain_columns.size(); ++c) {
      if (columns[c].group != info.ordinal) continue;
      group.bytes += columns[c].stored_bytes;
      group.bytes_without += plain_columns[c].stored_bytes;
    }
    if (info.ordinal == 0) {
      report->rows_bytes = group.bytes;
      report->rows_bytes_without = group.bytes_without;
      continue;
    }
    DSI_ASSIGN_OR_RETURN(group.values_decoded, CountDecoded(base, info.columns));
    report->groups.push_back(std::move(group));
  }
  for (FeatureReport& feature : report->features) {
    for (const FeatureDedup& f : features) {
      if (f.feature != feature.name) continue;
      feature.unique_entries = f.unique_entries;
      feature.stored_entries = f.pool_entries;
    }
  }
  return Status::Ok();
}

Status AdviseGroups(TrialWriter* writer, DedupReport* report) {
  std::set<uint32_t> left_out = GroupsOfSeveralOwners(*report);
  for (const char* const what : {"with groups declared", "with fewer groups declared"}) {
    report->schema = AdviseSchema(writer->table().schema, report->groups, left_out);
    DSI_ASSIGN_OR_RETURN(RewriteResult result,
                         writer->Write({.what = what, .kind = "advice"}, report->schema, {}));
    const double more = static_cast<double>(report->trials.back().bytes) /
                        static_cast<double>(report->trials[0].bytes);
    report->groups_advised =
        IsWorthAdvice(report->trials.back(), report->trials[0]) && !report->schema.groups.empty();
    if (more <= kHardlyMore) break;
    DSI_ASSIGN_OR_RETURN(const auto reader,
                         Reader::Open(OpenMemoryFile(std::move(result.bytes), "a trial")));
    const size_t before = left_out.size();
    DSI_RETURN_IF_ERROR(LeaveOutChanged(*report, *reader, &left_out));
    if (left_out.size() == before) break;
  }
  std::set<std::string> owners;
  for (const GroupReport& group : report->groups) {
    if (left_out.contains(group.ordinal) && !group.owner.empty()) owners.insert(group.owner);
  }
  if (!report->groups_advised) {
    report->schema = writer->table().schema;
  } else if (!owners.empty()) {
    report->notes.push_back("groups better left to the writer: those of " +
                            JoinKeys({owners.begin(), owners.end()}));
  }
  return Status::Ok();
}

Schema AdviseSchema(const Schema& schema, const std::vector<GroupReport>& groups,
                    const std::set<uint32_t>& left_out) {
  Schema advised = schema;
  advised.groups.clear();
  std::set<std::string> names;
  for (const GroupReport& group : groups) {
    if (group.owner.empty() && group.features.size() < 2 && group.name.empty()) continue;
    if (left_out.contains(group.ordinal)) continue;
    std::string name = !group.name.empty()    ? group.name
                       : !group.owner.empty() ? group.owner
                                              : group.features[0];
    const std::string stem = name;
    for (int n = 2; !names.insert(name).second; ++n) name = fmt::format("{} {}", stem, n);
    advised.groups.push_back({.name = name, .owner = group.owner, .features = group.features});
  }
  return advised;
}

}  // namespace dsi::tools
