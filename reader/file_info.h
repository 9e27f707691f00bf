// What a reader tells about a file: its size, stripes, columns, dedup groups and streams.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/format/overlay.h"
#include "dsi/format/schema.h"
#include "dsi/format/types.h"

namespace dsi {

struct FileInfo {
  uint64_t file_bytes = 0;
  // Of the stripes, deleted ones included: what row numbers count (those of ScanOptions and Batch).
  uint64_t num_rows = 0;
  uint64_t num_deleted_rows = 0;  // Those among them that no scan gives (spec F-084).
  uint64_t num_sessions = 0;
  uint32_t num_features = 0;
  uint32_t num_columns = 0;
  uint32_t num_groups = 0;  // With that of rows.
  uint32_t num_stripes = 0;
  uint32_t page_values = 0;
  uint16_t major = 0, minor = 0;
  // The file is this one's first part, which was appended to (spec F-034): bytes of it; 0: none.
  uint64_t previous_file_bytes = 0;
  bool may_have_gaps = false;  // Bytes that belong to nothing are no damage (spec F-033).
  // Of its trailer (spec DS-003): any change of the file makes it another one.
  uint64_t fingerprint = 0;
  // Of its rows and their order, also of deleted ones: what overlays name it by (spec F-086).
  uint64_t rows_fingerprint = 0;
  // The file is an overlay of another one, whose rows its own stand for (spec F-087).
  std::optional<OverlayBinding> overlay;
  std::string writer;
  // By whose prices encodings were chosen (spec F-053). None: the file does not say. It may be one
  // that this build does not know, whose name is empty.
  std::optional<Tuning> tuning;
  double ns_per_byte = 0;  // What a stored byte is worth by it; by kNvme where it is not known.
};

struct StripeInfo {
  uint64_t first_row = 0;
  uint64_t num_rows = 0;          // Deleted ones included.
  uint64_t num_deleted_rows = 0;  // Spec F-084.
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
  // Of a dataset: some file has it so (spec DS-027).
  // kBadInput, of a dataset alone: two files, which it names, cannot be reconciled in the column,
  // which is told of as the last one has it. Whoever asks for it, be it by a pattern, gets this
  // error; who does not reads the others (spec DS-022).
  Status support = Status::Ok();
  Kind kind = Kind::kDense;
  Type type = Type::kInt64;
  TimeUnit time_unit = TimeUnit::kNone;
  std::string id_space;  // Empty: none.
  uint32_t group = 0;
  uint32_t max_length = 0;
  uint32_t fixed_length = 0;
  bool newest_first = false;
  bool nested = true;
  std::optional<uint64_t> default_bits;
  Precision precision = Precision::kExact;  // To what values were rounded when they were written …
  double max_error = 0;                     // … and the greatest difference that this made.
  bool hashed = false;                      // Ids were made of texts (spec S-015).
  uint64_t stored_bytes = 0;
  uint64_t stored_values = 0;
  // No file has it: a pipeline makes it (Dataset::Columns).
  bool is_made = false;
};

struct GroupInfo {
  uint32_t ordinal = 0;
  std::string name;
  bool declared = false;
  std::string owner;  // Column whose state the group holds; empty: unknown.
  // Ordinal of the group that the forms via parent, versions and as of refer to; 0: none.
  uint32_t parent = 0;
  std::vector<std::string> columns;
  struct PerStripe {
    Status support = Status::Ok();  // kUnsupported: an unknown form (D-001); the rest is not told.
    IndexForm form = IndexForm::kIdentity;
    uint32_t num_unique = 0;
    uint64_t index_bytes = 0;
  };
  std::vector<PerStripe> stripes;
};

// A kind of part that a file is made of. All of them together are the file, byte for byte.
struct LayoutPart {
  std::string name;    // "pages of one stream", "directory: columns", …
  uint64_t count = 0;  // Of pages, records or sections; of names their bytes.
  uint64_t bytes = 0;  // In the file, seals and padding included.
  // What they hold: more than `bytes` where they are compressed (spec F-042, F-065).
  uint64_t content_bytes = 0;
};

// How one stream of one stripe is stored.
struct StreamInfo {
  std::string column;
  // "shape", "windows", "values", "index", "dictionary"; before them "source " where the column's
  // values are places in that stream, or its dictionary.
  std::string role;
  uint32_t stripe = 0;
  uint64_t num_values = 0;
  uint64_t bytes = 0;
  std::string encoding;
};

}  // namespace dsi
