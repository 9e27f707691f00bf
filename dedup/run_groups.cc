// Groups of features whose rows repeat in runs: session state above all.

#include <algorithm>
#include <cmath>
#include <utility>

#include "dsi/dedup/group_cost_internal.h"
#include "dsi/dedup/group_search_internal.h"

namespace dsi::internal {
namespace {

// Features that share a run pattern, or the union of several patterns.
struct RunClass {
  std::vector<uint32_t> features;  // Ordinals in GroupSearch::features.
  ChangeBits changes;
  double num_unique = 0;
  double bits = 0;  // Of an average row of all features.
  // What the rows that change cost beyond num_unique × bits: a row that changes is present more
  // often than the average row of a feature that is mostly missing.
  double more_bits = 0;
};

// Pairs of classes are compared only among the largest, so that the work is bounded.
constexpr size_t kMaxLargeClasses = 200;
// Large classes that a small one is held against.
constexpr size_t kMaxTries = 8;

class RunClasses {
 public:
  explicit RunClasses(const GroupSearch& search)
      : search_(search), rows_(static_cast<double>(search.num_rows)) {
    std::vector<size_t> class_of(search.patterns.size(), SIZE_MAX);
    for (uint32_t i = 0; i < search.features.size(); ++i) {
      const SearchedFeature& feature = search.features[i];
      if (feature.taken) continue;
      size_t& at = class_of[feature.pattern];
      if (at == SIZE_MAX) {
        at = classes_.size();
        classes_.push_back({{}, search.patterns[feature.pattern], double(feature.num_runs)});
      }
      classes_[at].features.push_back(i);
      classes_[at].bits += feature.bits;
      classes_[at].more_bits += feature.bits_in_runs - feature.num_runs * feature.bits;
    }
    // What a class could save if its index were free. Classes that could save next to nothing are
    // rows anyway and must not weigh on the search; the rest is in a fixed order, largest first.
    std::erase_if(classes_, [&](const RunClass& c) { return Potential(c) < kMinFeatureBits; });
    std::stable_sort(classes_.begin(), classes_.end(), [&](const RunClass& a, const RunClass& b) {
      return Potential(a) > Potential(b);
    });
  }

  // Greedy: while some pair of large classes is cheaper as one, joins the best pair.
  void MergeLarge() {
    const size_t count = std::min(classes_.size(), kMaxLargeClasses);
    std::vector<double> gains(count * count);
    for (size_t a = 0; a < count; ++a) {
      for (size_t b = a + 1; b < count; ++b) gains[a * count + b] = Gain(a, b);
    }
    std::vector<bool> gone(count);
    while (true) {
      const auto best = std::max_element(gains.begin(), gains.end());
      if (best == gains.end() || *best <= 0) break;
      const size_t a = static_cast<size_t>(best - gains.begin()) / count;
      const size_t b = static_cast<size_t>(best - gains.begin()) % count;
      Join(a, b);
      gone[b] = true;
      for (size_t other = 0; other < count; ++other) {
        gains[std::min(b, other) * count + std::max(b, other)] = 0;
        if (other == a || gone[other]) continue;
        const size_t low = std::min(a, other);
        const size_t high = std::max(a, other);
        gains[low * count + high] = Gain(low, high);
      }
    }
    Compact();
  }

  // Holds each class beyond the large ones against the few large ones that promise most by their
  // counts alone; it joins the best, if that is cheaper.
  void MergeSmall() {
    const size_t num_large = std::min(classes_.size(), kMaxLargeClasses);
    for (size_t small = num_large; small < classes_.size(); ++small) {
      std::vector<std::pair<double, size_t>> promises;
      for (size_t large = 0; large < num_large; ++large) {
        const double least = std::max(classes_[large].num_unique, classes_[small].num_unique);
        const double gain = GainIf(classes_[large], classes_[small], least);
        if (gain > 0) promises.emplace_back(-gain, large);
      }
      std::sort(promises.begin(), promises.end());
      double best_gain = 0;
      size_t best = 0;
      for (size_t i = 0; i < std::min(promises.size(), kMaxTries); ++i) {
        const double gain = Gain(promises[i].second, small);
        if (gain <= best_gain) continue;
        best_gain = gain;
        best = promises[i].second;
      }
      if (best_gain > 0) Join(best, small);
    }
    Compact();
  }

  std::vector<RunGroup> Groups() {
    std::vector<RunGroup> groups;
    for (RunClass& c : classes_) {
      const double saved = Potential(c) - RunIndexBits(rows_, c.num_unique);
      if (!WorthKeeping(saved, rows_ * c.bits) || IsThin(c, saved)) continue;
      FoundGroup group;
      for (const uint32_t feature : c.features) {
        group.members.push_back(search_.features[feature].candidate);
      }
      std::sort(group.members.begin(), group.members.end());
      group.owner = Owner(c);
      groups.push_back({std::move(group), std::move(c.changes)});
    }
    return groups;
  }

 private:
  double Potential(const RunClass& c) const {
    return (rows_ - c.num_unique) * c.bits - c.more_bits;
  }

  // A number alone, whose codes compress as rows nearly as well.
  bool IsThin(const RunClass& c, double saved) const {
    constexpr double kFewestBits = 12;
    constexpr double kFewestSaved = 0.35;
    return c.bits < kFewestBits && saved < kFewestSaved * rows_ * c.bits;
  }

  // A class is stored as a group or as rows, whichever is cheaper.
  double Cost(double num_unique, double bits, double more_bits) const {
    return std::min(rows_ * bits, num_unique * bits + more_bits + RunIndexBits(rows_, num_unique));
  }

  double GainIf(const RunClass& a, const RunClass& b, double num_unique) const {
    return Cost(a.num_unique, a.bits, a.more_bits) + Cost(b.num_unique, b.bits, b.more_bits) -
           Cost(num_unique, a.bits + b.bits, a.more_bits + b.more_bits);
  }

  // Bits saved by storing two classes as one: an index less, but unique rows wherever either
  // changes.
  double Gain(size_t a, size_t b) const {
    const RunClass& x = classes_[a];
    const RunClass& y = classes_[b];
    if (GainIf(x, y, std::max(x.num_unique, y.num_unique)) <= 0) return 0;
    return GainIf(x, y, x.changes.CountWith(y.changes));
  }

  void Join(size_t into, size_t from) {
    RunClass& a = classes_[into];
    RunClass& b = classes_[from];
    a.features.insert(a.features.end(), b.features.begin(), b.features.end());
    a.changes.Add(b.changes);
    a.num_unique = a.changes.Count();
    a.bits += b.bits;
    a.more_bits += b.more_bits;
    b.features.clear();
  }

  void Compact() {
    std::erase_if(classes_, [](const RunClass& c) { return c.features.empty(); });
  }

  // The key that changes exactly when the group does.
  int Owner(const RunClass& c) const {
    for (const SearchedFeature& feature : search_.features) {
      if (feature.is_key && feature.num_runs == c.num_unique &&
          search_.patterns[feature.pattern] == c.changes) {
        return static_cast<int>(feature.candidate);
      }
    }
    return -1;
  }

  const GroupSearch& search_;
  double rows_;
  std::vector<RunClass> classes_;
};

}  // namespace

std::vector<RunGroup> FindRunGroups(const GroupSearch& search) {
  RunClasses classes(search);
  classes.MergeLarge();
  classes.MergeSmall();
  return classes.Groups();
}

}  // namespace dsi::internal
