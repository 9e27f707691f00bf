// Rows held in memory as columns, ready for a Writer. Rows are added one by one, or many at once
// from column buffers.
//
// Thread safety: one thread at a time. Cost: a missing feature of a row costs nothing once any row
// lacks the feature, so wide sparse tables stay small. A call that fails changes nothing, except
// EndRow, which drops the row; the batch stays usable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/format/schema.h"
#include "dsi/writer/growing_bytes.h"

namespace dsi {
namespace internal {
class ListSharing;
class RowIntake;
}  // namespace internal

// Rows of one feature handed in as buffers, in the layout of Arrow. Borrowed for the duration of
// the call.
struct FeatureColumns {
  size_t feature = 0;  // Ordinal in the schema.
  const uint8_t* validity =
      nullptr;  // Bit i (LSB first) set: row i has the feature. Null: every row has it.
  size_t validity_offset = 0;          // Bit of row 0.
  const int32_t* offsets32 = nullptr;  // Features with lengths: num_rows + 1 ascending offsets into
                                       // values; one of the two is set.
  const int64_t* offsets64 = nullptr;
  std::vector<const void*> values;  // One per column of the feature, of the column's type. Rows
                                    // without the feature have entries only in scalar and embedding
                                    // features (ignored); a list's entries lie between its offsets.
};

class DSI_EXPORT RowBatch {
 public:
  // Takes no memory yet. Without a schema, or moved from, a batch has no rows and takes none: calls
  // that can fail are kInvalidArgument. Any call that adds may be kResourceExhausted: no memory.
  explicit RowBatch(std::shared_ptr<const Schema> schema) noexcept;
  RowBatch(RowBatch&& other) noexcept;
  RowBatch& operator=(RowBatch&& other) noexcept;
  ~RowBatch();

  const Schema& schema() const { return *schema_; }
  const std::shared_ptr<const Schema>& shared_schema() const { return schema_; }
  size_t num_rows() const { return num_rows_; }
  // Bytes of values, lengths and row numbers: of a batch that callers fill, the memory it holds.
  uint64_t size_bytes() const { return size_bytes_; }
  void Clear();

  // Row by row: any number of Set…, each feature (column) at most once, then EndRow. A feature not
  // set is missing in that row. The value is converted to the column's type; kOutOfRange when it
  // does not fit: a fraction into an integer, 300 into int8, a whole number into a float type that
  // does not hold it exactly (2^24+1 into float32, 2^53+1 into float64). A float64 into float32
  // rounds to nearest, as declared. kInvalidArgument: wrong kind, set twice.
  Status SetInt(size_t feature, int64_t value);
  Status SetUint(size_t feature, uint64_t value);
  Status SetDouble(size_t feature, double value);
  Status SetBytes(size_t feature, std::string_view value);
  // Lists and embeddings. Every column of a weighted or sequence feature must be set, with equal
  // lengths; an embedding needs its fixed length.
  Status SetInts(size_t feature, size_t column, std::span<const int64_t> values);
  Status SetInts(size_t feature, size_t column, std::span<const int32_t> values);
  Status SetUints(size_t feature, size_t column, std::span<const uint64_t> values);
  Status SetDoubles(size_t feature, size_t column, std::span<const double> values);
  Status SetFloats(size_t feature, size_t column, std::span<const float> values);
  // Of a hashed column (ColumnSpec::hashed): the ids of texts, of any bytes. kInvalidArgument: the
  // column is not hashed.
  Status SetTexts(size_t feature, size_t column, std::span<const std::string_view> texts);
  // Whether this row has the feature (a sound ordinal; any of its columns) so far.
  bool IsSet(size_t feature) const {
    return feature < slots_.size() && slots_[feature].serial == serial_;
  }
  // Ends the row. kBadInput when a feature is set in part (a column missing, unequal lengths); the
  // row is then dropped.
  Status EndRow();
  void DropRow();

  // A hint that a feature (a sound ordinal) is about to be set, for callers that know some features
  // ahead; changes nothing.
  void Prefetch(size_t feature) const {
    if (slots_.empty()) return;
    __builtin_prefetch(&slots_[feature], 1);
    __builtin_prefetch(&features_[feature], 1);
  }

  // Adds num_rows rows at once; features not named are missing. All or nothing. kInvalidArgument:
  // unequal or descending offsets, a feature named twice, a null buffer, a bool that is neither 0
  // nor 1, a row not ended. kResourceExhausted: more than 2^32 - 1 rows, or no memory. Cost: one
  // copy.
  Status AppendColumns(size_t num_rows, std::span<const FeatureColumns> columns);

  // Adds all ended rows of another batch. All or nothing. kInvalidArgument: another schema object,
  // or a row of this one not ended. kResourceExhausted as above.
  Status Append(const RowBatch& other);
  // The same, and on success `other` is left without rows, also without one that was not ended. A
  // batch that has no rows takes the memory of `other` and copies nothing.
  Status Append(RowBatch&& other);

  // Storage of one feature of a batch that has rows, for the writer.
  struct FeatureBuffer {
    // Every row so far has the feature; `rows` is then empty.
    bool all_present = true;
    // Otherwise: the rows that have it, ascending.
    std::vector<uint32_t> rows;
    // Features with lengths: one per list that is stored.
    std::vector<uint32_t> lengths;
    // Of a Writer, where rows share lists: which one each row that has the feature has. Otherwise
    // empty: each has its own, in row order.
    std::vector<uint32_t> lists;
    // One per column: entries of the stored lists, or of the rows that have it, in their order.
    std::vector<GrowingBytes> values;
    size_t num_present = 0;

    // The list of the i-th row that has the feature.
    size_t ListOf(size_t i) const { return lists.empty() ? i : lists[i]; }
  };
  const FeatureBuffer& feature(size_t i) const { return features_[i]; }
  // Entries that a column of a feature has in all ended rows.
  uint64_t num_entries(size_t feature) const {
    return slots_.empty() ? 0 : slots_[feature].committed_entries;
  }

 private:
  // Of a Writer: rounds values in place (spec S-014), and limits what is added.
  friend class internal::RowIntake;

  RowBatch(const RowBatch& other) = default;

  // What the setters ask about a feature, side by side, and what the current row has set of it.
  struct alignas(64) Slot {
    Kind kind;
    Type type;  // Of column 0.
    bool has_lengths;
    uint32_t num_columns;
    uint32_t fixed_length;
    uint32_t first_column;   // Place of column 0 in column_serials_.
    uint32_t row_bytes = 0;  // Bytes of one entry, all columns together.
    uint32_t length = 0;
    uint32_t columns_set = 0;
    bool unequal = false;
    uint64_t serial = 0;             // Row in which length, columns_set and unequal were set.
    uint64_t committed_entries = 0;  // Entries per column of ended rows.
    // The same as they are stored, and lists, of features that share them.
    uint64_t stored_entries = 0;
    uint64_t stored_lists = 0;
  };

  // Takes memory for what is kept per feature; once.
  Status Prepare();
  Status PrepareOnce() { return slots_.empty() ? Prepare() : Status::Ok(); }
  // Runs a call that adds: brings the batch back to its ended rows where it fails.
  template <typename Work>
  Status AddRows(const Work& work);
  // Undoes ListRows of features that every ended row has.
  void UnlistRows();
  // Bytes by which size_bytes would grow.
  uint64_t BytesOf(const RowBatch& other) const;
  uint64_t BytesOf(size_t num_rows, std::span<const FeatureColumns> columns) const;

  template <typename T>
  Status SetScalar(size_t feature, T value);
  template <typename T>
  Status SetMany(size_t feature, size_t column, std::span<const T> values);
  // Adds a list by `append(type, values)`, which may refuse it and must then leave them as they
  // were.
  template <typename AppendTo>
  Status SetList(size_t feature, size_t column, size_t length, const AppendTo& append);
  // Checks that the column may be set now; Finish records that it was.
  Status CheckSet(size_t feature, size_t column, bool many) const;
  void FinishSet(size_t feature, size_t column, size_t length);
  Status CheckWhole(const Slot& slot, size_t feature) const;
  Status CommitRow();
  // Gives up all_present: the rows so far become listed.
  void ListRows(FeatureBuffer* buffer);
  // Drops what lies beyond the ended rows.
  void Truncate(size_t feature);
  Status AppendRows(const RowBatch& other);
  // Takes the rows of `other` instead of this batch's none.
  Status TakeRows(RowBatch* other);
  Status AppendBuffers(size_t num_rows, std::span<const FeatureColumns> columns);
  Status CheckColumns(size_t num_rows, const FeatureColumns& from) const;
  void CopyColumns(size_t num_rows, const FeatureColumns& from);
  void CopyFeature(size_t feature, const RowBatch& other);
  bool Shares(size_t feature) const;
  // What size_bytes would be if lists that are shared counted once.
  uint64_t HeldBytes() const;
  // Shares lists that were taken one per row, where there is memory for it.
  void ShareLists();
  Status CheckRoom(size_t num_rows) const;
  Status CheckSchema(const RowBatch& other) const;
  // Ends num_rows rows at once; the touched features hold theirs already.
  void CommitRows(size_t num_rows);
  // Lists the rows of all features that every row had, and that the current rows lack.
  void ListUntouched();

  std::shared_ptr<const Schema> schema_;
  size_t num_rows_ = 0;
  uint64_t size_bytes_ = 0;
  std::vector<FeatureBuffer> features_;
  std::vector<Slot> slots_;
  // Per column of features that have several: the row that set it last.
  std::vector<uint64_t> column_serials_;
  std::vector<uint32_t> dense_;    // Features that every row has, so far.
  std::vector<uint32_t> touched_;  // Features set in the current row.
  uint64_t serial_ = 1;            // Number of the current row; never reused.
  // Of a Writer: asked before many rows are copied, and by how many bytes size_bytes will grow.
  std::function<Status(uint64_t bytes, size_t num_rows)> admit_;
  // Of a Writer: lists that rows repeat are stored once.
  std::shared_ptr<internal::ListSharing> sharing_;
};

}  // namespace dsi
