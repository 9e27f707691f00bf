// The rows of a dataset that a scan is of, one behind the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/base/status.h"

namespace dsi::internal {

// Rows [begin, end) of a dataset, counted over all its files.
struct RowSpan {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Puts a span at the end of others, as one with the last where it goes on with it.
void AppendRows(RowSpan rows, std::vector<RowSpan>* out);

// Thread safety: const calls from many threads are safe.
class SelectedRows {
 public:
  // `rows`: ascending and apart; spans without rows are left out. kInvalidArgument: they are not,
  // or more than 2^48.
  static Result<SelectedRows> Make(std::span<const RowSpan> rows);

  uint64_t size() const { return size_; }
  std::span<const RowSpan> spans() const { return spans_; }
  // Those at places [begin, end) of the selection are added to *out.
  void Append(uint64_t begin, uint64_t end, std::vector<RowSpan>* out) const;
  // How many are selected among the first `row` rows of the dataset.
  uint64_t CountBefore(uint64_t row) const;
  // Of spans() (spec DO-005).
  uint64_t Fingerprint() const;

 private:
  std::vector<RowSpan> spans_;    // Joined where they touch.
  std::vector<uint64_t> places_;  // Of the first row of each.
  uint64_t size_ = 0;
};

}  // namespace dsi::internal
