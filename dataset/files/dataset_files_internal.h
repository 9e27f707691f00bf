// The files of a dataset: where they are, how many rows they have, and readers of those in use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/fork_safe_mutex_internal.h"
#include "dsi/base/one_at_a_time_internal.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/files/file_facts_internal.h"
#include "dsi/dataset/files/file_overlays_internal.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/dataset/files/overlaid_schemas_internal.h"
#include "dsi/dataset/files/reader_pool_internal.h"
#include "dsi/reader/reader.h"

namespace dsi::internal {

// Thread safety: const calls from many threads are safe.
class DatasetFiles {
 public:
  static Result<std::unique_ptr<DatasetFiles>> Open(std::span<const std::string> where,
                                                    const DatasetOptions& options);
  // The same with overlays as files like others, whose bases are elsewhere.
  static Result<std::unique_ptr<DatasetFiles>> OpenApart(std::span<const std::string> where,
                                                         const DatasetOptions& options);
  // Of a manifest that nobody has written yet, with whole paths.
  static Result<std::unique_ptr<DatasetFiles>> Of(ManifestContent manifest,
                                                  const DatasetOptions& options);
  ~DatasetFiles();

  const DatasetOptions& options() const { return options_; }
  std::span<const std::string> where() const { return where_; }
  std::span<const DatasetFile> files() const { return files_; }
  uint64_t num_rows() const { return files_.empty() ? 0 : file_ends_.back(); }
  // Rows of the dataset up to the end of each file.
  std::span<const uint64_t> file_ends() const { return file_ends_; }
  // Rows of the dataset up to the end of each stripe, of all files.
  std::span<const uint64_t> stripe_ends() const { return stripe_ends_; }
  uint64_t snapshot() const { return snapshot_; }

  // A reader of file `i`, kept open while it is held. The file must be the one that the dataset was
  // made of (bytes, rows, fingerprint); kBadInput says what differs.
  Result<std::shared_ptr<const Reader>> Acquire(size_t i) const;

  std::span<const OverlayFile> overlays() const { return overlays_.overlays(); }
  std::span<const PlacedOverlay> overlays_of(size_t file) const { return overlays_.of_file(file); }
  // The same of a position in overlays().
  Result<std::shared_ptr<const Reader>> AcquireOverlay(size_t i) const;

  // What files have with their overlays. Reads the directory of each file that no manifest tells
  // about, once.
  Result<std::shared_ptr<const SchemasOfFiles>> Schemas() const;
  // What files, and behind them overlays, have by themselves.
  Result<const SchemasOfFiles*> StoredSchemas() const;
  // Calls work(i) for files `which`, of which the first says where they lie, on as many threads as
  // the options say, that are gone when it returns. Tells the progress of the options.
  Status ForFiles(std::span<const size_t> which, const std::function<Status(size_t)>& work) const;
  std::span<const uint32_t> stripe_rows(size_t i) const { return facts_[i].stripe_rows; }
  // Its statistics are of a file that a manifest tells about; columns are positions in the schema
  // that it has by itself.
  const FileFacts& facts(size_t i) const { return facts_[i]; }

  // See Dataset::Manifest.
  Result<std::string> Manifest(const std::string& folder) const;
  Result<ManifestContent> Content(const std::string& folder) const;

 private:
  explicit DatasetFiles(const DatasetOptions& options);
  Status AddAll(std::span<const std::string> where);
  void Add(ManifestContent manifest);
  Status CheckApart() const;
  Status ReadFooters();
  Status TakeOverlays();
  void SumUp();
  // Files, and behind them overlays.
  size_t num_stored() const { return files_.size() + overlays().size(); }
  const std::string& PathOf(size_t stored) const;
  const FileFacts& FactsOf(size_t stored) const;
  const SchemasOfFiles* KnownStoredSchemas() const;
  std::shared_ptr<const SchemasOfFiles> KnownSchemas() const;
  // In the turn of finding_schemas_.
  Result<const SchemasOfFiles*> FindStoredSchemas() const;
  Result<std::unique_ptr<Reader>> OpenReader(size_t i) const;
  Result<std::unique_ptr<Reader>> OpenSame(size_t i) const;

  DatasetOptions options_;
  std::vector<std::string> where_;
  std::vector<DatasetFile> files_;
  std::vector<FileFacts> facts_;  // Of each file.
  FileOverlays overlays_;
  std::vector<FileSchema> schemas_;  // Of manifests.
  std::vector<uint64_t> file_ends_;
  std::vector<uint64_t> stripe_ends_;
  uint64_t snapshot_ = 0;
  std::unique_ptr<ReaderPool> pool_;

  mutable OneAtATime finding_schemas_;
  mutable ForkSafeMutex schemas_mutex_;  // Of these two, which are set once.
  mutable std::unique_ptr<const SchemasOfFiles> stored_schemas_;
  mutable std::shared_ptr<const SchemasOfFiles> schemas_of_files_;
};

}  // namespace dsi::internal
