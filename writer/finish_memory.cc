#include "dsi/writer/finish_memory_internal.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/dedup/find_groups_internal.h"
#include "dsi/writer/encode/source_choice_internal.h"
#include "dsi/writer/layout/file_layout_internal.h"
#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {
namespace {

// What is not counted: it is there however few the rows are.
constexpr uint64_t kUncounted = 32ULL << 20;
// Of a feature, in whatever reads, writes and knows it, without a value.
constexpr uint64_t kFeatureBytes = 6ULL << 10;
// Of a thread that encodes: pages, their choices, compressors.
constexpr uint64_t kThreadBytes = 6ULL << 20;
// Order of rows (RowList, what reads it and its inverse), for each row.
constexpr uint64_t kOrderBytes = 40;
// Beside it while rows are put in order: records of rows, and the same being sorted, of which the
// latter have a share of the memory.
constexpr uint64_t kRecordBytes = 36;
constexpr uint64_t kSortBytes = 72;
constexpr uint64_t kKeyBytes = 40;
// Rows of a feature while they are put in order: their starts and places.
constexpr uint64_t kPlacedBytes = 16;
// Of a group while its stripe waits: for each row its unique row, and back; groups are no more than
// features.
constexpr uint64_t kIndexBytes = 8;
// A slice of a feature (FeatureSlice), and what is known of it while groups are sought.
constexpr uint64_t kSliceBytes = 12;
constexpr uint64_t kSearchBytes = 10;
constexpr uint64_t kMostSearchBytes = 2ULL << 30;
// Ids of a space in one stripe: codes, and a table of those that differ with up to four slots each.
constexpr uint64_t kIdSpaceFactor = 6;
// Of columns that may be found to share a space: they do where ids of one are those of others.
constexpr uint64_t kSharedFactor = 2;
// A source of lists, and tables of its grams and values; what each thread looks for in it.
constexpr uint64_t kSourceFactor = 6;
constexpr uint64_t kBorrowerFactor = 2;

// Of lists that rows share, what encoding has of each: groups found on a sample, whose features
// turn out to change apart, have some lists more than once.
constexpr uint64_t kStoredFactor = 2;

struct Sums {
  uint64_t num_rows = 0;
  uint64_t values = 0;       // Bytes, of all features.
  uint64_t lists = 0;        // Bytes, of lists alone.
  uint64_t largest = 0;      // Bytes, of one feature.
  uint64_t largest_ids = 0;  // Bytes, of one id space.
  uint64_t found_ids = 0;    // Bytes, of columns that may be found to share one.
  uint64_t index = 0;        // Bytes of lengths and row numbers.
  uint64_t num_sliced = 0;   // Features whose slices are arrays.
};

// Of this share of the rows, and of what is fresh of them, where lists that rows share are there up
// to `factor` times, but for those of `by_row`.
Sums Add(const Schema& schema, const TableTotals& totals, double share, uint64_t factor,
         const std::vector<bool>& by_row) {
  const auto of_rows = [share](uint64_t number) {
    return static_cast<uint64_t>(share * static_cast<double>(number));
  };
  Sums sums;
  sums.num_rows = of_rows(totals.num_rows);
  std::map<std::string_view, uint64_t> spaces;
  for (size_t f = 0; f < schema.features.size(); ++f) {
    const FeatureSpec& spec = schema.features[f];
    const FeatureTotals& feature = totals.features[f];
    const bool is_list = IsListKind(spec.kind);
    const bool has_lengths = HasLengths(spec.kind, spec.columns[0].type);
    const bool all_present = feature.num_present == totals.num_rows;
    uint64_t entries = of_rows(feature.num_entries);
    if (!by_row[f]) {
      entries = std::min({entries, factor * (feature.num_entries - feature.num_repeated),
                          factor * of_rows(feature.num_entries - feature.num_in_session)});
    }
    uint64_t bytes = 0;
    for (const ColumnSpec& column : spec.columns) {
      const uint64_t size = entries * static_cast<uint64_t>(TypeWidth(column.type));
      bytes += size;
      if (!IsInteger(column.type)) continue;
      if (!column.id_space.empty()) {
        sums.largest_ids = std::max(sums.largest_ids, spaces[column.id_space] += size);
      } else if (is_list) {
        sums.largest_ids = std::max(sums.largest_ids, size);
        sums.found_ids += size;
      } else if (spec.kind == Kind::kKey) {
        sums.found_ids += size;
      }
    }
    sums.values += bytes;
    if (is_list) sums.lists += bytes;
    sums.largest = std::max(sums.largest, bytes);
    sums.index += of_rows(feature.num_present) * sizeof(uint32_t) *
                  ((has_lengths ? 1U : 0U) + (all_present ? 0U : 1U));
    if (!all_present || has_lengths || spec.kind == Kind::kEmbedding) ++sums.num_sliced;
  }
  return sums;
}

uint64_t FeaturesMemory(const Schema& schema) { return schema.features.size() * kFeatureBytes; }

// Of encoding a stripe, but for its rows and for what each thread has.
uint64_t EncodingMemory(const Sums& stripe, uint64_t threads) {
  const uint64_t slices =
      std::min(stripe.num_sliced * stripe.num_rows * kSliceBytes, kMostSearchBytes);
  const uint64_t source = std::min(stripe.largest, kMostSourceValues * sizeof(uint64_t));
  const uint64_t ids = std::max(stripe.largest_ids * kIdSpaceFactor,
                                std::min(stripe.found_ids, kMostSharedBytes) * kSharedFactor);
  // Pools of windows wait for all features; pages wait until the stripe is whole; each thread has a
  // feature at hand, or an id space.
  return stripe.lists + stripe.values +
         std::max({ids, slices, source * (kSourceFactor + threads * kBorrowerFactor)}) +
         stripe.largest;
}

// Of the rows of a stripe that were read.
uint64_t RowsMemory(const Sums& stripe) {
  return stripe.values + 3 * stripe.index + stripe.num_rows * kOrderBytes;
}

// Of a stripe that waits for the one before: pools and pages, and its indexes.
uint64_t WaitingMemory(const Schema& schema, const Sums& stripe) {
  return stripe.lists + stripe.values + schema.features.size() * stripe.num_rows * kIndexBytes;
}

uint64_t FreshBytes(const TableTotals& totals) { return totals.row_bytes - totals.repeated_bytes; }

// Of a stripe by its limits: its rows by number, half as many more in the last, or by what is fresh
// of them.
double ShareOfStripe(const TableTotals& totals, uint32_t stripe_rows, uint64_t stripe_bytes) {
  return std::min({1.0,
                   1.5 * static_cast<double>(stripe_rows) / static_cast<double>(totals.num_rows),
                   static_cast<double>(stripe_bytes) /
                       static_cast<double>(std::max<uint64_t>(FreshBytes(totals), 1))});
}

}  // namespace

FinishMemory::FinishMemory(const Schema& schema, const ClusterKeys& keys,
                           const WriterOptions& options)
    : schema_(schema),
      keys_(keys),
      options_(options),
      threads_(static_cast<uint64_t>(std::max(options.threads, 1))),
      by_row_(schema.features.size(), !options.dedup) {
  if (schema.groups.empty()) return;
  const FeatureIndex features(schema);
  for (const GroupSpec& group : schema.groups) {
    for (const std::string& name : group.features) {
      const int f = features.Find(name);
      if (f >= 0) by_row_[static_cast<size_t>(f)] = true;
    }
  }
}

uint64_t FinishMemory::Bytes(const TableTotals& totals, uint64_t memory_bytes) const {
  const uint64_t num_rows = totals.num_rows;
  if (num_rows == 0) return 0;
  const Sums sums = Add(schema_, totals, 1, 1, std::vector<bool>(by_row_.size()));
  // ClusteredFeature: 12 bytes for each 4 of lengths.
  uint64_t held = num_rows * kOrderBytes + 3 * sums.index;
  if (options_.keep_position) held += num_rows * 2 * sizeof(uint64_t);
  const uint64_t num_keys = keys_.keys.size();
  const uint64_t sorting =
      num_rows * (kRecordBytes + num_keys * 16) +
      std::min(num_rows * (kSortBytes + num_keys * kKeyBytes), memory_bytes / 4);
  // Each thread has a feature twice, and the places of its rows.
  const uint64_t ordering =
      std::min(threads_ * sums.largest, sums.values) + threads_ * num_rows * kPlacedBytes;
  const Sums stripe =
      Add(schema_, totals, ShareOfStripe(totals, options_.stripe_rows, options_.stripe_bytes),
          kStoredFactor, by_row_);
  const uint64_t searching =
      std::min(stripe.num_sliced * stripe.num_rows * (kSliceBytes + kSearchBytes),
               kMostSearchBytes) +
      std::min(schema_.features.size() * stripe.num_rows * sizeof(uint64_t), kMostGroupHashBytes);
  const uint64_t encoding = EncodingMemory(stripe, threads_) +
                            threads_ * (kThreadBytes + stripe.num_rows * 2 * kSliceBytes);
  const uint64_t finish =
      FeaturesMemory(schema_) + held + std::max({sorting, ordering, searching, encoding});
  return finish > kUncounted ? finish - kUncounted : 0;
}

StripeLimits FinishMemory::Limits(const TableTotals& totals) const {
  StripeLimits limits;
  if (options_.memory_bytes == 0 || totals.num_rows == 0) return limits;
  // Where features alone take more than a half, the budget is too small for them.
  uint64_t most = options_.memory_bytes + kUncounted;
  most -= std::min(FeaturesMemory(schema_), most / 2);
  // Of a stripe: its rows, how these are found, and the encoding, all of which grow with it.
  // Lists count by what their sessions repeat: which of them rows share where they are held is not
  // the same for rows held and spilled, and which rows are spilled depends on threads.
  TableTotals known = totals;
  for (FeatureTotals& feature : known.features) feature.num_repeated = 0;
  const auto stripe_of = [&](double share) {
    return Add(schema_, known, share, kStoredFactor, by_row_);
  };
  const auto takes = [&](double share) {
    const Sums stripe = stripe_of(share);
    return RowsMemory(stripe) + EncodingMemory(stripe, 1);
  };
  double share = 1;
  constexpr double kStep = 0.875;
  const auto num_rows = static_cast<double>(totals.num_rows);
  while (takes(share) > most && share * num_rows > 1) share *= kStep;
  if (share < 1) {
    const double fresh = share * static_cast<double>(FreshBytes(totals));
    limits.fresh_bytes = std::max<uint64_t>(1, static_cast<uint64_t>(fresh));
    // Where sessions repeat more than others a stripe has more rows.
    constexpr double kMoreRows = 2;
    if (totals.repeated_bytes != 0)
      limits.stripe_rows = static_cast<uint32_t>(std::min(kMoreRows * share * num_rows + 1, 4e9));
  }
  // Without a limit nobody looks at what is repeated.
  const uint64_t bytes = share < 1 ? FreshBytes(totals) : totals.row_bytes;
  const uint64_t per_row =
      bytes / totals.num_rows + 1 + stripe_of(share).num_sliced * (kSliceBytes + kSearchBytes);
  limits.sample_rows =
      static_cast<uint32_t>(std::clamp<uint64_t>(most / per_row, 1'024, UINT32_MAX));
  return limits;
}

size_t FinishMemory::Stripes(const TableTotals& totals, uint64_t memory_bytes,
                             uint64_t held_bytes) const {
  if (totals.num_rows == 0) return 1;
  const uint64_t taken = held_bytes + Bytes(totals, memory_bytes);
  if (taken >= memory_bytes) return 1;
  const Sums stripe =
      Add(schema_, totals, ShareOfStripe(totals, options_.stripe_rows, options_.stripe_bytes),
          kStoredFactor, by_row_);
  const uint64_t each = WaitingMemory(schema_, stripe) + stripe.num_rows * kOrderBytes;
  return std::min<uint64_t>((memory_bytes - taken) / (each + 1) + 1, threads_);
}

StripesAtHand FinishMemory::SpilledStripes(const TableTotals& totals, const StripeLimits& limits,
                                           uint64_t memory_bytes) const {
  if (totals.num_rows == 0 || threads_ == 1) return {};
  const double share = ShareOfStripe(totals, std::min(options_.stripe_rows, limits.stripe_rows),
                                     std::min(options_.stripe_bytes, limits.fresh_bytes));
  const Sums stripe = Add(schema_, totals, share, kStoredFactor, by_row_);
  const uint64_t rows = RowsMemory(stripe) + 1;
  const uint64_t taken = FeaturesMemory(schema_) +
                         std::min(totals.num_rows * kOrderBytes, memory_bytes / 8) + rows +
                         EncodingMemory(stripe, threads_) +
                         threads_ * (kThreadBytes + stripe.num_rows * 2 * kSliceBytes);
  const uint64_t most = memory_bytes + kUncounted;
  if (taken + rows > most) return {};
  const uint64_t more = (most - taken - rows) / (2 * rows + WaitingMemory(schema_, stripe));
  return {.encoded = std::min(1 + more, threads_), .reads_ahead = true};
}

int ThreadsWithin(uint64_t memory_bytes, int threads) {
  constexpr uint64_t kShare = 4;  // Of the memory, in all threads.
  const uint64_t most = std::max<uint64_t>(memory_bytes / (kShare * kThreadBytes), 1);
  return static_cast<int>(std::min<uint64_t>(most, static_cast<uint64_t>(threads)));
}

}  // namespace dsi::internal
