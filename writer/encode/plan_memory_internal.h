// What was chosen for the streams of a file, kept from page to page and from stripe to stripe, and
// given to streams that look alike: choosing costs more than encoding.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/writer/encode/page_profile_internal.h"
#include "dsi/writer/encode/repeats_internal.h"

namespace dsi::internal {

class PlanMemory;

// A plan, and what the page that it was chosen on came to by it.
struct ProvenPlan {
  EncodePlan plan;
  double bytes_per_value = 0;
  double ns_per_value = 0;  // Estimated time to decode it.
};

// Whether a page that is alike comes to the size expected, or nearly.
bool AreClose(double bytes, double expected);

// A choice that is kept until the data drift away from what it was made for.
struct RememberedPlan {
  bool is_known = false;
  ProvenPlan proven;
  double excess = 0;  // Bytes that pages took beyond 110 % of what was expected, since the choice.
  bool shrinks = false;  // Some pages take much less, and no other plan does better on them.
  std::unique_ptr<KnownGlances> glances;  // Of pages that a choice was made on.
  double choose_seconds = 0;              // Of all choices that were made for the stream.
  const PlanMemory* memory = nullptr;     // Whose shared plans may serve; null: none.
  std::unique_ptr<PageProfile> profile;   // Of the page it was chosen on, until the plan is shared.
  std::optional<Repeats> refused;         // Of a dictionary: of ids for which none was worth it.
};

class PlanMemory {
 public:
  static constexpr size_t kWays = 6;

  // `shares`: streams that look alike share plans.
  PlanMemory(uint32_t num_slots, bool shares);
  PlanMemory(const PlanMemory&) = delete;
  PlanMemory& operator=(const PlanMemory&) = delete;

  // A stream that may be stored in several ways has a plan for each. Made when it is asked for, as
  // most streams of wide tables have no values; stays where it is. Threads must not share a slot.
  RememberedPlan* Of(uint32_t slot, uint32_t way = 0);

  bool shares() const { return shares_; }

  // Offers what was chosen since the last call to streams that look alike. Not while others encode:
  // what a stream finds must not depend on how fast they are.
  void Share();

  // Plans of pages that are alike, at most three; pages that are alike and yet came to other sizes
  // have plans of their own.
  std::vector<const ProvenPlan*> FindAlike(const PageProfile& profile) const;

  double choose_seconds() const;

 private:
  static constexpr size_t kMostShared = 1024;
  static constexpr size_t kMostAlike = 3;
  bool shares_;
  std::vector<std::unique_ptr<RememberedPlan>> plans_;
  struct Shared {
    PageProfile profile;
    ProvenPlan proven;
  };
  std::vector<Shared> shared_;
};

}  // namespace dsi::internal
