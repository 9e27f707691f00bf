// Any text is either refused or read into a pipeline whose own text reads back to the same, and
// which, over lists of ids, is refused or gives as many rows as it was given.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/transform/pipeline.h"

namespace {

// Of every feature: lists of 3, 0 and 2 ids, and a missing one.
void RunOverLists(const dsi::Pipeline& pipeline) {
  static constexpr int64_t kIds[] = {5, -9223372036854775807, 5, 1, 2};
  static constexpr int64_t kOffsets[] = {0, 3, 3, 5, 5};
  static constexpr uint8_t kPresent[] = {1, 1, 1, 0};
  static constexpr float kScores[] = {0.5F, 1, 2, 3, 4};
  const dsi::Result<std::vector<std::string>> names = pipeline.Features();
  if (!names.ok()) std::abort();
  for (const dsi::RowShape shape : {dsi::RowShape::kList, dsi::RowShape::kScored}) {
    std::vector<dsi::TransformFeature> features;
    for (const std::string& name : *names) features.push_back({name, {shape, dsi::Type::kInt64}});
    const dsi::Result<dsi::TransformPlan> plan = pipeline.Resolve(features);
    if (!plan.ok()) continue;
    if (plan->Explain().empty()) std::abort();
    const dsi::RowsView rows = {features[0].type, 4,        kIds,   kOffsets,
                                kOffsets + 1,     kPresent, kScores};
    std::vector<dsi::RowsBuilder> results;
    if (!plan->Run(std::vector<dsi::RowsView>(features.size(), rows), &results).ok()) std::abort();
    for (const size_t output : plan->outputs()) {
      if (results[output].num_rows() != 4) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const dsi::Result<dsi::Pipeline> pipeline = dsi::Pipeline::FromJson(text);
  if (!pipeline.ok()) {
    if (pipeline.status().message().empty()) std::abort();
    return 0;
  }
  const std::string written = *pipeline->ToJson();
  const dsi::Result<dsi::Pipeline> again = dsi::Pipeline::FromJson(written);
  if (!again.ok() || *again->ToJson() != written) std::abort();
  RunOverLists(*pipeline);
  return 0;
}
