// Groups of features that are functions of each other and whose values return far apart, where no
// key says so: each feature is tried as the key of others.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "dsi/dedup/group_cost_internal.h"
#include "dsi/dedup/group_search_internal.h"
#include "dsi/dedup/key_index_internal.h"
#include "dsi/dedup/row_compare_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxKeys = 128;            // Features tried.
constexpr uint32_t kDistinctSample = 1024;  // Rows that show whether values return.
constexpr size_t kAhead = 8;                // Keys indexed at a time.
constexpr double kFewestBitsAlone = 64;     // Narrower numbers need no index: a dictionary does it.

class ContentGroups {
 public:
  explicit ContentGroups(GroupSearch* search)
      : search_(*search), rows_(static_cast<double>(search->num_rows)) {}

  Result<std::vector<FoundGroup>> Run() {
    // Features with few values first: a feature goes to the coarsest that determines it.
    DSI_ASSIGN_OR_RETURN(auto keys, ByNumValues(Promising(), &search_));
    std::erase_if(
        keys, [&](const auto& key) { return key.first >= search_.features[key.second].num_runs; });
    // Some keys are indexed ahead of their turn, by all threads, though one before them may take
    // them.
    for (size_t first = 0; first < keys.size(); first += kAhead) {
      const size_t count = std::min(kAhead, keys.size() - first);
      std::array<std::optional<KeyIndex>, kAhead> indexes;
      DSI_RETURN_IF_ERROR(search_.for_each(count, [&](size_t i) {
        const SearchedFeature& feature = search_.features[keys[first + i].second];
        if (!feature.taken)
          indexes[i].emplace(search_.hashes.Number({&feature.candidate, 1}), search_.rows_in_time);
      }));
      for (size_t i = 0; i < count; ++i) {
        const uint32_t key = keys[first + i].second;
        if (!search_.features[key].taken) TryKey(key, *indexes[i]);
      }
    }
    return std::move(groups_);
  }

 private:
  // Rows that differ from the one before show what a unique row costs.
  static double Gain(const SearchedFeature& feature, double num_unique) {
    return feature.cost_in_runs - num_unique * feature.bits_in_runs / feature.num_runs;
  }

  void TryKey(uint32_t key, const KeyIndex& index) {
    const double values = index.num_values();
    const SearchedFeature& own = search_.features[key];
    const double index_bits = GeneralIndexBits(rows_, values, own.num_runs);
    std::vector<uint32_t> members = {key};
    double bits = own.bits;
    double saved = own.cost_in_runs - values * own.bits_alone - index_bits;
    if (!PaysAlone(key)) saved = std::min(saved, 0.0);
    for (uint32_t f = 0; f < search_.features.size(); ++f) {
      const SearchedFeature& feature = search_.features[f];
      if (f == key || feature.taken || Gain(feature, values) < kMinFeatureBits) continue;
      if (index.SampleChanges(*feature.column, 0) != 0) continue;
      if (index.Changes(*feature.column, search_.hashes.Of(feature.candidate))) continue;
      members.push_back(f);
      saved += Gain(feature, values);
      bits += feature.bits;
    }
    if (!WorthKeeping(saved, rows_ * bits)) return;
    FoundGroup& group = groups_.emplace_back();
    group.repeats = GroupRepeats::kAnywhere;
    for (const uint32_t f : members) {
      group.members.push_back(search_.features[f].candidate);
      search_.features[f].taken = true;
    }
    std::sort(group.members.begin(), group.members.end());
  }

  // Features whose values return far apart often enough to pay for an index. A sample of rows where
  // the feature changes shows whether they return at all.
  std::vector<uint32_t> Promising() const {
    std::vector<std::pair<double, uint32_t>> promising;
    for (uint32_t i = 0; i < search_.features.size(); ++i) {
      const SearchedFeature& feature = search_.features[i];
      if (feature.taken || Gain(feature, 1) < kMinFeatureBits) continue;
      auto sample = SampleOf(feature);
      const auto sampled = static_cast<double>(sample.size());
      const auto end = std::unique(sample.begin(), sample.end(),
                                   [](const auto& a, const auto& b) { return a.first == b.first; });
      const auto distinct = static_cast<double>(end - sample.begin());
      constexpr double kMinReturns = 3;
      if (sampled - distinct < kMinReturns) continue;
      // If all values were equally frequent, s draws from n values would return s²/2n times. Half
      // of that n is an optimist's guess: what would not pay even so is not counted exactly.
      const double few = std::max(distinct, 0.25 * sampled * sampled / (sampled - distinct));
      const double guess = std::min(few, static_cast<double>(feature.num_runs));
      const double gain = Gain(feature, guess) - GeneralIndexBits(rows_, guess, feature.num_runs);
      if (WorthKeeping(gain, rows_ * feature.bits)) promising.emplace_back(-gain, i);
    }
    std::sort(promising.begin(), promising.end());
    if (promising.size() > kMaxKeys) promising.resize(kMaxKeys);
    std::vector<uint32_t> keys;
    for (const auto& [gain, feature] : promising) keys.push_back(feature);
    std::erase_if(keys, [&](uint32_t key) { return !PaysAlone(key) && !MayHaveFollowers(key); });
    return keys;
  }

  // A number alone would be stored as codes of a dictionary, which cost what the index costs.
  bool PaysAlone(uint32_t key) const {
    const SearchedFeature& own = search_.features[key];
    return own.bits_alone >= kFewestBitsAlone || own.is_text;
  }

  // Rows where the feature changes, with their hashes in front, in the order of these.
  std::vector<std::pair<uint64_t, uint32_t>> SampleOf(const SearchedFeature& feature) const {
    std::vector<uint32_t> rows;
    search_.patterns[feature.pattern].AppendEvery(
        std::max<uint32_t>(1, feature.num_runs / kDistinctSample), &rows);
    std::vector<std::pair<uint64_t, uint32_t>> sample;
    for (const uint32_t row : rows) sample.emplace_back(HashRow(*feature.column, row), row);
    std::sort(sample.begin(), sample.end());
    return sample;
  }

  // Whether some other feature is the same in all pairs of rows of a sample in which this one is.
  bool MayHaveFollowers(uint32_t key) const {
    const std::vector<std::pair<uint64_t, uint32_t>> sample = SampleOf(search_.features[key]);
    const auto follows = [&](const SearchedFeature& feature) {
      return WithRowComparer(*feature.column, [&](const auto& equal) {
        for (size_t i = 1; i < sample.size(); ++i) {
          if (sample[i].first == sample[i - 1].first &&
              !equal(sample[i].second, sample[i - 1].second))
            return false;
        }
        return true;
      });
    };
    for (uint32_t f = 0; f < search_.features.size(); ++f) {
      const SearchedFeature& feature = search_.features[f];
      if (f != key && !feature.taken && Gain(feature, 1) >= kMinFeatureBits && follows(feature))
        return true;
    }
    return false;
  }

  GroupSearch& search_;
  double rows_;
  std::vector<FoundGroup> groups_;
};

}  // namespace

Result<std::vector<FoundGroup>> FindContentGroups(GroupSearch* search) {
  return ContentGroups(search).Run();
}

}  // namespace dsi::internal
