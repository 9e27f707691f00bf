// Reads rows from text: JSON Lines, CSV or TSV, plain or compressed (.gz, .zst, .lz4), from files,
// URLs (io/open.h) or standard input; several files are read one behind the other, as one text.
//
// JSON Lines: one object per line; nested objects become dotted names; null and absent are one
// state (missing), [] is an empty list; whole numbers are kept to all 64 bits, and refused where a
// declared float type does not hold them exactly (16777217 as float32); numbers with a point or an
// exponent (0.1, 16777217.0) are rounded to nearest, as floats are. Timestamps are whole numbers of
// their unit, or ISO 8601 ("2024-05-01T12:30:00.25+02:00"; no offset means UTC), exact or refused.
// CSV/TSV: a header line, or names that are given, where a column without a name is left out, and
// counted among what was ignored; an empty cell is missing; list cells hold entries separated by
// '|', or in brackets as JSON, Python and NumPy write lists: [1, 2], ['a' 'b'].
//
// Keys in the paths of files, as Hive, Spark and DuckDB lay tables out ("day=2026-01-01/hour=7/
// part-0.jsonl", %XX undone), are what rows of these files have of the features that are so called
// and have one value a row, where rows do not say it themselves.
//
// Several threads read ahead and parse, by blocks of whole lines; rows, errors and their order are
// those of one. Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/format/null_entries.h"
#include "dsi/format/schema.h"
#include "dsi/writer/row_batch.h"

namespace dsi {

// kCriteo: the click logs of Criteo, which have no header: label, I1 … I13, C1 … C26.
// kTfRecord: messages tf.Example in the framing of TFRecord.
enum class TextFormat : uint8_t { kFromName, kJsonLines, kCsv, kTsv, kCriteo, kTfRecord };

// One of the files of a text.
struct TextFile {
  std::string path;  // Or a URL; "-" is standard input.
  std::string name;  // What messages call it; empty: the path.
  // Called before the file is opened, as for what can be opened but once, in the thread that calls
  // Open or Next; an error ends the reading. May be empty.
  std::function<Status()> before_open;
};

// A row that cannot be read, told of in the thread that calls Next. Views are valid during the call
// that they are handed to.
struct BadRow {
  std::string_view file;
  uint64_t line = 0;      // Its first.
  std::string_view text;  // As it stands there, without its last line break; any bytes.
  std::string_view reason;
};

struct TextInputOptions {
  // By the name's ending (.jsonl, .json, .ndjson, .csv, .tsv, .tfrecord, before .gz, .zst or .lz4);
  // standard input: JSON Lines. All files of a text have one format.
  TextFormat format = TextFormat::kFromName;
  // A longer line is kResourceExhausted.
  uint64_t max_line_bytes = 256ULL << 20;
  // Skip features that the schema lacks; else they are kBadInput.
  bool ignore_unknown = false;
  // What is of CSV and TSV is kInvalidArgument with other formats. CSV and TSV: what cells are
  // separated by, an ASCII character that is neither quote nor line break; '\0': a comma or a tab.
  char separator = '\0';
  // CSV and TSV without a header line: the names that it would have; "" leaves a column out. Empty:
  // the first line is it.
  std::vector<std::string> header = {};
  // CSV and TSV: false: a quote is text, wherever it stands, and every line is a row.
  bool quotes = true;
  // CSV and TSV: a cell of this text is missing, as an empty one is; \N in those of Hive and MySQL.
  std::string missing = {};
  // CSV and TSV: what entries of a list cell are separated by; one ASCII character that stands in
  // no number.
  char list_separator = '|';
  // In CSV and TSV a null is nothing between separators, and nothing, None or null in brackets.
  NullEntries null_entries = NullEntries::kFail;
  // Forms of texts that are times, in place of ISO 8601; the first that fits counts. As of
  // strptime, in English ("%d/%b/%Y:%H:%M:%S %z"; without %z it is UTC), with %f for the digits of
  // a fraction; "iso" stands for ISO 8601.
  std::vector<std::string> time_formats = {};
  // What numbers of timestamps are in, where that is not the feature's own unit: they are converted
  // exactly or refused, and may have a fraction ("1700000000.25" seconds).
  TimeUnit epoch_unit = TimeUnit::kNone;
  // Called with each row that cannot be read: Ok leaves it out, an error ends the reading. Empty:
  // the first such row is the error. What no row is to blame for (I/O, damaged packing, a bad
  // header, no memory) ends the reading always. Of a quoted cell that is not closed, only the line
  // where it begins is left out. InferSchema does not call it: it leaves such rows out, and what a
  // feature holds rarely gives way to what it holds mostly.
  std::function<Status(const BadRow&)> on_bad_row = {};
  // That parse, the caller's among them; 0: as many as the machine has cores. Fewer where the text
  // is short, or the caller asks for few rows at once.
  int threads = 0;
  // Of text and rows that are read ahead, about; one block is read at any rate. 0: 32 MiB.
  uint64_t ahead_bytes = 0;
  // Of text that a thread parses at once, about, unless one line has more. Changes no row. 0: 256
  // KiB, and more for features beyond 1,000.
  size_t block_bytes = 0;
};

// Lowers what is read ahead, and how many threads parse, to what there is room for beside a writer
// that may take so many bytes.
DSI_EXPORT void KeepWithin(uint64_t writer_memory_bytes, TextInputOptions* options);

struct InferOptions {
  TextInputOptions text;
  uint64_t max_rows = 0;  // Rows looked at; 0: all.
  // CSV and TSV: columns that are lists, of texts as well, whatever their cells look like. Those
  // that no header has are kBadInput; of other formats naming some is kInvalidArgument.
  std::vector<std::string> lists = {};
  std::function<bool(uint64_t bytes_done, uint64_t bytes_total)> progress;  // False cancels.
};

// A name of the text that the schema lacks and that was skipped.
struct IgnoredName {
  std::string name;
  uint64_t values = 0;
  uint64_t first_line = 0;
  std::string first_file = {};  // That line is of this file.
};

// How a text and a schema fit, of the rows read so far.
struct TextCoverage {
  std::vector<IgnoredName> ignored;  // The first 10,000 names, in order of first appearance.
  uint64_t more_ignored = 0;         // Values of names beyond.
  std::vector<std::string> absent;   // Features of the schema that no row had.
};

class DSI_EXPORT TextInput {
 public:
  // "-" is standard input. Errors: kNotFound, kIo, kInvalidArgument (unknown ending), kBadInput (a
  // header that does not fit the schema).
  static Result<std::unique_ptr<TextInput>> Open(const std::string& path,
                                                 std::shared_ptr<const Schema> schema,
                                                 const TextInputOptions& options = {});
  // Files one behind the other. One is open at a time, from the first on, so that the errors above
  // may come from Next too. CSV: each has a header of its own, whose columns may stand in another
  // order or be fewer; a file of no bytes has no rows.
  static Result<std::unique_ptr<TextInput>> Open(const std::vector<TextFile>& files,
                                                 std::shared_ptr<const Schema> schema,
                                                 const TextInputOptions& options = {});
  virtual ~TextInput();

  // Adds rows to *batch (built on the same schema object): at least one and at most max_rows, those
  // of one block; false at the clean end. A batch that has no rows takes those of a block without a
  // copy, where all may come at once.
  // kBadInput names file, line and column, what was found and what was expected: malformed JSON, a
  // wrong type, a duplicate key, a whole number beyond 64 bits, a feature the schema lacks, an
  // unequal sequence, damaged compression. kInvalidArgument: a batch of another schema object.
  // kResourceExhausted: a line longer than max_line_bytes, or no memory. kIo. Rows before the
  // failing one are in this batch or an earlier one. What no row is to blame for, and an error of
  // on_bad_row, is the answer to all later calls, too.
  virtual Result<bool> Next(size_t max_rows, RowBatch* batch) = 0;

  // Bytes of the (compressed) input consumed, and its size (0 unknown), for progress; of all files,
  // as are the lines.
  virtual uint64_t bytes_done() const = 0;
  virtual uint64_t bytes_total() const = 0;
  virtual uint64_t lines_done() const = 0;

  // Cost: linear in the features of the schema.
  virtual TextCoverage coverage() const = 0;
};

// A feature that rows could be clustered by.
struct KeyAdvice {
  std::string name;
  double rows_per_value = 0;
  double repeats = 0;  // Share of bytes that equal the row before, if rows stood by this key.
};

// A feature of strings in which numbers stand as well, and a line that has text.
struct MixedName {
  std::string name;
  std::string file;
  uint64_t line = 0;
};

// A feature of a schema that was found: what was seen of it and what decided.
struct FoundFeature {
  std::string name;
  std::string why;       // Kind, type and list or not, in words.
  uint64_t rows = 0;     // With a value.
  uint64_t missing = 0;  // Without.
  std::string least;     // Numbers and times, as text; empty where there are none.
  std::string greatest;
  uint64_t longest = 0;               // Entries of a list, bytes of a text.
  std::vector<std::string> examples;  // Up to 3 different values from the first rows, cut short.
};

// An object of numbers that has so many names, each in few rows, that they may be data. As a
// weighted feature of the schema it is one list (docs/schema.md); without one each name is a
// feature.
struct NamesAsData {
  std::string name;
  uint64_t names = 0;
  uint64_t values = 0;  // Of all of them.
};

// What a schema was found from, and what it leaves out.
struct InferReport {
  uint64_t rows = 0;                 // Looked at.
  std::vector<std::string> dropped;  // Names that never had a value; no features of the schema.
  std::vector<MixedName> mixed;      // CSV only.
  // From the first rows, where the schema clusters by nothing: the share of bytes that equal the
  // row before as rows come, and up to 3 keys by which clearly more would, the best first. Lists
  // that overlap count by how much they do.
  double repeats = 0;
  std::vector<KeyAdvice> keys;
  std::vector<FoundFeature> features;          // In the order of the schema.
  std::vector<NamesAsData> maps;               // JSON only.
  std::vector<std::string> numbers_in_header;  // And times. CSV, TSV: names of the first line.
  // Dense whole numbers that are ids by their name and beyond 2^24, codes or times as none is less,
  // or ids by their size beyond 2^53: as floats, which dense numbers are in batches, some are one.
  std::vector<std::string> rounded_ids;
  std::vector<std::string> path_keys;  // Features that paths tell, and no row.
  // Strings whose name is that of a time, and a value that has digits enough for a day and a year
  // and is no time in a form that is known (TextInputOptions::time_formats), with that value, cut
  // short.
  std::vector<std::pair<std::string, std::string>> text_times;
};

// Finds a schema for a text: whole numbers int64 (uint64 beyond), other numbers float64, true/false
// bool, strings string, arrays list (of strings: hashed, S-015), in order of first appearance. A
// name that is (or ends in) session_id, user_id, request_id, item_id (scalar) becomes a key,
// timestamp/time_stamp/ts/time a timestamp (seconds, ms, µs or ns by size), label a label; strings
// that all are ISO 8601 are a timestamp of the unit that their fractions need; sessionId,
// SESSION-ID, visit_id, userId, eventTime and their like are recognised too. cluster_by: the
// session, then the timestamp, where present. Keys in paths that no row has are features of what
// their values look like. *report (may be null) receives what was decided. The path is opened here
// and again for reading rows, so it must not be a pipe. kBadInput: a feature mixes kinds, arrays
// hold arrays or nulls, malformed text or compression, a header that stands twice, nothing to find
// a schema from. kResourceExhausted: a line longer than max_line_bytes, too many features, or no
// memory. kCancelled: by progress. kNotFound, kIo, kInvalidArgument (unknown ending).
DSI_EXPORT Result<Schema> InferSchema(const std::string& path, const InferOptions& options = {},
                                      InferReport* report = nullptr);
// One schema over the rows of all files; max_rows counts from the first file on.
DSI_EXPORT Result<Schema> InferSchema(const std::vector<TextFile>& files,
                                      const InferOptions& options = {},
                                      InferReport* report = nullptr);

}  // namespace dsi
