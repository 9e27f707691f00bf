// What differs between two datasets: their schemas, their rows, and in which columns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/reader/file_info.h"
#include "dsi/reader/row_filter.h"

namespace dsi {

struct CompareOptions {
  // Features or columns, as either dataset calls them; '*' and '?' match. Empty: all, but for
  // "__position", where rows stood in the input of a writer.
  std::vector<std::string> features = {};
  // Columns that name a row, such as a request's id: rows of one key are held against each other,
  // wherever they stand; of rows that have the same key the first of A against the first of B, and
  // so on. They are compared whether `features` has them or not. Empty: rows are held against each
  // other by their place.
  std::vector<std::string> key = {};
  // Only rows of A, and of B, that pass.
  RowFilter filter_a = {};
  RowFilter filter_b = {};
  uint32_t threads = 0;  // 0: as many as the process may use cores.
  // For rows that wait for the other dataset's, besides the memory of two scans. About 100 bytes a
  // row, with a key 8 more for each column; the further apart equal rows stand, the more wait.
  uint64_t memory_bytes = 4ULL << 30;
  // Told how many rows of both were looked at, and of how many; may cancel by returning false
  // (kCancelled).
  std::function<bool(uint64_t done, uint64_t total)> progress = {};
};

// A column of one of the datasets, or of both.
struct ComparedColumn {
  // As A and B have it; none: that one lacks it.
  std::optional<ColumnInfo> a;
  std::optional<ColumnInfo> b;
  // What their schemas say differently, in the words of a schema's JSON form: "name", "id", "kind",
  // "type", "unit", "id_space", "max_length", "length", "newest", "nested", "default", "precision",
  // "hashed".
  std::vector<std::string> changes;
  // Ok: its values were compared. kNotFound: one lacks it; kUnsupported, kBadInput: one cannot be
  // read in it (ColumnInfo::support); kInvalidArgument: numbers in one, strings in the other.
  Status support = Status::Ok();
  uint64_t differing = 0;  // Of Comparison::pairs.
  // The first of these that was found, by its rows of A and of B.
  uint64_t row_a = 0;
  uint64_t row_b = 0;
  // All rows of A together have the values that all rows of B have, in whichever order.
  bool has_same_values = true;

  const std::string& name() const { return a ? a->name : b->name; }
};

// Rows are counted over the files of a dataset, deleted ones included, as in Batch::row_numbers.
struct DSI_EXPORT Comparison {
  uint64_t rows_a = 0;  // That pass the filter and are not deleted.
  uint64_t rows_b = 0;
  uint64_t pairs = 0;      // Rows that were held against each other.
  uint64_t differing = 0;  // Of these, those that differ in a column or more.
  // Rows that the other has not: none of its key, or without a key none with the same values, each
  // as often as it is. None: not known, for these rows did not fit into memory_bytes, which without
  // a key is no error; or no column could be compared.
  std::optional<uint64_t> only_a;
  std::optional<uint64_t> only_b;
  // The first of them, where there is one.
  uint64_t first_only_a = 0;
  uint64_t first_only_b = 0;
  // The same rows, in whichever order.
  bool has_same_rows = true;
  // Those of A, then those that B alone has.
  std::vector<ComparedColumn> columns;

  // Of the columns that were asked for the schemas say the same, and all could be compared.
  bool has_same_columns() const noexcept;
  // These, and the same rows in the same order; with a key in whichever order.
  bool is_same() const noexcept;
};

// Scans both once. Values are equal as they would be written: 3 as int32, int64 or float32 is one
// value, 0 and -0 are two, a NaN equals itself; missing and empty are two. How rows are stored
// (stripes, groups, encodings, files) is not looked at.
//
// Every unique row of a batch is hashed once, however many rows it stands for, to 128 bits by a
// seed that nobody knows beforehand: that rows which differ are taken for equal is as likely as two
// random numbers of 128 bits being the same. The outcome does not depend on the threads.
// Errors: those of a scan; kNotFound: a name of `features` or `key` that neither has;
// kInvalidArgument: a key column that cannot be compared; kResourceExhausted: with a key, the rows
// that wait exceed memory_bytes. Thread safety: any thread. Nothing throws.
DSI_EXPORT Result<Comparison> CompareDatasets(const Dataset& a, const Dataset& b,
                                              const CompareOptions& options = {});

}  // namespace dsi
