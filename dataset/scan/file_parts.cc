#include <algorithm>
#include <utility>

#include "dsi/dataset/scan/file_parts_internal.h"

namespace dsi::internal {

std::vector<FilePart> PartsOf(const DatasetFiles& dataset, const std::vector<RowSpan>& rows) {
  std::vector<FilePart> parts;
  uint64_t first_row = 0;
  size_t span = 0;
  for (uint32_t file = 0; file < dataset.files().size(); ++file) {
    const uint64_t end = dataset.file_ends()[file];
    FilePart part{.file = file, .rows = {}};
    while (span < rows.size() && rows[span].begin < end) {
      const uint64_t to = std::min(rows[span].end, end);
      const uint64_t from = std::max(rows[span].begin, first_row);
      if (from < to) part.rows.push_back({from - first_row, to - first_row});
      if (rows[span].end > end) break;
      ++span;
    }
    if (!part.rows.empty()) parts.push_back(std::move(part));
    first_row = end;
  }
  return parts;
}

}  // namespace dsi::internal
