#include "dsi/dataset/dataset.h"

#include <utility>

#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/files/column_files_internal.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/files/schema_view_internal.h"
#include "dsi/dataset/scan/dataset_scan_internal.h"
#include "dsi/dataset/scan/pipeline_plan_internal.h"
#include "dsi/io/open.h"

namespace dsi {

Dataset::Dataset(std::unique_ptr<internal::DatasetFiles> files) : files_(std::move(files)) {}
Dataset::~Dataset() = default;

Result<std::unique_ptr<Dataset>> Dataset::Open(const std::string& where,
                                               const DatasetOptions& options) {
  return Open(std::span(&where, 1), options);
}

Result<std::unique_ptr<Dataset>> Dataset::Open(std::span<const std::string> where,
                                               const DatasetOptions& options) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<Dataset>> {
    DatasetOptions shared = options;
    ShareCredentials(&shared.open);
    DSI_ASSIGN_OR_RETURN(auto files, internal::DatasetFiles::Open(where, shared));
    return std::unique_ptr<Dataset>(new Dataset(std::move(files)));
  });
}

std::span<const std::string> Dataset::where() const noexcept { return files_->where(); }
std::span<const DatasetFile> Dataset::files() const noexcept { return files_->files(); }
uint64_t Dataset::num_rows() const noexcept { return files_->num_rows(); }
uint64_t Dataset::snapshot() const noexcept { return files_->snapshot(); }

Result<std::vector<ColumnInfo>> Dataset::Columns() const {
  return internal::NoThrow(
      [&]() -> Result<std::vector<ColumnInfo>> { return internal::AllColumns(*files_); });
}

Result<std::vector<ColumnInfo>> Dataset::Columns(const Pipeline& pipeline) const {
  return internal::NoThrow([&]() -> Result<std::vector<ColumnInfo>> {
    DSI_ASSIGN_OR_RETURN(const auto made, internal::ResolvePipeline(pipeline, *files_));
    std::vector<ColumnInfo> columns = internal::ColumnsOfPlan(made.plan);
    DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> all, internal::AllColumns(*files_));
    for (ColumnInfo& stored : all) {
      if (internal::FindMade(stored.name, pipeline) || internal::FindMade(stored.feature, pipeline))
        continue;
      columns.push_back(std::move(stored));
      columns.back().ordinal = static_cast<uint32_t>(columns.size() - 1);
    }
    return columns;
  });
}

Result<std::vector<ColumnFiles>> Dataset::FilesOfColumns() const {
  return internal::NoThrow([&] { return internal::FilesOfColumns(*files_); });
}

Result<TransformPlan> Dataset::Resolve(const Pipeline& pipeline) const {
  return internal::NoThrow([&]() -> Result<TransformPlan> {
    DSI_ASSIGN_OR_RETURN(auto made, internal::ResolvePipeline(pipeline, *files_));
    return std::move(made.plan);
  });
}

Result<uint64_t> Dataset::CountBatches(const DatasetScanOptions& options) const {
  return internal::NoThrow([&] { return internal::CountDatasetBatches(*files_, options); });
}

Result<uint64_t> Dataset::CountRows(const DatasetScanOptions& options) const {
  return internal::NoThrow([&] { return internal::CountDatasetRows(*files_, options); });
}

Result<std::string> Dataset::ShareState(const DatasetScanOptions& options) const {
  return internal::NoThrow([&] { return internal::ShareDatasetState(*files_, options); });
}

Result<DatasetPlan> Dataset::Plan(const DatasetScanOptions& options) const {
  return internal::NoThrow([&] { return internal::PlanDataset(*files_, options); });
}

Result<std::unique_ptr<DatasetScan>> Dataset::NewScan(const DatasetScanOptions& options) const {
  return internal::NoThrow([&] { return internal::MakeDatasetScan(*files_, options); });
}

Result<std::string> Dataset::Manifest(const std::string& folder) const {
  return internal::NoThrow([&] { return files_->Manifest(folder); });
}

}  // namespace dsi
