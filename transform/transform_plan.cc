#include "dsi/transform/transform_plan.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "dsi/base/error_internal.h"
#include "dsi/base/float_mode_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/transform/check_step_internal.h"
#include "dsi/transform/elementwise_internal.h"
#include "dsi/transform/plan_state_internal.h"
#include "dsi/transform/row_ops_internal.h"
#include "dsi/transform/rows_access_internal.h"

namespace dsi {
namespace internal {
namespace {

// Values of rows 0, 1, … one after another, as they are stored, or null.
const void* Contiguous(const RowsInput& input, size_t num_rows, const float** scores) {
  const RowsView& view = input.view;
  if (input.rows != nullptr || (view.begins != nullptr && view.ends != view.begins + 1)) {
    return nullptr;
  }
  const size_t first = num_rows == 0 ? 0 : view.Begin(0);
  *scores = view.scores == nullptr ? nullptr : view.scores + first;
  const auto width = static_cast<size_t>(TypeWidth(view.type.type));
  return static_cast<const std::byte*>(view.values) + first * width;
}

// What stands where a number is missing is 0, whatever was computed there (T-003).
void ClearMissing(RowsBuilder* out, size_t num_rows, void* values) {
  const auto width = static_cast<size_t>(TypeWidth(out->type().type));
  const RowsView view = out->View();
  if (num_rows == 0 || std::memchr(view.present, 0, num_rows) == nullptr) return;
  for (size_t i = 0; i < num_rows; ++i) {
    if (!view.Has(i)) std::memset(static_cast<std::byte*>(values) + i * width, 0, width);
  }
}

void RunElementwise(const ElementwiseChain& values, const ElementwiseChain& scores,
                    const RowsInput& input, size_t num_rows, RowsBuilder* out) {
  RowsInput source = input;
  const float* source_scores = nullptr;
  const void* from = Contiguous(input, num_rows, &source_scores);
  if (from == nullptr) {
    RowsBuilder* const copied = RowsAccess::Copied(out);
    copied->Reset(input.view.type);
    CopyRows(input, num_rows, copied);
    source = {copied->View(), nullptr};
    from = Contiguous(source, num_rows, &source_scores);
  }
  const RowsView& view = source.view;
  const size_t count = view.begins == nullptr || num_rows == 0
                           ? num_rows
                           : static_cast<size_t>(view.ends[num_rows - 1] - view.begins[0]);
  void* const to = out->AddValues(count);
  values.Apply(from, count, to);
  if (out->type().shape == RowShape::kScored) {
    scores.Apply(source_scores, count, out->LastScores());
  }
  RowsAccess::EndRowsOf(source, num_rows, out);
  if (out->type().shape == RowShape::kNumber && view.present != nullptr) {
    ClearMissing(out, num_rows, to);
  }
}

// T-048.
Status RunCustom(const TransformStep& step, RowsInputs inputs, size_t num_rows, RowsBuilder* out) {
  std::vector<RowsBuilder> copies(inputs.size());
  std::vector<RowsView> views;
  for (size_t k = 0; k < inputs.size(); ++k) {
    RowsView view = inputs[k].view;
    if (inputs[k].rows != nullptr) {
      copies[k].Reset(view.type);
      CopyRows(inputs[k], num_rows, &copies[k]);
      view = copies[k].View();
    }
    view.num_rows = num_rows;
    views.push_back(view);
  }
  try {
    DSI_RETURN_IF_ERROR(step.custom(views, out));
  } catch (...) {
    return StatusOfException();
  }
  const bool one_each = out->type().shape != RowShape::kNumber || out->num_values() == num_rows;
  if (out->num_rows() == num_rows && out->open_values() == 0 && one_each &&
      out->type() == step.custom_type) {
    return {};
  }
  return InvalidArgument("the callback made {} rows of {} values, expected {} rows of a {}",
                         out->num_rows(), out->num_values(), num_rows, TypeText(step.custom_type));
}

Status RunRows(const TransformStep& step, RowsInputs inputs, size_t num_rows, RowsBuilder* out) {
  switch (step.op) {
    case TransformOp::kFirstX:
    case TransformOp::kLastX:
      TruncateRows(step, inputs[0], num_rows, out);
      return {};
    case TransformOp::kFill:
      FillRows(step, inputs[0], num_rows, out);
      return {};
    case TransformOp::kOneHot:
      OneHotRows(step, inputs[0], num_rows, out);
      return {};
    case TransformOp::kEnumerate:
      EnumerateRows(inputs[0], num_rows, out);
      return {};
    case TransformOp::kNGram:
      NGramRows(step, inputs, num_rows, out);
      return {};
    case TransformOp::kCartesian:
      CartesianRows(step, inputs, num_rows, out);
      return {};
    case TransformOp::kIntersection:
    case TransformOp::kDifference:
      SiftRows(step.op, inputs, num_rows, out);
      return {};
    case TransformOp::kScoreSum:
    case TransformOp::kScoreMin:
    case TransformOp::kScoreMax:
      SharedScoreRows(step.op, inputs, num_rows, out);
      return {};
    case TransformOp::kCosine:
      CosineRows(inputs, num_rows, out);
      return {};
    case TransformOp::kIdOfText:
      IdsOfTexts(inputs[0], num_rows, out);
      return {};
    case TransformOp::kCustom:
      return RunCustom(step, inputs, num_rows, out);
    default:
      OverlapRows(step.op, inputs, num_rows, out);
      return {};
  }
}

}  // namespace

void RowsAccess::EndRowsOf(const RowsInput& source, size_t num_rows, RowsBuilder* out) {
  const RowsView& view = source.view;
  int64_t offset = out->offsets_.back();
  out->offsets_.resize(out->offsets_.size() + num_rows);
  int64_t* const ends = out->offsets_.data() + (out->offsets_.size() - num_rows);
  if (view.begins == nullptr) {
    std::iota(ends, ends + num_rows, offset + 1);
  } else {
    for (size_t i = 0; i < num_rows; ++i) {
      offset += view.ends[i] - view.begins[i];
      ends[i] = offset;
    }
  }
  if (view.present == nullptr) {
    out->present_.insert(out->present_.end(), num_rows, uint8_t{1});
  } else {
    out->present_.insert(out->present_.end(), view.present, view.present + num_rows);
  }
}

}  // namespace internal

Type TransformTypeOf(Type stored) {
  switch (stored) {
    case Type::kBool:
    case Type::kInt8:
    case Type::kInt16:
    case Type::kInt32:
    case Type::kUint8:
    case Type::kUint16:
      return Type::kInt32;
    case Type::kInt64:
    case Type::kUint32:
    case Type::kUint64:
      return Type::kInt64;
    default:
      return stored;
  }
}

ElementwiseChain::ElementwiseChain(Type type, std::vector<internal::ElementwisePtr> links)
    : input_(type),
      output_(links.empty() ? type : links.back()->output()),
      links_(std::move(links)) {}

void ElementwiseChain::Apply(const void* in, size_t n, void* out) const {
  const auto in_width = static_cast<size_t>(TypeWidth(input_));
  const auto out_width = static_cast<size_t>(TypeWidth(output_));
  if (links_.empty()) {
    if (n > 0) std::memcpy(out, in, n * in_width);
    return;
  }
  const internal::DefaultFloats floats;  // T-005.
  constexpr size_t kBytes = internal::kTransformBlock * 8;
  alignas(64) std::byte blocks[2][kBytes];
  for (size_t at = 0; at < n; at += internal::kTransformBlock) {
    const size_t count = std::min(n - at, internal::kTransformBlock);
    const void* from = static_cast<const std::byte*>(in) + at * in_width;
    for (size_t k = 0; k + 1 < links_.size(); ++k) {
      links_[k]->Run(from, count, blocks[k % 2]);
      from = blocks[k % 2];
    }
    links_.back()->Run(from, count, static_cast<std::byte*>(out) + at * out_width);
  }
}

TransformPlan::TransformPlan(std::shared_ptr<const internal::PlanState> state)
    : state_(std::move(state)) {}

std::span<const TransformFeature> TransformPlan::features() const { return state_->features; }
std::span<const TransformStage> TransformPlan::stages() const { return state_->stages; }
std::span<const size_t> TransformPlan::outputs() const { return state_->outputs; }
const ElementwiseChain& TransformPlan::values_of(size_t stage) const {
  return state_->values[stage];
}
const ElementwiseChain& TransformPlan::scores_of(size_t stage) const {
  return state_->scores[stage];
}

Status TransformPlan::RunStage(size_t number, std::span<const RowsInput> inputs, size_t num_rows,
                               RowsBuilder* out) const {
  const internal::DefaultFloats floats;  // T-005.
  return internal::NoThrow([&]() -> Status {
    if (number >= state_->stages.size()) {
      return internal::InvalidArgument("stage {} of {}", number, state_->stages.size());
    }
    const TransformStage& stage = state_->stages[number];
    if (inputs.size() != stage.sources.size()) {
      return internal::InvalidArgument("stage {} ({}): {} inputs, expected {}", number,
                                       TransformOpName(stage.op), inputs.size(),
                                       stage.sources.size());
    }
    for (size_t k = 0; k < inputs.size(); ++k) {
      const TransformSource& source = stage.sources[k];
      const TransformType& expected =
          source.is_stage ? state_->stages[source.index].type : state_->features[source.index].type;
      const RowsView& view = inputs[k].view;
      if (view.type.shape == expected.shape && view.type.type == expected.type) continue;
      return internal::InvalidArgument("stage {} ({}): input {} is a {}, expected a {}", number,
                                       TransformOpName(stage.op), k, internal::TypeText(view.type),
                                       internal::TypeText(expected));
    }
    out->Reset(stage.type);
    if (stage.elementwise) {
      internal::RunElementwise(state_->values[number], state_->scores[number], inputs[0], num_rows,
                               out);
      return {};
    }
    return internal::RunRows(state_->steps[number], inputs, num_rows, out);
  });
}

Status TransformPlan::Run(std::span<const RowsView> features,
                          std::vector<RowsBuilder>* results) const {
  return internal::NoThrow([&]() -> Status {
    if (features.size() != state_->features.size()) {
      return internal::InvalidArgument("{} features, expected {}", features.size(),
                                       state_->features.size());
    }
    results->resize(state_->stages.size());
    for (size_t s = 0; s < state_->stages.size(); ++s) {
      std::vector<RowsInput> inputs;
      for (const TransformSource& source : state_->stages[s].sources) {
        inputs.push_back(
            {source.is_stage ? (*results)[source.index].View() : features[source.index], nullptr});
      }
      const size_t num_rows = inputs[0].view.num_rows;
      for (const RowsInput& input : inputs) {
        if (input.view.num_rows == num_rows) continue;
        return internal::InvalidArgument("features of {} and {} rows", num_rows,
                                         input.view.num_rows);
      }
      DSI_RETURN_IF_ERROR(RunStage(s, inputs, num_rows, &(*results)[s]));
    }
    return {};
  });
}

}  // namespace dsi
