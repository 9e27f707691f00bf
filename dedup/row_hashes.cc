#include "dsi/dedup/row_hashes_internal.h"

#include <algorithm>

namespace dsi::internal {
namespace {

// A list like the one before has its hash, without being read.
std::vector<uint64_t> HashInRuns(const FeatureRows& column, size_t num_rows,
                                 const ChangeBits& changes) {
  std::vector<uint64_t> hashes(num_rows);
  if (column.entries_per_row == 1) {
    HashRows(column, num_rows, hashes);
    return hashes;
  }
  for (uint32_t row = 0; row < num_rows; ++row)
    hashes[row] = row == 0 || changes.Test(row) ? HashRow(column, row) : hashes[row - 1];
  return hashes;
}

}  // namespace

Status RowHashes::Make(std::span<const Column> columns, const ForEach& for_each) {
  const uint64_t bytes = num_rows_ * sizeof(uint64_t);
  std::vector<Column> missing;
  for (const Column& column : columns) {
    if (!of_[column.candidate].empty() || bytes > kMostGroupHashBytes - bytes_) continue;
    bytes_ += bytes;
    missing.push_back(column);
  }
  return for_each(missing.size(), [&](size_t i) {
    const Column& column = missing[i];
    of_[column.candidate] =
        HashInRuns(*candidates_[column.candidate].column, num_rows_, *column.changes);
  });
}

UniqueRows RowHashes::Number(std::span<const uint32_t> members) const {
  if (members.size() == 1 && !Of(members[0]).empty()) return FindUnique({}, Of(members[0]));
  std::vector<uint64_t> hashes(num_rows_, 0);
  std::vector<uint64_t> column_hashes;
  for (const uint32_t member : members) {
    std::span<const uint64_t> of_member = Of(member);
    if (of_member.empty()) {
      column_hashes.resize(num_rows_);
      HashRows(*candidates_[member].column, num_rows_, column_hashes);
      of_member = column_hashes;
    }
    CombineHashes(hashes, of_member);
  }
  return FindUnique({}, hashes);
}

}  // namespace dsi::internal
