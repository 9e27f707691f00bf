#include "dsi/reader/decode/time_order_internal.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr int kMaxDigitBits = 11;

template <typename T>
T* AsNumbers(const ScanBuffer& buffer) {
  return reinterpret_cast<T*>(buffer.data());
}

}  // namespace

Status TimeSort::Run(std::span<const uint32_t> index, std::span<const uint8_t> present,
                     const std::byte* times) {
  num_rows_ = 0;
  DSI_RETURN_IF_ERROR(since_.Reserve(present.size() * 8, 0));
  DSI_RETURN_IF_ERROR(rows_.Reserve(index.size() * 4, 0));
  DSI_RETURN_IF_ERROR(late_.Reserve(index.size() * 4, 0));
  const uint64_t longest = MeasureTimes(present, times);
  auto* const rows = AsNumbers<uint32_t>(rows_);
  size_t missing = 0;
  size_t place = static_cast<size_t>(
      std::count_if(index.begin(), index.end(), [&](uint32_t u) { return present[u] == 0; }));
  const std::span timed(rows + place, index.size() - place);
  for (uint32_t row = 0; row < index.size(); ++row)
    rows[present[index[row]] == 0 ? missing++ : place++] = row;
  const std::span<uint32_t> late = TakeLate(index, timed);
  DSI_RETURN_IF_ERROR(SortLate(index, longest, late));
  MergeLate(index, timed, late);
  num_rows_ = index.size();
  return Status::Ok();
}

// Sessions are often written in the order of their first rows: most rows then stand in order but
// for later ones of sessions. Moves the rows with an older one behind them to late_ and the others,
// which are in order, to the end.
std::span<uint32_t> TimeSort::TakeLate(std::span<const uint32_t> index, std::span<uint32_t> rows) {
  const uint64_t* const since = AsNumbers<uint64_t>(since_);
  auto* const late = AsNumbers<uint32_t>(late_);
  uint64_t oldest = UINT64_MAX;
  size_t first = rows.size();
  size_t first_late = rows.size();
  for (size_t i = rows.size(); i-- != 0;) {
    const uint32_t row = rows[i];
    const uint64_t time = since[index[row]];
    const bool is_late = time > oldest;
    oldest = std::min(oldest, time);
    late[first_late - 1] = row;
    first_late -= is_late ? 1 : 0;
    rows[first - 1] = row;
    first -= is_late ? 0 : 1;
  }
  return {late + first_late, rows.size() - first_late};
}

// As many bits of the time as fit above a row, the lowest first.
Status TimeSort::SortLate(std::span<const uint32_t> index, uint64_t longest,
                          std::span<uint32_t> rows) {
  DSI_RETURN_IF_ERROR(keys_.Reserve(rows.size() * 8, 0));
  DSI_RETURN_IF_ERROR(other_.Reserve(rows.size() * 8, 0));
  const uint64_t* const since = AsNumbers<uint64_t>(since_);
  const int row_bits = static_cast<int>(std::bit_width(index.size()));
  const int key_bits = 64 - row_bits;
  for (int shift = 0; shift < 64 && longest >> shift != 0; shift += key_bits) {
    auto* const keys = AsNumbers<uint64_t>(keys_);
    for (size_t i = 0; i < rows.size(); ++i)
      keys[i] = since[index[rows[i]]] >> shift << row_bits | rows[i];
    const uint64_t* const ordered =
        SortKeys(rows.size(), row_bits,
                 std::min(key_bits, static_cast<int>(std::bit_width(longest >> shift))));
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i] = static_cast<uint32_t>(ordered[i] & ((uint64_t{1} << row_bits) - 1));
  }
  return Status::Ok();
}

// Those that are not late stand at the end of `rows`.
void TimeSort::MergeLate(std::span<const uint32_t> index, std::span<uint32_t> rows,
                         std::span<const uint32_t> late) {
  const uint64_t* const since = AsNumbers<uint64_t>(since_);
  size_t next = late.size();
  for (size_t i = 0, l = 0; l < late.size(); ++i) {
    const uint64_t late_time = since[index[late[l]]];
    const bool take = next == rows.size() || late_time < since[index[rows[next]]] ||
                      (late_time == since[index[rows[next]]] && late[l] < rows[next]);
    rows[i] = take ? late[l++] : rows[next++];
  }
}

// How long after the oldest each of them is. Returns the longest.
uint64_t TimeSort::MeasureTimes(std::span<const uint8_t> present, const std::byte* times) {
  int64_t oldest = INT64_MAX;
  int64_t newest = INT64_MIN;
  size_t count = 0;
  for (const uint8_t is_there : present) count += is_there;
  for (size_t i = 0; i < count; ++i) {
    oldest = std::min(oldest, LoadLE<int64_t>(times + 8 * i));
    newest = std::max(newest, LoadLE<int64_t>(times + 8 * i));
  }
  uint64_t* const since = AsNumbers<uint64_t>(since_);
  for (size_t u = 0; u < present.size(); ++u) {
    if (present[u] == 0) continue;
    since[u] = LoadLE<uint64_t>(times) - static_cast<uint64_t>(oldest);
    times += 8;
  }
  return count == 0 ? 0 : static_cast<uint64_t>(newest) - static_cast<uint64_t>(oldest);
}

// By `num_bits` bits above the lowest `shift`; equal ones stay in their order. Digit by digit, the
// lowest first, all digits counted at once. Returns where they are then.
uint64_t* TimeSort::SortKeys(size_t count, int shift, int num_bits) {
  const int num_digits = (num_bits + kMaxDigitBits - 1) / kMaxDigitBits;
  const int digit_bits = (num_bits + num_digits - 1) / num_digits;
  const size_t num_values = size_t{1} << digit_bits;
  const auto digit = [&](uint64_t key, int d) {
    return (key >> (shift + d * digit_bits)) & (num_values - 1);
  };
  uint64_t* keys = AsNumbers<uint64_t>(keys_);
  uint64_t* sorted = AsNumbers<uint64_t>(other_);
  places_.assign(static_cast<size_t>(num_digits) << digit_bits, 0);
  uint32_t* place = places_.data();
  for (size_t i = 0; i < count; ++i) {
    for (int d = 0; d < num_digits; ++d)
      ++place[(static_cast<size_t>(d) << digit_bits) + digit(keys[i], d)];
  }
  for (int d = 0; d < num_digits; ++d, place += num_values) {
    uint32_t sum = 0;
    for (size_t v = 0; v < num_values; ++v) sum += std::exchange(place[v], sum);
    for (size_t i = 0; i < count; ++i) sorted[place[digit(keys[i], d)]++] = keys[i];
    std::swap(keys, sorted);
  }
  return keys;
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
  DSI_RETURN_IF_ERROR(sort_.Run(group.all(), present_, values_.At(0)));
  ready_ = true;
  return Status::Ok();
}

}  // namespace dsi::internal
