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
#include "dsi/reader/dedup_info.h"
#include "dsi/reader/file_info.h"
#include "dsi/reader/read_plan.h"
#include "dsi/reader/scan.h"
#include "dsi/reader/verify_options.h"

namespace dsi {

namespace internal {
struct ReaderAccess;
}

class DSI_EXPORT Reader {
 public:
  // Errors: kNotFound, kIo, kNotDsi, kTruncated, kCorrupt, kUnsupported.
  static Result<std::unique_ptr<Reader>> Open(const std::string& path,
                                              const ReaderOptions& options = {});
  static Result<std::unique_ptr<Reader>> Open(std::unique_ptr<RandomAccessFile> file,
                                              const ReaderOptions& options = {});
  ~Reader();

  // Where Open fails since an append was cut short: how many bytes of the file are a whole file, as
  // far as its trailer tells (spec F-035); 0: none. Reads the file from its end up to there.
  static Result<uint64_t> FindLastFile(const std::string& path);

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
  // Where the bytes are, by kind of part; their sum is the file's. Reads all page records.
  Result<std::vector<LayoutPart>> Layout() const;
  // Reads all pages of a column (or of everything when empty): how each stream is encoded.
  Result<std::vector<StreamInfo>> Streams(std::string_view column) const;

  Result<ReadPlan> Plan(const ScanOptions& options) const;
  // Rows that a scan gives, those of a short last batch included, so that ranks can agree on a
  // number of batches. Without a filter no page is read; with one its columns, all of them. Looks
  // at rows, filter and memory_bytes alone.
  Result<uint64_t> CountRows(const ScanOptions& options) const;
  Result<std::unique_ptr<Scan>> NewScan(const ScanOptions& options) const;

  // Checks every byte and every rule of the spec: extents, seals, records, nodes, indexes, shapes.
  // Goes on after damage where it can; returns all findings (empty: sound). kCancelled, kIo,
  // kResourceExhausted.
  Result<std::vector<Damage>> Verify(const VerifyOptions& options = {}) const;

 private:
  friend struct internal::ReaderAccess;
  class Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dsi
