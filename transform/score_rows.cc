// score_sum, score_min and score_max (T-053), cosine (T-054): scores of the ids that another list
// has too. The order of additions is that of the spec, whatever the CPU.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "dsi/transform/row_ops_internal.h"

namespace dsi::internal {
namespace {

// T-005: every NaN is the same one.
float ResultOf(double number) {
  return std::isnan(number) ? std::bit_cast<float>(0x7FC00000U) : static_cast<float>(number);
}

// Scores of entries, from the first to the last.
class Gathered {
 public:
  explicit Gathered(TransformOp op) : op_(op) {}
  void Add(float score) {
    if (op_ == TransformOp::kScoreSum) {
      result_ += static_cast<double>(score);
    } else if (!any_ || std::isnan(score) || IsBeyond(score)) {
      result_ = static_cast<double>(score);
    }
    any_ = true;
  }
  float result() const { return ResultOf(result_); }

 private:
  // Of a NaN that came before: no.
  bool IsBeyond(float score) const {
    const auto number = static_cast<double>(score);
    return op_ == TransformOp::kScoreMin ? number < result_ : number > result_;
  }

  TransformOp op_;
  bool any_ = false;
  double result_ = 0;
};

// An id of a scored list and the sum of its scores.
using IdScore = std::pair<int64_t, double>;

// Ids ascending, scores of one id added from the first to the last.
class ScoresOfIds {
 public:
  void Take(const RowsInput& input, size_t i) {
    const size_t row = input.Row(i);
    const size_t begin = input.view.Begin(row);
    places_.resize(input.view.Length(row));
    for (size_t k = 0; k < places_.size(); ++k) {
      places_[k] = {IdAt(input.view, begin + k), begin + k};
    }
    std::sort(places_.begin(), places_.end());
    sums_.clear();
    for (const auto& [id, at] : places_) {
      if (sums_.empty() || sums_.back().first != id) sums_.emplace_back(id, 0.0);
      sums_.back().second += static_cast<double>(input.view.scores[at]);
    }
  }
  const std::vector<IdScore>& sums() const { return sums_; }
  double Square() const {
    double square = 0;
    for (const IdScore& one : sums_) square += one.second * one.second;
    return square;
  }

 private:
  std::vector<std::pair<int64_t, size_t>> places_;
  std::vector<IdScore> sums_;
};

double Product(const std::vector<IdScore>& a, const std::vector<IdScore>& b) {
  double product = 0;
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    if (a[i].first == b[k].first) {
      product += a[i++].second * b[k++].second;
    } else if (a[i].first < b[k].first) {
      ++i;
    } else {
      ++k;
    }
  }
  return product;
}

// The square root, too, is one that IEEE 754 rounds in one way.
float Cosine(const ScoresOfIds& a, const ScoresOfIds& b) {
  const double a_square = a.Square();
  const double b_square = b.Square();
  if (a_square == 0 || b_square == 0) return 0;
  return ResultOf(Product(a.sums(), b.sums()) / std::sqrt(a_square * b_square));
}

}  // namespace

void SharedScoreRows(TransformOp op, RowsInputs inputs, size_t num_rows, RowsBuilder* out) {
  const RowsView& view = inputs[0].view;
  std::vector<int64_t> sought;
  for (size_t i = 0; i < num_rows; ++i) {
    if (!HasAll(inputs, i)) {
      out->EndMissing();
      continue;
    }
    SortedIds(inputs[1], i, &sought);
    const size_t row = inputs[0].Row(i);
    const size_t begin = view.Begin(row);
    Gathered gathered(op);
    for (size_t at = begin; at < begin + view.Length(row); ++at) {
      if (std::binary_search(sought.begin(), sought.end(), IdAt(view, at))) {
        gathered.Add(view.scores[at]);
      }
    }
    *static_cast<float*>(out->AddValues(1)) = gathered.result();
    out->EndRow();
  }
}

void CosineRows(RowsInputs inputs, size_t num_rows, RowsBuilder* out) {
  ScoresOfIds a;
  ScoresOfIds b;
  for (size_t i = 0; i < num_rows; ++i) {
    if (!HasAll(inputs, i)) {
      out->EndMissing();
      continue;
    }
    a.Take(inputs[0], i);
    b.Take(inputs[1], i);
    *static_cast<float*>(out->AddValues(1)) = Cosine(a, b);
    out->EndRow();
  }
}

}  // namespace dsi::internal
