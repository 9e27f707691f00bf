#include "dsi/dataset/dataset.h"

namespace dsi {

DatasetScan::~DatasetScan() = default;

Result<uint64_t> Dataset::CountBatches(const DatasetScanOptions&) const {
  return Status(StatusCode::kUnsupported, "scans of datasets");
}

Result<std::unique_ptr<DatasetScan>> Dataset::NewScan(const DatasetScanOptions&) const {
  return Status(StatusCode::kUnsupported, "scans of datasets");
}

}  // namespace dsi
