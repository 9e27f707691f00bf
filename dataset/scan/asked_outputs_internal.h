// What a scan of a dataset was asked for, settled over all files: its outputs, and what each file
// has to give for them.
//
// Immutable once made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsi/dataset/dataset_scan.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/files/schema_view_internal.h"
#include "dsi/dataset/scan/joint_projection_internal.h"
#include "dsi/dataset/scan/pipeline_plan_internal.h"
#include "dsi/dataset/scan/scan_file_internal.h"

namespace dsi::internal {

class AskedOutputs {
 public:
  // Reads the directories of files as far as it takes. Errors: those of NewScan.
  static Result<std::unique_ptr<AskedOutputs>> Make(const DatasetFiles& files,
                                                    const DatasetScanOptions& options);
  // Nothing but what the filter, which names columns, looks at.
  static Result<std::unique_ptr<AskedOutputs>> MakeOfFilter(const DatasetFiles& files,
                                                            const RowFilter& filter);

  Result<JointProjection> NewProjection() const;
  const TransformPlan* plan() const { return plan_.has_value() ? &*plan_ : nullptr; }
  FileRequest RequestOf(const DatasetFiles& files, size_t file, size_t variant) const;
  const SchemasOfFiles& schemas() const { return view_->schemas(); }
  // Columns that files are read for: those asked for, of the pipeline and of the filter.
  std::vector<std::string> StoredColumns() const;

 private:
  struct Asked {
    uint32_t column = kNone32;  // Of the view; kNone32: a stage makes it.
    FileRequest::Stage made;
    Projection projection;  // Everything is settled but the name, which is the file's.
    ScanOutput output;
  };
  Status Find(const DatasetFiles& files, const DatasetScanOptions& options);
  Status FindFilter(const RowFilter& filter, size_t first_pattern);
  Status FindPlan(const Pipeline& pipeline, std::span<const Projection> asked,
                  size_t first_pattern);
  Status AddColumn(const DatasetFiles& files, uint32_t column, Projection asked, bool one_of_many);
  Status AddAllStages();
  Status AddStages(const Projection& asked, const MadeName& name);
  Status AddMade(const Projection& asked, size_t stage, bool scores, std::string name);

  ScanOptions options_;  // Without features.
  std::shared_ptr<const SchemaView> view_;
  std::optional<TransformPlan> whole_plan_;  // Of the pipeline.
  std::optional<TransformPlan> plan_;        // Of what is asked for of it.
  std::vector<PipelineFeature> features_;    // kNone32: no stage takes it.
  std::vector<TakenEntries> taken_;          // By feature of the pipeline.
  std::vector<Asked> asked_;
  std::vector<uint32_t> filter_columns_;  // Of predicates, those of `where` first.
};

// Rows of the same number in different files do not share their fate; those of the only file have
// that which its reader gives them.
uint64_t SampleSeed(const DatasetFiles& files, size_t file, const RowFilter& filter);

}  // namespace dsi::internal
