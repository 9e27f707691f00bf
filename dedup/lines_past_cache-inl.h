// Padded rows past the cache. Included once per Highway target.
//
// What is larger than the cache has left it before anybody reads it; to write it there first means
// to read its memory, to push out the pool, and to write it all the same. So every vector of the
// output is stored once, aligned and whole: what two rows share is put together in a register.

#if defined(DSI_DEDUP_LINES_PAST_CACHE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSI_DEDUP_LINES_PAST_CACHE_INL_H_
#undef DSI_DEDUP_LINES_PAST_CACHE_INL_H_
#else
#define DSI_DEDUP_LINES_PAST_CACHE_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dsi/dedup/pad_border_internal.h"
#include "dsi/dedup/wide_values-inl.h"

#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace dsi::internal::HWY_NAMESPACE {

template <bool kPadLeft, class Values>
class LinesPastCache {
  static constexpr int kNarrow = Values::kNarrow;
  using D = hwy::HWY_NAMESPACE::ScalableTag<uint8_t>;
  using V = hwy::HWY_NAMESPACE::Vec<D>;

 public:
  // Rows that this way is for: shorter ones end in every vector, longer ones have no mask. In a
  // vector of values that are not aligned the pad value would begin elsewhere.
  static bool Takes(size_t row_bytes, size_t width, const void* out) {
    return row_bytes >= 128 && row_bytes + 2 * Size() <= kMostMasked &&
           reinterpret_cast<uintptr_t>(out) % width == 0;
  }

  // `readable` bytes from `values` on may be loaded.
  LinesPastCache(V pad, const uint8_t* values, size_t readable, uint8_t* out)
      : pad_(pad), carry_(pad), values_(values), readable_(readable) {
    filled_ = others_ = reinterpret_cast<uintptr_t>(out) % Size();
    line_ = out - others_;
  }

  HWY_INLINE void Add(size_t start, size_t size, size_t row_bytes) {
    const size_t before = kPadLeft ? row_bytes - size : 0;  // Bytes in front of the values.
    // From where its first byte is loaded.
    const uint8_t* row = values_ + start - (before >> kNarrow);
    alignas(64) uint8_t room[2 * kMostMasked];
    if (HWY_UNLIKELY(start < (before + Size()) >> kNarrow ||
                     start - (before >> kNarrow) + ((row_bytes + Size()) >> kNarrow) > readable_)) {
      row = room + (Size() >> kNarrow);
      CopyRow(values_ + start, size >> kNarrow, room + ((Size() + before) >> kNarrow), room);
    }
    AddFrom(row, kPadLeft ? before : size, row_bytes);
  }

  // After the last row.
  void Finish() {
    if (filled_ > others_) Store(carry_, others_, filled_, line_);
    hwy::FlushStream();
  }

 private:
  static size_t Size() { return hwy::HWY_NAMESPACE::Lanes(D()); }

  // A row near an end of the values. No member function that is not inlined sees this object: all
  // of it stays in registers.
  static HWY_NOINLINE void CopyRow(const uint8_t* from, size_t size, uint8_t* to, uint8_t* room) {
    std::memset(room, 0, 2 * kMostMasked);
    if (size != 0) std::memcpy(to, from, size);
  }

  HWY_INLINE void AddFrom(const uint8_t* row, size_t border, size_t row_bytes) {
    namespace hn = hwy::HWY_NAMESPACE;
    const size_t n = Size();
    const uint8_t* const from = row - (filled_ >> kNarrow);
    const uint8_t* const mask = kBorder.Mask(filled_ + border);
    V line = hn::IfVecThenElse(hn::LoadU(D(), kBorder.Mask(filled_)), carry_, Blend(from, mask));
    const size_t end = filled_ + row_bytes;
    size_t at = n;
    for (; at <= end; at += n) {
      Put(line);
      line = Blend(from + (at >> kNarrow), mask + at);
    }
    filled_ = end - (at - n);
    carry_ = line;
  }

  HWY_INLINE V Blend(const uint8_t* from, const uint8_t* mask) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const V first = hn::LoadU(D(), mask);
    const V loaded = Values::Load(D(), from);
    return kPadLeft ? hn::IfVecThenElse(first, pad_, loaded)
                    : hn::IfVecThenElse(first, loaded, pad_);
  }

  HWY_INLINE void Put(V line) {
    if (HWY_LIKELY(others_ == 0)) {
      hwy::HWY_NAMESPACE::Stream(line, D(), line_);
    } else {
      Store(line, others_, Size(), line_);
      others_ = 0;
    }
    line_ += Size();
  }

  // Of a line that is not ours alone.
  static HWY_NOINLINE void Store(V line, size_t begin, size_t end, uint8_t* to) {
    namespace hn = hwy::HWY_NAMESPACE;
    alignas(64) uint8_t bytes[hn::MaxLanes(D())];
    hn::Store(line, D(), bytes);
    std::memcpy(to + begin, bytes + begin, end - begin);
  }

  const V pad_;
  V carry_;  // The line that the rows so far have begun.
  const uint8_t* const values_;
  const size_t readable_;
  uint8_t* line_;  // Where it goes.
  size_t filled_;  // Its bytes, up to the end of the last row …
  size_t others_;  // … of which the first are not of this output.
};

}  // namespace dsi::internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
