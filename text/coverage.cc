#include "dsi/text/coverage_internal.h"

#include <numeric>

namespace dsi::internal {
namespace {

constexpr size_t kMaxIgnoredNames = 10'000;

}  // namespace

CoverageOfRows::CoverageOfRows(std::shared_ptr<const Schema> schema)
    : schema_(std::move(schema)), absent_(schema_->features.size()) {
  std::iota(absent_.begin(), absent_.end(), 0U);
}

void CoverageOfRows::AddIgnored(const std::vector<IgnoredName>& names, const std::string& file) {
  for (const IgnoredName& name : names) {
    auto at = place_of_.find(name.name);
    if (at == place_of_.end()) {
      if (ignored_.size() == kMaxIgnoredNames) {
        more_ignored_ += name.values;
        continue;
      }
      at = place_of_.emplace(name.name, ignored_.size()).first;
      ignored_.push_back({.name = name.name});
    }
    IgnoredName& all = ignored_[at->second];
    if (all.values == 0 && name.values != 0) {
      all.first_line = name.first_line;
      all.first_file = file;
    }
    all.values += name.values;
  }
}

std::vector<size_t> CoverageOfRows::Mark(const RowBatch& rows) const {
  std::vector<size_t> mark;
  if (rows.num_rows() == 0) return mark;
  for (const uint32_t f : absent_) mark.push_back(rows.feature(f).num_present);
  return mark;
}

void CoverageOfRows::AddRowsSince(const std::vector<size_t>& mark, const RowBatch& rows) {
  if (absent_.empty() || rows.num_rows() == 0) return;
  size_t kept = 0;
  for (size_t i = 0; i < absent_.size(); ++i) {
    const size_t before = mark.empty() ? 0 : mark[i];
    if (rows.feature(absent_[i]).num_present == before) absent_[kept++] = absent_[i];
  }
  absent_.resize(kept);
}

TextCoverage CoverageOfRows::Get() const {
  TextCoverage coverage{.ignored = ignored_, .more_ignored = more_ignored_, .absent = {}};
  for (const uint32_t f : absent_) coverage.absent.push_back(schema_->features[f].name);
  return coverage;
}

}  // namespace dsi::internal
