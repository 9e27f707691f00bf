#include "dsi/dedup/windows_internal.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "dsi/base/probe_internal.h"
#include "dsi/dedup/row_compare_internal.h"
#include "dsi/dedup/window_pool_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kGram = 3;  // Entries whose hash finds an overlap.
constexpr size_t kFewestFar =
    3;  // Entries that must overlap where the row before suggests nothing.
constexpr size_t kFirstLook = 8192;        // Rows after which hopeless lists are given up.
constexpr uint64_t kHopeless = 50;         // One shared entry in this many.
constexpr uint64_t kMostValues = 1 << 29;  // A step over the whole pool still fits a code.
constexpr size_t kAhead = 8;               // Rows, whose lists are on their way into the cache.
constexpr size_t kNearOffsets = 512;       // Offsets that CountNewEntries tries at either end.

// Hashes of single entries and of grams.
class EntryHash {
 public:
  explicit EntryHash(const FeatureRows& column) : column_(column) {}

  uint64_t Gram(uint64_t start) const {
    uint64_t hash = 0;
    for (size_t i = 0; i < kGram; ++i) hash = (std::rotl(hash, 29) ^ Entry(start + i)) * kPrime;
    return hash ^ hash >> 29;
  }

 private:
  static constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ULL;

  uint64_t Entry(uint64_t at) const {
    uint64_t hash = 0;
    for (const FeatureRows::Values& values : column_.values) {
      uint64_t bits = 0;
      const auto width = static_cast<size_t>(values.width);
      std::memcpy(&bits, values.data + at * width, width);
      hash = std::rotl(hash, 17) ^ bits;
    }
    return hash;
  }

  const FeatureRows& column_;
};

// Where each gram was met last.
class GramTable {
 public:
  void Insert(uint64_t hash, PoolPlace place) {
    if (used_ * 2 >= buckets_.size()) Grow();
    Bucket& bucket = Find(hash);
    used_ += bucket.hash == 0 ? 1 : 0;
    bucket = {hash | 1, place};
  }
  // Where a gram would be: the table is larger than the cache.
  void Prefetch(uint64_t hash) const {
    if (!buckets_.empty()) __builtin_prefetch(&buckets_[(hash >> 7) & (buckets_.size() - 1)]);
  }
  // Null where it was not met.
  const PoolPlace* Lookup(uint64_t hash) {
    if (buckets_.empty()) return nullptr;
    const Bucket& bucket = Find(hash);
    return bucket.hash == 0 ? nullptr : &bucket.place;
  }

 private:
  struct Bucket {
    uint64_t hash = 0;  // 0: free.
    PoolPlace place;
  };

  Bucket& Find(uint64_t hash) {
    return buckets_[Probe(buckets_, hash >> 7, [&](const Bucket& bucket) {
      return bucket.hash == 0 || bucket.hash == (hash | 1);
    })];
  }
  void Grow() {
    std::vector<Bucket> old(std::max<size_t>(buckets_.size() * 2, 1024));
    old.swap(buckets_);
    for (const Bucket& bucket : old) {
      if (bucket.hash != 0) Find(bucket.hash) = bucket;
    }
  }

  std::vector<Bucket> buckets_;
  size_t used_ = 0;
};

// Where a list begins.
void PrefetchStart(const FeatureRows& column, size_t row) {
  if (!column.shape.empty()) __builtin_prefetch(&column.shape[row]);
  if (!column.starts.empty()) __builtin_prefetch(&column.starts[row]);
}

// The beginning of a list.
void PrefetchList(const FeatureRows& column, size_t row) {
  const uint64_t start = StartOf(column, row);
  for (const FeatureRows::Values& values : column.values)
    __builtin_prefetch(values.data + start * static_cast<size_t>(values.width));
}

class WindowFinder {
 public:
  explicit WindowFinder(const FeatureRows& column)
      : column_(column), hash_(column), pool_(column) {}

  Windows Find(std::span<const uint32_t> stored_rows, size_t num_rows) {
    const size_t count = stored_rows.empty() ? num_rows : stored_rows.size();
    std::vector<PoolPlace> places(count);
    std::vector<uint32_t> lengths(count);
    Windows windows;
    bool looked = false;
    const auto row_of = [&](size_t u) { return stored_rows.empty() ? u : stored_rows[u]; };
    for (size_t u = 0; u < count; ++u) {
      if (u + 2 * kAhead < count) PrefetchStart(column_, row_of(u + 2 * kAhead));
      if (u + kAhead < count) PrefetchList(column_, row_of(u + kAhead));
      const size_t row = row_of(u);
      const size_t length = EntriesOf(column_, ShapeOf(column_, row));
      lengths[u] = static_cast<uint32_t>(length);
      if (length == 0) continue;
      windows.num_entries += length;
      places[u] = Lay(StartOf(column_, row), length);
      if (u < kFirstLook || looked) continue;
      looked = true;
      if (shared_ * kHopeless < windows.num_entries) return {};
    }
    if (shared_ * kHopeless < windows.num_entries || shared_ == 0) return {};
    pool_.Close();
    if (pool_.num_values() > kMostValues) return {};
    windows.codes = Codes(places, lengths);
    windows.num_values = pool_.num_values();
    windows.pool = pool_.TakeValues();
    return windows;
  }

 private:
  struct Candidate {
    PoolPlace place;
    size_t overlap = 0;
  };

  PoolPlace Lay(uint64_t start, size_t length) {
    const Candidate best = Search(start, length);
    if (best.overlap == 0) {
      previous_ = pool_.Append(start, length);
      Register(start, previous_, length, 0, 0);
    } else {
      shared_ += best.overlap;
      const int64_t begin = pool_.begin(best.place.chain);
      const int64_t end = pool_.end(best.place.chain);
      if (best.overlap != length) {
        pool_.Extend(best.place, start, length);
        Register(start, best.place, length, begin, end);
      }
      previous_ = best.place;
    }
    previous_length_ = length;
    return previous_;
  }

  // The place with the greatest overlap. Near ones first; a hash is looked up only where they leave
  // much to be desired.
  Candidate Search(uint64_t start, size_t length) {
    Candidate best;
    if (previous_length_ == 0) return best;
    const auto try_place = [&](PoolPlace place, size_t least) {
      const size_t overlap = pool_.Overlap(place, start, length);
      if (overlap > best.overlap && overlap >= least) best = {place, overlap};
    };
    const auto at = [&](int64_t coordinate) {
      return PoolPlace{previous_.chain, static_cast<int32_t>(coordinate)};
    };
    const int64_t same_end = int64_t{previous_.at} + static_cast<int64_t>(previous_length_) -
                             static_cast<int64_t>(length);
    for (const int64_t near : {int64_t{previous_.at}, int64_t{previous_.at} + 1,
                               int64_t{previous_.at} - 1, same_end, same_end + 1}) {
      try_place(at(near), 1);
      if (best.overlap != 0 && best.overlap + 1 >= length) return best;
    }
    if (length < kGram) return best;
    const size_t last = length - kGram;
    for (const size_t offset : {size_t{0}, last, last / 2}) {
      const PoolPlace* const met = grams_.Lookup(hash_.Gram(start + offset));
      if (met == nullptr) continue;
      PoolPlace place = *met;
      const int64_t coordinate = int64_t{place.at} - static_cast<int64_t>(offset);
      if (coordinate < kLowestCoordinate) continue;
      place.at = static_cast<int32_t>(coordinate);
      try_place(place, kFewestFar);
      if (best.overlap == length) break;
    }
    return best;
  }

  // Enters the grams that are new in the chain, which was [begin, end) before the list came.
  void Register(uint64_t start, PoolPlace place, size_t length, int64_t begin, int64_t end) {
    new_grams_.clear();
    for (size_t i = 0; i + kGram <= length; ++i) {
      const int64_t at = int64_t{place.at} + static_cast<int64_t>(i);
      if (at >= begin && at + static_cast<int64_t>(kGram) <= end) continue;
      new_grams_.emplace_back(hash_.Gram(start + i), static_cast<int32_t>(at));
      grams_.Prefetch(new_grams_.back().first);
    }
    for (const auto& [hash, at] : new_grams_) grams_.Insert(hash, {place.chain, at});
  }

  std::vector<uint32_t> Codes(const std::vector<PoolPlace>& places,
                              const std::vector<uint32_t>& lengths) const {
    std::vector<uint32_t> codes(places.size());
    uint64_t frontier = 0;
    uint64_t before = 0;
    for (size_t u = 0; u < places.size(); ++u) {
      if (lengths[u] == 0) continue;
      const uint64_t start = pool_.Position(places[u]);
      const auto step = static_cast<int64_t>(start) - static_cast<int64_t>(before);
      const auto zigzag = static_cast<uint64_t>(step) << 1 ^ static_cast<uint64_t>(step >> 63);
      uint64_t code = zigzag << 1 | 1;
      if (start >= frontier) code = std::min(code, (start - frontier) << 1);
      codes[u] = static_cast<uint32_t>(code);
      before = start;
      frontier = std::max(frontier, start + lengths[u]);
    }
    return codes;
  }

  static constexpr int64_t kLowestCoordinate = -(int64_t{1} << 30);

  const FeatureRows& column_;
  EntryHash hash_;
  WindowPool pool_;
  GramTable grams_;
  std::vector<std::pair<uint64_t, int32_t>> new_grams_;  // Hashes and coordinates, of one list.
  PoolPlace previous_;
  size_t previous_length_ = 0;
  uint64_t shared_ = 0;
};

// Two lists, of which the second is laid over the first.
class ListPair {
 public:
  struct LaidList {
    uint64_t start = 0;
    size_t length = 0;
  };

  ListPair(const FeatureRows& column, LaidList first, LaidList second)
      : column_(column), first_(first), second_(second) {}

  // Entries that the second shares with the first where it begins at entry `at` of that, if all of
  // the overlap is equal and longer than `known`; else 0.
  size_t OverlapBeyond(size_t known, int64_t at) const {
    const int64_t begin = std::max<int64_t>(at, 0);
    const int64_t end =
        std::min(at + static_cast<int64_t>(second_.length), static_cast<int64_t>(first_.length));
    if (end - begin <= static_cast<int64_t>(known)) return 0;
    const auto shared = static_cast<size_t>(end - begin);
    const uint64_t in_first = first_.start + static_cast<uint64_t>(begin);
    const uint64_t in_second = second_.start + static_cast<uint64_t>(begin - at);
    // The last entries first: lists that are filled up in front begin alike at every place.
    const bool equal = AreEqual(in_first + shared - 1, in_second + shared - 1, 1) &&
                       AreEqual(in_first, in_second, shared - 1);
    return equal ? shared : 0;
  }

 private:
  bool AreEqual(uint64_t a, uint64_t b, size_t count) const {
    for (const FeatureRows::Values& values : column_.values) {
      const auto width = static_cast<size_t>(values.width);
      if (std::memcmp(values.data + a * width, values.data + b * width, count * width) != 0)
        return false;
    }
    return true;
  }

  const FeatureRows& column_;
  const LaidList first_;
  const LaidList second_;
};

}  // namespace

Windows FindWindows(const FeatureRows& column, std::span<const uint32_t> stored_rows,
                    size_t num_rows) {
  return WindowFinder(column).Find(stored_rows, num_rows);
}

size_t CountNewEntries(const FeatureRows& column, size_t before, size_t row) {
  const size_t length = EntriesOf(column, ShapeOf(column, row));
  const size_t length_before = EntriesOf(column, ShapeOf(column, before));
  if (length == 0 || length_before == 0) return length;
  const ListPair pair(column, {StartOf(column, before), length_before},
                      {StartOf(column, row), length});
  size_t best = 0;
  const int64_t same_end = static_cast<int64_t>(length_before) - static_cast<int64_t>(length);
  const size_t longest = std::max(length, length_before);
  // At an offset no place shares more than longest - offset entries.
  for (size_t offset = 0; offset < std::min(longest - best, kNearOffsets); ++offset) {
    if (best == length) break;
    const auto step = static_cast<int64_t>(offset);
    best = std::max(best, pair.OverlapBeyond(best, step));
    best = std::max(best, pair.OverlapBeyond(best, -step));
    if (same_end == 0) continue;  // The same places.
    best = std::max(best, pair.OverlapBeyond(best, same_end + step));
    best = std::max(best, pair.OverlapBeyond(best, same_end - step));
  }
  return length - best;
}

}  // namespace dsi::internal
