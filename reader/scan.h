// A scan: batches of rows of a projection, in file order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsi/format/export.h"
#include "dsi/reader/batch.h"

namespace dsi {

enum class Layout : uint8_t { kPadded, kJagged, kIkjt, kDense };
enum class Side : uint8_t { kLeft, kRight };
// Which entries of a list that is too long stay, in the order in which they are stored.
enum class Keep : uint8_t { kFirst, kLast };

// One column to read, and how. A feature name stands for all its columns; '*' and '?' match.
struct Projection {
  std::string name = {};
  Layout layout = Layout::kPadded;
  uint32_t width = 0;  // Padded: entries per row; 0: the declared max_length, else the greatest
                       // length stored in the rows scanned.
  Keep keep = Keep::kLast;  // Padded: which entries of a longer list stay.
  Side pad = Side::kRight;  // Padded: where the pad value goes.
  double pad_value = 0;  // Padded, and missing entries of dense features; must fit the dtype. Whole
                         // numbers up to 2^53.
  std::optional<Type> dtype = {};  // kInt32, kInt64, kFloat32, kFloat64 (strings: bytes); default:
                                   // the stored type. A value that does not fit is kOutOfRange.
};

struct ScanOptions {
  std::vector<Projection> features = {};  // Empty: every column (lists jagged, scalars padded with
                                          // width 1), with all metadata verified.
  uint32_t batch_size = 4096;
  bool drop_last = false;  // Leave out a last batch that is not full.
  uint64_t row_begin = 0;  // Rows [row_begin, row_end) of the file.
  uint64_t row_end = UINT64_MAX;
  uint64_t memory_bytes =
      4ULL << 30;  // Decoded unique rows held at once; exceeded is kResourceExhausted.
};

struct ScanStats {
  uint64_t rows = 0;
  uint64_t bytes_read = 0;    // From the file, with gaps.
  uint64_t bytes_needed = 0;  // Pages of the projection.
  uint64_t reads = 0;
  uint64_t values_decoded = 0;   // Entries decoded from pages.
  uint64_t values_expanded = 0;  // Entries of all rows, as if nothing were deduplicated.
};

// Thread safety: one thread at a time. The Reader must outlive the scan.
class DSI_EXPORT Scan {
 public:
  virtual ~Scan();
  // Fills *batch with the next rows; false at the end. A batch is complete and verified or not
  // returned. kCorrupt names page, offset, feature; kOutOfRange names row and feature; after an
  // error the scan is over.
  virtual Result<bool> Next(Batch* batch) = 0;
  virtual uint64_t num_batches() const = 0;
  virtual const ScanStats& stats() const = 0;
};

}  // namespace dsi
