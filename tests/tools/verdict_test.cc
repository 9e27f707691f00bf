// The sentence that dsictl dedup begins with, and what it advises.
#include "dsi/tools/dedup/report_internal.h"
#include <gtest/gtest.h>

namespace dsi::tools {
namespace {

DedupReport ReportOf(uint64_t with_dedup, uint64_t without) {
  DedupReport report;
  report.trials = {{.what = "as it is", .kind = "as it is", .bytes = with_dedup},
                   {.what = "without dedup", .kind = "dedup", .bytes = without}};
  return report;
}

TEST(Verdict, SaysWhatDedupDoesToTheBytes) {
  EXPECT_EQ(
      VerdictOf(ReportOf(500, 1000)),
      "dedup makes the table 50.0% smaller, 500 B instead of 1000 B; no other way was tried.");
  EXPECT_EQ(
      VerdictOf(ReportOf(1000, 800)),
      "dedup makes the table 25.0% larger, 1000 B instead of 800 B (--no-dedup); no other way "
      "was tried.");
  EXPECT_EQ(VerdictOf(ReportOf(995, 1000)),
            "dedup hardly changes the bytes, 995 B instead of 1000 B; no other way was tried.");
  EXPECT_EQ(VerdictOf(ReportOf(0, 0)).substr(0, 23), "dedup hardly changes th") << "no rows";
}

TEST(Verdict, AdvisesOnlyWhatGainsMoreThanOnePercent) {
  DedupReport report = ReportOf(1000, 2000);
  report.trials.push_back({.what = "clustered by x", .kind = "clustering", .bytes = 995});
  EXPECT_EQ(BestTrial(report), nullptr);
  EXPECT_TRUE(VerdictOf(report).ends_with(", and no other way tried gains 1%."));
  report.trials.push_back({.what = "stripes of 9 rows", .kind = "stripes", .bytes = 980});
  report.trials.push_back({.what = "clustered by y", .kind = "clustering", .bytes = 900});
  EXPECT_EQ(BestTrial(report)->what, "clustered by y");
  EXPECT_TRUE(VerdictOf(report).ends_with("; best tried: clustered by y, 10.0% less."));
}

TEST(Verdict, GroupsCountOnlyWhereTheyAreAdvised) {
  DedupReport report = ReportOf(1000, 2000);
  report.trials.push_back({.what = "with groups declared", .kind = "advice", .bytes = 900});
  EXPECT_EQ(BestTrial(report), nullptr);
  report.groups_advised = true;
  EXPECT_EQ(BestTrial(report)->what, "with groups declared");
}

}  // namespace
}  // namespace dsi::tools
