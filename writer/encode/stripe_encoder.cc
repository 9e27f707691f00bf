#include "dsi/writer/encode/stripe_encoder_internal.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <string_view>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/dedup/row_compare_internal.h"
#include "dsi/format/slots_internal.h"
#include "dsi/format/statistics_internal.h"
#include "dsi/writer/encode/alias_streams_internal.h"
#include "dsi/writer/encode/feature_values_internal.h"
#include "dsi/writer/cluster/gather_internal.h"
#include "dsi/writer/encode/id_space_encoder_internal.h"
#include "dsi/writer/encode/source_choice_internal.h"
#include "dsi/base/parallel_internal.h"

namespace dsi::internal {
namespace {

using Clock = std::chrono::steady_clock;

// i * step % count meets each number below `count` once, and spreads the first few over all.
size_t SpreadStep(size_t count) {
  constexpr double kGoldenSection = 0.618;
  size_t step =
      std::max<size_t>(1, static_cast<size_t>(static_cast<double>(count) * kGoldenSection));
  while (std::gcd(step, count) > 1) ++step;
  return step;
}

class StripeEncoder {
 public:
  StripeEncoder(const FileLayout& layout, std::span<const ClusteredFeature> features,
                std::span<const uint32_t> rows_in_time, const RowInterval& rows,
                const StripeOptions& options, const std::function<Status()>& poll)
      : layout_(layout),
        features_(features),
        rows_in_time_(rows_in_time),
        first_(rows.first),
        num_rows_(rows.num_rows),
        options_(options),
        poll_(poll),
        indexes_(layout.groups.size()),
        values_(features.size()),
        statistics_(features.size()) {}

  Result<EncodedStripe> Encode() {
    stripe_.streams.resize(layout_.num_slots);
    for (EncodedStream& stream : stripe_.streams) stream.record.width = 1;  // F-078.
    indexes_[0].record = {.form = IndexForm::kIdentity, .num_unique = num_rows_};
    DSI_RETURN_IF_ERROR(BuildIndexesAndValues());
    if (options_.dedup) DSI_RETURN_IF_ERROR(FindSources());
    // Id spaces and features are independent pieces: each writes the slots of its own streams.
    const size_t num_spaces = layout_.id_spaces.size();
    std::vector<size_t> pieces(num_spaces);
    std::iota(pieces.begin(), pieces.end(), size_t{0});
    for (size_t f = 0; f < features_.size(); ++f) {
      if (MayLend(f)) pieces.push_back(num_spaces + f);
    }
    const auto others = std::partition(pieces.begin(), pieces.end(), [&](size_t i) {
      return i < num_spaces && layout_.id_spaces[i].columns.size() > 1;
    });
    const auto num_long = static_cast<size_t>(others - pieces.begin());
    DSI_RETURN_IF_ERROR(ForEach(pieces.size(), num_long, [&](size_t at) {
      const size_t i = pieces[at];
      if (i < num_spaces) {
        EncodeIdSpace(layout_, layout_.id_spaces[i], features_, values_, options_, &stripe_);
      } else {
        EncodeFeature(static_cast<uint32_t>(i - num_spaces));
      }
    }));
    for (size_t g = 0; g < indexes_.size(); ++g) {
      stripe_.groups.push_back(indexes_[g].record);
      if (g > 0) stripe_.streams[layout_.groups[g].index_slot] = std::move(indexes_[g].stream);
    }
    // F-061: an empty stream still states its width.
    for (const ColumnLayout& column : layout_.columns) {
      const FeatureSpec& spec = *features_[column.feature].source().spec;
      const Type type = spec.columns[column.column].type;
      if (column.column == 0 && HasLengths(spec.kind, type))
        stripe_.streams[WindowsSlot(layout_.features[column.feature].first_column)].record.width =
            4;
      for (uint32_t tier = 0; tier < column.num_tiers; ++tier) {
        stripe_.streams[column.slot_of_tier(tier)].record.width =
            static_cast<uint8_t>(TypeWidth(type));
      }
    }
    DSI_RETURN_IF_ERROR(CheckStreams());
    AliasEqualStreams(&stripe_);
    stripe_.statistics = std::move(statistics_);
    stripe_.encode_seconds = std::chrono::duration<double>(Clock::duration(busy_.load())).count();
    return std::move(stripe_);
  }

 private:
  Status CheckStreams() const {
    const auto damaged =
        std::find_if(stripe_.streams.begin(), stripe_.streams.end(),
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

  // Calls work(i) for each i below `count`, on all threads, and sums the time it takes. Where
  // streams share plans, the first stripe goes in rounds that double, each spread over all items,
  // as the streams of one round may take the plans of those before. The first `num_long` items take
  // longest: they start the last round.
  template <typename Work>
  Status ForEach(size_t count, size_t num_long, const Work& work) {
    constexpr size_t kFirstRound = 16;
    const bool in_rounds = options_.plans->shares() && options_.is_first;
    const size_t num_short = count - num_long;
    const size_t step = in_rounds ? SpreadStep(num_short) : 1;
    for (size_t first = 0, end = 0;; first = end) {
      end = first == 0 ? kFirstRound : 2 * first;
      const bool is_last = !in_rounds || end >= num_short;
      if (is_last) end = num_short;
      const size_t before = is_last ? num_long : 0;
      DSI_RETURN_IF_ERROR(ParallelFor(
          before + end - first, options_.threads,
          [&](size_t i) {
            const Clock::time_point start = Clock::now();
            work(i < before ? i : num_long + (first + i - before) * step % num_short);
            busy_ += (Clock::now() - start).count();
            return Status::Ok();
          },
          poll_));
      options_.plans->Share();
      if (is_last) break;
    }
    return Status::Ok();
  }

  // Level by level, so that a parent's index is there before those that refer to it. Beside those
  // of a level go the features of the level before; the longest lists with windows first.
  Status BuildIndexesAndValues() {
    if (options_.time_feature >= 0) SortByTimeColumn(static_cast<size_t>(options_.time_feature));
    std::vector<uint32_t> level(layout_.groups.size(), 0);
    uint32_t num_levels = 1;
    for (size_t g = 1; g < level.size(); ++g) {
      level[g] = level[layout_.groups[g].parent] + 1;
      num_levels = std::max(num_levels, level[g] + 1);
    }
    std::vector<uint32_t> features(features_.size());
    std::iota(features.begin(), features.end(), 0U);
    std::stable_sort(features.begin(), features.end(), [&](uint32_t a, uint32_t b) {
      return EntriesInWindows(a) > EntriesInWindows(b);
    });
    for (uint32_t l = 1; l <= num_levels; ++l) {
      std::vector<uint32_t> groups;
      for (uint32_t g = 1; g < level.size(); ++g) {
        if (level[g] == l) groups.push_back(g);
      }
      std::vector<uint32_t> ready;
      for (const uint32_t f : features) {
        if (level[layout_.features[f].group] + 1 == l) ready.push_back(f);
      }
      DSI_RETURN_IF_ERROR(ForEach(groups.size() + ready.size(), 0, [&](size_t i) {
        if (i < groups.size()) {
          indexes_[groups[i]] = BuildIndex(groups[i]);
        } else {
          FindValues(ready[i - groups.size()]);
        }
      }));
    }
    return Status::Ok();
  }

  uint64_t EntriesInWindows(uint32_t f) const {
    const bool has = layout_.columns[layout_.features[f].first_column].windows_slot != kNone32;
    return has ? features_[f].source().totals->num_entries : 0;
  }

  // As readers do: by the stored time, missing ones first, then by row.
  void SortByTimeColumn(size_t feature) {
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

  GroupIndex BuildIndex(uint32_t g) const {
    if (!options_.dedup) {
      GroupIndex rows;
      rows.record = {.form = IndexForm::kIdentity, .num_unique = num_rows_};
      return rows;
    }
    const GroupLayout& group = layout_.groups[g];
    std::vector<const ClusteredFeature*> members;
    for (const uint32_t f : group.features) members.push_back(&features_[f]);
    // An index is decoded once, for all features that need it.
    StreamTuning tuning = options_.tuning;
    tuning.ns_per_byte *= static_cast<double>(CountServed(g));
    return BuildGroupIndex(
        {.features = members,
         .repeats = group.repeats,
         .parent = group.parent == 0 ? nullptr : &indexes_[group.parent],
         .rows_in_time = rows_in_time_,
         .rows_by_time_column = time_groups_.contains(g) ? std::span<const uint32_t>()
                                                         : std::span(rows_by_time_column_),
         .keep_inverse = group.is_parent,
         .first = first_,
         .num_rows = num_rows_,
         .page_values = options_.page_values,
         .index_slot = group.index_slot,
         .plans = options_.plans},
        tuning);
  }

  // Features of the group and of those whose index refers to it.
  size_t CountServed(uint32_t g) const {
    size_t count = layout_.groups[g].features.size();
    if (!layout_.groups[g].is_parent) return count;
    for (const GroupLayout& group : layout_.groups) {
      if (group.parent == g) count += group.features.size();
    }
    return count;
  }

  // Whether the feature's values may stand in for those of others, or the other way round.
  bool MayLend(size_t f) const { return IsListKind(features_[f].source().spec->kind); }

  // Also encodes a feature that lends and borrows nothing.
  void FindValues(uint32_t f) {
    const FeatureLayout& feature = layout_.features[f];
    const ColumnLayout& leader = layout_.columns[feature.first_column];
    const uint32_t windows_slot = leader.windows_slot;
    const FeatureValuesOptions values_options{
        .windows_plan = windows_slot == kNone32 ? nullptr : options_.plans->Of(windows_slot),
        .num_tiers = leader.num_tiers,
        .page_values = options_.page_values};
    values_[f] = std::make_unique<FeatureValues>(features_[f], indexes_[feature.group], first_,
                                                 num_rows_, values_options, options_.tuning);
    if (windows_slot != kNone32) stripe_.streams[windows_slot] = std::move(values_[f]->windows());
    if (!MayLend(f)) EncodeFeature(f);
  }

  // Values streams that have a source are encoded here.
  Status FindSources() {
    const auto for_each = [&](size_t count, const std::function<void(size_t)>& work) {
      return ForEach(count, 0, work);
    };
    DSI_ASSIGN_OR_RETURN(std::vector<BorrowingStream> streams,
                         ChooseSources(layout_, features_, values_, options_, for_each));
    for (BorrowingStream& borrowing : streams) {
      stripe_.streams[layout_.columns[borrowing.column].values_slot] = std::move(borrowing.stream);
    }
    return Status::Ok();
  }

  // Bytes of text in a page: as many as a page of ids has, since what is alike in text lies farther
  // apart than what a page of page_values bytes holds.
  uint32_t text_page() const {
    return std::min<uint32_t>(options_.page_values, kMaxPageValues / sizeof(uint64_t)) *
           sizeof(uint64_t);
  }

  // Encodes the shape stream of a feature and the values of its columns that have no id space and
  // no source.
  void EncodeFeature(uint32_t f) {
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

  // `shape` and `values` are those of all unique rows, each of which is that of some row (D-002).
  void FindStatistics(uint32_t f, std::span<const uint32_t> shape,
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

  const FileLayout& layout_;
  std::span<const ClusteredFeature> features_;
  std::span<const uint32_t> rows_in_time_;
  uint32_t first_;
  uint32_t num_rows_;
  const StripeOptions& options_;
  const std::function<Status()>& poll_;
  std::vector<uint32_t> rows_by_time_column_;
  std::set<uint32_t> time_groups_;  // The time is in one of these, or in one that refers to it.
  std::vector<GroupIndex> indexes_;
  std::vector<std::unique_ptr<FeatureValues>> values_;
  std::vector<ColumnStatistics> statistics_;  // By feature; unused where it has none.
  EncodedStripe stripe_;
  std::atomic<Clock::rep> busy_ = 0;
};

}  // namespace

Result<EncodedStripe> EncodeStripe(const FileLayout& layout,
                                   std::span<const ClusteredFeature> features,
                                   std::span<const uint32_t> rows_in_time, const RowInterval& rows,
                                   const StripeOptions& options,
                                   const std::function<Status()>& poll) {
  return StripeEncoder(layout, features, rows_in_time, rows, options, poll).Encode();
}

}  // namespace dsi::internal
