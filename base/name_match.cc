#include "dsi/base/name_match_internal.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dsi::internal {
namespace {

// Longer names are compared by length alone: advice is not worth a quadratic cost.
constexpr size_t kMaxCompared = 128;

// Changes, insertions and deletions of bytes, and swaps of two neighbours, that turn a into b.
size_t EditDistance(std::string_view a, std::string_view b, std::vector<size_t>* rows) {
  // The row being made, and the two before it.
  const size_t size = b.size() + 1;
  rows->assign(3 * size, 0);
  size_t* row = rows->data();
  size_t* above = row + size;
  size_t* two_above = above + size;
  std::iota(row, row + size, size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    std::swap(two_above, above);
    std::swap(above, row);
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = above[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({change, above[j + 1] + 1, row[j] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], two_above[j - 1] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

bool GlobMatches(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      // The last star takes one byte more.
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void NearNames::Offer(std::string_view name) {
  // A name that shares less than two thirds is no help.
  const size_t allowed = std::max<size_t>(1, wanted_.size() / 3);
  const size_t difference =
      std::max(wanted_.size(), name.size()) - std::min(wanted_.size(), name.size());
  if (difference > allowed || wanted_.size() > kMaxCompared || name.size() > kMaxCompared) return;
  const size_t distance = EditDistance(wanted_, name, &row_);
  if (distance > allowed) return;
  if (best_.size() == limit_ && best_.back().distance <= distance) return;
  const auto at = std::upper_bound(best_.begin(), best_.end(), distance,
                                   [](size_t d, const Candidate& c) { return d < c.distance; });
  best_.insert(at, Candidate{distance, std::string(name)});
  if (best_.size() > limit_) best_.pop_back();
}

std::string NearNames::Advice() const {
  if (best_.empty()) return {};
  std::string text = "; did you mean ";
  for (size_t i = 0; i < best_.size(); ++i) {
    if (i != 0) text += ", ";
    text += '"' + best_[i].name + '"';
  }
  return text + "?";
}

}  // namespace dsi::internal
