// Codes of windows to places, four rows at a time. Included once per Highway target.

#include "dsi/dedup/place_windows_internal.h"

#include <algorithm>
#include <string_view>

#include "dsi/base/error_internal.h"
#include "dsi/dedup/expand_internal.h"

// The fallback without SIMD is compiled beside the other targets, so that tests can hold it.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dsi/dedup/place_windows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dsi/dedup/left_pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

uint32_t LowestOf(const uint32_t* starts, const uint32_t* lengths, size_t count) {
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  auto lows = hn::Set(d, UINT32_MAX);
  size_t u = 0;
  for (; u + lanes <= count; u += lanes) {
    const auto is_empty = hn::VecFromMask(d, hn::Eq(hn::LoadU(d, lengths + u), zero));
    lows = hn::Min(lows, hn::Or(hn::LoadU(d, starts + u), is_empty));
  }
  uint32_t low = hn::GetLane(hn::MinOfLanes(d, lows));
  for (; u < count; ++u) low = std::min(low, lengths[u] != 0 ? starts[u] : UINT32_MAX);
  return low;
}

uint64_t StartsFromOf(const uint32_t* places, const uint32_t* lengths, size_t count, uint32_t begin,
                      uint64_t* starts) {
  const hn::ScalableTag<uint64_t> d;
  const hn::Rebind<uint32_t, decltype(d)> d32;
  const size_t lanes = hn::Lanes(d);
  const auto begins = hn::Set(d32, begin);
  const auto zero = hn::Zero(d32);
  auto ends = zero;
  size_t u = 0;
  for (; u + lanes <= count; u += lanes) {
    const auto length = hn::LoadU(d32, lengths + u);
    const auto is_there = hn::VecFromMask(d32, hn::Ne(length, zero));
    const auto start = hn::And(hn::Sub(hn::LoadU(d32, places + u), begins), is_there);
    hn::StoreU(hn::PromoteTo(d, start), d, starts + u);
    ends = hn::Max(ends, hn::Add(start, length));
  }
  uint32_t end = hn::GetLane(hn::MaxOfLanes(d32, ends));
  for (; u < count; ++u) {
    const uint32_t start = lengths[u] != 0 ? places[u] - begin : 0;
    starts[u] = start;
    end = std::max(end, start + lengths[u]);
  }
  return uint64_t{begin} + end;
}

void PackPlacesOf(const uint32_t* places, const uint32_t* lengths, size_t count, uint64_t* packed) {
  const hn::ScalableTag<uint64_t> d;
  const hn::Rebind<uint32_t, decltype(d)> d32;
  const size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d32);
  size_t u = 0;
  for (; u + lanes <= count; u += lanes) {
    const auto length = hn::LoadU(d32, lengths + u);
    const auto is_there = hn::VecFromMask(d32, hn::Ne(length, zero));
    const auto start = hn::PromoteTo(d, hn::And(hn::LoadU(d32, places + u), is_there));
    hn::StoreU(hn::Or(start, hn::ShiftLeft<32>(hn::PromoteTo(d, length))), d, packed + u);
  }
  for (; u < count; ++u) packed[u] = PackPlace(lengths[u] != 0 ? places[u] : 0, lengths[u]);
}

size_t CountBegins(const uint32_t* codes, const uint32_t* lengths, size_t count) {
  uint32_t begins = 0;  // A stripe has fewer rows.
  for (size_t u = 0; u < count; ++u) begins += ~codes[u] & (lengths[u] != 0 ? 1U : 0U);
  return begins;
}

#if HWY_TARGET == HWY_SCALAR
template <bool kWhole>
size_t PlaceEach(const uint32_t*, const uint32_t*, size_t, uint32_t*, uint32_t*, WindowFront*) {
  return 0;
}
#else
// Sums and extremes of four rows, none over the begin of a chain. Lanes are what is known of each
// row; a flag is all ones. Places count from the begin of the row's own chain, so that only that
// begin depends on the chains before.
struct FourRows {
  using D = hn::CappedTag<int32_t, 4>;
  using V = hn::Vec<D>;
  D d;
  V begins;   // The row begins a chain.
  V begins2;  // It or the row before does.
  V begins4;  // It or one of the three before does.

  HWY_INLINE explicit FourRows(V begins_chain) : begins(begins_chain) {
    begins2 = hn::Or(begins, hn::ShiftLeftLanes<1>(d, begins));
    begins4 = hn::Or(begins2, hn::ShiftLeftLanes<2>(d, begins2));
  }
  HWY_INLINE V Sums(V x, V carry) const {
    x = hn::Add(x, hn::AndNot(begins, hn::ShiftLeftLanes<1>(d, x)));
    x = hn::Add(x, hn::AndNot(begins2, hn::ShiftLeftLanes<2>(d, x)));
    return hn::Add(x, hn::AndNot(begins4, carry));
  }
  // Of numbers that are not negative.
  HWY_INLINE V Greatest(V x, V carry) const {
    x = hn::Max(x, hn::AndNot(begins, hn::ShiftLeftLanes<1>(d, x)));
    x = hn::Max(x, hn::AndNot(begins2, hn::ShiftLeftLanes<2>(d, x)));
    return hn::Max(x, hn::AndNot(begins4, carry));
  }
  // Each row's is that of the row before.
  HWY_INLINE V Before(V x, V carry) const { return hn::CombineShiftRightLanes<3>(d, x, carry); }
};

// Places rows four by four, up to four that need a closer look: damage, lists that come back to an
// old chain, large numbers; unless kWhole, chains that do not begin with their first row, too.
// Returns how many are placed. Without kWhole lowest_end and to_end are not kept.
// Preconditions: limit < kWideLimit; unless kWhole, low = begin.
template <bool kWhole>
size_t PlaceEach(const uint32_t* codes, const uint32_t* lengths, size_t count, uint32_t* starts,
                 uint32_t* bounds, WindowFront* front) {
  using V = FourRows::V;
  const FourRows::D d;
  const auto set = [&](int64_t x) HWY_ATTR { return hn::Set(d, static_cast<int32_t>(x)); };
  constexpr int32_t kSmall = (1 << 26) - 1;        // Sums of four and a place fit an int32.
  constexpr int32_t kTop = (1 << 30) + (1 << 29);  // Above all places: least as greatest.
  const V zero = hn::Zero(d);
  const V one = set(1);
  const V top = set(kTop);
  const V limit = set(front->limit);
  V begin = set(front->begin);
  V place = set(front->before - front->begin);
  V filled = set(front->frontier - front->begin);
  V low = set(kTop - (front->low - front->begin));
  V low_end = set(kTop - (front->lowest_end - front->begin));
  V to_begin = zero;
  V to_end = zero;
  size_t num_chains = front->num_chains;
  size_t u = 0;
  for (; u + 4 <= count; u += 4) {
    const V code = hn::LoadU(d, reinterpret_cast<const int32_t*>(codes + u));
    const V length = hn::LoadU(d, reinterpret_cast<const int32_t*>(lengths + u));
    const V is_there = hn::VecFromMask(d, hn::Ne(length, zero));
    const V is_step = hn::BroadcastSignBit(hn::ShiftLeft<31>(code));
    const V half =
        hn::BitCast(d, hn::ShiftRight<1>(hn::BitCast(hn::RebindToUnsigned<FourRows::D>(), code)));
    const V zigzag = hn::Xor(hn::ShiftRight<1>(half), hn::Sub(zero, hn::And(half, one)));
    const FourRows rows(hn::AndNot(is_step, is_there));
    const V step_there = hn::And(is_step, is_there);
    const V places = rows.Sums(hn::IfThenElse(hn::MaskFromVec(is_step), zigzag, half), place);
    const V ends = hn::And(hn::Add(places, length), is_there);
    const V fills = rows.Greatest(ends, filled);
    const V fill_before = rows.Before(fills, filled);
    V begin_of = hn::And(fill_before, rows.begins);
    begin_of = hn::Add(begin_of, hn::ShiftLeftLanes<1>(d, begin_of));
    begin_of = hn::Add(begin_of, hn::ShiftLeftLanes<2>(d, begin_of));
    begin_of = hn::Add(begin_of, begin);
    // Negative: a step before the chain or behind what is filled, an end behind the pool.
    V negative = hn::Or(places, hn::Sub(hn::Sub(fill_before, one), places));
    V bad = hn::Or(hn::AndNot(set(kSmall), hn::Or(code, length)), hn::AndNot(is_there, code));
    V lows = low;
    V low_ends = low_end;
    if constexpr (kWhole) {
      lows = rows.Greatest(hn::And(hn::Sub(top, places), is_there), low);
      low_ends = rows.Greatest(hn::And(hn::Sub(top, ends), is_there), low_end);
      const V low_before = rows.Before(lows, low);
      negative = hn::Or(negative, hn::Sub(hn::Add(hn::Sub(ends, top), low_before), one));
      bad = hn::Or(bad, hn::And(rows.begins, hn::Xor(low_before, top)));
    } else {
      bad = hn::Or(bad, hn::And(rows.begins, half));
    }
    negative = hn::Or(hn::And(negative, step_there), hn::Sub(limit, hn::Add(begin_of, fills)));
    bad = hn::Or(bad, hn::BroadcastSignBit(negative));
    if (!hn::AllTrue(d, hn::Eq(bad, zero))) break;

    hn::StoreU(hn::And(hn::Add(begin_of, places), is_there), d,
               reinterpret_cast<int32_t*>(starts + u));
    num_chains += StoreMarked(d, begin_of, hn::MaskFromVec(rows.begins),
                              reinterpret_cast<int32_t*>(bounds + num_chains));
    to_begin = hn::Max(to_begin, hn::And(places, is_there));
    if constexpr (kWhole) {
      const V gap = hn::Add(hn::Sub(fill_before, top), rows.Before(low_ends, low_end));
      to_end = hn::Max(to_end, hn::And(rows.begins, gap));
      low = hn::Broadcast<3>(lows);
      low_end = hn::Broadcast<3>(low_ends);
    }
    begin = hn::Broadcast<3>(begin_of);
    place = hn::Broadcast<3>(places);
    filled = hn::Broadcast<3>(fills);
  }
  front->begin = hn::GetLane(begin);
  front->before = front->begin + hn::GetLane(place);
  front->frontier = front->begin + hn::GetLane(filled);
  front->low = front->begin + (kWhole ? kTop - hn::GetLane(low) : 0);
  front->lowest_end = front->begin + (kWhole ? kTop - hn::GetLane(low_end) : 0);
  front->to_begin = std::max(front->to_begin, int64_t{hn::GetLane(hn::MaxOfLanes(d, to_begin))});
  front->to_end = std::max(front->to_end, int64_t{hn::GetLane(hn::MaxOfLanes(d, to_end))});
  front->num_chains = num_chains;
  return u;
}
#endif

size_t PlaceTight(const uint32_t* codes, const uint32_t* lengths, size_t count, uint32_t* starts,
                  uint32_t* bounds, WindowFront* front) {
  return PlaceEach<false>(codes, lengths, count, starts, bounds, front);
}

size_t PlaceWhole(const uint32_t* codes, const uint32_t* lengths, size_t count, uint32_t* starts,
                  uint32_t* bounds, WindowFront* front) {
  return PlaceEach<true>(codes, lengths, count, starts, bounds, front);
}

}  // namespace
}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsi::internal {

HWY_EXPORT(LowestOf);
HWY_EXPORT(StartsFromOf);
HWY_EXPORT(PackPlacesOf);
HWY_EXPORT(CountBegins);
HWY_EXPORT(PlaceTight);
HWY_EXPORT(PlaceWhole);

namespace {

constexpr int64_t kWideLimit = 1 << 30;
constexpr size_t kGapRows = 32;
constexpr size_t kCloseLook = 4;  // Rows placed one by one before four at a time are tried again.

Status BadWindow(size_t row, int64_t start, int64_t end, int64_t num_values, std::string_view why) {
  return Corrupt("unique row {}: window {}..{} in a pool of {} {} (D-013)", row, start, end,
                 num_values, why);
}

// Which of the chains holds a start that lies before the newest chain.
size_t ChainAt(std::span<const uint32_t> begins, uint64_t start, size_t hint) {
  // Most lists that come back do so to the chain of the one before, or to the next.
  for (size_t at = hint; at < std::min(hint + 2, begins.size() - 1); ++at) {
    if (begins[at] <= start && start < begins[at + 1]) return at;
  }
  // The first chain begins at 0.
  return static_cast<size_t>(std::upper_bound(begins.begin() + 1, begins.end(), start) -
                             begins.begin()) -
         1;
}

}  // namespace

size_t CountChains(std::span<const uint32_t> codes, std::span<const uint32_t> lengths) {
  return HWY_DYNAMIC_DISPATCH(CountBegins)(codes.data(), lengths.data(), codes.size());
}

uint32_t LowestStart(std::span<const uint32_t> starts, std::span<const uint32_t> lengths) {
  return HWY_DYNAMIC_DISPATCH(LowestOf)(starts.data(), lengths.data(), starts.size());
}

void PackPlaces(std::span<const uint32_t> places, std::span<const uint32_t> lengths,
                uint64_t* packed) {
  HWY_DYNAMIC_DISPATCH(PackPlacesOf)(places.data(), lengths.data(), places.size(), packed);
}

uint64_t StartsFrom(uint32_t begin, std::span<const uint32_t> places,
                    std::span<const uint32_t> lengths, uint64_t* starts) {
  return HWY_DYNAMIC_DISPATCH(StartsFromOf)(places.data(), lengths.data(), places.size(), begin,
                                            starts);
}

Status WindowPlacer::Start(uint64_t num_values, bool want_reach) {
  if (num_values > UINT32_MAX) return Corrupt("a pool of {} values (F-090)", num_values);
  front_ = {.limit = static_cast<int64_t>(num_values)};
  want_reach_ = want_reach;
  row_ = hint_ = 0;
  return Status::Ok();
}

Status WindowPlacer::Place(std::span<const uint32_t> codes, std::span<const uint32_t> lengths,
                           uint32_t* starts, uint32_t* bounds) {
  for (size_t u = 0; u < codes.size();) {
    const size_t left = codes.size() - u;
    if (front_.limit < kWideLimit) {
      if (!want_reach_ && front_.low == front_.begin) {
        u += HWY_DYNAMIC_DISPATCH(PlaceTight)(&codes[u], &lengths[u], left, starts + u, bounds,
                                              &front_);
      } else {
        // A gap is filled soon.
        const size_t some = want_reach_ ? left : std::min(left, kGapRows);
        u += HWY_DYNAMIC_DISPATCH(PlaceWhole)(&codes[u], &lengths[u], some, starts + u, bounds,
                                              &front_);
        if (!want_reach_ && front_.low == front_.begin) continue;
      }
    }
    const size_t end = std::min(codes.size(), u + kCloseLook);
    for (; u < end; ++u)
      DSI_RETURN_IF_ERROR(PlaceOne(row_ + u, codes[u], lengths[u], starts + u, bounds));
  }
  row_ += codes.size();
  return Status::Ok();
}

Status WindowPlacer::PlaceOne(size_t row, uint32_t code, uint32_t num_entries, uint32_t* out,
                              uint32_t* bounds) {
  WindowFront& f = front_;
  const int64_t length = num_entries;
  *out = 0;
  if (length == 0) {
    if (code == 0) return Status::Ok();
    return Corrupt("unique row {} has no entries, its window is {} (D-013)", row, code);
  }
  const bool is_step = (code & 1) != 0;
  const int64_t zigzag = int64_t{code >> 2} ^ -int64_t{code >> 1 & 1};
  const int64_t start = is_step ? f.before + zigzag : f.frontier + (code >> 1);
  const int64_t end = start + length;
  if (start < 0 || end > f.limit) return BadWindow(row, start, end, f.limit, "leaves it");
  f.before = start;
  *out = static_cast<uint32_t>(start);
  if (is_step && start < f.begin) {
    hint_ = ChainAt({bounds, f.num_chains}, static_cast<uint64_t>(start), hint_);
    const int64_t chain_end = bounds[hint_ + 1];
    if (end > chain_end) return BadWindow(row, start, end, f.limit, "leaves its chain");
    f.to_begin = std::max(f.to_begin, start - bounds[hint_]);
    f.to_end = std::max(f.to_end, chain_end - end);
    return Status::Ok();
  }
  if (is_step) {
    // Before the first chain there is nothing to share.
    if (start >= f.frontier || end <= f.low)
      return BadWindow(row, start, end, f.limit, "shares nothing with its chain");
    f.low = std::min(f.low, start);
    f.lowest_end = std::min(f.lowest_end, end);
  } else {
    if (f.low != f.begin) return BadWindow(row, start, end, f.limit, "follows one with a gap");
    bounds[f.num_chains++] = static_cast<uint32_t>(f.frontier);
    f.to_end = std::max(f.to_end, f.frontier - f.lowest_end);
    f.begin = f.frontier;
    f.low = start;
    f.lowest_end = end;
  }
  f.to_begin = std::max(f.to_begin, start - f.begin);
  f.frontier = std::max(f.frontier, end);
  return Status::Ok();
}

Result<WindowReach> WindowPlacer::Finish(uint32_t* bounds) const {
  const WindowFront& f = front_;
  if (f.low != f.begin || f.frontier != f.limit) {
    return Corrupt("windows fill {}..{} of the last chain, which is {}..{} (D-013)", f.low,
                   f.frontier, f.begin, f.limit);
  }
  bounds[f.num_chains] = static_cast<uint32_t>(f.limit);
  if (!want_reach_) return WindowReach{};
  return WindowReach{static_cast<uint64_t>(f.to_begin),
                     static_cast<uint64_t>(std::max(f.to_end, f.frontier - f.lowest_end))};
}

Result<WindowReach> PlaceWindows(std::span<const uint32_t> codes, std::span<const uint32_t> lengths,
                                 uint64_t num_values, std::span<uint32_t> starts,
                                 std::span<uint32_t> bounds) {
  WindowPlacer placer;
  DSI_RETURN_IF_ERROR(placer.Start(num_values, true));
  DSI_RETURN_IF_ERROR(placer.Place(codes, lengths, starts.data(), bounds.data()));
  return placer.Finish(bounds.data());
}

}  // namespace dsi::internal
#endif  // HWY_ONCE
