// Writes one .dsi file: rows in, clustered by key, deduplicated, encoded, published atomically.
//
// Thread safety: one thread at a time per Writer; the writer itself may use several
// (WriterOptions::threads). The bytes do not depend on how many. A call that adds rows and fails
// leaves the writer as it was, to go on or to Finish without those rows. What fails once stripes
// are being encoded or written, in Finish or before it, publishes nothing, and every call after it
// says why again.
//
// Where rows keep their order (keep_order, no keys, input_is_clustered, or an overlay), stripes are
// written while rows come: the layout is planned on the first four of them, and from then on rows
// of about two stripes are in memory. All rows wait for Finish where int8 is declared, which asks
// for the greatest value of all, and where the first four stripes of an overlay lack one of its
// features. A Writer destroyed before Finish leaves nothing behind.
//
// Objects of the caller's (a file, the progress callback) should not throw; where they do, the call
// fails with kCancelled.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/format/feature_use.h"
#include "dsi/format/overlay.h"
#include "dsi/format/schema.h"
#include "dsi/io/file.h"
#include "dsi/writer/row_batch.h"

namespace dsi {

// How far Finish has come, or a call that adds rows and writes stripes.
struct WriteProgress {
  enum class Phase : uint8_t {
    kCluster,  // Rows are rounded, put in order and searched for groups.
    kEncode,   // Stripe by stripe.
    kPublish,  // All is written, and about to get its name.
  };
  Phase phase = Phase::kEncode;
  uint64_t rows_done = 0;   // In stripes that are written.
  uint64_t rows_total = 0;  // Added so far: before Finish others may follow.
  uint64_t bytes_written = 0;
};

struct WriterOptions {
  // Feature names, outermost key first, under the rules of Schema::cluster_by; the last may be a
  // timestamp. Empty: the schema's; when that is empty too, rows keep their order. Keys come in the
  // order of their first time, rows of equal keys by time, then by input position.
  std::vector<std::string> cluster_by = {};
  // Ignore all keys: rows keep the order of input.
  bool keep_order = false;
  // Rows come clustered by the keys, and keep their order: those of a session (equal in all keys
  // but the time) follow each other, and their times never go back, where a row without a time
  // comes before those that have one. Each row is checked; see Finish. Where the keys are a time
  // alone, times never go back at all. Not without keys.
  bool input_is_clustered = false;
  // Store each row's input position as the key feature "__position".
  bool keep_position = false;
  // Rows of a stripe, about: it is cut between sessions (the last key before the time), and the
  // last has up to half as many more.
  uint32_t stripe_rows = 262'144;
  // At most so many bytes of a stripe in memory, before dedup and encoding, unless one row alone
  // has more; 2^32 - 1 at most, so that any stream of it can be stored.
  uint64_t stripe_bytes = 1ULL << 30;
  // Values per page; a multiple of 1,024.
  uint32_t page_values = 65'536;
  // Memory for rows and for what Finish needs beside them, at most, but for 64 MiB and for what one
  // row needs. Rows that do not fit wait in spill_folder, compressed. A budget that is stated also
  // keeps stripes so small that one of them fits with its encoding; the bytes of the file
  // depend on it in no other way. 0: three quarters of what the process may use, by the machine,
  // its control group and its limit on the address space; stripes are as stripe_rows and
  // stripe_bytes say.
  uint64_t memory_bytes = 0;
  // Folder of temporary files, which have no name and go away however the process ends. Empty: that
  // of the output; where that is no local file $TMPDIR, else /tmp.
  std::string spill_folder = {};
  // That encode; 0: as many as the machine has cores.
  int threads = 0;
  Tuning tuning = Tuning::kNvme;
  // False: every group is stored row by row, those declared as well.
  bool dedup = true;
  // Group features that change together beyond those declared.
  bool find_groups = true;
  // What jobs read, such as ReadAccessLog gives: in a stripe the features that are read most come
  // first, and those of the same jobs beside each other, so that a job reads fewer and longer
  // ranges. Names that the schema lacks say nothing.
  std::vector<FeatureUse> uses = {};
  // Decode every stream again once it is encoded, and compare: what a fault of memory or of an
  // encoder makes of values fails Finish (kCorrupt) and is never published.
  bool verify_after_encode = true;
  // The file becomes an overlay: its rows are those of the base that the binding names, all of
  // them, in the base's order, and its stripes the base's, whatever their size. Keys are ignored,
  // as by keep_order, and keep_position is not possible.
  std::optional<OverlayBinding> overlay = {};
  // Replace an existing output.
  bool overwrite = false;
  // Called between pieces of work from the calling thread; false cancels (kCancelled, nothing left
  // behind).
  std::function<bool(const WriteProgress&)> progress = {};
};

struct WriteReport {
  uint64_t num_rows = 0;
  uint64_t num_sessions = 0;
  uint64_t num_stripes = 0;
  uint64_t num_groups = 0;  // Dedup groups besides that of rows.
  uint64_t file_bytes = 0;
  uint64_t values_in = 0;      // Entries handed in.
  uint64_t values_stored = 0;  // Entries left after dedup.
  uint64_t index_bytes = 0;    // Encoded inverse indexes.
  uint64_t spilled_bytes = 0;  // Of rows in temporary files; 0: all stayed in memory.
  // There are keys, and rows stand in the file as they came: input_is_clustered would have written
  // them while they came.
  bool came_clustered = false;
  // Of all threads together: rows in memory to pages (dedup, choices, encoding), and how much of
  // that went into choosing encodings, which is done once for a stream and again when it drifts.
  double encode_seconds = 0;
  double choose_seconds = 0;
};

class DSI_EXPORT Writer {
 public:
  // Errors: kInvalidArgument (schema or option), kAlreadyExists, kNotFound (folder), kIo,
  // kResourceExhausted (no memory).
  static Result<std::unique_ptr<Writer>> Create(const std::string& path, Schema schema,
                                                WriterOptions options = {});
  // As Create, into any WritableFile. kInvalidArgument: null.
  static Result<std::unique_ptr<Writer>> Create(std::unique_ptr<WritableFile> file, Schema schema,
                                                WriterOptions options = {});
  ~Writer();

  // The schema as the file will have it, with the cluster_by of the options; batches for Append are
  // built on it.
  const std::shared_ptr<const Schema>& schema() const;

  // Rows of a batch built on schema(); copied. All or nothing. kInvalidArgument: another schema
  // object, or after Finish. kResourceExhausted: more rows than 2^32 - 1, or no memory. kIo: rows
  // could not be spilled, as on a full disk. Finish writes the rows before. Where stripes are
  // written while rows come also the errors of Finish; these fail the writer.
  Status Append(const RowBatch& rows);
  // The same; on success `rows` is left without rows and can be filled again. The first batch of a
  // writer is taken as it is, without a copy.
  Status Append(RowBatch&& rows);
  // Rows from column buffers; copied. Errors of RowBatch::AppendColumns, and those of Append.
  Status AppendColumns(size_t num_rows, std::span<const FeatureColumns> columns);

  // Rows added so far, and the bytes of their values, lengths and row numbers, in memory or
  // spilled: a job that fills files goes on to the next one by either. What a file will take shows
  // only once it is written.
  uint64_t num_rows() const;
  uint64_t size_bytes() const;

  // Rounds what is declared, clusters, encodes, writes and publishes. Once. kOutOfRange: a value
  // beyond its precision (S-014). kInvalidArgument: called again; an
  // overlay of other rows than were given. kBadInput: rows do not come as input_is_clustered says;
  // names the first row that shows it. kResourceExhausted: no memory, so many stripes that the
  // footer would be too large, or more streams than a stripe may have. kCorrupt: what was written
  // breaks a rule that readers check, or what was spilled is not what is read back; nothing is
  // published. kCancelled: by progress. kAlreadyExists: the output has come into being since
  // Create. kIo.
  Result<WriteReport> Finish();

 private:
  class Impl;
  explicit Writer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dsi
