// The values of one column in one stripe: one stream that advances with the batches, or a pool that
// is put together from its tiers (spec D-014) when it is first needed.
//
// A pool of tiers is kept for the whole stripe. Where the plan left tiers out, only what it did
// read is there, the newest end of each chain behind that of the one before, and lists are cut to
// what is asked for: their places are then this column's own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dsi/reader/decode/shape_decoder_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/reader/decode/stream_window_internal.h"

namespace dsi::internal {

// The values of one column for the unique rows of the current rows.
struct ValuesView {
  const std::byte* values = nullptr;  // Of the shape view's first_value.
  uint64_t num_values = 0;            // Readable from there on.
  // Where lists are cut: the place of each of the view's unique rows in `values`, and its entries.
  // Null: as the shape says.
  const uint64_t* starts = nullptr;
  const uint32_t* lengths = nullptr;
};

class PoolDecoder {
 public:
  explicit PoolDecoder(MemoryBudget* budget)
      : budget_(budget),
        pool_(budget),
        segments_(budget),
        starts_(budget),
        lengths_(budget),
        unfit_(budget) {}

  // `shape` knows the chains; it is asked when values are required. Other arguments as those of
  // StreamWindow::Start.
  Status Start(const StripeContext* context, const ColumnPlan& column, const Conversion* convert,
               StreamWindow* dictionary, const ShapeDecoder* shape, bool keep_all);

  // Makes the values of the shape's current view readable.
  Status Require();
  // Pages that Require would decode whole, for a team to do so.
  Status AddKeptPages(std::vector<StreamWindow::KeptPage>* pages);
  ValuesView values() const;
  uint64_t num_values() const { return num_values_; }
  // Whether all entries of a unique row fit the type asked for. `view` is that of the shape, with
  // its arrays.
  bool Fits(uint32_t slot, const ShapeView& view) const;
  bool any_unfit() const { return tiered_ ? !unfit_.empty() : windows_[0]->any_unfit(); }
  std::string Describe() const { return windows_[0]->Describe(); }

 private:
  // What is there of a chain: positions [begin, end) of the whole pool, from `place` on here.
  struct Segment {
    uint64_t chain_begin = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t place = 0;
  };

  Status Assemble();
  uint64_t LayOutSegments();
  Status AddTier(uint32_t tier);
  Status CutLists();

  MemoryBudget* budget_;
  std::vector<std::unique_ptr<StreamWindow>> windows_;  // Per tier; grows to the most ever needed.
  ScanBuffer pool_;
  CountedVector<Segment> segments_;
  CountedVector<uint64_t> starts_;
  CountedVector<uint32_t> lengths_;
  const ShapeDecoder* shape_ = nullptr;
  bool tiered_ = false;
  bool assembled_ = false;
  bool keep_all_ = false;
  uint32_t num_tiers_ = 0;   // In the file …
  uint32_t read_tiers_ = 0;  // … and in the plan.
  uint32_t newest_ = 0;
  size_t width_ = 8;               // Of a value in the pool.
  uint64_t num_values_ = 0;        // Of the pool in the file …
  uint64_t num_kept_ = 0;          // … and here.
  CountedVector<uint64_t> unfit_;  // Positions here, ascending.
};

}  // namespace dsi::internal
