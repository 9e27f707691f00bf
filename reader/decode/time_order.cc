#include "dsi/reader/decode/time_order_internal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr int kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;

}  // namespace

void TimeSort::Run(std::span<const uint32_t> index, std::span<const int64_t> times,
                   std::span<const uint8_t> present) {
  int64_t oldest = INT64_MAX;
  int64_t newest = INT64_MIN;
  for (size_t u = 0; u < times.size(); ++u) {
    if (present[u] == 0) continue;
    oldest = std::min(oldest, times[u]);
    newest = std::max(newest, times[u]);
  }
  timed_.clear();
  for (uint32_t u = 0; u < times.size(); ++u) {
    if (present[u] == 0) continue;
    timed_.push_back({static_cast<uint64_t>(times[u]) - static_cast<uint64_t>(oldest), u});
  }
  if (!timed_.empty()) SortTimed(static_cast<uint64_t>(newest) - static_cast<uint64_t>(oldest));
  const uint32_t num_ranks = RankTimes(times.size());
  // Rows of equal rank stay in row order.
  place_.assign(num_ranks, 0);
  for (const uint32_t u : index) ++place_[rank_[u]];
  uint32_t sum = 0;
  for (uint32_t& place : place_) sum += std::exchange(place, sum);
  rows_.resize(index.size());
  for (uint32_t row = 0; row < index.size(); ++row) rows_[place_[rank_[index[row]]]++] = row;
}

// By digits, the lowest first.
void TimeSort::SortTimed(uint64_t longest) {
  other_.resize(timed_.size());
  for (int shift = 0; shift < 64 && longest >> shift != 0; shift += kDigitBits) {
    const auto digit = [shift](const Timed& t) { return (t.time >> shift) & (kDigits - 1); };
    std::array<uint32_t, kDigits> at = {};
    for (const Timed& t : timed_) ++at[digit(t)];
    uint32_t sum = 0;
    for (uint32_t& place : at) sum += std::exchange(place, sum);
    for (const Timed& t : timed_) other_[at[digit(t)]++] = t;
    timed_.swap(other_);
  }
}

// Equal times have equal ranks; 0 is that of a missing one. Returns how many there may be.
uint32_t TimeSort::RankTimes(size_t num_times) {
  rank_.assign(num_times, 0);
  uint32_t rank = 0;
  for (size_t i = 0; i < timed_.size(); ++i) {
    if (i == 0 || timed_[i].time != timed_[i - 1].time) ++rank;
    rank_[timed_[i].unique] = rank;
  }
  return rank + 1;
}

Status TimeOrder::Start(const StripeContext* context, const GroupIndexDecoder& group) {
  if (ready_) return Status::Ok();
  const StripePlan& plan = *context->plan;
  const uint32_t num_unique = group.num_unique();
  shape_.Start(context, &plan.streams[plan.time.shape], nullptr, nullptr, false);
  values_.Start(context, &plan.streams[plan.time.values], nullptr, nullptr, false);
  DSI_RETURN_IF_ERROR(shape_.Require(0, num_unique));
  const auto* const codes = reinterpret_cast<const uint8_t*>(shape_.At(0));
  present_.assign(codes, codes + num_unique);
  uint64_t count = 0;
  for (const uint8_t code : present_) {
    if (code > 1) return Corrupt("{}: shape code {} (D-010)", shape_.Describe(), code);
    count += code;
  }
  if (count != values_.num_values()) {
    return Corrupt("{}: {} values, {} rows have one (D-011)", values_.Describe(),
                   values_.num_values(), count);
  }
  DSI_RETURN_IF_ERROR(values_.Require(0, count));
  times_.resize(num_unique);
  uint64_t next = 0;
  for (uint32_t u = 0; u < num_unique; ++u) {
    if (present_[u] != 0) times_[u] = LoadLE<int64_t>(values_.At(0) + 8 * next++);
  }
  sort_.Run(group.all(), times_, present_);
  ready_ = true;
  return Status::Ok();
}

}  // namespace dsi::internal
