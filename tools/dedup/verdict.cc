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

const TrialReport* FindKind(const DedupReport& report, std::string_view kind) {
  const auto at = std::find_if(report.trials.begin(), report.trials.end(),
                               [&](const TrialReport& trial) { return trial.kind == kind; });
  return at == report.trials.end() ? nullptr : &*at;
}

}  // namespace

bool IsWorthAdvice(const TrialReport& trial, const TrialReport& base) {
  return Saved(trial, base) > kWorthAdvice;
}

const TrialReport* BestTrial(const DedupReport& report) {
  const TrialReport* best = nullptr;
  for (const TrialReport& trial : report.trials) {
    // What was tried and is not advised has a later trial that is, or none.
    if (trial.kind == "advice" && !report.groups_advised) continue;
    if (!IsWorthAdvice(trial, report.trials[0])) continue;
    if (best == nullptr || trial.bytes < best->bytes) best = &trial;
  }
  return best;
}

std::string VerdictOf(const DedupReport& report) {
  const TrialReport& base = report.trials[0];
  const TrialReport* const plain = FindKind(report, "dedup");
  const double saved = plain == nullptr ? 0 : Saved(base, *plain);
  const std::string found =
      saved > kWorthAdvice
          ? fmt::format(
                "storing what repeats once makes the table {:.1f}% smaller, {} instead of {}",
                100 * saved, BytesText(base.bytes), BytesText(plain->bytes))
          : fmt::format("hardly anything repeats: without dedup the table takes {} instead of {}",
                        BytesText(plain == nullptr ? base.bytes : plain->bytes),
                        BytesText(base.bytes));
  const TrialReport* const best = BestTrial(report);
  const bool tried = FindKind(report, "clustering") != nullptr || FindKind(report, "stripes");
  if (best == nullptr)
    return found + (tried ? ", and no other way tried gains 1%." : "; no other way was tried.");
  return fmt::format("{}, and {} it takes {:.1f}% less.", found, best->what,
                     100 * Saved(*best, base));
}

}  // namespace dsi::tools
