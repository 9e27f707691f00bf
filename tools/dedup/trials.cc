// The sample written with other options, and what the real bytes say.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "dsi/io/file.h"
#include "dsi/tools/dedup/report_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

constexpr uint32_t kStripeTrials[] = {65'536, 262'144, 1'048'576};
constexpr double kOneOwner = 1.02;     // (Session, owner) pairs for each session, at most.
constexpr double kHardlyMore = 1.002;  // Of bytes, for better groups not to be looked for.
constexpr size_t kMaxClusterKeys = 4;  // Owners that clustering is tried with.

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

class TrialRunner {
 public:
  TrialRunner(const SampledTable& table, const AnalysisOptions& options, DedupReport* report,
              Progress* progress)
      : table_(table), options_(options), report_(*report), progress_(*progress) {}

  Status Run() {
    DSI_ASSIGN_OR_RETURN(const auto base, Open({.what = "as it is", .kind = "as it is"}));
    WriterOptions no_dedup;
    no_dedup.dedup = false;
    DSI_ASSIGN_OR_RETURN(const auto plain,
                         Open({.what = "without dedup", .kind = "dedup"}, no_dedup));
    DSI_RETURN_IF_ERROR(DescribeGroups(*base, *plain));
    DSI_RETURN_IF_ERROR(Advise());
    if (!options_.trials) return Status::Ok();
    DSI_RETURN_IF_ERROR(TryClustering());
    return TryStripes();
  }

 private:
  Result<RewriteResult> Write(TrialReport trial, const Schema& schema, WriterOptions options) {
    options.threads = options_.threads;
    trial.cluster_by = schema.cluster_by;
    trial.stripe_rows = options.stripe_rows;
    const std::string what = "trying: " + trial.what;
    DSI_ASSIGN_OR_RETURN(RewriteResult result, Rewrite(table_, schema, options, what, &progress_));
    trial.bytes = result.report.file_bytes;
    trial.index_bytes = result.report.index_bytes;
    trial.values_stored = result.report.values_stored;
    report_.trials.push_back(std::move(trial));
    return result;
  }

  Result<std::unique_ptr<Reader>> Open(TrialReport trial, WriterOptions options = {}) {
    DSI_ASSIGN_OR_RETURN(RewriteResult result,
                         Write(std::move(trial), table_.schema, std::move(options)));
    return Reader::Open(OpenMemoryFile(std::move(result.bytes), "a trial"));
  }

  Status DescribeGroups(const Reader& base, const Reader& plain) {
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
        report_.rows_bytes = group.bytes;
        report_.rows_bytes_without = group.bytes_without;
        continue;
      }
      DSI_ASSIGN_OR_RETURN(group.values_decoded, CountDecoded(base, info.columns));
      report_.groups.push_back(std::move(group));
    }
    for (FeatureReport& report : report_.features) {
      for (const FeatureDedup& f : features) {
        if (f.feature != report.name) continue;
        report.unique_entries = f.unique_entries;
        report.stored_entries = f.pool_entries;
      }
    }
    return Status::Ok();
  }

  // Values that a scan of these columns decodes.
  static Result<uint64_t> CountDecoded(const Reader& reader,
                                       const std::vector<std::string>& columns) {
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

  // Groups as found, declared; those that the writer would then store in another form are left to
  // it. What is advised is what was written and is not larger.
  Status Advise() {
    std::set<uint32_t> left_out = GroupsOfSeveralOwners();
    for (const char* const what : {"with groups declared", "with fewer groups declared"}) {
      report_.schema = AdviseSchema(table_.schema, report_.groups, left_out);
      DSI_ASSIGN_OR_RETURN(RewriteResult result,
                           Write({.what = what, .kind = "advice"}, report_.schema, {}));
      const double more = static_cast<double>(report_.trials.back().bytes) /
                          static_cast<double>(report_.trials[0].bytes);
      report_.groups_advised =
          IsWorthAdvice(report_.trials.back(), report_.trials[0]) && !report_.schema.groups.empty();
      if (more <= kHardlyMore) break;
      DSI_ASSIGN_OR_RETURN(const auto reader,
                           Reader::Open(OpenMemoryFile(std::move(result.bytes), "a trial")));
      const size_t before = left_out.size();
      DSI_RETURN_IF_ERROR(LeaveOutChanged(*reader, &left_out));
      if (left_out.size() == before) break;
    }
    std::set<std::string> owners;
    for (const GroupReport& group : report_.groups) {
      if (left_out.contains(group.ordinal) && !group.owner.empty()) owners.insert(group.owner);
    }
    if (!report_.groups_advised) {
      report_.schema = table_.schema;
    } else if (!owners.empty()) {
      report_.notes.push_back("groups better left to the writer: those of " +
                              Join({owners.begin(), owners.end()}));
    }
    return Status::Ok();
  }

  void LeaveOutOwner(const std::string& owner, std::set<uint32_t>* left_out) const {
    for (const GroupReport& group : report_.groups) {
      if (group.owner == owner) left_out->insert(group.ordinal);
    }
  }

  // An index that refers to the group of another owner (a user's to that of sessions) is lost when
  // either is declared: schemas know no parents.
  std::set<uint32_t> GroupsOfSeveralOwners() const {
    std::set<uint32_t> left_out;
    for (const GroupReport& group : report_.groups) {
      for (const GroupReport& parent : report_.groups) {
        if (parent.ordinal != group.parent || parent.owner == group.owner) continue;
        left_out.insert({group.ordinal, parent.ordinal});
        if (!group.owner.empty()) LeaveOutOwner(group.owner, &left_out);
        if (!parent.owner.empty()) LeaveOutOwner(parent.owner, &left_out);
      }
    }
    return left_out;
  }

  Status LeaveOutChanged(const Reader& reader, std::set<uint32_t>* left_out) const {
    DSI_ASSIGN_OR_RETURN(const auto groups, reader.Groups());
    const auto stripes = reader.stripes();
    for (const GroupReport& found : report_.groups) {
      const auto same = std::any_of(groups.begin(), groups.end(), [&](const GroupInfo& group) {
        return std::find(group.columns.begin(), group.columns.end(), found.first_column) !=
                   group.columns.end() &&
               TotalsOf(group, stripes).forms == found.forms;
      });
      if (same) continue;
      left_out->insert(found.ordinal);
      if (!found.owner.empty()) LeaveOutOwner(found.owner, left_out);
    }
    return Status::Ok();
  }

  // Keys that a session has one value of: users, mostly.
  Result<std::vector<OwnerReport>> CoarserThanSessions() {
    std::vector<OwnerReport> coarser;
    for (const OwnerReport& owner : report_.owners) {
      if (owner.is_session || owner.values < 2 || coarser.size() == kMaxClusterKeys) continue;
      if (table_.sessions.num_values != 0) {
        if (owner.values >= table_.sessions.num_values) continue;
        const int at = table_.schema.FindFeature(owner.name);
        if (at < 0) continue;
        DSI_ASSIGN_OR_RETURN(
            const RowCodes codes,
            LoadCodes(*table_.reader, table_.schema.features[static_cast<size_t>(at)],
                      table_.num_rows));
        const RowCodes pairs = Combine(table_.sessions, codes);
        if (pairs.num_values > kOneOwner * table_.sessions.num_values) continue;
      } else if (owner.per_file < 1.05) {
        continue;
      }
      coarser.push_back(owner);
    }
    return coarser;
  }

  Status TryKeys(std::vector<std::string> keys) {
    if (table_.time != nullptr) keys.push_back(table_.time->name);
    if (keys.empty() || !tried_.insert(keys).second) return Status::Ok();
    Schema schema = table_.schema;
    schema.cluster_by = keys;
    std::string what = "clustered by " + Join(keys);
    for (const std::string& key : keys) {
      FeatureSpec& feature = schema.features[static_cast<size_t>(schema.FindFeature(key))];
      if (feature.kind == Kind::kDense || feature.kind == Kind::kString) {
        feature.kind = Kind::kKey;
        report_.notes.push_back(key + ": no key of the schema, but may be one: --session-key " +
                                key);
        continue;
      }
      if (feature.kind != Kind::kList) continue;
      // The trial takes the list for a key: only those can be clustered by.
      feature.kind = Kind::kKey;
      feature.max_length = 0;
      feature.newest_first = false;
      report_.notes.push_back(key +
                              ": a list of one id; a plain number declared as a key could "
                              "be clustered by");
    }
    return Write({.what = what, .kind = "clustering"}, schema, {}).status();
  }

  Status TryClustering() {
    tried_.insert(table_.schema.cluster_by);
    DSI_RETURN_IF_ERROR(TryKeys({}));
    const std::vector<std::string>& keys = table_.session_keys;
    if (keys.size() > 1) DSI_RETURN_IF_ERROR(TryKeys({keys.back()}));
    for (const KeyAdvice& advice : table_.inference.keys) {
      if (keys.empty()) DSI_RETURN_IF_ERROR(TryKeys({advice.name}));
    }
    DSI_ASSIGN_OR_RETURN(const auto owners, CoarserThanSessions());
    for (const OwnerReport& owner : owners) {
      if (std::find(keys.begin(), keys.end(), owner.name) != keys.end()) continue;
      std::vector<std::string> longer = {owner.name};
      if (!keys.empty()) longer.push_back(keys.back());
      DSI_RETURN_IF_ERROR(TryKeys(std::move(longer)));
    }
    return Status::Ok();
  }

  Status TryStripes() {
    const uint32_t usual = WriterOptions().stripe_rows;
    std::string untried;
    for (const uint32_t stripe_rows : kStripeTrials) {
      if (stripe_rows == usual) continue;
      if (table_.num_rows <= std::min(stripe_rows, usual)) {
        untried += fmt::format("{}{}", untried.empty() ? "" : " and ", stripe_rows);
        continue;
      }
      WriterOptions options;
      options.stripe_rows = stripe_rows;
      const std::string what = fmt::format("stripes of {} rows", stripe_rows);
      DSI_RETURN_IF_ERROR(
          Write({.what = what, .kind = "stripes"}, table_.schema, options).status());
    }
    if (!untried.empty()) {
      report_.notes.push_back("stripes of " + untried +
                              " rows: not tried, the rows looked at fit one; see --max-rows");
    }
    return Status::Ok();
  }

  const SampledTable& table_;
  const AnalysisOptions& options_;
  DedupReport& report_;
  Progress& progress_;
  std::set<std::vector<std::string>> tried_;
};

}  // namespace

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

Status MeasureTrials(const SampledTable& table, const AnalysisOptions& options, DedupReport* report,
                     Progress* progress) {
  return TrialRunner(table, options, report, progress).Run();
}

Result<DedupReport> AnalyseDedup(const SampledTable& table, const AnalysisOptions& options,
                                 Progress* progress) {
  DedupReport report;
  report.rows = table.num_rows;
  report.total_rows = table.total_rows;
  report.session_keys = table.session_keys;
  report.keys_to_consider = table.inference.keys;
  DSI_RETURN_IF_ERROR(MeasureRepeats(table, &report, progress));
  DSI_RETURN_IF_ERROR(MeasureTrials(table, options, &report, progress));
  return report;
}

}  // namespace dsi::tools
