// Reads that depend on each other, made in as few steps as they can be.
//
// A lookup in the directory ends where it finds that something is not in memory. While this object
// notes, that is written down instead of being read, and the lookup fails; whoever looks goes on
// with everything else that it will need, and then all that was noted is read in one step
// (RandomAccessFile::ReadMany). Looking again gets one step further. So there are as many steps as
// the longest chain of lookups has links, however many lookups there are. LookTogether does that.
//
// Nothing is believed on the way: seals and rules are checked when a block is taken from here, as
// when it is read. What is guessed wrongly costs bytes, and nothing else.
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/memory_budget_internal.h"
#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/reader/open/held_bytes_internal.h"
#include "dsi/reader/open/held_file_internal.h"
#include "dsi/reader/read_plan.h"

namespace dsi::internal {

// A read takes so long that several are made at once, and none twice.
inline bool TakesLong(const SourceCosts& costs) { return costs.latency_s >= 1e-3; }

class LookAhead {
 public:
  // What is held is charged to `budget`, which may be null. File and budget outlive it.
  LookAhead(const HeldFile* file, const ReaderOptions& options, MemoryBudget* budget);

  // Whether steps of the source take long enough to be counted: not those of memory.
  bool pays() const { return pays_; }
  // A table or section up to this size is read whole, rather than in steps.
  uint64_t whole_bytes() const { return whole_bytes_; }
  // The same for one whose place in the chain of lookups is the last before the pages.
  uint64_t last_whole_bytes() const { return last_whole_bytes_; }
  // Pages that are read ahead of need, rather than in one more step.
  uint64_t few_bytes() const { return few_bytes_; }

  // The stripe that is read first; none, if there is no such. What it has of a column is noted with
  // the column.
  void set_stripe(size_t stripe) { stripe_ = stripe; }
  std::optional<size_t> stripe() const { return stripe_; }

  void SetNoting(bool noting) { is_noting_ = noting; }
  bool is_noting() const { return is_noting_; }

  // Bytes that are in memory, as long as this object is not changed; null: they are not.
  const std::byte* At(uint64_t offset, uint64_t size) const {
    const std::byte* const bytes = held_.At(offset, size);
    return bytes != nullptr ? bytes : file_->At(offset, size);
  }
  // Fills dst from what is held; else notes the range, and fails, or reads it, where nothing is
  // noted.
  Status Read(uint64_t offset, std::span<std::byte> dst);
  // Wants a range, as far as it is not held and lies in the file.
  void Note(uint64_t offset, uint64_t size);
  // If there are, what lookups say does not count.
  bool has_notes() const { return !noted_.empty(); }
  size_t num_notes() const { return noted_.size(); }
  // Reads what was noted in one step, neighbours as one. False: nothing was, or there is no room.
  Result<bool> ReadNoted();
  // What may be noted, that all of it is read.
  uint64_t Room() const;

  // Bytes of a range that is held, with a share in their memory; null: it is not.
  std::shared_ptr<const std::byte> Find(uint64_t offset, uint64_t size) const {
    return held_.Find(offset, size);
  }
  // For the blocks that lookups decompress.
  DecodeScratch* scratch() { return &scratch_; }
  // Bytes that were read otherwise.
  void Hold(HeldBytes held) { held_.Add(std::move(held)); }
  // All that is held.
  HeldBytes TakeHeld();
  void Forget();

  uint64_t steps() const { return steps_; }
  uint64_t reads() const { return reads_; }
  uint64_t bytes() const { return bytes_; }

 private:
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  std::vector<Range> Joined();

  const HeldFile* file_;
  MemoryBudget* budget_;
  bool pays_;
  uint64_t whole_bytes_;
  uint64_t last_whole_bytes_;
  uint64_t few_bytes_;
  uint64_t gap_;
  uint64_t max_read_bytes_;
  std::optional<size_t> stripe_;
  bool is_noting_ = false;
  std::vector<Range> noted_;
  DecodeScratch scratch_;
  HeldBytes held_;
  uint64_t held_bytes_ = 0;
  uint64_t steps_ = 0;
  uint64_t reads_ = 0;
  uint64_t bytes_ = 0;
};

// Calls look() until it notes nothing more, reading what it noted in between, and returns what it
// says then: a Status or a Result.
template <typename Look>
auto LookTogether(LookAhead* ahead, const Look& look) -> decltype(look()) {
  // Chains are short: a name, its column, its groups, their streams, their pages. Files that make
  // them longer are read as they come.
  constexpr int kMostSteps = 16;
  struct Noting {
    explicit Noting(LookAhead* of) : ahead(of) { ahead->SetNoting(true); }
    ~Noting() { ahead->SetNoting(false); }
    LookAhead* ahead;
  };
  for (int step = 0; step < kMostSteps && ahead->pays(); ++step) {
    {
      const Noting noting(ahead);
      auto result = look();
      if (!ahead->has_notes()) return result;
    }
    DSI_ASSIGN_OR_RETURN(const bool has_read, ahead->ReadNoted());
    if (!has_read) break;
  }
  return look();
}

}  // namespace dsi::internal
