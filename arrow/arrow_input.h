// Rows from Arrow's C data interface: tables of pyarrow, polars, DuckDB, pandas and whatever else
// exports ArrowSchema and ArrowArray, or an ArrowArrayStream of them. No Arrow library is needed.
//
//     auto stream = dsi::ArrowStream::Open(&c_stream);             // Takes it.
//     auto schema = (*stream)->InferSchema();
//     auto writer = dsi::Writer::Create("out.dsi", *schema);
//     auto report = dsi::AppendStream(stream->get(), writer->get());
//
// A table is a struct of columns. Columns are matched with features by name, in any order; what is
// in a struct has a dotted name ("user.age"). Missing and null are one state; in a row of the table
// or a struct that is null, all that it holds is missing. Of one-column features:
//
//   dense, label, key, timestamp   integers, floats (float16 too), bool, dates, times, decimals of
//                                  128 bits
//   string, key of strings         utf8, binary, large ones, views, fixed-size binary
//   list                           list, large_list, fixed_size_list of numbers, list views
//   embedding                      fixed_size_list, or lists that all have its length
//
// Sequences and weighted features are a list of structs under the feature's name, in which structs
// may stand again (column "item.id"), or a list for each column ("history.item" and "history.time";
// "topics.ids" and "topics.weights") of equal lengths. Lists of lists, and lists in structs of a
// list, fill two columns (format/lists_of_lists.h). Dictionaries (of columns, lists or items) stand
// for their values. Lists hold no nulls. Not taken, with advice in the error: unions, run-end
// encoded arrays, intervals, lists deeper than that. Extension types are what they are stored as.
//
// Numbers are converted to the feature's type where each value fits it (RowBatch's rules: whole
// numbers to floats exactly, float64 to float32 rounded); points in time (timestamp, date32,
// date64) to the unit of a timestamp where that is exact. Other numbers into a timestamp count its
// unit.
//
// Buffers are hostile until checked: formats, counts, lengths, offsets, indices, views, null
// pointers and released structs, of all columns that features are read from. What cannot be checked
// is trusted: that pointers point to what the interface says, that strings end, and that buffers
// have the size that lengths and checked offsets ask for.
//
// Thread safety: one thread at a time per object; schemas and arrays are only read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/arrow/abi.h"
#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/format/null_entries.h"
#include "dsi/format/schema.h"
#include "dsi/writer/row_batch.h"
#include "dsi/writer/writer.h"

namespace dsi {

struct ArrowSchemaReport {
  std::vector<std::string> dropped;  // Columns of nulls; no features of the schema.
  // By the first 16,384 of `rows`: dense whole numbers that are ids, codes or times, of which
  // floats hold some as one; and strings called as times are, each with one of them, cut short.
  std::vector<std::string> rounded_ids;
  std::vector<std::pair<std::string, std::string>> text_times;
};

// Finds a schema for a table, features in its order: numbers dense of their type (float16
// float32, times and durations integers), timestamps and dates timestamps (date32: s), strings
// string, lists list, fixed-size lists of floats embedding, lists of structs sequence (weighted,
// where the members are integers "ids" and floats "weights"), lists of lists a list and one of
// their lengths, behind all others. Names that InferSchema of
// text/text_input.h knows become keys and labels as there, and cluster_by the session, then the
// first timestamp. An integer alone does not tell a point in time: int64 columns named "timestamp",
// "ts" or "time" (or ending so, with values of that size) become timestamps only where `rows`, some
// rows of the table, tell their unit.
//
// *report (may be null) receives what was left out. `schema` and `rows` are borrowed for the call.
// Errors: kBadInput names the column and what to do (a type above that is not taken, a name that
// stands twice, a malformed schema, no columns).
DSI_EXPORT Result<Schema> SchemaFromArrow(const ArrowSchema& schema,
                                          const ArrowArray* rows = nullptr,
                                          ArrowSchemaReport* report = nullptr);

struct ArrowInputOptions {
  // Skip columns that the schema lacks; else they are kBadInput, unless they are of type null.
  bool ignore_unknown = false;
  // Nulls in dictionaries that lists look into are dropped by none: they fail, or are filled.
  NullEntries null_entries = NullEntries::kFail;
  // Memory for what of one array must be converted or gathered, beside the rows themselves; more is
  // kResourceExhausted. 0: three quarters of what the process may use.
  uint64_t memory_bytes = 0;
};

// Adds arrays of one Arrow schema to batches or a writer of one dsi schema.
class DSI_EXPORT ArrowInput {
 public:
  // `schema` is borrowed for the call; `target` is that of the batches and writers. Features
  // without a column are missing in all rows. Errors: kBadInput names the column: none of the
  // schema, of a type that cannot become the feature's, one of several of a feature missing, or a
  // malformed schema. kInvalidArgument: no target, or an unsound one.
  static Result<std::unique_ptr<ArrowInput>> Create(const ArrowSchema& schema,
                                                    std::shared_ptr<const Schema> target,
                                                    const ArrowInputOptions& options = {});
  ~ArrowInput();

  // Adds the rows of an array of the schema. All or nothing. The array is borrowed for the call and
  // never released. Numbers of a column's type, lists of them and strings are copied once, from
  // where they lie. Errors: kBadInput and kOutOfRange name column, row and value; rows count from
  // the first that this object has added. kInvalidArgument: a batch or writer of another schema
  // object, or null. kResourceExhausted: beyond memory_bytes, or as Writer::AppendColumns.
  Status Append(const ArrowArray& array, RowBatch* batch);
  Status Append(const ArrowArray& array, Writer* writer);

  uint64_t num_rows() const;                        // Added so far.
  const std::vector<std::string>& ignored() const;  // Columns that the schema lacks.
  const std::vector<std::string>& absent() const;   // Features of which there is no column.

 private:
  class Impl;
  explicit ArrowInput(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Owns an ArrowArrayStream, its schema and the array read last. What the stream reports is kIo with
// its own words; ENOMEM kResourceExhausted, ECANCELED and EINTR kCancelled.
class DSI_EXPORT ArrowStream {
 public:
  // Takes the stream: stream->release is null afterwards, also after an error, and the stream is
  // released once. Errors: kInvalidArgument: null or released. What the stream reports.
  static Result<std::unique_ptr<ArrowStream>> Open(ArrowArrayStream* stream);
  ~ArrowStream();

  const ArrowSchema& schema() const;
  // SchemaFromArrow with the rows of the first array, which is read now and comes with the first
  // Next all the same.
  Result<Schema> InferSchema(ArrowSchemaReport* report = nullptr);
  // The next array; null at the end. Valid until the next call or the end of this object.
  Result<const ArrowArray*> Next();

 private:
  class Impl;
  explicit ArrowStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct ArrowStreamOptions {
  ArrowInputOptions input;
  std::function<bool(uint64_t rows_done)> progress = {};  // After each array; false cancels.
};

struct ArrowStreamReport {
  uint64_t num_rows = 0;
  std::vector<std::string> ignored;  // As ArrowInput has them.
  std::vector<std::string> absent;
};

// Adds all arrays that are left in a stream. Errors: those of ArrowInput and of the stream;
// kInvalidArgument: null; kCancelled: by progress. Arrays before the failing one are in the writer.
DSI_EXPORT Result<ArrowStreamReport> AppendStream(ArrowStream* stream, Writer* writer,
                                                  const ArrowStreamOptions& options = {});

}  // namespace dsi
