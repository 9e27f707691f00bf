#include "dsi/reader/open/look_ahead_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/reader/open/range_memory_internal.h"

namespace dsi::internal {
namespace {

// A source whose reads take less than this answers at once.
constexpr double kLeastLatency = 1e-5;
// Tables below this are read whole, where a step takes longer than reading them.
constexpr uint64_t kMostWhole = 1 << 20;
// Held at once; beyond it lookups read for themselves.
constexpr uint64_t kMostHeld = 64 << 20;
// Of bytes in memory, as in the file.
constexpr uint64_t kAlignment = 8;
// Ranges share memory up to this, which goes when all of them are done with.
constexpr uint64_t kSharedBytes = 256 << 10;
// Of what is left of a budget.
constexpr uint64_t kShareOfBudget = 4;
// Pages read ahead of need take at most as long as so many steps.
constexpr uint64_t kStepsOfPages = 8;

}  // namespace

LookAhead::LookAhead(const HeldFile* file, const ReaderOptions& options, MemoryBudget* budget)
    : file_(file), budget_(budget), max_read_bytes_(options.max_read_bytes) {
  const SourceCosts costs = file->costs();
  pays_ = costs.latency_s >= kLeastLatency;
  whole_bytes_ = std::min(kMostWhole, BytesOfLatency(costs));
  last_whole_bytes_ = pays_ ? kMostWhole : whole_bytes_;
  few_bytes_ = kStepsOfPages * std::min(kMostWhole, BytesOfLatency(costs));
  gap_ = options.coalesce_gap.value_or(GapWorthReading(costs));
}

Status LookAhead::Read(uint64_t offset, std::span<std::byte> dst) {
  const std::byte* const bytes = At(offset, dst.size());
  if (bytes != nullptr) {
    std::copy_n(bytes, dst.size(), dst.begin());
    return Status::Ok();
  }
  if (is_noting_) {
    Note(offset, dst.size());
    if (has_notes()) return {StatusCode::kCancelled, "not read yet"};
  }
  // What cannot be noted is read as well, or found not to be there.
  return file_->ReadAt(offset, dst);
}

void LookAhead::Note(uint64_t offset, uint64_t size) {
  const uint64_t file_size = file_->size();
  const bool fits = offset <= file_size && size <= file_size - offset;
  if (!fits || size == 0 || held_bytes_ >= kMostHeld) return;
  if (At(offset, size) == nullptr) noted_.push_back({offset, offset + size});
}

std::vector<LookAhead::Range> LookAhead::Joined() {
  std::sort(noted_.begin(), noted_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> joined;
  for (Range range : noted_) {
    range.begin -= range.begin % kAlignment;
    if (!joined.empty()) {
      Range& last = joined.back();
      const uint64_t end = std::max(last.end, range.end);
      const bool near = range.begin - last.begin <= last.end - last.begin + gap_ &&
                        end - last.begin <= max_read_bytes_;
      if (near || range.begin < last.end) {
        last.end = end;
        continue;
      }
    }
    joined.push_back(range);
  }
  noted_ = std::vector<Range>();  // Of thousands of columns they are megabytes.
  return joined;
}

uint64_t LookAhead::Room() const {
  const uint64_t room = kMostHeld - std::min(held_bytes_, kMostHeld);
  return budget_ == nullptr ? room : std::min(room, budget_->left() / kShareOfBudget);
}

Result<bool> LookAhead::ReadNoted() {
  const std::vector<Range> ranges = Joined();
  uint64_t sum = 0;
  for (const Range& range : ranges) sum += range.end - range.begin;
  if (sum == 0 || sum > Room()) return false;
  std::vector<ReadRequest> requests;
  HeldBytes read;
  std::shared_ptr<RangeMemory> memory;  // Of ranges one after the other, so that few are allocated.
  uint64_t used = 0;
  uint64_t capacity = 0;
  uint64_t left = sum;
  for (const Range& range : ranges) {
    const uint64_t size = range.end - range.begin;
    used = std::min(capacity, AlignUp(used, kAlignment));
    if (size > capacity - used) {
      memory = std::make_shared<RangeMemory>(budget_);
      capacity = std::max(size, std::min(left, kSharedBytes));
      used = 0;
      // Whoever needs the bytes says so, if there is still no room then.
      if (!memory->Reserve(capacity).ok()) return false;
    }
    std::byte* const bytes = memory->bytes() + used;
    requests.push_back({range.begin, {bytes, size}});
    read.Add(range.begin, size, {memory, bytes});
    used += size;
    left -= size;
  }
  DSI_RETURN_IF_ERROR(file_->ReadMany(requests));
  held_.Add(std::move(read));
  held_bytes_ += sum;
  ++steps_;
  reads_ += ranges.size();
  bytes_ += sum;
  return true;
}

HeldBytes LookAhead::TakeHeld() {
  held_bytes_ = 0;
  return std::exchange(held_, HeldBytes());
}

void LookAhead::Forget() {
  noted_.clear();
  held_.Clear();
  held_bytes_ = 0;
}

}  // namespace dsi::internal
