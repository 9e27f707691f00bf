#include "dsi/writer/encode/index_encoder_internal.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "dsi/codecs/dictionary/number_by_use_internal.h"
#include "dsi/codecs/choice/entropy_internal.h"
#include "dsi/dedup/find_parents_internal.h"
#include "dsi/dedup/value_cost_internal.h"
#include "dsi/dedup/unique_rows_internal.h"
#include "dsi/dedup/versions_internal.h"
#include "dsi/dedup/row_compare_internal.h"

namespace dsi::internal {
namespace {

constexpr double kStoredShare =
    0.5;  // Encoded bytes of a value per raw byte, roughly, when forms are compared.
constexpr double kWideRow = 16;        // Bytes.
constexpr double kDecodeNs = 0.3;      // Of an entry.
constexpr double kLessThanRows = 0.8;  // What repeats is decoded once: rows must be clearly less.
constexpr double kClearlyLess = 0.98;  // A stripe is sorted by time for who reads form 6.
constexpr uint64_t kAnywhereBytes =
    2ULL << 30;  // Memory for finding repeats anywhere; wider groups are searched for runs only.

using enum IndexForm;

// What is encoded side by side, with a plan for each.
enum Way : uint32_t { kLengthsWay, kBitsWay, kCodesWay, kCodesByUseWay, kCountsWay };

// Bits of run lengths, each coded at its entropy; long ones count as one.
double EntropyOfLengths(std::span<const uint32_t> lengths) {
  constexpr uint32_t kLongest = 255;
  std::vector<uint16_t> symbols(lengths.size());
  for (size_t i = 0; i < lengths.size(); ++i)
    symbols[i] = static_cast<uint16_t>(std::min(lengths[i], kLongest));
  return EntropyBits(symbols, 8) * static_cast<double>(lengths.size());
}

// The values of forms 3 and 4.
struct Codes {
  std::vector<uint32_t> codes;  // Those of exceptions last.
  std::vector<uint32_t> gaps;   // Between exceptions, which are as many.

  // `numbers`, as many as codes, as the stream has them.
  std::vector<uint32_t> WithGaps(std::vector<uint32_t> numbers) const {
    numbers.insert(numbers.end() - static_cast<ptrdiff_t>(gaps.size()), gaps.begin(), gaps.end());
    return numbers;
  }
};

class IndexBuilder {
 public:
  IndexBuilder(const GroupIndexInput& input, const StreamTuning& tuning)
      : input_(input),
        tuning_(tuning),
        bits_to_decode_(8 * kDecodeNs * static_cast<double>(input.features.size()) /
                        tuning.ns_per_byte) {}

  GroupIndex Build() {
    GroupIndex index;
    index.record = {.form = kIdentity, .num_unique = input_.num_rows};
    const uint64_t slice_bytes = static_cast<uint64_t>(input_.num_rows) *
                                 (sizeof(uint32_t) + sizeof(uint64_t)) * input_.features.size();
    if (slice_bytes > kAnywhereBytes) {
      TakeWideRuns(&index);
    } else {
      for (const ClusteredFeature* feature : input_.features)
        slices_.push_back(feature->MakeRows(input_.first, input_.num_rows));
      for (const FeatureSlice& slice : slices_) columns_.push_back(&slice);
      // Windows would not help who reads: a list that repeats is a unique row to the trainer, too.
      best_cost_ = EncodedBytes(every_row(), /*have_windows=*/false) / kLessThanRows;
      // Runs come last: by what their rows take alone they are seldom worth encoding then.
      UniqueRows runs = FindRuns(columns_, input_.num_rows);
      if (input_.repeats == GroupRepeats::kAnywhere) TakeAnywhere(runs.first_row.size(), &index);
      if (input_.repeats == GroupRepeats::kVersions) {
        TakeVersions(&index);
        if (index.record.form != kIdentity) best_cost_ *= kLessThanRows;
      }
      TakeRuns(std::move(runs), &index);
    }
    if (input_.keep_inverse && index.inverse.empty()) index.inverse = every_row();
    return index;
  }

 private:
  std::vector<uint32_t> every_row() const {
    std::vector<uint32_t> rows(input_.num_rows);
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
  }

  // Raw bytes of the given rows in all columns of the features.
  double StoredBytes(const std::vector<uint32_t>& rows) const {
    double bytes = 0;
    for (const FeatureSlice& slice : slices_) {
      double width = 0;
      for (const FeatureRows::Values& values : slice.values) width += values.width;
      uint64_t entries = 0;
      for (const uint32_t row : rows) entries += EntriesOf(slice, ShapeOf(slice, row));
      bytes += width * static_cast<double>(entries);
    }
    return bytes * kStoredShare;
  }

  // What the values of these rows, in this order, take once they are encoded, roughly; with what
  // decoding them is worth.
  double EncodedBytes(const std::vector<uint32_t>& rows, bool have_windows = true) const {
    // What other groups refer to must know its rows again, whatever codes make of their values.
    if (input_.keep_inverse) return StoredBytes(rows);
    double bits = 0;
    for (const FeatureSlice& slice : slices_)
      bits += BitsInOrder(slice, rows, have_windows, bits_to_decode_);
    return bits / 8;
  }

  template <typename T>
  EncodedStream Encode(const std::vector<T>& values, Way way) const {
    return EncodeStream({.values = values.data(), .count = values.size(), .width = sizeof(T)},
                        input_.page_values, tuning_, input_.plans->Of(input_.index_slot, way));
  }

  // Run lengths or one bit per row, whichever encodes smaller. One of them alone where the other
  // has nothing to win: runs so short that their lengths hold a bit for each row, or so long that
  // bits can only be stored as what are lengths again.
  void EncodeRuns(const std::vector<uint32_t>& first_rows, GroupIndex* index) const {
    constexpr double kMostBitsPerRow = 0.9;
    constexpr uint32_t kLongRun = 24;
    std::vector<uint32_t> lengths(first_rows.size());
    std::vector<uint8_t> is_new(input_.num_rows, 0);
    for (size_t u = 0; u < lengths.size(); ++u) {
      const uint32_t end = u + 1 < lengths.size() ? first_rows[u + 1] : input_.num_rows;
      lengths[u] = end - first_rows[u];
      is_new[first_rows[u]] = 1;
    }
    const bool are_short = EntropyOfLengths(lengths) > kMostBitsPerRow * input_.num_rows;
    const bool are_long = lengths.size() * kLongRun <= input_.num_rows;
    EncodedStream by_length;
    EncodedStream by_bit;
    if (!are_short) by_length = Encode(lengths, kLengthsWay);
    if (!are_long) by_bit = Encode(is_new, kBitsWay);
    const bool bits = are_short || (!are_long && by_bit.bytes() < by_length.bytes());
    index->record = {.form = bits ? kNewRowBits : kRunLengths,
                     .num_unique = static_cast<uint32_t>(first_rows.size())};
    index->stream = std::move(bits ? by_bit : by_length);
  }

  // Too wide to hold all slices: repeats of each feature in turn are joined, which finds runs
  // exactly.
  void TakeWideRuns(GroupIndex* index) const {
    const uint32_t num_rows = input_.num_rows;
    std::vector<uint8_t> all(num_rows, 1);
    std::vector<uint8_t> one(num_rows);
    for (const ClusteredFeature* feature : input_.features) {
      const FeatureSlice slice = feature->MakeRows(input_.first, num_rows);
      MarkRepeats(slice, num_rows, one);
      for (uint32_t r = 0; r < num_rows; ++r) all[r] &= one[r];
    }
    UniqueRows runs;
    for (uint32_t r = 0; r < num_rows; ++r) {
      if (all[r] == 0) runs.first_row.push_back(r);
      if (input_.keep_inverse)
        runs.inverse.push_back(static_cast<uint32_t>(runs.first_row.size() - 1));
    }
    if (runs.first_row.size() * 8 > static_cast<size_t>(num_rows) * 7) return;
    EncodeRuns(runs.first_row, index);
    Keep(std::move(runs), index);
  }

  void Keep(UniqueRows unique, GroupIndex* index) const {
    index->stored_rows = std::move(unique.first_row);
    if (input_.keep_inverse) index->inverse = std::move(unique.inverse);
  }

  void TakeRuns(UniqueRows runs, GroupIndex* index) const {
    const double stored = EncodedBytes(runs.first_row);
    if (stored >= best_cost_) return;
    GroupIndex by_runs;
    EncodeRuns(runs.first_row, &by_runs);
    const double cost = static_cast<double>(by_runs.stream.bytes()) + stored;
    if (cost >= best_cost_) return;
    *index = std::move(by_runs);
    Keep(std::move(runs), index);
  }

  std::vector<uint64_t> HashAll(std::span<const FeatureRows* const> columns) const {
    std::vector<uint64_t> hashes(input_.num_rows, 0);
    std::vector<uint64_t> column_hashes(input_.num_rows);
    for (const FeatureRows* column : columns) {
      HashRows(*column, input_.num_rows, column_hashes);
      CombineHashes(hashes, column_hashes);
    }
    return hashes;
  }

  void TakeAnywhere(size_t num_runs, GroupIndex* index) {
    UniqueRows unique = FindUnique(columns_, HashAll(columns_));
    if (unique.first_row.size() == num_runs) return;  // Nothing repeats but in runs.
    GroupIndex anywhere;
    anywhere.record = {.form = kGeneral,
                       .num_unique = static_cast<uint32_t>(unique.first_row.size())};
    const std::optional<Codes> codes = CodesOfParent(unique);
    if (codes) {
      anywhere.record.form = kViaParent;
      anywhere.stream = EncodeCodes(*codes, &unique);
    }
    if (!codes || !codes->gaps.empty()) {
      UniqueRows by_row = unique;
      EncodedStream stream = EncodeCodes({.codes = by_row.inverse, .gaps = {}}, &by_row);
      if (!codes || stream.bytes() < anywhere.stream.bytes()) {
        anywhere.record.form = kGeneral;
        anywhere.stream = std::move(stream);
        unique = std::move(by_row);
      }
    }
    const double cost =
        static_cast<double>(anywhere.stream.bytes()) + EncodedBytes(unique.first_row);
    if (cost >= best_cost_) return;
    best_cost_ = cost;
    *index = std::move(anywhere);
    Keep(std::move(unique), index);
  }

  // Values of forms 3 and 4. Unique rows stay in the order of first use, or the most used come
  // first where their smaller numbers are worth it (D-002).
  EncodedStream EncodeCodes(const Codes& index, UniqueRows* unique) const {
    const NumbersByUse numbers = NumberByUse(CountUses(index.codes, unique->first_row.size()));
    EncodedStream by_first_use = Encode(index.WithGaps(index.codes), kCodesWay);
    EncodedStream by_uses = Encode(index.WithGaps(numbers.Renumber(index.codes)), kCodesByUseWay);
    if (by_uses.bytes() >= by_first_use.bytes()) return by_first_use;
    unique->inverse = numbers.Renumber(unique->inverse);
    unique->first_row = numbers.Reorder(unique->first_row);
    return by_uses;
  }

  // Unique row of each unique row of the parent; of rows that are another, their own. Nothing where
  // those are many.
  std::optional<Codes> CodesOfParent(const UniqueRows& unique) const {
    const GroupIndex* const parent = input_.parent;
    if (parent == nullptr || parent->record.form >= kVersions) return std::nullopt;
    const std::vector<uint32_t>& inverse = unique.inverse;
    Codes index{.codes = UsualCodes(inverse, parent->inverse, parent->record.num_unique),
                .gaps = {}};
    uint32_t before = 0;
    for (uint32_t row = 0; row < input_.num_rows; ++row) {
      if (inverse[row] == index.codes[parent->inverse[row]]) continue;
      index.gaps.push_back(row - std::exchange(before, row));
      index.codes.push_back(inverse[row]);
      if (index.gaps.size() * kFewestRowsPerException > input_.num_rows) return std::nullopt;
    }
    return index;
  }

  // Forms 5 and 6, unless owners hardly come back.
  void TakeVersions(GroupIndex* index) {
    const GroupIndex* const parent = input_.parent;
    if (parent == nullptr || parent->record.num_unique > input_.num_rows - input_.num_rows / 8)
      return;
    FeatureRows owner;
    owner.entries_per_row = 1;
    owner.values = {{reinterpret_cast<const std::byte*>(parent->inverse.data()), 4}};
    std::vector<const FeatureRows*> columns = columns_;
    columns.push_back(&owner);
    const UniqueRows unique = FindUnique(columns, HashAll(columns));
    // What comes back is looked for where a row is worth more than a step to it.
    const bool reuse =
        StoredBytes(unique.first_row) > kWideRow * static_cast<double>(unique.first_row.size());
    Versions versions = NumberVersions(unique, parent->inverse, parent->record.num_unique,
                                       input_.rows_in_time, reuse);
    EncodedStream steps = Encode(versions.steps, kCodesWay);
    TakeIfLess(kVersions, std::move(steps), 1, &versions, index);
    if (input_.rows_by_time_column.empty()) return;
    versions = NumberVersions(unique, parent->inverse, parent->record.num_unique,
                              input_.rows_by_time_column, /*reuse=*/false);
    if (EncodedBytes(versions.stored_rows) >= kClearlyLess * best_cost_) return;
    EncodedStream counts =
        Encode(CountUses(versions.inverse, versions.stored_rows.size()), kCountsWay);
    TakeIfLess(kAsOf, std::move(counts), kClearlyLess, &versions, index);
  }

  void TakeIfLess(IndexForm form, EncodedStream stream, double share, Versions* versions,
                  GroupIndex* index) {
    const double cost = static_cast<double>(stream.bytes()) + EncodedBytes(versions->stored_rows);
    if (cost >= share * best_cost_) return;
    best_cost_ = cost;
    index->record = {.form = form,
                     .num_unique = static_cast<uint32_t>(versions->stored_rows.size())};
    index->stream = std::move(stream);
    index->stored_rows = std::move(versions->stored_rows);
    if (input_.keep_inverse) index->inverse = std::move(versions->inverse);
  }

  const GroupIndexInput& input_;
  const StreamTuning& tuning_;
  const double bits_to_decode_;  // What decoding an entry is worth.
  std::vector<FeatureSlice> slices_;
  std::vector<const FeatureRows*> columns_;
  double best_cost_ = 0;
};

}  // namespace

GroupIndex BuildGroupIndex(const GroupIndexInput& input, const StreamTuning& tuning) {
  return IndexBuilder(input, tuning).Build();
}

}  // namespace dsi::internal
