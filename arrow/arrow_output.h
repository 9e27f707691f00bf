// Batches of a scan as Arrow record batches, through Arrow's C data and C stream interfaces: to
// pyarrow, polars, DuckDB, pandas and whoever else reads them, without a copy.
//
//     auto columns = reader->Columns();
//     ScanOptions options;
//     options.features = *ArrowProjections(*columns);
//     auto scan = reader->NewScan(options);
//     auto output = ArrowOutput::Make((*scan)->columns(), *columns);
//     output->ExportStream(std::move(*scan), reader, &stream);    // reader: a std::shared_ptr
//
// What a column becomes, by the layout in which the scan has it. Every field may be null: a missing
// row is null, an empty list [].
//
//     kPadded, one number       its type; bool as bits; timestamps timestamp[unit] without a zone
//     kPadded, all others       fixed_size_list<T>[width], with the pad where a list is shorter
//     kJagged                   large_list<T>; bytes large_utf8, or large_binary
//     kIkjt                     dictionary<int32, what kJagged is>: unique rows once
//     kPaddedIkjt               dictionary<int32, what kPadded is>
//
// kDense and kVbe are no columns: kInvalidArgument. A weighted feature is two columns, "name.ids"
// and "name.weights", a sequence one for each of its own. Fields have the metadata "dsi.kind" and,
// where there is one, "dsi.id_space".
//
// Memory: values and offsets are those of the batch's slab; of it arrays keep hold until they are
// released, all of them, children that were moved out too. Only bits are made anew (validity where
// a row is missing, bools). Arrays may be released on any thread and may outlive the stream, the
// scan and the reader. Errors: nothing throws; where a call fails the struct has a null `release`.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/arrow/abi.h"
#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/reader/batch.h"
#include "dsi/reader/file_info.h"
#include "dsi/reader/scan.h"
#include "dsi/reader/scan_options.h"

namespace dsi {

struct ArrowOutputOptions {
  // Projections: lists and embeddings as dictionaries of their unique rows, so that what is stored
  // once is handed out once. Two entries of one dictionary may be equal: unique are the rows of
  // the whole dedup group. The dictionary is another one in each batch.
  bool dictionaries = false;
  // Byte strings as large_binary. Else as large_utf8, and bytes that are not UTF-8 are kOutOfRange
  // with column and row; checking costs a pass over them.
  bool binary = false;
};

// What to put into ScanOptions::features so that each column can be exported whole: lists and byte
// strings kJagged, numbers kPadded of width 1, embeddings of their length. `columns` as
// Reader::Columns or Dataset::Columns tells them. `names`: columns, features, which stand for all
// their columns, or patterns with '*' and '?'; in this order, a column that several stand for once,
// where the first does. Empty: all columns that this build can read.
// Errors: kNotFound: a name stands for nothing; kUnsupported: a column named is of a newer version;
// kBadInput: two files cannot be reconciled in a column that a name, a pattern or none stands for.
// kInvalidArgument: no column is left, which a scan would take for all.
DSI_EXPORT Result<std::vector<Projection>> ArrowProjections(std::span<const ColumnInfo> columns,
                                                            std::span<const std::string> names = {},
                                                            const ArrowOutputOptions& options = {});

namespace internal {
struct OutputFields;
}

// The columns of a scan as Arrow fields, settled once: a struct with one child per column, in the
// order of Scan::columns(). A value; copies share. Thread safety: const calls from many threads are
// safe.
class DSI_EXPORT ArrowOutput {
 public:
  // `scanned`: Scan::columns() of a scan of a reader or a dataset, with whatever projections.
  // `columns` tells kinds and units of time, by name; what is not among them (outputs of a
  // pipeline) is a number where it is padded with width 1. Errors: kInvalidArgument: a layout that
  // is no column, padded byte strings.
  static Result<ArrowOutput> Make(std::span<const ScanColumn> scanned,
                                  std::span<const ColumnInfo> columns,
                                  const ArrowOutputOptions& options = {});
  ArrowOutput(const ArrowOutput&) noexcept;
  ArrowOutput& operator=(const ArrowOutput&) noexcept;
  ~ArrowOutput();

  // The caller releases *out. kResourceExhausted.
  Status ExportSchema(ArrowSchema* out) const;

  // A batch that a scan of these columns has filled, as a struct array. It must not be filled again
  // while arrays of it live. The caller releases *out. Cost: a few stores per column, and the bits.
  // Errors: kInvalidArgument: an empty batch, or one of other columns; kOutOfRange: bytes that are
  // not UTF-8; kResourceExhausted.
  Status ExportBatch(std::shared_ptr<const Batch> batch, ArrowArray* out) const;

  // All that is left of the scan, a struct array per batch; batches without rows are left out. The
  // scan must be without ScanOptions::allocator. `keep_alive` owns the Reader or Dataset, and lives
  // until the scan is over or the stream is released; null: the caller sees to it. The stream is
  // used by one thread at a time; a get_next that failed fails in the same way from then on. errno
  // codes: ENOMEM, EIO (kCorrupt and kTruncated too), ERANGE, ECANCELED, ENOTSUP, else EINVAL.
  // Batches whose arrays are all released are filled again, so that a consumer that goes from batch
  // to batch allocates nothing. ScanOptions::memory_bytes holds what the scan needs and one batch;
  // arrays that the consumer keeps are the consumer's. Errors: kInvalidArgument: no scan, or one of
  // other columns.
  Status ExportStream(std::unique_ptr<Scan> scan, std::shared_ptr<void> keep_alive,
                      ArrowArrayStream* out) const;

 private:
  explicit ArrowOutput(std::shared_ptr<const internal::OutputFields> fields) noexcept;
  std::shared_ptr<const internal::OutputFields> fields_;
};

}  // namespace dsi
