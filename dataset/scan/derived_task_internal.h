// A pipeline as a scan runs it: what it takes of a file, and what it makes there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsi/dataset/scan/joint_projection_internal.h"
#include "dsi/reader/scan/projection_internal.h"
#include "dsi/transform/pipeline.h"

namespace dsi::internal {

// Outputs of a file's projection that a feature of the plan is made of; kNone32: the file has no
// such feature, which is missing in all its rows.
struct TransformInput {
  uint32_t values = kNone32;
  uint32_t scores = kNone32;  // Of scored lists.
};

// What the stages of a plan are in one file. A stage works on the tuples of unique rows of its
// sources' groups that occur: those of one group are its unique rows.
struct FileTransforms {
  std::vector<TransformInput> inputs;  // Parallel to the features of the plan.
  // By stage: what decoding has made of its source, if it has.
  std::vector<TransformInput> mapped;
  // By position in DerivedRows::groups: the groups of the file's projection that it is tuples of,
  // ascending. None: one row for all.
  std::vector<std::vector<uint32_t>> groups;
  std::vector<uint32_t> group_of_stage;
};

// Where the values of a stage are in DerivedRows::values; its shape has the number of the stage.
inline uint32_t ValuesOfStage(size_t stage) { return static_cast<uint32_t>(2 * stage); }
inline uint32_t ScoresOfStage(size_t stage) { return static_cast<uint32_t>(2 * stage + 1); }

// `projection`: of the file, whose outputs `inputs` and `mapped` name.
FileTransforms MakeFileTransforms(const TransformPlan& plan, std::vector<TransformInput> inputs,
                                  std::vector<TransformInput> mapped,
                                  const ScanProjection& projection);

}  // namespace dsi::internal
