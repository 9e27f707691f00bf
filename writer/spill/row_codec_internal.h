// Rows to bytes, each by itself, and back into columns.
//
// A row is, for each feature that it has: the distance to the feature before, the number of entries
// where the feature has lengths (both as variable-length numbers), and the entries of its columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/writer/row_batch.h"
#include "dsi/writer/rows/list_sharing_internal.h"

namespace dsi::internal {

// How the entries of a feature lie in a row.
struct FeatureCoding {
  bool has_lengths = false;
  uint32_t entries_per_row = 0;  // Of features without lengths.
  std::vector<uint32_t> widths;  // Of an entry, per column.
};
std::vector<FeatureCoding> CodingsOf(const Schema& schema);

// Turns rows of one batch to bytes, from its first row on.
class RowsEncoder {
 public:
  RowsEncoder(std::span<const FeatureCoding> codings, const RowBatch& rows);

  // The next `count` rows, one after another, behind where each ends: uint32_t[count], counted from
  // where the rows begin.
  void Encode(uint32_t count, std::vector<std::byte>* out);

 private:
  struct Cursor {
    size_t stored = 0;  // Of the rows that have the feature.
    uint64_t entry = 0;
  };

  std::span<const FeatureCoding> codings_;
  const RowBatch& rows_;
  std::vector<Cursor> cursors_;
  std::vector<std::vector<uint64_t>> starts_;  // Of lists, where rows share them.
  uint32_t row_ = 0;
  std::vector<uint32_t> last_;  // Per row: the feature before, plus one.
  std::vector<uint64_t> at_;
};

// Calls visit(feature, entries, bytes of the columns one after another) for each feature of a row.
// kCorrupt: bytes that no encoder wrote.
Status VisitRow(std::span<const FeatureCoding> codings, std::span<const std::byte> row,
                const std::function<void(uint32_t, uint32_t, const std::byte*)>& visit);

// Columns that rows are added to, one by one.
class RowCollector {
 public:
  // `sharing`, which knows no lists yet: of lists that repeat; null: each row has its own.
  explicit RowCollector(std::span<const FeatureCoding> codings, ListSharing* sharing = nullptr);

  Status Add(std::span<const std::byte> row);
  // After the last Add.
  void Finish();
  uint32_t num_rows() const { return num_rows_; }
  std::vector<RowBatch::FeatureBuffer>& features() { return features_; }

 private:
  std::span<const FeatureCoding> codings_;
  ListSharing* sharing_;
  std::vector<RowBatch::FeatureBuffer> features_;
  uint32_t num_rows_ = 0;
  std::vector<const std::byte*> columns_;  // Of a list at hand.
};

}  // namespace dsi::internal
