// What dsictl dedup finds out about a table, and how it is printed.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/tools/console_internal.h"
#include "dsi/tools/dedup/sampled_table_internal.h"

namespace dsi::tools {

// Rows for each value of a key that is met in a unit: the whole sample, a stripe, a batch.
struct OwnerReport {
  std::string name;
  bool is_session = false;
  bool is_list = false;  // A list of one id each: no key feature, but as good as one.
  uint64_t rows = 0;     // That have it.
  uint64_t values = 0;
  double per_file = 0;
  double per_stripe = 0;
  double per_batch = 0;
  double per_batch_by_time = 0;  // As if rows stood in the order of time.
};

// Rows of a feature held against the row before with the same owner that has the feature.
struct Repeats {
  uint64_t owners = 0;      // Rows without one before.
  uint64_t equal_rows = 0;  // Entries are those of the feature's first column.
  uint64_t equal_entries = 0;
  uint64_t covered_entries = 0;  // Part of the longest overlap, equal rows included.
};

struct FeatureReport {
  std::string name;
  Kind kind = Kind::kList;
  uint32_t num_columns = 1;
  uint32_t entry_bytes = 8;  // Of all columns.
  uint64_t rows = 0;         // That have it.
  uint64_t entries = 0;
  Repeats session;
  std::string owner;  // Whose rows cover most; empty: the session's, or nobody's.
  Repeats of_owner;
  uint64_t batch_entries = 0;   // In the unique rows of batches, from the table as it is stored.
  uint64_t unique_entries = 0;  // In the unique rows of the table written anew.
  uint64_t stored_entries = 0;

  // RecD's S and d: rows for each session, and the share of the other rows that repeat.
  double S() const;
  double d() const;
  double formula() const;   // S / (1 + (S - 1)(1 - d)).
  double measured() const;  // All entries for each in rows that do not repeat.
};

struct GroupReport {
  uint32_t ordinal = 0;
  std::string name;
  std::string owner;
  uint32_t parent = 0;
  std::string forms;
  std::vector<std::string> features;
  std::string first_column;
  uint64_t rows = 0;
  uint64_t unique_rows = 0;
  uint64_t values = 0;         // In all rows.
  uint64_t values_stored = 0;  // After windows.
  uint64_t values_decoded = 0;
  uint64_t index_bytes = 0;
  uint64_t bytes = 0;          // Of its columns, indexes left out.
  uint64_t bytes_without = 0;  // Of its columns where nothing is deduplicated.
};

// The sample written with other options; real bytes.
struct TrialReport {
  std::string what;
  std::string kind;  // "as it is", "dedup", "clustering", "stripes", "advice"
  std::vector<std::string> cluster_by = {};
  uint32_t stripe_rows = 0;
  uint64_t bytes = 0;
  uint64_t index_bytes = 0;
  uint64_t values_stored = 0;
};

struct DedupReport {
  std::string input;
  uint64_t rows = 0;
  uint64_t total_rows = 0;  // 0: unknown, and more.
  uint64_t stripes = 0;     // That the rows lie in.
  std::vector<std::string> session_keys;
  std::vector<KeyAdvice> keys_to_consider;  // By the first rows of a text without a session key.
  std::vector<OwnerReport> owners;          // The session first.
  std::vector<FeatureReport> features;      // Of lists, the one with the most bytes first.
  std::vector<GroupReport> groups;
  uint64_t rows_bytes = 0;          // Columns that no group holds …
  uint64_t rows_bytes_without = 0;  // … and where nothing is deduplicated.
  std::vector<TrialReport> trials;  // As it is, without dedup, others.
  Schema schema;                    // As advised.
  bool groups_advised = false;
  std::vector<std::string> notes;
};

struct AnalysisOptions {
  int threads = 0;
  bool trials = true;
};

Result<DedupReport> AnalyseDedup(const SampledTable& table, const AnalysisOptions& options,
                                 Progress* progress);
// Owners and features of the report.
Status MeasureRepeats(const SampledTable& table, DedupReport* report, Progress* progress);
// Groups, trials and schema of the report.
Status MeasureTrials(const SampledTable& table, const AnalysisOptions& options, DedupReport* report,
                     Progress* progress);
// A schema that declares the groups that have an owner or several features, but for those left out
// (by ordinal).
Schema AdviseSchema(const Schema& schema, const std::vector<GroupReport>& groups,
                    const std::set<uint32_t>& left_out);

// Ways to write the table that save less of its bytes are not advised.
inline constexpr double kWorthAdvice = 0.01;
bool IsWorthAdvice(const TrialReport& trial, const TrialReport& base);
// Of those worth advice the one with the fewest bytes; null: none.
const TrialReport* BestTrial(const DedupReport& report);
// One sentence: what dedup saves, and what would save more.
std::string VerdictOf(const DedupReport& report);

// The verdict and the groups that save most; with `tables` also what they follow from.
Result<std::string> DedupText(const DedupReport& report, bool tables, const Console& console);
Result<std::string> DedupJson(const DedupReport& report);

}  // namespace dsi::tools
