// Opens a .dsi file and reads what is asked for, no more: opening costs the trailer and the core
// footer, a projection costs the directory records and pages of its features.
//
// Thread safety: const calls from many threads are safe. Verification of seals is always on.
// Errors: nothing throws. Memory that ran out, the caller's budget or the machine's, is
// kResourceExhausted; a file or a callback of the caller's that throws is kCancelled.
// Memory: a reader keeps the core footer and those parts of the file's tables that it has looked
// at, at most a few times the bytes that they have in the file. All else is held to a budget: that
// of ScanOptions or VerifyOptions, and 1 GiB for what tells about the file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/format/schema.h"
#include "dsi/format/types.h"
#include "dsi/io/file.h"
#include "dsi/reader/choice_info.h"
#include "dsi/reader/dedup_info.h"
#include "dsi/reader/scan.h"

namespace dsi {

struct FileInfo {
  uint64_t file_bytes = 0;
  uint64_t num_rows = 0;
  uint64_t num_sessions = 0;
  uint32_t num_features = 0;
  uint32_t num_columns = 0;
  uint32_t num_groups = 0;  // With that of rows.
  uint32_t num_stripes = 0;
  uint32_t page_values = 0;
  uint16_t major = 0, minor = 0;
  std::string writer;
  // By whose prices encodings were chosen (spec F-053). None: the file does not say. It may be one
  // that this build does not know, whose name is empty.
  std::optional<Tuning> tuning;
  double ns_per_byte = 0;  // What a stored byte is worth by it; by kNvme where it is not known.
};

struct StripeInfo {
  uint64_t first_row = 0;
  uint64_t num_rows = 0;
  uint64_t num_sessions = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;  // Of pages.
  bool continues_session = false;
};

struct ColumnInfo {
  uint32_t ordinal = 0;
  std::string name;
  std::string feature;
  uint64_t feature_id = 0;
  // kUnsupported: the kind or the type is a number that a newer version of the format gave a
  // meaning (spec S-010, S-011), so this build knows the column's place and not its values. Other
  // columns are read as ever; scans of everything, patterns, Streams, Choices and Dedup leave it
  // out, and schema() its feature.
  Status support = Status::Ok();
  Kind kind = Kind::kDense;
  Type type = Type::kInt64;
  TimeUnit time_unit = TimeUnit::kNone;
  std::string id_space;  // Empty: none.
  uint32_t group = 0;
  uint32_t feature_group = 0;
  uint32_t max_length = 0;
  uint32_t fixed_length = 0;
  bool newest_first = false;
  bool nested = true;
  std::optional<uint64_t> default_bits;
  Precision precision = Precision::kExact;  // To what values were rounded when they were written …
  double max_error = 0;                     // … and the greatest difference that this made.
  uint64_t stored_bytes = 0;
  uint64_t stored_values = 0;
};

// Spec D-001.
enum class IndexForm : uint8_t {
  kIdentity = 0,
  kRunLengths = 1,
  kNewRowBits = 2,
  kGeneral = 3,
  kViaParent = 4,
  kVersions = 5
};

struct GroupInfo {
  uint32_t ordinal = 0;
  std::string name;
  bool declared = false;
  std::string owner;  // Column whose state the group holds; empty: unknown.
  uint32_t parent =
      0;  // Ordinal of the group that forms via parent and versions refer to; 0: none.
  std::vector<std::string> columns;
  struct PerStripe {
    Status support = Status::Ok();  // kUnsupported: an unknown form (D-001); the rest is not told.
    IndexForm form = IndexForm::kIdentity;
    uint32_t num_unique = 0;
    uint64_t index_bytes = 0;
  };
  std::vector<PerStripe> stripes;
};

// How one stream of one stripe is stored.
struct StreamInfo {
  std::string column;
  std::string role;  // "shape", "windows", "values", "index", "dictionary"
  uint32_t stripe = 0;
  uint64_t num_values = 0;
  uint64_t bytes = 0;
  std::string encoding;
};

// The byte ranges of a projection, known before reading. With a filter: ranges of its columns, then
// of the projection, stripe by stripe; those of stripes where no row passes are not read.
struct ReadPlan {
  struct Range {
    uint64_t offset = 0;
    uint64_t size = 0;
    uint32_t stripe = 0;
    uint32_t num_pages = 0;
  };
  std::vector<Range> ranges;  // As they will be read: pages joined where the gap is small.
  uint64_t bytes = 0;         // Sum of the ranges.
  uint64_t bytes_needed = 0;  // Pages alone.
  uint32_t num_pages = 0;
};

struct VerifyProgress {
  uint64_t bytes_done = 0;
  uint64_t bytes_total = 0;
};

struct VerifyOptions {
  // Of records, pages, decoded values, indexes and windows that are held at once; exceeded is
  // kResourceExhausted. Any file with up to 200,000 features and 1,000,000 rows a stripe fits.
  uint64_t memory_bytes = 256 << 20;
  // Told how far it is; may cancel by returning false (kCancelled).
  std::function<bool(const VerifyProgress&)> progress = {};
};

// One finding of Verify.
struct Damage {
  Status status;  // kCorrupt; kUnsupported: no damage, but what a newer version can tell more of.
  std::string where;  // "page 12 (stripe 0, offset 4096..8192): columns user.clicks"
};

struct ReaderOptions {
  uint64_t coalesce_gap = 128 << 10;  // Pages nearer than this are read in one go.
  uint64_t max_read_bytes = 1 << 20;  // Longer reads are split.
};

class DSI_EXPORT Reader {
 public:
  // Errors: kNotFound, kIo, kNotDsi, kTruncated, kCorrupt, kUnsupported.
  static Result<std::unique_ptr<Reader>> Open(const std::string& path,
                                              const ReaderOptions& options = {});
  static Result<std::unique_ptr<Reader>> Open(std::unique_ptr<RandomAccessFile> file,
                                              const ReaderOptions& options = {});
  ~Reader();

  const FileInfo& info() const noexcept;
  std::span<const StripeInfo> stripes() const noexcept;

  // Cost: a few reads of 4 KiB, whatever the number of features. kNotFound.
  Result<ColumnInfo> FindColumn(std::string_view name) const;
  // Everything below reads the whole directory.
  Result<std::vector<ColumnInfo>> Columns() const;
  Result<std::vector<GroupInfo>> Groups() const;
  // As it was written: with ids of all features, and clustered as the file is; groups are those
  // declared, and their features come in the order of the file.
  Result<Schema> schema() const;
  // Reads the indexes and shapes of all features as well, and no values.
  Result<std::vector<FeatureDedup>> Dedup() const;
  Result<std::map<std::string, std::string>> Metadata() const;
  // Reads all pages of a column (or of everything when empty): how each stream is encoded.
  Result<std::vector<StreamInfo>> Streams(std::string_view column) const;
  // Reads all pages of one stripe, and more where columns are empty there: how each stream that is
  // not empty is encoded and, if asked for, why. Damaged pages and unknown encodings are told of by
  // stream (ChoiceInfo::damage). kCorrupt (of the directory), kCancelled, kIo, kResourceExhausted.
  Result<std::vector<ChoiceInfo>> Choices(const ChoiceOptions& options = {}) const;

  Result<ReadPlan> Plan(const ScanOptions& options) const;
  // Rows that a scan gives, those of a short last batch included, so that ranks can agree on a
  // number of batches. Without a filter nothing is read; with one its columns, all of them. Looks
  // at rows, filter and memory_bytes alone.
  Result<uint64_t> CountRows(const ScanOptions& options) const;
  Result<std::unique_ptr<Scan>> NewScan(const ScanOptions& options) const;

  // Checks every byte and every rule of the spec: extents, seals, records, nodes, indexes, shapes.
  // Goes on after damage where it can; returns all findings (empty: sound). kCancelled, kIo,
  // kResourceExhausted.
  Result<std::vector<Damage>> Verify(const VerifyOptions& options = {}) const;

 private:
  class Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dsi
