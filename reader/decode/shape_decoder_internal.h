// The shape of a feature in one stripe, and where each unique row's entries lie in its values
// streams (spec D-010, D-011, D-013).
//
// Advances with the batches: a view covers the unique rows asked for. Sums of lengths are carried
// along, so that a values window needs to hold only the entries of the view. Dense columns that are
// present everywhere have no arrays at all, and where few rows are present these are listed.
// Windows into a pool are decoded at once for the whole stripe (9 to 13 bytes and a few ns per
// unique row).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "dsi/base/prefetch_internal.h"
#include "dsi/dedup/expand_internal.h"
#include "dsi/dedup/place_windows_internal.h"
#include "dsi/reader/decode/present_rows_internal.h"
#include "dsi/reader/decode/stream_window_internal.h"

namespace dsi::internal {

// Unique rows [first, first + count) of a feature.
struct ShapeView {
  uint32_t first = 0;
  uint32_t count = 0;
  bool plain = false;   // Every unique row is present with `entries` entries; the arrays are empty.
  bool sparse = false;  // Few are present: these are in `rows`; the arrays are empty.
  bool windows = false;      // Rows may overlap and stand in any order.
  bool packed = false;       // Windows of a general group: starts hold lengths as well (PackPlace).
  uint32_t entries = 1;      // Scalars 1, embeddings their length; lists: meaningless.
  uint64_t first_value = 0;  // Entries of the view: [first_value, end_value) of the values streams.
  uint64_t end_value = 0;
  const uint64_t* starts = nullptr;   // [count], from first_value.
  const uint32_t* lengths = nullptr;  // [count], 0 for a missing row.
  const uint8_t* present = nullptr;   // [count]
  std::span<const PresentRow> rows;   // Sparse: ascending.

  // As ValuePool has them.
  const uint64_t* places() const { return packed ? starts : nullptr; }
  uint64_t Start(uint32_t u) const { return packed ? StartOfPlace(starts[u]) : starts[u]; }
};

class ShapeDecoder {
 public:
  explicit ShapeDecoder(MemoryBudget* budget) : rows_(budget), codes_(budget) {}

  // `windows` null: values stand one after another. `num_values`: of the feature's values streams;
  // kUnknownValues: nobody asks where they lie.
  // `keep_all`: a general group, whose batches may touch any unique row. `may_be_sparse`: so may
  // the view.
  Status Start(const StripeContext* context, const PlannedStream* stream,
               const PlannedStream* windows, const ColumnRecord& leader, uint32_t num_unique,
               uint64_t num_values, bool keep_all, bool may_be_sparse = false);
  // Moves the view to [first, first + count). `first` is at least the last unique row of the view
  // before, unless everything is kept.
  Status Require(uint32_t first, uint32_t count);
  // Pages that Require would decode whole, for a team to do so.
  Status AddKeptPages(std::vector<StreamWindow::KeptPage>* pages) {
    DSI_RETURN_IF_ERROR(codes_.AddKeptPages(pages));
    return windowed_ ? windows_->steps.AddKeptPages(pages) : Status::Ok();
  }
  // No helper works for it any more.
  void StopAhead() { codes_.StopAhead(); }
  const ShapeView& view() const { return view_; }
  // Have on its way what a later call will look at: this object; then, once that came, what Require
  // looks at, or who uses the view.
  void Prefetch() const { PrefetchLines(this, kHotBytes); }
  void PrefetchNext() const {
    PrefetchLines(rows_.data() + next_row_ + view_.rows.size(), kRowBytes);
  }
  void PrefetchView() const { PrefetchLines(view_.rows.data(), kRowBytes); }
  // The view with its arrays filled in even where it is plain or sparse.
  Result<ShapeView> Arrays();
  // The view is not sparse any more.
  Status Unlist();
  uint64_t num_values() const { return num_values_; }
  // Of windows, after Require: the chains of the pool (D-013), in order.
  Chains chains() const { return windows_->chains; }
  bool newest_first() const { return windows_->newest_first; }

 private:
  static constexpr size_t kHotBytes = 256;  // Of this, up to codes_.
  static constexpr size_t kRowBytes = 128;  // Of rows_, as far as batches look ahead.

  Status CheckEnd() const;
  Status Pass(uint32_t to);
  Status Scan(uint32_t first, uint32_t count);
  Status ScanSparse(uint32_t first, uint32_t count);
  Status ListPresent(uint64_t end);
  Status CheckGreatest(uint32_t first, uint32_t end) const;
  Status CheckConstant(uint64_t code, uint32_t num_unique, uint64_t num_values) const;
  Status PlaceAll();
  Status PlaceSome(uint32_t first, WindowPlacer* placer, size_t* num_chains);
  Status ViewWindows(uint32_t first, uint32_t count);

  // What only features of windows have: most of thousands have none.
  struct Windows {
    explicit Windows(MemoryBudget* budget)
        : steps(budget), places(budget), lowest(budget), chain_bounds(budget), charge(budget) {
      charge.Set(sizeof(*this));
    }
    StreamWindow steps;
    // Unless everything is kept: the start of every unique row of the stripe, and for some rows at
    // a time the lowest of theirs and of all after them.
    ScanBuffer places;
    CountedVector<uint32_t> lowest;
    ScanBuffer chain_bounds;
    Chains chains;
    bool newest_first = false;
    uint32_t stated_reach = 0;  // 1 + the reach; 0: no tiers.
    MemoryCharge charge;
  };

  // What every batch looks at stands together.
  ShapeView view_;
  bool windowed_ = false;
  bool placed_ = false;
  bool has_lengths_ = false;
  bool keep_all_ = false;
  bool is_sparse_ = false;
  uint32_t entries_ = 1;
  uint32_t num_unique_ = 0;
  uint32_t max_code_ = 0;  // As the record states it.
  uint32_t max_seen_ = 0;
  uint32_t listed_ = 0;  // Sparse: unique rows looked at.
  uint32_t unique_ = 0;  // The entries of this unique row …
  uint64_t value_ = 0;   // … start here.
  uint64_t num_values_ = 0;
  // Sparse: rows that are present, from those of the view on, as far as they are decoded.
  CountedVector<PresentRow> rows_;
  size_t next_row_ = 0;  // The first of them that is not passed.
  StreamWindow codes_;
  // For views that are neither plain nor sparse.
  struct RowArrays {
    explicit RowArrays(MemoryBudget* budget)
        : starts(budget), lengths(budget), present(budget), charge(budget) {
      charge.Set(sizeof(*this));
    }
    ScanBuffer starts, lengths, present;
    MemoryCharge charge;
  };
  RowArrays& arrays() {
    if (arrays_ == nullptr) arrays_ = std::make_unique<RowArrays>(codes_.budget());
    return *arrays_;
  }
  std::unique_ptr<RowArrays> arrays_;  // Once they were needed.
  uint32_t plain_ready_ =
      0;  // Plain: entries of the arrays that are filled in; they are the same for every view.
  std::unique_ptr<Windows> windows_;  // Once it was needed.
};

}  // namespace dsi::internal
