// A window over one stream of a stripe: decoded values [begin, end), advanced page by page, so that
// what a batch needs stays in cache and memory stays bounded.
//
// Values are decoded straight to the window's tail; what lies before the batch is dropped when room
// is needed. A constant stream (form 1) has no pages: a short buffer of equal values serves every
// position. Values are converted to the requested type once, when their page is decoded. Thread
// safety: one thread at a time, but for what RequireAll says.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/base/memory_budget_internal.h"
#include "dsi/base/worker_team_internal.h"
#include "dsi/format/types.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/reader/decode/convert_values_internal.h"
#include "dsi/reader/decode/mapped_entries_internal.h"
#include "dsi/reader/decode/scan_buffer_internal.h"

namespace dsi::internal {

// What a thread needs to decode pages, and what it did with it.
struct DecodeRoom {
  explicit DecodeRoom(MemoryBudget* budget) : scratch(budget), staging(budget) {}
  DecodeScratch scratch;
  ScanBuffer staging;  // A page before conversion.

  // Entries of values streams. Any thread may look.
  void CountDecoded(uint64_t count) {
    std::atomic_ref(values_decoded_).fetch_add(count, std::memory_order_relaxed);
  }
  uint64_t values_decoded() const {
    return std::atomic_ref(values_decoded_).load(std::memory_order_relaxed);
  }
  // A value did not fit the type asked for, at some time.
  void NoteUnfit() { std::atomic_ref(any_unfit_).store(true, std::memory_order_relaxed); }
  bool any_unfit() const { return std::atomic_ref(any_unfit_).load(std::memory_order_relaxed); }

 private:
  mutable uint64_t values_decoded_ = 0;
  mutable bool any_unfit_ = false;
};

// What all windows of one stripe share.
struct StripeContext {
  PageReader* pages = nullptr;
  const StripePlan* plan = nullptr;
  std::span<const OpenColumn> columns;
  uint32_t page_values = 0;
  // One for each thread of the team that decodes, at least one.
  std::span<DecodeRoom> rooms;
  // Held while a window decodes all for others; null: there is one thread.
  std::recursive_mutex* lending = nullptr;
  WorkerTeam* team = nullptr;              // Null: nobody helps.
  std::atomic<bool>* any_ahead = nullptr;  // Set where helpers work for a window.

  DecodeRoom& room() const { return rooms[std::min(WorkerTeam::current(), rooms.size() - 1)]; }
};

class StreamWindow {
  class AheadPage;

 public:
  explicit StreamWindow(MemoryBudget* budget);
  ~StreamWindow();

  // Starts on a stream. `convert` null: values as stored. `dictionary` null: no id space.
  // `keep_all`: nothing is ever dropped. `mapped` null: what a map makes of the dictionary's
  // entries is found where values refer to them.
  void Start(const StripeContext* context, const PlannedStream* stream, const Conversion* convert,
             StreamWindow* dictionary, bool keep_all, MappedEntries* mapped = nullptr);

  // Makes values [first, end) readable at At(first); `first` never goes back unless everything is
  // kept. end <= num_values().
  Status Require(uint64_t first, uint64_t end);
  // All values of a window that keeps all. Windows that look up in this one may be asked for theirs
  // by several threads, which call this at once.
  Status RequireAll();
  // The value at position i and those after it, up to the end required last. Null or meaningless
  // where nothing was required there.
  const std::byte* At(uint64_t i) const {
    if (constant_ || i <= begin_ || i > end_) return buffer_.data();
    return buffer_.data() + (i - begin_) * width_;
  }

  // Values readable at At(i): at least those up to the end required last.
  uint64_t num_readable(uint64_t i) const { return constant_ ? filled_ : end_ - std::min(i, end_); }

  uint64_t num_values() const { return stream_->record.num_values; }
  bool constant() const { return constant_; }
  bool looks_up() const { return dictionary_ != nullptr; }
  int width() const { return static_cast<int>(width_); }
  MemoryBudget* budget() const { return buffer_.budget(); }
  const PlannedStream& stream() const { return *stream_; }
  // First position in [first, end) whose value did not fit the requested type; UINT64_MAX: none.
  uint64_t FirstUnfit(uint64_t first, uint64_t end) const;
  bool any_unfit() const { return constant_unfit_ || !unfit_.empty(); }
  // Of a window that keeps all, once all was required: if all its numbers fit fewer bytes than
  // their type has, they are held in these from now on (width()).
  void Narrow();
  // Gives the memory back; what was read from it counts as passed.
  void Release();

  // For a team that decodes all pages of a window that keeps all at once: adds them to `pages`,
  // once there is memory for them; then DecodeKept for each of these, and then FinishKept. None
  // where there is nothing to decode.
  struct KeptPage {
    StreamWindow* window = nullptr;
    uint32_t page = 0;
  };
  Status AddKeptPages(std::vector<KeptPage>* pages);
  Status DecodeKept(uint32_t page);
  // Not all sound: Require decodes them again, one after the other.
  void FinishKept(bool all_sound);
  // No helper works for this window any more.
  void StopAhead();
  // "stripe 0, column a, values stream".
  std::string Describe() const {
    return DescribeStream(*context_->plan, context_->columns, *stream_);
  }

 private:
  Status FillConstant(uint64_t count);
  uint64_t PageValues() const;
  uint64_t CountOf(uint32_t page) const;
  Status AppendPage(uint32_t page);
  Status DecodePage(uint32_t page, std::byte* to, CountedVector<uint64_t>* unfit) const;
  Status Convert(const void* from, size_t count, uint64_t position, std::byte* to,
                 CountedVector<uint64_t>* unfit) const;
  void StartAhead(uint64_t num_wanted);
  Result<bool> TakeAhead(uint32_t page);
  void Drop(uint64_t first);

  ScanBuffer buffer_;
  const StripeContext* context_ = nullptr;
  const PlannedStream* stream_ = nullptr;
  const Conversion* convert_ = nullptr;
  StreamWindow* dictionary_ = nullptr;
  MappedEntries* mapped_ = nullptr;
  bool keep_all_ = false;
  bool constant_ = false;
  bool constant_unfit_ = false;
  size_t width_ = 8;    // Of a value in the window.
  uint64_t begin_ = 0;  // Values [begin_, end_) are in the buffer.
  uint64_t end_ = 0;
  uint64_t filled_ = 0;               // Constant: values in the buffer.
  CountedVector<uint64_t> unfit_;     // Positions, ascending.
  std::unique_ptr<AheadPage> ahead_;  // Where there is a team.
};

}  // namespace dsi::internal
