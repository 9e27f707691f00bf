// Many files as one table.
//
// Thread safety: const calls from many threads are safe. Nothing throws. Files are opened when they
// are needed and closed when others are; none is held that is not in use.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset_plan.h"
#include "dsi/dataset/dataset_scan.h"
#include "dsi/io/open.h"
#include "dsi/reader/file_info.h"
#include "dsi/reader/read_plan.h"
#include "dsi/transform/pipeline.h"
#include "dsi/transform/transform_plan.h"

namespace dsi {

namespace internal {
struct DatasetAccess;
class DatasetFiles;
}  // namespace internal

struct DatasetOptions {
  OpenOptions open;
  ReaderOptions reader;
  // Threads that read footers; 0: as many as the process may use cores, more where a source is
  // slow.
  uint32_t threads = 0;
  // Files open at once, but for those that a scan needs together.
  uint32_t max_open_files = 64;
  // Told how many files were looked at, and of how many, while a call looks at all of them; may
  // cancel by returning false (kCancelled). Called by the thread that made the call. Where it asks
  // the same dataset for what is being looked up, that is kInvalidArgument.
  std::function<bool(uint64_t done, uint64_t total)> progress = {};
};

struct DatasetFile {
  std::string path;
  uint64_t bytes = 0;
  uint64_t num_rows = 0;
  uint64_t first_row = 0;    // Of the dataset.
  uint64_t fingerprint = 0;  // The seal of the trailer: another content, another one (DS-003).
  // Paths of the overlays that have features of its rows (DS-040); of one feature the last has the
  // say.
  std::vector<std::string> overlays = {};
};

// Which files of a dataset have a column.
struct ColumnFiles {
  // As Dataset::Columns has it; where there is a conflict, as the last file has it.
  ColumnInfo column;
  // kBadInput: two files, which it names, cannot be reconciled in the column (spec DS-022).
  // kUnsupported: a file has it as only a newer version can read it (DS-027).
  Status conflict = Status::Ok();
  uint64_t num_files = 0;  // That store it, be it in an overlay or in some stripes alone.
  uint64_t num_blank = 0;  // That have its feature without it, there or in some stripes (DS-026).
  uint32_t first = 0;      // Of those that store it: positions in Dataset::files().
  uint32_t last = 0;
  // What it is called there, and its types: each once, in the order of the files.
  std::vector<std::string> names = {};
  std::vector<Type> types = {};
};

class DSI_EXPORT Dataset {
 public:
  // A file, a pattern with '*', '?', '[…]' or '**', a folder (all *.dsi below it but for hidden
  // ones), an http(s) or s3 prefix that ends in '/', or a manifest (*.json). The folder or prefix
  // of a table (table.h) is its newest snapshot, "folder@7" number 7. Patterns are for paths and
  // s3. What nginx lists with `autoindex_format json` can be found by an http(s) prefix. Files
  // stand in the order of their paths, those of a manifest in its own. Errors: kNotFound (nothing
  // there), kIo, kNotDsi, kCorrupt; kInvalidArgument for a file that is named twice; kBadInput for
  // a manifest that breaks a rule or that a file contradicts.
  static Result<std::unique_ptr<Dataset>> Open(const std::string& where,
                                               const DatasetOptions& options = {});
  // Overlays among the files (format/overlay.h) add no rows, but features to those of their bases,
  // which must be there, too. kBadInput: a base is not, or has other rows than it had.
  // Several of them, one behind the other.
  static Result<std::unique_ptr<Dataset>> Open(std::span<const std::string> where,
                                               const DatasetOptions& options = {});
  ~Dataset();

  // What it is opened again by as it is: the names that were given; in place of a table's the
  // manifest of the snapshot that was read, whatever is committed since.
  std::span<const std::string> where() const noexcept;
  std::span<const DatasetFile> files() const noexcept;
  uint64_t num_rows() const noexcept;
  // Of all files, their order and their content.
  uint64_t snapshot() const noexcept;

  // One schema over all files (DS-020 …): features by id, then by name; types widened. What is of
  // one file alone is not told: group, max_error and what is stored. What two files cannot be
  // reconciled in is told by ColumnInfo::support. Reads the directory of every file that a manifest
  // does not tell about.
  Result<std::vector<ColumnInfo>> Columns() const;
  // The same with a pipeline: all that a scan with it may name, first what it makes (is_made), in
  // the order of its outputs. A list is a kList, a scored list the kWeighted columns name.ids and
  // name.weights, a fraction a kDense, a whole number a kKey (kTimestamp where its unit is known);
  // of types that the steps make. Stored columns that have the name of a step are left out, for a
  // scan that names them means the step. Errors: those of Resolve.
  Result<std::vector<ColumnInfo>> Columns(const Pipeline& pipeline) const;
  // Of each of these columns the files that have it: what came, went, changed its name or type, or
  // cannot be read as one column. Cost: that of Columns().
  Result<std::vector<ColumnFiles>> FilesOfColumns() const;
  // What a scan with a pipeline runs, in which order, when all its outputs are asked for. kNotFound
  // and kInvalidArgument name the step. Reads directories, no data.
  Result<TransformPlan> Resolve(const Pipeline& pipeline) const;
  // Batches of this rank; reads no data.
  Result<uint64_t> CountBatches(const DatasetScanOptions& options) const;
  // Rows that the scans of all ranks give, with a full last batch or not: those asked for that pass
  // the filter and are not deleted. Looks at rows, filter and memory_bytes alone, of which each
  // file that is looked at may take as much. Without a filter no page is read; with one its
  // columns, of many files at once (DatasetOptions::threads). Errors: those of NewScan and of
  // reading.
  Result<uint64_t> CountRows(const DatasetScanOptions& options) const;
  // A state of the batches of this rank alone, repetitions (Remainder::kPad) left out: readers that
  // divide a rank's batches among them, such as processes of a loader, are ranks of a world of
  // their own that begins there (spec DO-018). Reads no data, for mixing_bytes directories.
  Result<std::string> ShareState(const DatasetScanOptions& options) const;
  // What a scan with these options will read, by file, for all ranks together: no page is read, and
  // no file opened that is passed over. Errors: those of NewScan.
  Result<DatasetPlan> Plan(const DatasetScanOptions& options) const;
  Result<std::unique_ptr<DatasetScan>> NewScan(const DatasetScanOptions& options) const;
  // The JSON form that Open takes (spec/dataset.md), with statistics that the files have. Files
  // below `folder`, where it is to be stored, are named from there; others, and all where it is
  // empty, by their whole path.
  Result<std::string> Manifest(const std::string& folder = {}) const;

 private:
  friend struct internal::DatasetAccess;
  explicit Dataset(std::unique_ptr<internal::DatasetFiles> files);
  std::unique_ptr<internal::DatasetFiles> files_;
};

}  // namespace dsi
