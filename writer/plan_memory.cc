#include "dsi/writer/plan_memory_internal.h"

#include <utility>

namespace dsi::internal {

PlanMemory::PlanMemory(uint32_t num_slots, bool shares)
    : shares_(shares), plans_(num_slots * kWays) {
  if (!shares) return;
  for (RememberedPlan& plan : plans_) plan.memory = this;
}

void PlanMemory::Share() {
  if (!shares_) return;
  for (RememberedPlan& plan : plans_) {
    if (plan.profile == nullptr) continue;
    const std::unique_ptr<PageProfile> profile = std::move(plan.profile);
    if (shared_.size() < kMostShared && FindAlike(*profile) == nullptr)
      shared_.push_back({*profile, plan.proven});
  }
}

const ProvenPlan* PlanMemory::FindAlike(const PageProfile& profile) const {
  for (const Shared& shared : shared_) {
    if (AreAlike(shared.profile, profile)) return &shared.proven;
  }
  return nullptr;
}

double PlanMemory::choose_seconds() const {
  double sum = 0;
  for (const RememberedPlan& plan : plans_) sum += plan.choose_seconds;
  return sum;
}

}  // namespace dsi::internal
