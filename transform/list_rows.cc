// firstx and lastx (T-040), fill (T-041), onehot (T-042), enumerate (T-043), id_of_text (T-049).
#include <algorithm>
#include <cstring>
#include <string_view>

#include "dsi/format/types.h"
#include "dsi/transform/elementwise_internal.h"
#include "dsi/transform/row_ops_internal.h"

namespace dsi::internal {
namespace {

// Calls add(row of the view) for each row that has something, and ends it; others stay missing.
template <typename Add>
void MakeRows(const RowsInput& input, size_t num_rows, RowsBuilder* out, const Add& add) {
  for (size_t i = 0; i < num_rows; ++i) {
    const size_t row = input.Row(i);
    if (!input.view.Has(row)) {
      out->EndMissing();
      continue;
    }
    add(row);
    out->EndRow();
  }
}

}  // namespace

void AddEntries(const RowsView& view, size_t begin, size_t count, RowsBuilder* out) {
  const auto width = static_cast<size_t>(TypeWidth(view.type.type));
  void* const to = out->AddValues(count);
  if (count == 0) return;
  std::memcpy(to, static_cast<const std::byte*>(view.values) + begin * width, count * width);
  if (out->type().shape == RowShape::kScored) {
    std::memcpy(out->LastScores(), view.scores + begin, count * sizeof(float));
  }
}

void CopyRows(const RowsInput& input, size_t num_rows, RowsBuilder* out) {
  const RowsView& view = input.view;
  MakeRows(input, num_rows, out,
           [&](size_t row) { AddEntries(view, view.Begin(row), view.Length(row), out); });
}

void TruncateRows(const TransformStep& step, const RowsInput& input, size_t num_rows,
                  RowsBuilder* out) {
  const RowsView& view = input.view;
  MakeRows(input, num_rows, out, [&](size_t row) {
    const size_t length = view.Length(row);
    const size_t count = std::min(length, static_cast<size_t>(step.n));
    const size_t skipped = step.op == TransformOp::kLastX ? length - count : 0;
    AddEntries(view, view.Begin(row) + skipped, count, out);
  });
}

void FillRows(const TransformStep& step, const RowsInput& input, size_t num_rows,
              RowsBuilder* out) {
  const RowsView& view = input.view;
  for (size_t i = 0; i < num_rows; ++i) {
    const size_t row = input.Row(i);
    if (view.Has(row)) {
      AddEntries(view, view.Begin(row), view.Length(row), out);
    } else {
      OfTransformType(view.type.type, [&](auto number) {
        *static_cast<decltype(number)*>(out->AddValues(1)) = NumberAs<decltype(number)>(step.value);
      });
    }
    out->EndRow();
  }
}

void OneHotRows(const TransformStep& step, const RowsInput& input, size_t num_rows,
                RowsBuilder* out) {
  MakeRows(input, num_rows, out, [&](size_t row) {
    auto* const to = static_cast<float*>(out->AddValues(static_cast<size_t>(step.n)));
    std::fill_n(to, step.n, 0.0F);
    const int64_t hot = IdAt(input.view, row);
    if (hot >= 0 && hot < step.n) to[hot] = 1.0F;
  });
}

void EnumerateRows(const RowsInput& input, size_t num_rows, RowsBuilder* out) {
  const RowsView& view = input.view;
  const auto width = static_cast<size_t>(TypeWidth(view.type.type));
  MakeRows(input, num_rows, out, [&](size_t row) {
    const size_t count = view.Length(row);
    void* const to = out->AddValues(count);
    if (count > 0) {
      const auto* const from = static_cast<const std::byte*>(view.values);
      std::memcpy(to, from + view.Begin(row) * width, count * width);
    }
    for (size_t k = 0; k < count; ++k) out->LastScores()[k] = static_cast<float>(k);
  });
}

void IdsOfTexts(const RowsInput& input, size_t num_rows, RowsBuilder* out) {
  const RowsView& view = input.view;
  MakeRows(input, num_rows, out, [&](size_t row) {
    const std::string_view text(static_cast<const char*>(view.values) + view.Begin(row),
                                view.Length(row));
    *static_cast<int64_t*>(out->AddValues(1)) = static_cast<int64_t>(IdOfText(text, Type::kInt64));
  });
}

}  // namespace dsi::internal
