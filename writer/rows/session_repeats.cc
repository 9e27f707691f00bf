#include "dsi/writer/rows/session_repeats_internal.h"

#include <algorithm>

#include "dsi/base/split_mix_internal.h"
#include "dsi/base/xxh3_internal.h"
#include "dsi/writer/rows/list_slots_internal.h"

namespace dsi::internal {
namespace {

// Of each list that is stored.
std::vector<uint64_t> HashLists(const FeatureSource& source) {
  const RowBatch::FeatureBuffer& buffer = *source.rows;
  std::vector<uint64_t> hashes(buffer.lengths.size());
  uint64_t start = 0;
  for (size_t list = 0; list < hashes.size(); ++list) {
    const uint32_t length = buffer.lengths[list];
    for (size_t c = 0; c < buffer.values.size() && length != 0; ++c) {
      const auto width = static_cast<size_t>(TypeWidth(source.spec->columns[c].type));
      hashes[list] =
          Xxh3(buffer.values[c].data() + start * width, length * width, hashes[list] + 1);
    }
    start += length;
  }
  return hashes;
}

}  // namespace

SessionRepeats::SessionRepeats(const Schema& schema, const std::vector<bool>& by_row)
    : features_(schema.features.size()), most_slots_(MostListSlots(features_.size())) {
  for (size_t f = 0; f < features_.size(); ++f) {
    const FeatureSpec& spec = schema.features[f];
    features_[f].is_looked_at =
        IsListKind(spec.kind) && !by_row[f] &&
        std::all_of(spec.columns.begin(), spec.columns.end(),
                    [](const ColumnSpec& column) { return column.precision == Precision::kExact; });
  }
}

void SessionRepeats::Forget() {
  for (Feature& feature : features_) {
    feature.slots.clear();
    feature.num_lists = 0;
  }
}

// Two for each list, while there may be so many.
void SessionRepeats::MakeRoom(Feature* feature) const {
  std::vector<uint64_t> slots(std::max(kFewestListSlots, 2 * feature->slots.size()), 0);
  slots.swap(feature->slots);
  for (const uint64_t hash : slots) {
    if (hash != 0) Had(feature, hash);
  }
}

// Slots are pairs, of which the first has what came last.
bool SessionRepeats::Had(Feature* feature, uint64_t hash) {
  uint64_t* const pair = &feature->slots[hash & (feature->slots.size() - 2)];
  if (pair[0] == hash || pair[1] == hash) return true;
  pair[1] = pair[0];
  pair[0] = hash;
  return false;
}

void SessionRepeats::Add(std::span<const FeatureSource> features,
                         std::span<const uint64_t> sessions, std::vector<uint64_t>* bytes,
                         TableTotals* totals) {
  bytes->assign(sessions.size(), 0);
  for (size_t f = 0; f < features_.size(); ++f) {
    if (!features_[f].is_looked_at) continue;
    const RowBatch::FeatureBuffer& buffer = *features[f].rows;
    const std::vector<uint64_t> hashes = HashLists(features[f]);
    const uint64_t entry = features[f].entry_bytes();
    for (size_t i = 0; i < buffer.num_present; ++i) {
      const size_t row = buffer.all_present ? i : buffer.rows[i];
      const size_t list = buffer.ListOf(i);
      const uint64_t length = buffer.lengths[list];
      if (length == 0) continue;
      Feature& feature = features_[f];
      if (2 * feature.num_lists >= feature.slots.size() && feature.slots.size() < most_slots_)
        MakeRoom(&feature);
      if (!Had(&feature, Mix64(hashes[list] ^ sessions[row]) | 1)) {
        ++feature.num_lists;
        continue;
      }
      (*bytes)[row] += length * entry;
      totals->features[f].num_in_session += length;
      totals->repeated_bytes += length * entry;
    }
  }
}

}  // namespace dsi::internal
