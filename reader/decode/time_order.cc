#include "dsi/reader/decode/time_order_internal.h"

#include <algorithm>
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

TimedRow Timed(const RowTimes& times, uint32_t row) {
  const uint32_t unique = times.index[row];
  return {TimeOf(times, unique), times.is_timed.empty() || times.is_timed[unique] != 0, row};
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

// Sessions, and so the rows of an owner, are often written in the order of their time.
void OrderRows(const RowTimes& times, std::span<const uint32_t> owners, std::span<uint32_t> ends,
               uint32_t* rows, CountedVector<TimedRow>* scratch) {
  for (const uint32_t owner : owners) ++ends[owner];
  uint32_t before = 0;
  for (uint32_t& end : ends) before += std::exchange(end, before);
  for (uint32_t row = 0; row < owners.size(); ++row) rows[ends[owners[row]]++] = row;
  uint32_t begin = 0;
  for (const uint32_t end : ends) {
    const std::span of_owner(rows + begin, rows + end);
    begin = end;
    if (AreInOrder(times, of_owner)) continue;
    scratch->clear();
    for (const uint32_t row : of_owner) scratch->push_back(Timed(times, row));
    std::sort(scratch->begin(), scratch->end());
    for (size_t i = 0; i < of_owner.size(); ++i) of_owner[i] = (*scratch)[i].row;
  }
}

Status TimeOrder::Start(const StripeContext* context, const GroupIndexDecoder& group) {
  if (!times_.index.empty()) return Status::Ok();
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
  times_ = {.index = {}, .times = values_.At(0), .is_timed = {}};
  if (count != num_unique) DSI_RETURN_IF_ERROR(FillIn({codes, num_unique}));
  times_.index = group.all();
  return Status::Ok();
}

Status TimeOrder::FillIn(std::span<const uint8_t> codes) {
  DSI_RETURN_IF_ERROR(filled_.Reserve(codes.size() * 8, 0));
  const std::byte* next = times_.times;
  for (size_t u = 0; u < codes.size(); ++u) {
    StoreLE(filled_.data() + 8 * u, codes[u] != 0 ? LoadLE<int64_t>(next) : kLeast);
    next += 8 * codes[u];
  }
  times_.times = filled_.data();
  times_.is_timed = codes;
  return Status::Ok();
}

}  // namespace dsi::internal
