// Rows as nested vectors, to and from the views of transforms.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "dsi/tests/transform/chains.h"

namespace dsi::test {

template <typename T>
using Lists = std::vector<std::optional<std::vector<T>>>;

template <typename T>
RowsBuilder Build(const Lists<T>& rows, RowShape shape = RowShape::kList) {
  RowsBuilder builder;
  builder.Reset({shape, TypeFor<T>()});
  for (const auto& row : rows) {
    if (!row) {
      builder.EndMissing();
      continue;
    }
    auto* const to = static_cast<T*>(builder.AddValues(row->size()));
    for (size_t k = 0; k < row->size(); ++k) {
      to[k] = (*row)[k];
      if (shape == RowShape::kScored) builder.LastScores()[k] = static_cast<float>((*row)[k]) / 2;
    }
    builder.EndRow();
  }
  return builder;
}

template <typename T>
Lists<T> ListsOf(const RowsView& view) {
  Lists<T> rows;
  for (size_t i = 0; i < view.num_rows; ++i) {
    if (!view.Has(i)) {
      rows.push_back(std::nullopt);
      continue;
    }
    const T* const begin = static_cast<const T*>(view.values) + view.Begin(i);
    rows.push_back(std::vector<T>(begin, begin + view.Length(i)));
  }
  return rows;
}

// One step over features "0", "1", …
inline Result<RowsBuilder> RunStep(TransformStep step, const std::vector<RowsInput>& inputs,
                                   size_t num_rows) {
  std::vector<TransformFeature> features;
  step.output = "out";
  for (size_t k = 0; k < inputs.size(); ++k) {
    features.push_back({std::to_string(k), inputs[k].view.type});
    step.inputs.push_back(features.back().name);
  }
  Pipeline pipeline;
  pipeline.steps = {step};
  Result<TransformPlan> plan = pipeline.Resolve(features);
  if (!plan.ok()) return plan.status();
  RowsBuilder out;
  const Status status = plan->RunStage(0, inputs, num_rows, &out);
  if (!status.ok()) return status;
  return out;
}

template <typename Out>
Lists<Out> RunOn(const TransformStep& step, const std::vector<RowsView>& views) {
  std::vector<RowsInput> inputs;
  for (const RowsView& view : views) inputs.push_back({view, nullptr});
  Result<RowsBuilder> out = RunStep(step, inputs, views[0].num_rows);
  EXPECT_TRUE(out.ok()) << out.status().ToString();
  if (!out.ok()) return {};
  EXPECT_EQ(out->type().type, TypeFor<Out>());
  return ListsOf<Out>(out->View());
}

}  // namespace dsi::test
