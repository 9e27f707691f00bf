// What a scan reads, in which form batches have it, and what that took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsi/format/types.h"
#include "dsi/reader/batch.h"
#include "dsi/reader/row_filter.h"

namespace dsi {

// What a column becomes in a batch of B rows; the views in batch.h say it in shapes.
enum class Layout : uint8_t {
  kPadded,      // [B, L], and lengths.
  kJagged,      // Values and offsets of B rows.
  kIkjt,        // Values and offsets of the U unique rows, and which of them each row is.
  kDense,       // One column of a [B, D] matrix.
  kPaddedIkjt,  // [U, L], and which of the U unique rows each row is.
  kVbe,         // Part of a KeyedJaggedTensor over unique rows, as TorchRec takes it.
  kKjt,         // Part of a KeyedJaggedTensor over all B rows.
};
enum class Side : uint8_t { kLeft, kRight };
// Which entries of a list that is too long stay, in the order in which they are stored.
enum class Keep : uint8_t { kFirst, kLast };

// Entries that are all alike and stand in no file: bits of this type.
struct BlankEntries {
  Type type = Type::kInt64;
  uint64_t bits = 0;
};

// One column to read, and how. A feature name stands for all its columns; '*' and '?' match.
struct Projection {
  std::string name = {};
  Layout layout = Layout::kPadded;
  // Padded: entries per row; 0: the declared max_length, else the greatest length stored in the
  // stripes scanned.
  uint32_t width = 0;
  // Padded: which entries of a longer list stay.
  Keep keep = Keep::kLast;
  // Padded: where the pad value goes.
  Side pad = Side::kRight;
  // What stands where a row has no value, zero as good as any; must fit the dtype. Whole numbers up
  // to 2^53. One rule for padded and dense. Not given: where a single number is missing, the
  // feature's default, without one NaN (floats) or 0 (integers); beside the entries of lists, and
  // for missing embeddings, 0.
  std::optional<double> pad_value = {};
  // kInt32, kInt64, kFloat32, kFloat64 (strings: bytes); default: the stored type, in dense
  // matrices kFloat32. A value that does not fit is kOutOfRange.
  std::optional<Type> dtype = {};
  // With dtype kInt64 or kInt32, of columns of unsigned integers of that width: the same bits, so
  // that 2^63 and more become negative and are equal where they were. For hashed ids, which
  // TorchRec takes as int64. Columns of other types are converted as without it.
  bool bit_cast = false;
  // With dtype kFloat64 or kFloat32, of columns of integers: those beyond 2^53 or 2^24, to which
  // all are exact, do not fit, in place of being rounded.
  bool exact = false;
  // Dense, VBE, KJT: columns of one layout and set are one matrix or KeyedJaggedTensor, of one
  // type, in the order of the projection. So features and labels are two matrices. Weights: a set
  // of their own, with the weights columns in the order of the ids'.
  std::string set = {};
  // In place of the entries of the column that is named, of which nothing but their number is read:
  // how a dataset reads a sequence in files that lack one of its columns (spec DS-026). The output
  // is known by its position alone.
  std::optional<BlankEntries> blank = {};
};

struct ScanOptions {
  // Empty: every column that this build can read (lists jagged, scalars padded with width 1), with
  // all metadata verified.
  std::vector<Projection> features = {};
  // Rows that pass the filter: all batches but the last have so many.
  uint32_t batch_size = 4096;
  // Leave out a last batch that is not full.
  bool drop_last = false;
  // Rows [row_begin, row_end) of the file, before the filter; deleted ones, which are never handed
  // out, have numbers as well.
  uint64_t row_begin = 0;
  uint64_t row_end = UINT64_MAX;
  // Its columns are read and decoded ahead of the batches, by themselves, also where they are
  // projected. Stripes in which no row passes are not read, nor are the filter's columns where
  // statistics tell it; pages in which none does are not decoded. Where one row in n passes, a
  // batch reaches over about n × batch_size rows; it is put together block by block, so that only
  // the unique rows of its own rows are held.
  RowFilter filter = {};
  // VBE, KJT: of lengths and offsets; kInt32 or kInt64. More than 2^31 - 1 values of one set in a
  // batch are kOutOfRange in int32.
  Type kjt_lengths = Type::kInt32;
  // All that the scan holds at once: pages read, indexes, decoded unique rows, what the filter
  // found, and the slab of the batch as far as this scan has made it grow. Exceeded is
  // kResourceExhausted.
  uint64_t memory_bytes = 4ULL << 30;
  // Threads that decode and fill one batch, the one that makes it among them; 0: as many as the
  // process may use cores. In between helpers begin with the stripes that come next, where these
  // are expected to fit in half of memory_bytes. Batches are the same bytes for every number.
  uint32_t threads = 1;
  // Not 0: a thread of the scan makes batches ahead of Next, and others read pages ahead of that;
  // half of these bytes is for finished batches (one more is being made, and there is always room
  // for one), half for pages. The scan holds them besides memory_bytes. They are made from the
  // moment the scan is. Next then exchanges the memory of its batch for that of a finished one, so
  // that nothing is copied, nor allocated when the same batch is given again.
  uint64_t read_ahead_bytes = 0;
  // With read_ahead_bytes: of all batches, those of the caller too. Null: the heap. Called by the
  // thread that makes batches. It must outlive them and the scan.
  SlabAllocator* allocator = nullptr;
};

// Where the time of a scan goes, in seconds. Stages of one thread do not overlap; with several, or
// ahead of Next, they do.
struct ScanSeconds {
  double read = 0;     // Decoding waited for bytes of the file.
  double decode = 0;   // Plans, indexes, lists and values, checked; `read` is not in it.
  double fill = 0;     // From unique rows to tensors.
  double blocked = 0;  // A finished batch waited for room, so for the consumer.
  double wait = 0;     // The consumer waited in Next; without read-ahead all of the above.
};

struct ScanStats {
  uint64_t rows = 0;  // Handed out.
  uint64_t rows_dropped =
      0;  // By the filter, which is ahead of the batches by some rows, or deleted.
  // Stripes that were passed over unread: by their statistics no row passes the filter, or all are
  // deleted.
  uint64_t stripes_skipped = 0;
  // From the file, with gaps; for the filter as well. What was read ahead and not come to does not
  // count.
  uint64_t bytes_read = 0;
  uint64_t bytes_needed = 0;  // Pages of the projection and of the filter, in the stripes reached.
  uint64_t reads = 0;
  uint64_t values_decoded = 0;   // Entries decoded from pages.
  uint64_t values_expanded = 0;  // Entries of all rows, as if nothing were deduplicated.
  uint64_t batches = 0;          // Handed out.
  uint64_t batches_ready = 0;    // Finished and waiting, when the last was handed out.
  uint64_t output_bytes = 0;     // Of batches handed out.
  uint32_t threads = 1;          // Decoding and filling.
  ScanSeconds seconds = {};
};

}  // namespace dsi
