#include "dsi/writer/encode/stripe_encoder_internal.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/dedup/row_compare_internal.h"
#include "dsi/format/slots_internal.h"
#include "dsi/writer/cluster/gather_internal.h"
#include "dsi/writer/encode/alias_streams_internal.h"
#include "dsi/writer/encode/id_space_encoder_internal.h"
#include "dsi/writer/encode/source_choice_internal.h"

namespace dsi::internal {

StripeEncoder::StripeEncoder(const FileLayout& layout, const StripeInput& rows,
                             const StripeOptions& options)
    : layout_(layout),
      features_(rows.features),
      rows_in_time_(rows.rows_in_time),
      first_(rows.interval.first),
      num_rows_(rows.interval.num_rows),
      options_(options),
      indexes_(layout.groups.size()),
      values_(rows.features.size()),
      statistics_(rows.features.size()) {
  stripe_.streams.resize(layout_.num_slots);
  for (EncodedStream& stream : stripe_.streams) stream.record.width = 1;  // F-078.
  indexes_[0].record = {.form = IndexForm::kIdentity, .num_unique = num_rows_};
  if (options_.time_feature >= 0) SortByTimeColumn(static_cast<size_t>(options_.time_feature));
}

// As readers do: by the stored time, missing ones first, then by row.
void StripeEncoder::SortByTimeColumn(size_t feature) {
  if (layout_.columns[layout_.features[feature].first_column].id_space != kNone16) return;
  const FeatureSlice rows = features_[feature].MakeRows(first_, num_rows_);
  std::vector<int64_t> times(num_rows_, INT64_MIN);
  std::vector<uint8_t> present(num_rows_);
  for (uint32_t row = 0; row < num_rows_; ++row) {
    present[row] = ShapeOf(rows, row) != 0 ? 1 : 0;
    const uint64_t entry = rows.starts.empty() ? row : rows.starts[row];
    if (present[row] != 0) times[row] = LoadLE<int64_t>(rows.values[0].data + entry * 8);
  }
  rows_by_time_column_.resize(num_rows_);
  std::iota(rows_by_time_column_.begin(), rows_by_time_column_.end(), 0U);
  std::stable_sort(
      rows_by_time_column_.begin(), rows_by_time_column_.end(), [&](uint32_t a, uint32_t b) {
        return present[a] != present[b] ? present[a] < present[b] : times[a] < times[b];
      });
  for (uint32_t g = layout_.features[feature].group; g != 0; g = layout_.groups[g].parent)
    time_groups_.insert(g);
}

void StripeEncoder::BuildIndex(uint32_t g) {
  if (!options_.dedup) {
    indexes_[g].record = {.form = IndexForm::kIdentity, .num_unique = num_rows_};
    return;
  }
  const GroupLayout& group = layout_.groups[g];
  std::vector<const ClusteredFeature*> members;
  for (const uint32_t f : group.features) members.push_back(&features_[f]);
  // An index is decoded once, for all features that need it.
  StreamTuning tuning = options_.tuning;
  tuning.ns_per_byte *= static_cast<double>(CountServed(g));
  indexes_[g] = BuildGroupIndex(
      {.features = members,
       .repeats = group.repeats,
       .parent = group.parent == 0 ? nullptr : &indexes_[group.parent],
       .rows_in_time = rows_in_time_,
       .rows_by_time_column =
           time_groups_.contains(g) ? std::span<const uint32_t>() : std::span(rows_by_time_column_),
       .keep_inverse = group.is_parent,
       .first = first_,
       .num_rows = num_rows_,
       .page_values = options_.page_values,
       .index_slot = group.index_slot,
       .plans = options_.plans},
      tuning);
}

// Features of the group and of those whose index refers to it.
size_t StripeEncoder::CountServed(uint32_t g) const {
  size_t count = layout_.groups[g].features.size();
  if (!layout_.groups[g].is_parent) return count;
  for (const GroupLayout& group : layout_.groups) {
    if (group.parent == g) count += group.features.size();
  }
  return count;
}

bool StripeEncoder::MayLend(size_t f) const { return IsListKind(features_[f].source().spec->kind); }

void StripeEncoder::FindValues(uint32_t f) {
  const FeatureLayout& feature = layout_.features[f];
  values_[f] = std::make_unique<FeatureValues>(features_[f], indexes_[feature.group], first_,
                                               num_rows_, HasWindows(f));
}

bool StripeEncoder::HasWindows(uint32_t f) const {
  return layout_.columns[layout_.features[f].first_column].windows_slot != kNone32;
}

void StripeEncoder::EncodeOwnStreams(uint32_t f) {
  const ColumnLayout& leader = layout_.columns[layout_.features[f].first_column];
  if (HasWindows(f)) {
    stripe_.streams[leader.windows_slot] =
        values_[f]->EncodeWindows({.plan = options_.plans->Of(leader.windows_slot),
                                   .num_tiers = leader.num_tiers,
                                   .page_values = options_.page_values},
                                  options_.tuning);
  }
  if (!MayLend(f)) EncodeFeature(f);
}

Status StripeEncoder::FindSources(const ForEach& for_each) {
  if (!options_.dedup) return Status::Ok();
  DSI_ASSIGN_OR_RETURN(std::vector<BorrowingStream> streams,
                       ChooseSources(layout_, features_, values_, options_, for_each));
  for (BorrowingStream& borrowing : streams) {
    stripe_.streams[layout_.columns[borrowing.column].values_slot] = std::move(borrowing.stream);
  }
  return Status::Ok();
}

void StripeEncoder::EncodeSpace(size_t space) {
  EncodeIdSpace(layout_, layout_.id_spaces[space], features_, values_, options_, &stripe_);
}

uint32_t StripeEncoder::text_page() const {
  return std::min<uint32_t>(options_.page_values, kMaxPageValues / sizeof(uint64_t)) *
         sizeof(uint64_t);
}

void StripeEncoder::EncodeFeature(uint32_t f) {
  const FeatureSource& source = features_[f].source();
  const uint32_t leader = layout_.features[f].first_column;
  const std::vector<uint32_t> shape = values_[f]->Shape();
  const uint32_t shape_slot = layout_.columns[leader].shape_slot;
  EncodedStream& shape_stream = stripe_.streams[shape_slot];
  RememberedPlan* const shape_plan = options_.plans->Of(shape_slot);
  if (source.has_lengths()) {
    shape_stream = EncodeStream({.values = shape.data(), .count = shape.size(), .width = 4},
                                options_.page_values, options_.tuning, shape_plan);
  } else {
    const std::vector<uint8_t> present(shape.begin(), shape.end());
    shape_stream = EncodeStream({.values = present.data(), .count = present.size(), .width = 1},
                                options_.page_values, options_.tuning, shape_plan);
  }
  shape_stream.record.max = *std::max_element(shape.begin(), shape.end());
  const bool has_statistics = HasOneValue(source.spec->kind);
  for (uint32_t c = 0; c < source.spec->columns.size(); ++c) {
    const ColumnLayout& column = layout_.columns[leader + c];
    // Streams of an id space are its own piece's, which may be writing them.
    if (column.id_space != kNone16) {
      if (has_statistics) FindStatistics(f, shape, values_[f]->TakeValues(c, 0));
      continue;
    }
    if (stripe_.streams[column.values_slot].record.has_source()) continue;
    for (uint32_t tier = 0; tier < column.num_tiers; ++tier) {
      const std::vector<std::byte> values = values_[f]->TakeValues(c, tier);
      if (has_statistics) FindStatistics(f, shape, values);
      if (values.empty()) continue;
      const uint32_t slot = column.slot_of_tier(tier);
      const Type type = source.spec->columns[c].type;
      stripe_.streams[slot] =
          EncodeStream(ViewOf(values, type), options_.page_values, options_.tuning,
                       options_.plans->Of(slot), type == Type::kBytes ? text_page() : 0);
    }
  }
}

void StripeEncoder::FindStatistics(uint32_t f, std::span<const uint32_t> shape,
                                   std::span<const std::byte> values) {
  const Type type = features_[f].source().spec->columns[0].type;
  const RowInterval range{first_, num_rows_};
  ColumnStatistics& statistics = statistics_[f];
  statistics.num_missing =
      num_rows_ - static_cast<uint32_t>(features_[f].CountPresent({&range, 1}));
  if (type != Type::kBytes) {
    WidenBounds(type, values.data(), values.size() / static_cast<size_t>(TypeWidth(type)),
                &statistics);
    return;
  }
  const char* text = reinterpret_cast<const char*>(values.data());
  for (const uint32_t code : shape) {  // D-010.
    if (code == 0) continue;
    WidenBounds(std::string_view(text, code - 1), &statistics);
    text += code - 1;
  }
}

Status StripeEncoder::CheckStreams() const {
  const auto damaged = std::find_if(stripe_.streams.begin(), stripe_.streams.end(),
                                    [](const EncodedStream& stream) { return stream.is_damaged; });
  if (damaged == stripe_.streams.end()) return Status::Ok();
  const auto slot = static_cast<uint32_t>(damaged - stripe_.streams.begin());
  std::string of;
  for (const ColumnLayout& column : layout_.columns) {
    const bool is_its = slot == column.shape_slot || slot == column.windows_slot ||
                        slot == column.values_slot ||
                        (column.num_tiers > 1 && slot >= column.tiers_slot &&
                         slot < column.tiers_slot + column.num_tiers - 1);
    if (!is_its) continue;
    of = fmt::format(" of column {}",
                     ColumnName(*features_[column.feature].source().spec, column.column));
    break;
  }
  return Corrupt(
      "stream {}{} in rows {}..{} does not decode to what was encoded: a fault of this machine's "
      "memory, or of this library; nothing is published",
      slot, of, first_, first_ + num_rows_);
}

Result<EncodedStripe> StripeEncoder::End() {
  for (size_t g = 0; g < indexes_.size(); ++g) {
    stripe_.groups.push_back(indexes_[g].record);
    if (g > 0) stripe_.streams[layout_.groups[g].index_slot] = std::move(indexes_[g].stream);
  }
  // F-061: an empty stream still states its width.
  for (const ColumnLayout& column : layout_.columns) {
    const FeatureSpec& spec = *features_[column.feature].source().spec;
    const Type type = spec.columns[column.column].type;
    if (column.column == 0 && HasLengths(spec.kind, type))
      stripe_.streams[WindowsSlot(layout_.features[column.feature].first_column)].record.width = 4;
    for (uint32_t tier = 0; tier < column.num_tiers; ++tier) {
      stripe_.streams[column.slot_of_tier(tier)].record.width =
          static_cast<uint8_t>(TypeWidth(type));
    }
  }
  DSI_RETURN_IF_ERROR(CheckStreams());
  AliasEqualStreams(&stripe_);
  stripe_.statistics = std::move(statistics_);
  return std::move(stripe_);
}

}  // namespace dsi::internal
