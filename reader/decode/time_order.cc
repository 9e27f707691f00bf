#include "dsi/reader/decode/time_order_internal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/reader/decode/index_decoder_internal.h"

namespace dsi::internal {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

int64_t TimeOf(const RowTimes& times, uint32_t unique) {
  return LoadLE<int64_t>(times.times + size_t{8} * unique);
}

bool IsTimed(const RowTimes& times, uint32_t row) {
  return times.is_timed.empty() || times.is_timed[times.index[row]] != 0;
}

// Rows of an owner, which ascend. Where the least time is among them, one may have none.
bool AreInOrder(const RowTimes& times, std::span<const uint32_t> rows) {
  int64_t before = kLeast;
  bool any_earlier = false;
  bool any_least = false;
  for (const uint32_t row : rows) {
    const int64_t time = TimeOf(times, times.index[row]);
    any_earlier |= time < before;
    any_least |= time == kLeast;
    before = time;
  }
  return !any_earlier && (times.is_timed.empty() || !any_least);
}

}  // namespace

std::span<const uint32_t> RowsByTime::Sorted() {
  const auto num_rows = static_cast<uint32_t>(times_.index.size());
  if (sorted_.size() == num_rows) return sorted_;
  sorted_.clear();
  sorted_.reserve(num_rows);
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t greatest = kLeast;
  for (uint32_t row = 0; row < num_rows; ++row) {
    if (!IsTimed(times_, row)) {
      sorted_.push_back(row);
      continue;
    }
    least = std::min(least, TimeOf(times_, times_.index[row]));
    greatest = std::max(greatest, TimeOf(times_, times_.index[row]));
  }
  const size_t num_untimed = sorted_.size();
  const uint64_t span = static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least);
  if (num_untimed != num_rows) {
    const int row_bits = static_cast<int>(std::bit_width(num_rows));
    if (static_cast<int>(std::bit_width(span)) + row_bits <= 64) {
      AddByDigits(least, row_bits);
    } else {
      AddByComparing();
    }
  }
  return sorted_;
}

// By counting, digit by digit from the lowest, those that differ.
void RowsByTime::AddByDigits(int64_t least, int row_bits) {
  constexpr int kDigitBits = 11;
  CountedVector<uint64_t> keyed(budget_), next(budget_);  // The time since the least, the row.
  keyed.reserve(times_.index.size() - sorted_.size());
  uint64_t any = 0;
  for (uint32_t row = 0; row < times_.index.size(); ++row) {
    if (!IsTimed(times_, row)) continue;
    const uint64_t since =
        static_cast<uint64_t>(TimeOf(times_, times_.index[row])) - static_cast<uint64_t>(least);
    any |= since;
    keyed.push_back(since << row_bits | row);
  }
  next.resize(keyed.size());
  const int num_bits = static_cast<int>(std::bit_width(any));
  for (int bit = 0; bit < num_bits; bit += kDigitBits) {
    const auto digit = [shift = bit + row_bits](uint64_t key) {
      return (key >> shift) % (1U << kDigitBits);
    };
    std::array<uint32_t, 1U << kDigitBits> places = {};
    for (const uint64_t key : keyed) ++places[digit(key)];
    uint32_t before = 0;
    for (uint32_t& place : places) before += std::exchange(place, before);
    for (const uint64_t key : keyed) next[places[digit(key)]++] = key;
    keyed.swap(next);
  }
  const uint64_t row_mask = (uint64_t{1} << row_bits) - 1;
  for (const uint64_t key : keyed) sorted_.push_back(static_cast<uint32_t>(key & row_mask));
}

// Times so far apart that they do not stand beside a row in 64 bits.
void RowsByTime::AddByComparing() {
  const size_t begin = sorted_.size();
  for (uint32_t row = 0; row < times_.index.size(); ++row) {
    if (IsTimed(times_, row)) sorted_.push_back(row);
  }
  std::sort(sorted_.begin() + static_cast<ptrdiff_t>(begin), sorted_.end(),
            [this](uint32_t a, uint32_t b) {
              const int64_t time_a = TimeOf(times_, times_.index[a]);
              const int64_t time_b = TimeOf(times_, times_.index[b]);
              return time_a != time_b ? time_a < time_b : a < b;
            });
}

// Sessions, and so the rows of an owner, are often written in the order of their time. Where they
// are not, all rows are dealt out in that order.
void OrderRows(RowsByTime* by_time, std::span<const uint32_t> owners, std::span<uint32_t> ends,
               uint32_t* rows) {
  for (const uint32_t owner : owners) ++ends[owner];
  uint32_t before = 0;
  for (uint32_t& end : ends) before += std::exchange(end, before);
  for (uint32_t row = 0; row < owners.size(); ++row) rows[ends[owners[row]]++] = row;
  uint32_t begin = 0;
  const bool are_in_order = std::ranges::all_of(ends, [&](uint32_t end) {
    const std::span of_owner(rows + begin, rows + end);
    begin = end;
    return AreInOrder(by_time->times(), of_owner);
  });
  if (are_in_order) return;
  before = 0;
  for (uint32_t& end : ends) before = std::exchange(end, before);
  for (const uint32_t row : by_time->Sorted()) rows[ends[owners[row]]++] = row;
}

Status TimeOrder::Start(const StripeContext* context, const GroupIndexDecoder& group) {
  if (!rows_.times().index.empty()) return Status::Ok();
  const StripePlan& plan = *context->plan;
  const uint32_t num_unique = group.num_unique();
  shape_.Start(context, &plan.streams[plan.time.shape], nullptr, nullptr, false);
  values_.Start(context, &plan.streams[plan.time.values], nullptr, nullptr, false);
  DSI_RETURN_IF_ERROR(shape_.Require(0, num_unique));
  const auto* const codes = reinterpret_cast<const uint8_t*>(shape_.At(0));
  uint64_t count = 0;
  for (uint32_t u = 0; u < num_unique; ++u) {
    if (codes[u] > 1) return Corrupt("{}: shape code {} (D-010)", shape_.Describe(), codes[u]);
    count += codes[u];
  }
  if (count != values_.num_values()) {
    return Corrupt("{}: {} values, {} rows have one (D-011)", values_.Describe(),
                   values_.num_values(), count);
  }
  DSI_RETURN_IF_ERROR(values_.Require(0, count));
  RowTimes times{.index = group.all(), .times = values_.At(0), .is_timed = {}};
  if (count != num_unique) DSI_RETURN_IF_ERROR(FillIn({codes, num_unique}, &times));
  rows_.Set(times);
  return Status::Ok();
}

Status TimeOrder::FillIn(std::span<const uint8_t> codes, RowTimes* times) {
  DSI_RETURN_IF_ERROR(filled_.Reserve(codes.size() * 8, 0));
  const std::byte* next = times->times;
  for (size_t u = 0; u < codes.size(); ++u) {
    StoreLE(filled_.data() + 8 * u, codes[u] != 0 ? LoadLE<int64_t>(next) : kLeast);
    next += 8 * codes[u];
  }
  times->times = filled_.data();
  times->is_timed = codes;
  return Status::Ok();
}

}  // namespace dsi::internal
