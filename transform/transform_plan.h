// A pipeline made ready for features of known types: stages in the order in which they run, with
// elementwise steps joined into chains and truncation moved in front of them.
//
// Thread safety: const use of plans and chains from many threads is safe. Results are the same bits
// on every CPU and for every division into calls.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/transform/rows.h"
#include "dsi/transform/step.h"

namespace dsi {

struct TransformFeature {
  std::string name;
  TransformType type;
};

// How a column of a file is handed to a plan: what its values must be converted to, kInt32, kInt64
// (of uint64: the same bits), kFloat32 or kFloat64. kBytes stays, for id_of_text. (T-002)
DSI_EXPORT Type TransformTypeOf(Type stored);

namespace internal {
class ElementwiseOp;
struct PlanState;
}  // namespace internal

// Values to values, one by one; links are applied block by block, in the first-level cache.
class DSI_EXPORT ElementwiseChain {
 public:
  ElementwiseChain(Type type, std::vector<std::shared_ptr<const internal::ElementwiseOp>> links);
  Type input_type() const { return input_; }
  Type output_type() const { return output_; }
  // Nothing is done to values: Apply copies.
  bool empty() const { return links_.empty(); }
  // `out` has room for n values and does not overlap `in`. Nothing is allocated.
  void Apply(const void* in, size_t n, void* out) const;

 private:
  Type input_;
  Type output_;
  std::vector<std::shared_ptr<const internal::ElementwiseOp>> links_;
};

// A feature of the file, or what an earlier stage made.
struct TransformSource {
  bool is_stage = false;
  size_t index = 0;  // Of the features given to Resolve, or of the stages.
  bool operator==(const TransformSource&) const = default;
};

// Elementwise stages have one source, and the shape, rows and presence of it.
struct TransformStage {
  std::string name;                       // Of the last step in it.
  std::vector<std::string> steps;         // Outputs of all steps in it, in order.
  TransformOp op = TransformOp::kFirstX;  // Of a stage that is not elementwise.
  bool elementwise = false;
  uint32_t cut = 0;  // Of kFirstX and kLastX: entries that stay.
  std::vector<TransformSource> sources;
  TransformType type;
  bool is_output = false;
};

class DSI_EXPORT TransformPlan {
 public:
  explicit TransformPlan(std::shared_ptr<const internal::PlanState> state);

  std::span<const TransformFeature> features() const;
  // In an order in which each comes after its sources.
  std::span<const TransformStage> stages() const;
  // Stages that are outputs, in the order asked for.
  std::span<const size_t> outputs() const;
  // Of an elementwise stage: what happens to values, and to scores.
  const ElementwiseChain& values_of(size_t stage) const;
  const ElementwiseChain& scores_of(size_t stage) const;

  // Makes num_rows rows of a stage: row i from row inputs[k].Row(i) of each source, in its order.
  // `out` is reset and must be none of the inputs. kInvalidArgument: other inputs than the stage
  // has; kResourceExhausted: no memory; and what a callback returns.
  Status RunStage(size_t stage, std::span<const RowsInput> inputs, size_t num_rows,
                  RowsBuilder* out) const;
  // All stages, where row i of every feature belongs to row i of the others. `results` gets one
  // builder per stage.
  Status Run(std::span<const RowsView> features, std::vector<RowsBuilder>* results) const;

  // The order in words, one stage a line.
  std::string Explain() const;

 private:
  std::shared_ptr<const internal::PlanState> state_;
};

}  // namespace dsi
