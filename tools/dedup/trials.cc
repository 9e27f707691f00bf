// The sample written with other options, and what the real bytes say.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "dsi/io/file.h"
#include "dsi/tools/dedup/report_internal.h"
#include "dsi/tools/dedup/trials_internal.h"

namespace dsi::tools {
namespace {

constexpr uint32_t kStripeTrials[] = {65'536, 262'144, 1'048'576};
constexpr double kOneOwner = 1.02;     // (Session, owner) pairs for each session, at most.
constexpr size_t kMaxClusterKeys = 4;  // Owners that clustering is tried with.

// Other clustering keys and stripe sizes.
class OtherWays {
 public:
  OtherWays(TrialWriter* writer, DedupReport* report)
      : table_(writer->table()), writer_(*writer), report_(*report) {}

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
          writer_.Write({.what = what, .kind = "stripes"}, table_.schema, options).status());
    }
    if (!untried.empty()) {
      report_.notes.push_back("stripes of " + untried +
                              " rows: not tried, the rows looked at fit one; see --max-rows");
    }
    return Status::Ok();
  }

 private:
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
    std::string what = "clustered by " + JoinKeys(keys);
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
    return writer_.Write({.what = what, .kind = "clustering"}, schema, {}).status();
  }

  const SampledTable& table_;
  TrialWriter& writer_;
  DedupReport& report_;
  std::set<std::vector<std::string>> tried_;
};

}  // namespace

std::string JoinKeys(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

Result<RewriteResult> TrialWriter::Write(TrialReport trial, const Schema& schema,
                                         WriterOptions options) {
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

Result<std::unique_ptr<Reader>> TrialWriter::Open(TrialReport trial, WriterOptions options) {
  DSI_ASSIGN_OR_RETURN(RewriteResult result,
                       Write(std::move(trial), table_.schema, std::move(options)));
  return Reader::Open(OpenMemoryFile(std::move(result.bytes), "a trial"));
}

Status MeasureTrials(const SampledTable& table, const AnalysisOptions& options, DedupReport* report,
                     Progress* progress) {
  TrialWriter writer(table, options, report, progress);
  DSI_ASSIGN_OR_RETURN(const auto base, writer.Open({.what = "as it is", .kind = "as it is"}, {}));
  WriterOptions no_dedup;
  no_dedup.dedup = false;
  DSI_ASSIGN_OR_RETURN(const auto plain,
                       writer.Open({.what = "without dedup", .kind = "dedup"}, no_dedup));
  DSI_RETURN_IF_ERROR(DescribeGroups(*base, *plain, report));
  DSI_RETURN_IF_ERROR(AdviseGroups(&writer, report));
  if (!options.trials) return Status::Ok();
  OtherWays others(&writer, report);
  DSI_RETURN_IF_ERROR(others.TryClustering());
  return others.TryStripes();
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
