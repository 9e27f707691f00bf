#include "dsi/writer/layout/find_id_spaces_internal.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "dsi/base/bytes_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kPieces = 256;
constexpr size_t kPiece = 512;
constexpr size_t kMostHashes = 512;
constexpr double kLeastShare =
    0.2;  // Of the smaller column's ids; wider codes cost the others more.
constexpr size_t kFewestShared = 16;  // Fewer are chance.
constexpr double kSparse = 64;        // Numbers for each id.
// Who reads a column alone reads the dictionary of all. With more ids of all for each of its own,
// it would not share in a stripe, and have none.
constexpr double kMostOthers = 4;

// Mixes all bits, and maps no two numbers to one.
uint64_t HashOf(uint64_t id) {
  id ^= id >> 32;
  id *= 0x9E3779B97F4A7C15ULL;
  id ^= id >> 29;
  id *= 0xBF58476D1CE4E5B9ULL;
  return id ^ id >> 32;
}

// Keeps the least distinct hashes of those added.
class LeastHashes {
 public:
  void Add(uint64_t hash) {
    if (hash > limit_) return;
    hashes_.push_back(hash);
    if (hashes_.size() == 4 * kMostHashes) Cut();
  }

  void Cut() {
    std::sort(hashes_.begin(), hashes_.end());
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
    if (hashes_.size() <= kMostHashes) return;
    hashes_.resize(kMostHashes);
    limit_ = hashes_.back();
  }

  std::vector<uint64_t>& hashes() { return hashes_; }
  uint64_t limit() const { return limit_; }

 private:
  std::vector<uint64_t> hashes_;
  uint64_t limit_ = UINT64_MAX;
};

// As a number that keeps the order of signed ids, too.
template <typename T>
uint64_t Ordered(T id, bool is_signed) {
  const T top = T{1} << (8 * sizeof(T) - 1);
  return is_signed ? static_cast<T>(id ^ top) : id;
}

template <typename T>
IdSketch Sketch(const std::byte* ids, size_t count, bool is_signed) {
  LeastHashes least;
  uint64_t first = UINT64_MAX;
  uint64_t last = 0;
  const size_t piece = std::min(count, kPiece);
  const size_t pieces = std::min(kPieces, count / std::max<size_t>(piece, 1));
  for (size_t p = 0; p < pieces; ++p) {
    const size_t begin = pieces < 2 ? 0 : (count - piece) / (pieces - 1) * p;
    uint64_t before = 0;
    for (size_t i = begin; i < begin + piece; ++i) {
      const T id = LoadLE<T>(ids + i * sizeof(T));
      const uint64_t ordered = Ordered(id, is_signed);
      first = std::min(first, ordered);
      last = std::max(last, ordered);
      if (i != begin && id == before) continue;
      before = id;
      least.Add(HashOf(id));
    }
  }
  least.Cut();
  IdSketch sketch{.width = sizeof(T),
                  .bytes = count * sizeof(T),
                  .hashes = std::move(least.hashes()),
                  .limit = least.limit()};
  sketch.distinct = static_cast<double>(sketch.hashes.size());
  if (sketch.limit != UINT64_MAX) sketch.distinct *= 0x1p64 / static_cast<double>(sketch.limit);
  sketch.is_sparse =
      first <= last && static_cast<double>(last - first) >= kSparse * sketch.distinct;
  return sketch;
}

}  // namespace

IdSketch SketchIds(const std::byte* ids, size_t count, int width, bool is_signed) {
  return width == 4 ? Sketch<uint32_t>(ids, count, is_signed)
                    : Sketch<uint64_t>(ids, count, is_signed);
}

std::vector<uint32_t> FindIdSpaces(std::span<const IdSketch> columns, uint64_t most_bytes) {
  // The column of most ids makes a space; a smaller one joins that of which it shares most.
  std::vector<uint32_t> order(columns.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return columns[a].distinct > columns[b].distinct;
  });
  std::vector<uint32_t> space_of(columns.size());
  std::iota(space_of.begin(), space_of.end(), 0U);
  std::vector<double> ids_of(columns.size());       // Of a space.
  std::vector<uint64_t> bytes_of(columns.size());   // The same.
  std::unordered_map<uint64_t, uint32_t> known[2];  // By width: the space of an id.
  std::vector<size_t> shared(columns.size(), 0);    // With each space.
  for (const uint32_t c : order) {
    const IdSketch& column = columns[c];
    ids_of[c] = column.distinct;
    bytes_of[c] = column.bytes;
    if (!column.is_sparse) continue;
    std::unordered_map<uint64_t, uint32_t>& spaces = known[column.width / 8];
    std::vector<uint32_t> met;
    for (const uint64_t hash : column.hashes) {
      const auto at = spaces.find(hash);
      if (at != spaces.end() && shared[at->second]++ == 0) met.push_back(at->second);
    }
    uint32_t best = c;
    double most = 0;
    double more = 0;  // Ids that the best space has not.
    for (const uint32_t space : met) {
      const uint64_t limit = std::min(column.limit, columns[space].limit);
      const auto below =
          static_cast<double>(std::upper_bound(column.hashes.begin(), column.hashes.end(), limit) -
                              column.hashes.begin());
      const size_t both = std::exchange(shared[space], 0);
      const double share = static_cast<double>(both) / below;
      const double fresh = (1 - share) * column.distinct;
      if (both < kFewestShared || share < kLeastShare || share <= most ||
          ids_of[space] + fresh > kMostOthers * column.distinct ||
          bytes_of[space] + column.bytes > most_bytes)
        continue;
      best = space;
      most = share;
      more = fresh;
    }
    space_of[c] = best;
    ids_of[best] += more;
    if (best != c) bytes_of[best] += column.bytes;
    for (const uint64_t hash : column.hashes) {
      if (hash <= columns[best].limit) spaces.try_emplace(hash, best);
    }
  }
  return space_of;
}

}  // namespace dsi::internal
