#include "dsi/dataset/dataset_scan.h"

namespace dsi {

DatasetScan::~DatasetScan() = default;

}  // namespace dsi
