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

#include "dsi/base/prefetch_internal.h"
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
  uint32_t width =
      0;  // Bytes that each is held in, where these may be fewer; 0: those of its type.
};

class PoolDecoder {
 public:
  explicit PoolDecoder(MemoryBudget* budget) : newest_tier_(budget) {}

  // `shape` knows the chains; it is asked when values are required. `may_be_narrow`: who looks
  // at values of whole numbers that are kept goes by ValuesView::width. Other arguments as those
  // of StreamWindow::Start.
  Status Start(const StripeContext* context, const ColumnPlan& column, const Conversion* convert,
               StreamWindow* dictionary, const ShapeDecoder* shape, bool keep_all,
               bool may_be_narrow = false);

  // Makes the values of the shape's current view readable.
  Status Require();
  // Pages that Require would decode whole, for a team to do so.
  Status AddKeptPages(std::vector<StreamWindow::KeptPage>* pages);
  // No helper works for it any more.
  void StopAhead() { newest_tier_.StopAhead(); }
  ValuesView values() const;
  uint64_t num_values() const { return num_values_; }
  // Have on its way what a later call will look at: this object, then the values.
  void Prefetch() const { PrefetchLines(this, sizeof(*this)); }
  void PrefetchValues() const {
    const ShapeView& view = shape_->view();
    const uint64_t bytes = (view.end_value - view.first_value) * width_;
    PrefetchLines(newest_tier_.At(view.first_value), std::min(bytes, kMostPrefetched));
  }
  // Whether all entries of a unique row fit the type asked for. `view` is that of the shape, with
  // its arrays.
  bool Fits(uint32_t slot, const ShapeView& view) const;
  bool any_unfit() const { return tiered_ ? !tiers_->unfit.empty() : newest_tier_.any_unfit(); }
  std::string Describe() const { return newest_tier_.Describe(); }

 private:
  // More of one column the CPU fetches ahead by itself.
  static constexpr uint64_t kMostPrefetched = 256;

  // What is there of a chain: positions [begin, end) of the whole pool, from `place` on here.
  struct Segment {
    uint64_t chain_begin = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t place = 0;
  };

  void StartTiers(const StripeContext* context, const ColumnPlan& column, const Conversion* convert,
                  StreamWindow* dictionary, MappedEntries* mapped);
  Status Assemble();
  uint64_t LayOutSegments();
  Status AddTier(uint32_t tier);
  Status CutLists();

  // What only pools of tiers have.
  struct Tiers {
    explicit Tiers(MemoryBudget* budget)
        : pool(budget),
          segments(budget),
          starts(budget),
          lengths(budget),
          unfit(budget),
          charge(budget) {
      charge.Set(sizeof(*this));
    }
    // Of tiers after the newest; as many as were ever needed.
    std::vector<std::unique_ptr<StreamWindow>> older;
    ScanBuffer pool;
    CountedVector<Segment> segments;
    CountedVector<uint64_t> starts;
    CountedVector<uint32_t> lengths;
    bool is_assembled = false;
    uint32_t num_tiers = 0;  // In the file …
    uint32_t num_read = 0;   // … and in the plan.
    uint32_t newest = 0;
    uint64_t num_kept = 0;          // Values of the pool here.
    CountedVector<uint64_t> unfit;  // Positions here, ascending.
    MemoryCharge charge;
  };
  bool is_cut() const { return tiers_->num_read != tiers_->num_tiers; }
  StreamWindow& window(uint32_t tier) {
    return tier == 0 ? newest_tier_ : *tiers_->older[tier - 1];
  }

  MappedEntries* StartMapped(const Conversion* convert, const StreamWindow* dictionary);

  bool tiered_ = false;
  bool keep_all_ = false;
  bool is_to_narrow_ = false;  // Once all values are here.
  uint32_t width_ = 8;         // Of a value in the pool.
  const ShapeDecoder* shape_ = nullptr;
  uint64_t num_values_ = 0;                // Of the pool in the file.
  std::unique_ptr<MappedEntries> mapped_;  // Where there are a map and a dictionary.
  StreamWindow newest_tier_;               // All values, where there are no tiers.
  std::unique_ptr<Tiers> tiers_;           // Once it was needed.
};

}  // namespace dsi::internal
