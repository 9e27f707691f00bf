#include "dsi/dedup/owner_merge_internal.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dsi/dedup/group_cost_internal.h"
#include "dsi/dedup/unique_rows_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxCompared = 24;

class OwnerMerge {
 public:
  OwnerMerge(size_t num_rows, std::vector<OwnerGroup>* groups)
      : rows_(static_cast<double>(num_rows)), groups_(*groups) {}

  void Run() {
    std::stable_sort(groups_.begin(), groups_.end(), [&](const OwnerGroup& a, const OwnerGroup& b) {
      return a.bits * (rows_ - a.num_unique) > b.bits * (rows_ - b.num_unique);
    });
    const size_t count = std::min(groups_.size(), kMaxCompared);
    std::vector<std::vector<double>> gains(count, std::vector<double>(count));
    for (size_t a = 0; a < count; ++a) {
      for (size_t b = a + 1; b < count; ++b) gains[a][b] = Gain(groups_[a], groups_[b]);
    }
    while (true) {
      double best = 0;
      size_t into = 0;
      size_t from = 0;
      for (size_t a = 0; a < count; ++a) {
        for (size_t b = a + 1; b < count; ++b) {
          if (gains[a][b] <= best) continue;
          best = gains[a][b];
          into = a;
          from = b;
        }
      }
      if (best <= 0) break;
      Join(&groups_[into], &groups_[from]);
      for (size_t other = 0; other < count; ++other) {
        gains[std::min(from, other)][std::max(from, other)] = 0;
        if (other == into || groups_[other].group.members.empty()) continue;
        const size_t low = std::min(into, other);
        const size_t high = std::max(into, other);
        gains[low][high] = Gain(groups_[low], groups_[high]);
      }
    }
    std::erase_if(groups_, [](const OwnerGroup& group) { return group.group.members.empty(); });
  }

 private:
  static double CountRuns(const std::vector<uint32_t>& inverse) {
    double runs = 1;
    for (size_t row = 1; row < inverse.size(); ++row) {
      runs += inverse[row] != inverse[row - 1] ? 1 : 0;
    }
    return runs;
  }

  double Cost(const std::vector<uint32_t>& inverse, double num_unique, double bits) const {
    return num_unique * bits + GeneralIndexBits(rows_, num_unique, CountRuns(inverse));
  }

  // The union of two partitions, unless it has more than `limit` unique rows.
  static std::optional<std::vector<uint32_t>> Unite(const OwnerGroup& a, const OwnerGroup& b,
                                                    double limit, uint32_t* num_unique) {
    std::vector<uint64_t> pairs(a.inverse.size());
    for (size_t row = 0; row < pairs.size(); ++row) {
      pairs[row] = uint64_t{a.inverse[row]} << 32 | b.inverse[row];
    }
    RowColumn column;
    column.entries_per_row = 1;
    column.values = {{reinterpret_cast<const std::byte*>(pairs.data()), 8}};
    std::vector<uint64_t> hashes(pairs.size());
    HashRows(column, pairs.size(), hashes);
    const RowColumn* columns[] = {&column};
    UniqueRows unique = FindUnique(columns, hashes);
    *num_unique = static_cast<uint32_t>(unique.first_row.size());
    if (*num_unique > limit) return std::nullopt;
    return std::move(unique.inverse);
  }

  double Gain(const OwnerGroup& a, const OwnerGroup& b) const {
    const double apart =
        Cost(a.inverse, a.num_unique, a.bits) + Cost(b.inverse, b.num_unique, b.bits);
    // More unique rows than this cost more than both groups, whatever the index.
    const double limit = apart / (a.bits + b.bits);
    if (std::max(a.num_unique, b.num_unique) > limit) return 0;
    uint32_t num_unique = 0;
    const std::optional<std::vector<uint32_t>> inverse = Unite(a, b, limit, &num_unique);
    return inverse ? apart - Cost(*inverse, num_unique, a.bits + b.bits) : 0;
  }

  void Join(OwnerGroup* into, OwnerGroup* from) const {
    uint32_t num_unique = 0;
    into->inverse = *Unite(*into, *from, rows_, &num_unique);
    const OwnerGroup& finer = into->num_unique >= from->num_unique ? *into : *from;
    into->group.owner = finer.num_unique == num_unique ? finer.group.owner : -1;
    into->num_unique = num_unique;
    into->bits += from->bits;
    std::vector<uint32_t>& members = into->group.members;
    members.insert(members.end(), from->group.members.begin(), from->group.members.end());
    from->group.members.clear();
    from->inverse = {};
  }

  double rows_;
  std::vector<OwnerGroup>& groups_;
};

}  // namespace

void MergeOwnerGroups(size_t num_rows, std::vector<OwnerGroup>* groups) {
  OwnerMerge(num_rows, groups).Run();
}

}  // namespace dsi::internal
