// Groups of features whose rows repeat far apart: what an item carries returns with the item.
//
// For every key, features are looked for that stay the same, or nearly so, from one row of a value
// of the key to the next row of that value. A feature without a key can be its own: equal
// partitions then find each other.

#include <algorithm>
#include <cmath>
#include <utility>

#include "dsi/dedup/group_cost_internal.h"
#include "dsi/dedup/group_search_internal.h"
#include "dsi/dedup/key_index_internal.h"
#include "dsi/dedup/owner_merge_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxKeys = 64;               // Declared keys that are tried.
constexpr size_t kMaxOwnKeys = 128;           // Features tried as their own key.
constexpr size_t kMaxFullComparisons = 2048;  // Per key, after the sample spoke for them.
constexpr size_t kMaxGroupsOfKey = 3;         // State that changes at different times splits.
constexpr uint32_t kDistinctSample = 1024;    // Rows that show whether values return.

// A feature that may belong to the key at hand.
struct Attachment {
  uint32_t feature = 0;
  ChangeBits changes;     // Between rows of the same value of the key.
  double num_unique = 0;  // Unique rows that the feature needs.
  double gain = 0;        // Bits saved with that many, if the index were free.
};

class OwnerSearch {
 public:
  explicit OwnerSearch(GroupSearch* search)
      : search_(*search), rows_(static_cast<double>(search->num_rows)) {}

  std::vector<FoundGroup> Run() {
    std::vector<uint32_t> keys;
    for (uint32_t i = 0; i < search_.features.size() && keys.size() < kMaxKeys; ++i) {
      if (search_.features[i].is_key) keys.push_back(i);
    }
    TryKeys(keys);
    TryKeys(OwnKeys());
    MergeOwnerGroups(search_.num_rows, &groups_);
    std::vector<FoundGroup> found;
    for (OwnerGroup& group : groups_) {
      std::sort(group.group.members.begin(), group.group.members.end());
      found.push_back(std::move(group.group));
    }
    return found;
  }

 private:
  // Tries keys with few values first: a feature goes to the coarsest key that determines it, where
  // it has the fewest unique rows. Merging later undoes what was split too finely.
  void TryKeys(const std::vector<uint32_t>& keys) {
    std::vector<std::pair<uint32_t, uint32_t>> by_values;
    for (const uint32_t key : keys) {
      const UniqueRows unique = FindUniqueOf(*search_.features[key].column, search_.num_rows);
      by_values.emplace_back(static_cast<uint32_t>(unique.first_row.size()), key);
    }
    std::sort(by_values.begin(), by_values.end());
    for (const auto& [num_values, key] : by_values) {
      const SearchedFeature& feature = search_.features[key];
      // A key whose values stand in runs only owns what the search by runs finds more cheaply, and
      // a feature that another key took speaks for itself no more.
      if (num_values >= feature.num_runs || (feature.taken && !feature.is_key)) continue;
      TryKey(key);
    }
  }

  void TryKey(uint32_t key) {
    const KeyIndex index(*search_.features[key].column, search_.num_rows);
    std::vector<Attachment> exact;
    std::vector<Attachment> near;
    Attach(index, &exact, &near);
    std::stable_sort(near.begin(), near.end(),
                     [](const Attachment& a, const Attachment& b) { return a.gain > b.gain; });
    // First the features that are functions of the key, with those near enough to bear the others'
    // additional unique rows; then groups of what is left, led by the feature that gains most.
    Build(key, index, std::move(exact), &near);
    for (size_t i = 1; i < kMaxGroupsOfKey && !near.empty(); ++i) {
      std::vector<Attachment> first;
      first.push_back(std::move(near.front()));
      near.erase(near.begin());
      Build(key, index, std::move(first), &near);
    }
  }

  // Bits saved by moving a feature from its own runs to as many present rows, index not counted.
  static double Gain(const SearchedFeature& feature, double num_present) {
    return feature.bits_in_runs - num_present * feature.bits_present;
  }

  // The same for an attachment whose group has more unique rows than the feature needs.
  double Gain(const Attachment& attachment, double num_unique) const {
    return attachment.gain -
           (num_unique - attachment.num_unique) * search_.features[attachment.feature].bits;
  }

  void Attach(const KeyIndex& index, std::vector<Attachment>* exact,
              std::vector<Attachment>* near) const {
    const double values = index.num_values();
    const double repeated = rows_ - values;
    std::vector<std::pair<double, uint32_t>> promising;
    for (uint32_t i = 0; i < search_.features.size(); ++i) {
      const SearchedFeature& feature = search_.features[i];
      if (feature.taken) continue;
      // Until they are counted, the key's first rows are taken to have the feature as often as the
      // average row does.
      const double first_present = values * feature.bits / feature.bits_present;
      const double limit = Gain(feature, first_present) / feature.bits_present / repeated;
      if (Gain(feature, first_present) < kMinFeatureBits) continue;
      const double share = index.SampleChanges(*feature.column, limit);
      const double gain = Gain(feature, first_present + share * repeated);
      // A twentieth: features that merely follow the key's runs gain nothing here, but a sample
      // says so only roughly.
      if (gain < kMinFeatureBits || gain < 0.05 * feature.bits_in_runs) continue;
      promising.emplace_back(-gain, i);
    }
    std::sort(promising.begin(), promising.end());
    if (promising.size() > kMaxFullComparisons) promising.resize(kMaxFullComparisons);
    for (const auto& [negative_gain, i] : promising) {
      const SearchedFeature& feature = search_.features[i];
      std::optional<ChangeBits> changes = index.FindChanges(*feature.column, feature.num_runs);
      if (!changes) continue;
      const uint32_t count = changes->Count();
      const double gain = Gain(feature, index.CountPresent(*feature.column, *changes));
      if (gain < kMinFeatureBits) continue;
      Attachment attachment{i, std::move(*changes), values + count, gain};
      (count == 0 ? exact : near)->push_back(std::move(attachment));
    }
  }

  // Takes `members`, adds from `near` what makes the group cheaper, and keeps the group if it pays.
  void Build(uint32_t key, const KeyIndex& index, std::vector<Attachment> members,
             std::vector<Attachment>* near) {
    if (members.empty()) return;
    ChangeBits changes(search_.num_rows);
    double bits = 0;
    for (const Attachment& member : members) {
      changes.Add(member.changes);
      bits += search_.features[member.feature].bits;
    }
    const ChangeBits& key_runs = search_.patterns[search_.features[key].pattern];
    const auto index_bits = [&](const ChangeBits& with, double num_unique) {
      return GeneralIndexBits(rows_, num_unique, key_runs.CountWith(with));
    };
    double num_unique = double(index.num_values()) + changes.Count();
    double index_cost = index_bits(changes, num_unique);
    std::vector<Attachment> left;
    for (Attachment& attachment : *near) {
      const SearchedFeature& feature = search_.features[attachment.feature];
      ChangeBits joint = changes;
      joint.Add(attachment.changes);
      const double joint_unique = double(index.num_values()) + joint.Count();
      const double joint_index = index_bits(joint, joint_unique);
      const double delta = Gain(attachment, joint_unique) - (joint_unique - num_unique) * bits -
                           (joint_index - index_cost);
      if (delta < 0.02 * feature.bits_in_runs) {
        left.push_back(std::move(attachment));
        continue;
      }
      changes = std::move(joint);
      num_unique = joint_unique;
      index_cost = joint_index;
      bits += feature.bits;
      members.push_back(std::move(attachment));
    }
    *near = std::move(left);

    double saved = -index_cost;
    for (const Attachment& member : members) saved += Gain(member, num_unique);
    if (!WorthKeeping(saved, rows_ * bits)) return;
    OwnerGroup group;
    group.group.anywhere = true;
    group.group.owner =
        search_.features[key].is_key ? static_cast<int>(search_.features[key].candidate) : -1;
    for (const Attachment& member : members) {
      group.group.members.push_back(search_.features[member.feature].candidate);
      search_.features[member.feature].taken = true;
    }
    group.bits = bits;
    group.num_unique = static_cast<uint32_t>(num_unique);
    group.inverse = index.Versions(changes);
    groups_.push_back(std::move(group));
  }

  // Features that no key owns but whose values return far apart often enough to pay for an index
  // of their own. A sample of rows where the feature changes shows whether values return at all.
  std::vector<uint32_t> OwnKeys() const {
    std::vector<std::pair<double, uint32_t>> promising;
    std::vector<uint32_t> rows;
    std::vector<uint64_t> hashes;
    for (uint32_t i = 0; i < search_.features.size(); ++i) {
      const SearchedFeature& feature = search_.features[i];
      if (feature.taken || Gain(feature, 1) < kMinFeatureBits) continue;
      rows.clear();
      search_.patterns[feature.pattern].AppendEvery(
          std::max<uint32_t>(1, feature.num_runs / kDistinctSample), &rows);
      hashes.clear();
      for (const uint32_t row : rows) hashes.push_back(HashRow(*feature.column, row));
      std::sort(hashes.begin(), hashes.end());
      const double sampled = static_cast<double>(hashes.size());
      const double distinct =
          static_cast<double>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
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
    if (promising.size() > kMaxOwnKeys) promising.resize(kMaxOwnKeys);
    std::vector<uint32_t> keys;
    for (const auto& [gain, feature] : promising) keys.push_back(feature);
    return keys;
  }

  GroupSearch& search_;
  double rows_;
  std::vector<OwnerGroup> groups_;
};

}  // namespace

std::vector<FoundGroup> FindOwnerGroups(GroupSearch* search) { return OwnerSearch(search).Run(); }

}  // namespace dsi::internal
