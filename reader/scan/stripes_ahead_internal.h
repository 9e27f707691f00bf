// Puts decoders on stripes, and has helpers begin with those behind, so that all of a team has work
// however few groups of features a stripe has.
//
// As many are begun as there are helpers, and as are expected to fit in half of the memory. What
// goes wrong there does so again where the stripe is needed, and is told there.
//
// Thread safety: one thread at a time, the one that calls the team's Run.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "dsi/base/worker_team_internal.h"
#include "dsi/reader/scan/stripe_decoder_internal.h"
#include "dsi/reader/scan/stripe_visits_internal.h"

namespace dsi::internal {

class StripesAhead {
 public:
  // Both outlive it. `batch_size`: so many rows of a stripe are wanted first.
  StripesAhead(WorkerTeam* team, const MemoryBudget* budget, uint32_t batch_size)
      : team_(team), budget_(budget), batch_size_(batch_size) {}
  ~StripesAhead();

  // The stripes that will be come to; without, each is begun when it is.
  void Follow(std::unique_ptr<StripeVisits> visits) {
    visits_ = std::move(visits);
    is_over_ = team_->size() == 1;
  }

  // Puts `*decoder`, a parked one or null, or another in its place, on the stripe of a visit, for
  // its rows [first, first + num_rows) first. Visits come in ascending order; those before it that
  // were begun are given up.
  Status Begin(const VisitKey& visit, ScanShared* shared, size_t stripe, uint32_t first,
               uint32_t num_rows, std::unique_ptr<StripeDecoder>* decoder);
  // Wants more stripes begun, if there is room by now.
  void StartMore() { StartMore(1); }
  // A decoder that is not needed is parked, and kept while it may be used again.
  void Spare(std::unique_ptr<StripeDecoder> decoder);

 private:
  // A decoder, and what it is of.
  struct Held {
    std::shared_ptr<const void> owner;
    std::unique_ptr<StripeDecoder> decoder;
  };
  struct Begun final : WorkerTeam::Task {
    void Do() override;

    StripeVisits* visits = nullptr;
    VisitKey visit;
    StripeRows rows;  // Wanted first.
    Held held;
    Status status;
  };

  void StartMore(size_t num_others);
  bool HasRoom(size_t num_others) const;
  std::unique_ptr<StripeDecoder> Take(const VisitKey& visit);
  Held TakeSpare();

  WorkerTeam* team_;
  const MemoryBudget* budget_;
  const uint32_t batch_size_;
  std::unique_ptr<StripeVisits> visits_;
  bool is_over_ = true;              // No more are begun.
  std::optional<StripeVisit> next_;  // Of the visits, not wanted yet.
  VisitKey current_;
  const ScanShared* shared_ = nullptr;        // Of the current one.
  uint64_t stripe_bytes_ = 0;                 // Expected of the current one.
  std::deque<std::unique_ptr<Begun>> begun_;  // Ascending.
  std::vector<Held> spare_;                   // Of the file of the current one.
};

}  // namespace dsi::internal
