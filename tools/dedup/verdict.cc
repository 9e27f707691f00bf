// What the report of dsictl dedup comes to, in a sentence.
#include <fmt/format.h>

#include <algorithm>

#include "dsi/tools/dedup/report_internal.h"
#include "dsi/tools/number_text_internal.h"

namespace dsi::tools {
namespace {

double Saved(const TrialReport& trial, const TrialReport& base) {
  if (base.bytes == 0) return 0;
  return 1 - static_cast<double>(trial.bytes) / static_cast<double>(base.bytes);
}

bool IsOtherWay(const TrialReport& trial) {
  return trial.kind == "clustering" || trial.kind == "stripes";
}

}  // namespace

bool IsWorthAdvice(const TrialReport& trial, const TrialReport& base) {
  return Saved(trial, base) > kWorthAdvice;
}

const TrialReport* BestTrial(const DedupReport& report) {
  const TrialReport* best = nullptr;
  for (const TrialReport& trial : report.trials) {
    const bool possible = IsOtherWay(trial) || (trial.kind == "advice" && report.groups_advised);
    if (!possible || !IsWorthAdvice(trial, report.trials[0])) continue;
    if (best == nullptr || trial.bytes < best->bytes) best = &trial;
  }
  return best;
}

std::string VerdictOf(const DedupReport& report) {
  const TrialReport& base = report.trials[0];
  const TrialReport& without = report.trials[1];
  const double saved = Saved(base, without);
  const std::string bytes =
      fmt::format("{} instead of {}", BytesText(base.bytes), BytesText(without.bytes));
  std::string verdict;
  if (saved > kWorthAdvice) {
    verdict = fmt::format("dedup makes the table {:.1f}% smaller, {}", 100 * saved, bytes);
  } else if (IsWorthAdvice(without, base)) {
    verdict =
        fmt::format("dedup makes the table {:.1f}% larger, {} (--no-dedup)", -100 * saved, bytes);
  } else {
    verdict = fmt::format("dedup hardly changes the bytes, {}", bytes);
  }
  const TrialReport* const best = BestTrial(report);
  if (best != nullptr)
    return fmt::format("{}; best tried: {}, {:.1f}% less.", verdict, best->what,
                       100 * Saved(*best, base));
  const bool tried = std::any_of(report.trials.begin(), report.trials.end(), IsOtherWay);
  return verdict + (tried ? ", and no other way tried gains 1%." : "; no other way was tried.");
}

}  // namespace dsi::tools
