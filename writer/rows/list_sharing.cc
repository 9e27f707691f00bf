#include "dsi/writer/rows/list_sharing_internal.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "dsi/base/xxh3_internal.h"
#include "dsi/writer/rows/list_slots_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
// Where lists of a window that are found have fewer bytes than this for each list that was looked
// for, it is not worth the search, and the next kPause windows are stored as they come.
constexpr uint32_t kWindow = 4'096;
constexpr uint64_t kFewestSaved = 16;
constexpr uint32_t kPause = 15;

size_t EntriesStored(const RowBatch::FeatureBuffer& buffer, size_t width) {
  return buffer.values[0].size() / width;
}

}  // namespace

ListSharing::ListSharing(const Schema& schema, bool pauses)
    : features_(schema.features.size()),
      most_slots_(MostListSlots(features_.size())),
      pauses_(pauses) {
  for (size_t f = 0; f < features_.size(); ++f) {
    if (!IsListKind(schema.features[f].kind)) continue;
    for (const ColumnSpec& column : schema.features[f].columns)
      features_[f].widths.push_back(static_cast<size_t>(TypeWidth(column.type)));
  }
}

void ListSharing::Forget(size_t feature) {
  std::fill(features_[feature].slots.begin(), features_[feature].slots.end(), Slot{});
  features_[feature].last = {};
}

void ListSharing::ForgetAll() {
  for (size_t f = 0; f < features_.size(); ++f) Forget(f);
}

bool ListSharing::Equals(const Feature& feature, const RowBatch::FeatureBuffer& in,
                         const Slot& slot, uint32_t length,
                         std::span<const std::byte* const> entries) {
  if (slot.list == kNone || in.lengths[slot.list] != length) return false;
  for (size_t c = 0; length != 0 && c < entries.size(); ++c) {
    const size_t width = feature.widths[c];
    if (std::memcmp(in.values[c].data() + slot.start * width, entries[c], length * width) != 0)
      return false;
  }
  return true;
}

// As many as there are lists, about, for what they cost.
void ListSharing::MakeRoom(Feature* feature) const {
  std::vector<Slot> slots(std::max(kFewestListSlots, 2 * feature->slots.size()));
  for (const Slot& slot : feature->slots) slots[slot.hash & (slots.size() - 1)] = slot;
  feature->slots = std::move(slots);
}

uint32_t ListSharing::Find(Feature* feature, const RowBatch::FeatureBuffer& in, uint32_t length,
                           std::span<const std::byte* const> entries, const Slot& fresh) const {
  ++feature->looked;
  if (Equals(*feature, in, feature->last, length, entries)) {
    feature->found += length;
    return feature->last.list;
  }
  uint64_t hash = length;
  for (size_t c = 0; c < entries.size() && length != 0; ++c)
    hash = Xxh3(entries[c], length * feature->widths[c], hash);
  if (fresh.list >= feature->slots.size() && feature->slots.size() < most_slots_) MakeRoom(feature);
  const auto tag = static_cast<uint32_t>(hash);
  Slot& slot = feature->slots[tag & (feature->slots.size() - 1)];
  const bool is_found = slot.hash == tag && Equals(*feature, in, slot, length, entries);
  if (is_found) {
    feature->found += length;
  } else {
    slot = {tag, fresh.list, fresh.start};
  }
  feature->last = slot;
  return is_found ? slot.list : kNone;
}

void ListSharing::Append(size_t feature, std::span<const uint32_t> lengths,
                         std::span<const std::byte* const> values, RowBatch::FeatureBuffer* to) {
  Feature& of = features_[feature];
  std::vector<const std::byte*>& at = at_;
  at.assign(values.begin(), values.end());
  // Lists from here on, as they come.
  const auto store = [&](std::span<const uint32_t> stored) {
    const auto first = static_cast<uint32_t>(to->lengths.size());
    const uint64_t entries = std::accumulate(stored.begin(), stored.end(), uint64_t{0});
    to->lengths.insert(to->lengths.end(), stored.begin(), stored.end());
    if (!to->lists.empty()) {
      to->lists.resize(to->lists.size() + stored.size());
      std::iota(to->lists.end() - static_cast<std::ptrdiff_t>(stored.size()), to->lists.end(),
                first);
    }
    for (size_t c = 0; c < at.size(); ++c) {
      if (entries == 0) break;
      to->values[c].append({at[c], entries * of.widths[c]});
      at[c] += entries * of.widths[c];
    }
  };
  for (size_t i = 0; i < lengths.size();) {
    if (of.unlooked != 0) {
      const size_t run = std::min<size_t>(of.unlooked, lengths.size() - i);
      store(lengths.subspan(i, run));
      of.unlooked -= static_cast<uint32_t>(run);
      i += run;
      continue;
    }
    const Slot fresh{0, static_cast<uint32_t>(to->lengths.size()),
                     EntriesStored(*to, of.widths[0])};
    const uint32_t found = Find(&of, *to, lengths[i], at, fresh);
    if (found == kNone) {
      store(lengths.subspan(i, 1));
    } else {
      if (to->lists.empty()) {
        // So far each row had a list of its own.
        to->lists.resize(to->lengths.size());
        std::iota(to->lists.begin(), to->lists.end(), 0U);
      }
      to->lists.push_back(found);
      for (size_t c = 0; c < at.size(); ++c) at[c] += lengths[i] * of.widths[c];
    }
    ++i;
    if (of.looked < kWindow) continue;
    const uint64_t saved =
        of.found * std::accumulate(of.widths.begin(), of.widths.end(), size_t{0});
    if (pauses_ && saved < kWindow * kFewestSaved) of.unlooked = kPause * kWindow;
    of.looked = 0;
    of.found = 0;
  }
}

}  // namespace dsi::internal
