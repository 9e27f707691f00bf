#include "dsi/writer/rows/copy_rows_internal.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kPieceRows = 4'096;

// Goes through the rows of one feature, and shows some of them as buffers that a batch takes.
class FeaturePieces {
 public:
  FeaturePieces(const FeatureSpec& spec, size_t ordinal, const RowBatch::FeatureBuffer& rows,
                uint32_t first)
      : spec_(spec),
        rows_(rows),
        has_lengths_(HasLengths(spec.kind, spec.columns[0].type)),
        entries_per_row_(spec.kind == Kind::kEmbedding ? spec.fixed_length : 1),
        stored_(rows.all_present ? first
                                 : static_cast<size_t>(
                                       std::lower_bound(rows.rows.begin(), rows.rows.end(), first) -
                                       rows.rows.begin())) {
    if (has_lengths_) {
      starts_ = StartsOf(rows.lengths);
    } else {
      entry_ = uint64_t{stored_} * entries_per_row_;
    }
    columns_.feature = ordinal;
    columns_.values.resize(spec.columns.size());
  }

  // The next rows, which are [first, first + num_rows). False: none of them has the feature.
  bool Next(uint32_t first, uint32_t num_rows) {
    const size_t begin = stored_;
    if (rows_.all_present) {
      stored_ += num_rows;
    } else {
      const auto from = rows_.rows.begin() + static_cast<ptrdiff_t>(begin);
      stored_ =
          static_cast<size_t>(std::lower_bound(from, rows_.rows.end(), uint64_t{first} + num_rows) -
                              rows_.rows.begin());
    }
    if (stored_ == begin) return false;
    const bool all = stored_ - begin == num_rows;
    validity_.assign(all ? 0 : (num_rows + 7) / 8, 0);
    for (size_t i = begin; !all && i < stored_; ++i) {
      const uint32_t row = rows_.rows[i] - first;
      validity_[row / 8] |= static_cast<uint8_t>(1U << (row % 8));
    }
    columns_.validity = all ? nullptr : validity_.data();
    if (has_lengths_) {
      ShowLists(begin, first, num_rows, all);
    } else {
      ShowNumbers(begin, first, num_rows, all);
    }
    return true;
  }

  const FeatureColumns& columns() const { return columns_; }

 private:
  void ShowLists(size_t begin, uint32_t first, uint32_t num_rows, bool all) {
    offsets_.assign(1, 0);
    size_t i = begin;
    for (uint32_t row = 0; row < num_rows; ++row) {
      const bool has = all || (i < stored_ && rows_.rows[i] == first + row);
      offsets_.push_back(offsets_.back() + (has ? int64_t{LengthOf(i++)} : 0));
    }
    columns_.offsets64 = offsets_.data();
    const bool shared = !rows_.lists.empty();
    spread_.resize(shared ? columns_.values.size() : 0);
    for (size_t c = 0; c < columns_.values.size(); ++c) {
      const size_t width = Width(c);
      const std::byte* const stored = rows_.values[c].data();
      columns_.values[c] = stored + starts_[rows_.ListOf(begin)] * width;
      if (!shared) continue;
      spread_[c].resize(static_cast<size_t>(offsets_.back()) * width);
      std::byte* at = spread_[c].data();
      for (i = begin; i < stored_; ++i) {
        const size_t size = LengthOf(i) * width;
        if (size != 0) std::memcpy(at, stored + starts_[rows_.lists[i]] * width, size);
        at += size;
      }
      columns_.values[c] = spread_[c].data();
    }
  }

  // A batch expects a place for each row, also of those that lack the feature.
  void ShowNumbers(size_t begin, uint32_t first, uint32_t num_rows, bool all) {
    spread_.resize(all ? 0 : columns_.values.size());
    for (size_t c = 0; c < columns_.values.size(); ++c) {
      const size_t size = entries_per_row_ * Width(c);
      const std::byte* values = rows_.values[c].data() + entry_ * Width(c);
      columns_.values[c] = values;
      if (all) continue;
      spread_[c].resize(num_rows * size);
      for (size_t i = begin; i < stored_; ++i, values += size)
        std::memcpy(spread_[c].data() + (rows_.rows[i] - first) * size, values, size);
      columns_.values[c] = spread_[c].data();
    }
    entry_ += (stored_ - begin) * entries_per_row_;
  }

  uint32_t LengthOf(size_t i) const { return rows_.lengths[rows_.ListOf(i)]; }
  size_t Width(size_t column) const {
    return static_cast<size_t>(TypeWidth(spec_.columns[column].type));
  }

  const FeatureSpec& spec_;
  const RowBatch::FeatureBuffer& rows_;
  bool has_lengths_;
  size_t entries_per_row_;
  size_t stored_;                 // Of the rows that have the feature: the next one.
  uint64_t entry_ = 0;            // Of features without lengths: the next one.
  std::vector<uint64_t> starts_;  // Of lists.
  FeatureColumns columns_;
  std::vector<uint8_t> validity_;
  std::vector<int64_t> offsets_;
  std::vector<std::vector<std::byte>> spread_;
};

}  // namespace

Status CopyRows(std::span<const RowBatch::FeatureBuffer> from, uint32_t first, uint32_t end,
                RowBatch* to) {
  const std::vector<FeatureSpec>& specs = to->schema().features;
  std::vector<FeaturePieces> features;
  features.reserve(specs.size());
  for (size_t f = 0; f < specs.size(); ++f) features.emplace_back(specs[f], f, from[f], first);
  std::vector<FeatureColumns> columns;
  while (first < end) {
    const uint32_t num_rows = std::min(kPieceRows, end - first);
    columns.clear();
    for (FeaturePieces& feature : features) {
      if (feature.Next(first, num_rows)) columns.push_back(feature.columns());
    }
    DSI_RETURN_IF_ERROR(to->AppendColumns(num_rows, columns));
    first += num_rows;
  }
  return Status::Ok();
}

}  // namespace dsi::internal
