// Elementwise stages that are done while values are decoded: those whose input nobody else looks
// at.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/dataset/scan/scan_file_internal.h"
#include "dsi/transform/transform_plan.h"

namespace dsi::internal {

class MappedInputs {
 public:
  // All outlive it; of the members what they are asked for is settled. `session_outputs`: of the
  // first member's projection.
  MappedInputs(const TransformPlan& plan, const FileRequest& request,
               std::span<const uint32_t> session_outputs,
               std::span<const std::unique_ptr<ScanMember>> members);

  // Has the only stage that takes a feature done where it is decoded, and tells which that is;
  // kNone32: there is none, or it cannot be done there.
  uint32_t Map(size_t feature);

 private:
  uint32_t* UsesOf(const MemberPlace& place);
  bool MayMap(const MemberPlace& place, const ElementwiseChain& chain);
  void MapPlace(const MemberPlace& place, const ElementwiseChain& chain);

  const TransformPlan& plan_;
  const FileRequest& request_;
  std::span<const std::unique_ptr<ScanMember>> members_;
  std::vector<uint32_t> stage_of_;           // By feature: the only stage that takes it, if any.
  std::vector<std::vector<uint32_t>> uses_;  // By member and position in the values of it.
};

}  // namespace dsi::internal
