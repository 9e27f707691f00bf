#include "dsi/dataset/scan/derived_task_internal.h"

#include <algorithm>
#include <utility>

namespace dsi::internal {

FileTransforms MakeFileTransforms(const TransformPlan& plan, std::vector<TransformInput> inputs,
                                  std::vector<TransformInput> mapped,
                                  const ScanProjection& projection) {
  FileTransforms made;
  made.inputs = std::move(inputs);
  made.mapped = std::move(mapped);
  for (const TransformStage& stage : plan.stages()) {
    std::vector<uint32_t> groups;
    for (const TransformSource& source : stage.sources) {
      if (source.is_stage) {
        const std::vector<uint32_t>& of = made.groups[made.group_of_stage[source.index]];
        groups.insert(groups.end(), of.begin(), of.end());
        continue;
      }
      for (const uint32_t output :
           {made.inputs[source.index].values, made.inputs[source.index].scores}) {
        if (output != kNone32) groups.push_back(projection.outputs[output].group);
      }
    }
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    const auto known = std::find(made.groups.begin(), made.groups.end(), groups);
    made.group_of_stage.push_back(static_cast<uint32_t>(known - made.groups.begin()));
    if (known == made.groups.end()) made.groups.push_back(std::move(groups));
  }
  return made;
}

}  // namespace dsi::internal
