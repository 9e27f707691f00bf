// Groups of features that a key owns: what an item or a user carries.
//
// For every key, features are looked for that cost little when each row of a value of the key is
// held against the row of the same value before it in time: those that stay the same form the group
// of the owner itself; lists that shift and numbers that step form groups of its versions (spec
// D-005). Each feature goes to the key where it costs least.

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "dsi/dedup/group_cost_internal.h"
#include "dsi/dedup/group_search_internal.h"
#include "dsi/dedup/key_index_internal.h"
#include "dsi/dedup/value_cost_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxKeys = 32;              // Keys that are tried.
constexpr size_t kMaxFullComparisons = 512;  // Per key, after a sample spoke for them.
constexpr size_t kMaxGroupsOfKey = 8;        // State that changes at different times splits.
constexpr double kRepeatBits = 4;            // A row like the one before: a window or a run.
constexpr double kRepeatedNumberBits = 1;
constexpr double kSteps = 0.9;        // Of a number's cost in runs where windows save nothing.
constexpr double kNearlyBest = 0.99;  // A coarser key is taken at this share of the best gain.

// A feature that may belong to the key at hand.
struct Attachment {
  uint32_t feature = 0;
  ChangeBits changes;     // KeyIndex::FindChanges.
  double num_unique = 0;  // Unique rows that the feature needs.
  double bits_more = 0;   // Of an additional unique row, in which it does not change.
  double gain = 0;        // Bits saved with num_unique, if the index were free.
};

struct KeySearch {
  uint32_t key = 0;  // Ordinal of the feature.
  std::unique_ptr<KeyIndex> index = {};
  std::vector<double> gain = {};             // Per feature.
  std::vector<Attachment> attachments = {};  // Those that gain, the most first.
  bool done = false;
};

// What a key must save of a feature to own it. Of numbers that step from row to row samples say no
// more.
double LeastGain(const SearchedFeature& feature) {
  const bool steps =
      feature.column->entries_per_row == 1 && feature.cost_in_runs < kSteps * feature.bits_in_runs;
  return (steps ? 0.15 : 0.05) * feature.cost_in_runs;
}

class KeyGroups {
 public:
  explicit KeyGroups(GroupSearch* search)
      : search_(*search),
        rows_(static_cast<double>(search->num_rows)),
        looked_at_(RowsToLookAt(search->num_rows)) {}

  Result<std::vector<FoundGroup>> Run() {
    DSI_RETURN_IF_ERROR(MeasureKeys());
    // The key that promises most first. What its groups do not take is left to the others.
    while (true) {
      KeySearch* best = nullptr;
      double best_total = kMinFeatureBits;
      for (KeySearch& key : keys_) {
        double total = 0;
        for (uint32_t f = 0; f < search_.features.size(); ++f) {
          if (IsBestFor(key, f)) total += key.gain[f];
        }
        if (key.done || total <= best_total) continue;
        best = &key;
        best_total = total;
      }
      if (best == nullptr) break;
      TryKey(*best);
      *best = {.key = best->key, .index = {}, .gain = {}, .attachments = {}, .done = true};
      best->gain.assign(search_.features.size(), 0);
    }
    return std::move(groups_);
  }

 private:
  Status MeasureKeys() {
    std::vector<uint32_t> keys;
    for (uint32_t f = 0; f < search_.features.size(); ++f) {
      if (search_.features[f].is_key) keys.push_back(f);
    }
    DSI_RETURN_IF_ERROR(HashFeatures(keys, &search_));
    // Those of the fewest values, ascending.
    std::map<std::pair<uint32_t, uint32_t>, KeySearch> coarsest;
    std::mutex mutex;
    DSI_RETURN_IF_ERROR(search_.for_each(keys.size(), [&](size_t i) {
      const SearchedFeature& feature = search_.features[keys[i]];
      const UniqueRows unique = search_.hashes.Number({&feature.candidate, 1});
      const auto num_values = static_cast<uint32_t>(unique.first_row.size());
      // A key whose values stand in runs only owns what the search by runs finds more cheaply.
      if (num_values >= feature.num_runs || num_values < 2) return;
      auto index = std::make_unique<KeyIndex>(unique, search_.rows_in_time, looked_at_);
      const std::lock_guard lock(mutex);
      coarsest[{num_values, keys[i]}] = {.key = keys[i], .index = std::move(index)};
      if (coarsest.size() > kMaxKeys) coarsest.erase(std::prev(coarsest.end()));
    }));
    for (auto& [values_and_key, key] : coarsest) keys_.push_back(std::move(key));
    std::vector<std::vector<uint32_t>> promising(keys_.size());
    DSI_RETURN_IF_ERROR(
        search_.for_each(keys_.size(), [&](size_t i) { promising[i] = Promising(keys_[i]); }));
    return Measure(promising);
  }

  // Features that a sample of rows speaks for, those that promise most first.
  std::vector<uint32_t> Promising(const KeySearch& key) const {
    std::vector<std::pair<double, uint32_t>> promising;
    for (uint32_t f = 0; f < search_.features.size(); ++f) {
      const SearchedFeature& feature = search_.features[f];
      const double first_cost = key.index->num_values() * feature.bits;
      const double left = feature.cost_in_runs - first_cost;
      if (f != key.key && left < kMinFeatureBits) continue;
      const double repeated = rows_ - key.index->num_values();
      const double limit = feature.moves ? 1 : left / feature.bits_present / repeated;
      const double changes = key.index->SampleChanges(*feature.column, limit);
      const double cost = feature.moves ? 0 : changes * repeated * feature.bits_present;
      if (f == key.key || left - cost >= kMinFeatureBits) promising.emplace_back(cost - left, f);
    }
    std::sort(promising.begin(), promising.end());
    if (promising.size() > kMaxFullComparisons) promising.resize(kMaxFullComparisons);
    std::vector<uint32_t> features;
    for (const auto& [negative_gain, f] : promising) features.push_back(f);
    return features;
  }

  // What the features would save with the keys that they promise something with. Feature by
  // feature, so that one's hashes serve all keys.
  Status Measure(std::span<const std::vector<uint32_t>> promising) {
    const size_t num_features = search_.features.size();
    std::vector<std::vector<size_t>> keys_of(num_features);
    for (size_t k = 0; k < keys_.size(); ++k) {
      for (const uint32_t f : promising[k]) keys_of[f].push_back(k);
    }
    std::vector<std::vector<Attachment>> attachments(num_features);
    DSI_RETURN_IF_ERROR(search_.for_each(num_features, [&](size_t f) {
      const FeatureRows& column = *search_.features[f].column;
      std::optional<HashesAsAsked> hashes;
      if (column.entries_per_row != 1 && !keys_of[f].empty())
        hashes.emplace(column, search_.num_rows);
      for (const size_t k : keys_of[f])
        attachments[f].push_back(
            Compare(keys_[k], static_cast<uint32_t>(f), hashes ? &*hashes : nullptr));
    }));
    for (KeySearch& key : keys_) key.gain.assign(num_features, 0);
    for (size_t f = 0; f < num_features; ++f) {
      for (size_t i = 0; i < keys_of[f].size(); ++i)
        Attach(std::move(attachments[f][i]), &keys_[keys_of[f][i]]);
    }
    for (KeySearch& key : keys_) {
      std::stable_sort(key.attachments.begin(), key.attachments.end(),
                       [](const Attachment& a, const Attachment& b) { return a.gain > b.gain; });
    }
    return Status::Ok();
  }

  void Attach(Attachment attachment, KeySearch* key) const {
    const uint32_t f = attachment.feature;
    const double gain = attachment.gain;
    // Features that merely follow the key's runs gain nothing here.
    if (f != key->key && (gain < kMinFeatureBits || gain < LeastGain(search_.features[f]))) return;
    key->gain[f] = std::max(gain, 0.0);
    key->attachments.push_back(std::move(attachment));
  }

  Attachment Compare(const KeySearch& key, uint32_t f, HashesAsAsked* hashes) const {
    const SearchedFeature& feature = search_.features[f];
    const bool number = feature.column->entries_per_row == 1;
    Attachment a;
    a.feature = f;
    a.changes = key.index->FindChanges(*feature.column, hashes);
    const double count = key.index->CountRows(a.changes);
    const auto first = static_cast<double>(CountEntries(*feature.column, key.index->Firsts()));
    const double changed = key.index->CountEntriesOf(*feature.column, a.changes);
    // Rows that change may be the costly ones: all others are alike, where most are zero.
    double first_cost = first * feature.bits_of_entry;
    double changed_bits = feature.bits_of_entry;
    if (number) {
      first_cost = first * CodedBits(*feature.column, key.index->FirstRows(), feature.bits_alone);
      changed_bits = CodedBits(*feature.column, key.index->SomeRows(a.changes, kCostSample),
                               feature.bits_alone);
    }
    double cost = first_cost + changed * changed_bits;
    if (feature.moves && count != 0) {
      const double share = key.index->NewShareOf(*feature.column, a.changes);
      cost = std::min(cost, first_cost + changed * share * changed_bits + count * kRepeatBits);
    }
    a.num_unique = key.index->num_values() + count;
    a.bits_more = std::min(feature.bits, number ? kRepeatedNumberBits : kRepeatBits);
    if (!feature.moves) a.bits_more = feature.bits;
    a.gain = feature.cost_in_runs - cost;
    return a;
  }

  // Keys are in the order of their number of values: a feature goes to the coarsest that is nearly
  // the best.
  bool IsBestFor(const KeySearch& key, uint32_t f) const {
    if (search_.features[f].taken || key.gain[f] <= 0) return false;
    for (const KeySearch& other : keys_) {
      const bool coarser = &other < &key;
      if (coarser ? other.gain[f] >= kNearlyBest * key.gain[f]
                  : kNearlyBest * other.gain[f] > key.gain[f])
        return false;
    }
    return true;
  }

  void TryKey(const KeySearch& key) {
    const SearchedFeature& owner = search_.features[key.key];
    if (owner.taken) return;
    std::vector<Attachment> exact;
    std::vector<Attachment> near;
    for (const Attachment& a : key.attachments) {
      if (search_.features[a.feature].taken) continue;
      if (a.feature == key.key || IsBestFor(key, a.feature))
        (a.changes.Count() == 0 ? exact : near).push_back(a);
    }
    // The owner's own group costs a code per row, whatever hangs on it.
    const ChangeBits& key_runs = search_.patterns[owner.pattern];
    double saved = -GeneralIndexBits(rows_, key.index->num_values(), key_runs.Count());
    for (const Attachment& member : exact) saved += member.gain;
    std::vector<std::vector<Attachment>> moving;
    while (!near.empty() && moving.size() < kMaxGroupsOfKey) {
      double group_saved = 0;
      std::vector<Attachment> group = TakeGroup(key, &near, &group_saved);
      if (group_saved <= kMinFeatureBits) continue;
      saved += group_saved;
      moving.push_back(std::move(group));
    }
    double bits = 0;
    for (const Attachment& member : exact) bits += search_.features[member.feature].bits;
    for (const auto& group : moving) {
      for (const Attachment& member : group) bits += search_.features[member.feature].bits;
    }
    if (!WorthKeeping(saved, rows_ * bits)) return;
    if (std::none_of(exact.begin(), exact.end(),
                     [&](const Attachment& a) { return a.feature == key.key; })) {
      exact.push_back({.feature = key.key, .changes = {}});
    }
    const auto parent = static_cast<int>(groups_.size());
    Keep(exact, key, GroupRepeats::kAnywhere, -1);
    for (const auto& group : moving) Keep(group, key, GroupRepeats::kVersions, parent);
  }

  void Keep(const std::vector<Attachment>& members, const KeySearch& key, GroupRepeats repeats,
            int parent) {
    FoundGroup& group = groups_.emplace_back();
    group.repeats = repeats;
    group.parent = parent;
    group.owner = static_cast<int>(search_.features[key.key].candidate);
    for (const Attachment& member : members) {
      group.members.push_back(search_.features[member.feature].candidate);
      search_.features[member.feature].taken = true;
    }
    std::sort(group.members.begin(), group.members.end());
  }

  // The first of `near` and those that are cheaper with it than in a group of their own.
  std::vector<Attachment> TakeGroup(const KeySearch& key, std::vector<Attachment>* near,
                                    double* saved) const {
    const double values = key.index->num_values();
    std::vector<Attachment> members;
    members.push_back(std::move(near->front()));
    ChangeBits changes = members[0].changes;
    double num_unique = members[0].num_unique;
    double index_cost = StepBits(rows_, num_unique - values);
    double bits_more = members[0].bits_more;
    *saved = members[0].gain;
    std::vector<Attachment> left;
    for (size_t i = 1; i < near->size(); ++i) {
      Attachment& other = (*near)[i];
      ChangeBits joint = changes;
      joint.Add(other.changes);
      const double joint_unique = values + key.index->CountRows(joint);
      const double joint_index = StepBits(rows_, joint_unique - values);
      const double own_index = StepBits(rows_, other.num_unique - values);
      const double lost = (joint_unique - num_unique) * bits_more +
                          (joint_unique - other.num_unique) * other.bits_more;
      // It may do better by itself, or row by row.
      if (lost + joint_index - index_cost > std::min(own_index, other.gain)) {
        left.push_back(std::move(other));
        continue;
      }
      *saved += other.gain - lost;
      changes = std::move(joint);
      num_unique = joint_unique;
      index_cost = joint_index;
      bits_more += other.bits_more;
      members.push_back(std::move(other));
    }
    *saved -= index_cost;
    *near = std::move(left);
    return members;
  }

  GroupSearch& search_;
  double rows_;
  std::vector<uint32_t> looked_at_;
  std::vector<KeySearch> keys_;
  std::vector<FoundGroup> groups_;
};

}  // namespace

Result<std::vector<FoundGroup>> FindKeyGroups(GroupSearch* search) {
  return KeyGroups(search).Run();
}

}  // namespace dsi::internal
