// Elementwise stages that are done while values are decoded: those of features that no other kind
// of stage takes, and no output shows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/dataset/scan/scan_file_internal.h"
#include "dsi/transform/transform_plan.h"

namespace dsi::internal {

// Has them done, and tells by stage where what it makes is; nowhere: it is to be run. Where several
// take a feature its values are decoded for each of them, from pages that are read once. What
// members are asked for is settled; what `session_outputs` of the first one has stays as it is.
// `share`: of the rows that are decoded so many come. Whole pages are mapped: where few rows come
// of them, these are better made one by one.
std::vector<FileRequest::Input> MapInputs(const TransformPlan& plan, const FileRequest& request,
                                          std::span<const uint32_t> session_outputs, double share,
                                          std::span<const std::unique_ptr<ScanMember>> members);

}  // namespace dsi::internal
