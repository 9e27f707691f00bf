// The rows of a sample written with other schemas and options, into memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/tools/dedup/report_internal.h"
#include "dsi/tools/dedup/sampled_table_internal.h"

namespace dsi::tools {

// Names joined by commas, as --session-key takes them.
std::string JoinKeys(const std::vector<std::string>& names);

// Writes the table and notes what came of it in the report. Refers to all that it is made of.
class TrialWriter {
 public:
  TrialWriter(const SampledTable& table, const AnalysisOptions& options, DedupReport* report,
              Progress* progress)
      : table_(table), options_(options), report_(*report), progress_(*progress) {}

  Result<RewriteResult> Write(TrialReport trial, const Schema& schema, WriterOptions options);
  // With the table's own schema; the file that was written.
  Result<std::unique_ptr<Reader>> Open(TrialReport trial, WriterOptions options);

  const SampledTable& table() const { return table_; }

 private:
  const SampledTable& table_;
  const AnalysisOptions& options_;
  DedupReport& report_;
  Progress& progress_;
};

// Groups of the report, from the table as it is and without dedup.
Status DescribeGroups(const Reader& base, const Reader& plain, DedupReport* report);
// Groups as found, declared; those that the writer would then store in another form are left to
// it. What is advised is what was written and is not larger.
Status AdviseGroups(TrialWriter* writer, DedupReport* report);

}  // namespace dsi::tools
