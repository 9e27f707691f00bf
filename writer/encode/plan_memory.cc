#include "dsi/writer/encode/plan_memory_internal.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dsi::internal {

bool AreClose(double bytes, double expected) {
  constexpr double kMostDifference = 0.03;
  constexpr double kWorth = 64;
  return std::abs(bytes - expected) <= expected * kMostDifference + kWorth;
}

PlanMemory::PlanMemory(uint32_t num_slots, bool shares)
    : shares_(shares), plans_(num_slots * kWays) {}

RememberedPlan* PlanMemory::Of(uint32_t slot, uint32_t way) {
  std::unique_ptr<RememberedPlan>& plan = plans_[slot * kWays + way];
  if (plan == nullptr) {
    plan = std::make_unique<RememberedPlan>();
    if (shares_) plan->memory = this;
  }
  return plan.get();
}

void PlanMemory::Share() {
  if (!shares_) return;
  for (const std::unique_ptr<RememberedPlan>& place : plans_) {
    if (place == nullptr || place->profile == nullptr) continue;
    const RememberedPlan& plan = *place;
    const std::unique_ptr<PageProfile> profile = std::move(place->profile);
    if (shared_.size() == kMostShared) continue;
    const std::vector<const ProvenPlan*> alike = FindAlike(*profile);
    const auto count = static_cast<double>(profile->count);
    const double bytes = plan.proven.bytes_per_value * count;
    if (alike.size() < kMostAlike &&
        std::none_of(alike.begin(), alike.end(), [bytes, count](const ProvenPlan* known) {
          return AreClose(bytes, known->bytes_per_value * count);
        }))
      shared_.push_back({*profile, plan.proven});
  }
}

std::vector<const ProvenPlan*> PlanMemory::FindAlike(const PageProfile& profile) const {
  std::vector<const ProvenPlan*> alike;
  for (const Shared& shared : shared_) {
    if (alike.size() < kMostAlike && AreAlike(shared.profile, profile))
      alike.push_back(&shared.proven);
  }
  return alike;
}

double PlanMemory::choose_seconds() const {
  double sum = 0;
  for (const std::unique_ptr<RememberedPlan>& plan : plans_)
    sum += plan == nullptr ? 0 : plan->choose_seconds;
  return sum;
}

}  // namespace dsi::internal
