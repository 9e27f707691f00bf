// The rows of a window (or of one batch), decoded, wherever in the dataset they lie.
//
// Rows are counted in ascending order of their numbers in the dataset. Decoders stay on their
// stripes from window to window where rows of these come next and lie ahead.
//
// Thread safety: one thread at a time, which has the team of the scan help it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/base/memory_budget_internal.h"
#include "dsi/dataset/order/row_order_internal.h"
#include "dsi/dataset/scan/scan_files_internal.h"
#include "dsi/dataset/scan/stripe_part_internal.h"

namespace dsi::internal {

class Window {
 public:
  // Files and team outlive it.
  Window(ScanFiles* files, WorkerTeam* team, MemoryBudget* budget, uint32_t batch_size)
      : files_(files),
        budget_(budget),
        ahead_(team, budget, batch_size),
        blocks_(budget),
        skipped_(budget),
        in_part_(budget),
        taken_(budget) {}

  // What will be loaded, all rows of which will be taken: helpers may begin with it before that.
  void DecodeAhead(std::unique_ptr<StripeVisits> visits) { ahead_.Follow(std::move(visits)); }

  // Decodes these rows of the dataset, which are apart and in ascending order. `number`: of the
  // batch that comes first of them. `at_once`: they are taken all together. Errors: those of
  // opening, reading and decoding; kOutOfRange for a value that does not fit its dtype. What was
  // taken before is void.
  Status Load(std::span<const RowSpan> spans, uint64_t number, bool at_once);
  uint32_t num_rows() const { return num_rows_; }
  // Rows at which a session begins, as far as the window shows it; the first is 0.
  void FindSessions(std::vector<uint32_t>* starts);
  // Of `rows` (ascending), or of all where that is empty, those that pass the filter, as pieces of
  // a batch, and their numbers in the dataset.
  Status Take(std::span<const uint32_t> rows, std::vector<BatchPiece>* pieces,
              std::vector<uint64_t>* numbers);
  // Adds what reading took so far, and rows that were dropped.
  void AddTo(ScanStats* stats) const;

 private:
  struct Part {
    ScanFile* file = nullptr;
    size_t number = 0;  // Of the file.
    size_t stripe = 0;
    uint64_t stripe_row = 0;  // Row of the dataset where the stripe begins.
    uint32_t first = 0;       // Row of the window.
    size_t first_block = 0;
    bool follows = false;  // Its first row comes in the file behind the last of the part before.
    std::unique_ptr<StripePart> rows = {};
  };
  Status FindParts(std::span<const RowSpan> spans);
  std::span<const StripeBlock> BlocksOf(size_t part) const;
  std::unique_ptr<StripePart> TakeIdle(const Part& part, bool goes_on);
  static void AddWork(const ScanStats& work, ScanStats* to);

  ScanFiles* files_;
  MemoryBudget* budget_;
  StripesAhead ahead_;
  std::vector<Part> parts_;
  CountedVector<StripeBlock> blocks_;              // Of all parts.
  std::vector<std::unique_ptr<StripePart>> idle_;  // While a window is loaded: of the one before.
  uint32_t num_rows_ = 0;
  CountedVector<uint32_t> skipped_;  // Where rows begin of files that the filter passes over.
  CountedVector<uint32_t> in_part_, taken_;
  ScanStats past_;  // Of stripes that are done with.
};

}  // namespace dsi::internal
