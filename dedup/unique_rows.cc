#include "dsi/dedup/unique_rows_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/base/probe_internal.h"
#include "dsi/dedup/row_compare_internal.h"

namespace dsi::internal {
namespace {

// A flat table from row hash to unique row: open addressing, linear probes, at most half full. The
// low bits of a hash are its place, the high half is kept beside the unique row, so that nearly
// every probe is decided without touching another array.
class UniqueTable {
 public:
  explicit UniqueTable(std::span<const uint64_t> hashes) : hashes_(hashes) {
    entries_.resize(kFirstCapacity);
  }

  // Asks for the entry's cache line ahead of its use.
  void Prefetch(size_t row) const {
    __builtin_prefetch(&entries_[hashes_[row] & (entries_.size() - 1)]);
  }

  // Returns the unique row that has this row's hash and that `equal` (unique row -> bool) accepts;
  // if there is none, adds the row as a new one.
  template <typename Equal>
  uint32_t FindOrAdd(uint32_t row, std::vector<uint32_t>* first_row, const Equal& equal) {
    const uint64_t hash = hashes_[row];
    const uint32_t tag = static_cast<uint32_t>(hash >> 32);
    const size_t at = Probe(entries_, hash, [&](const Entry& entry) {
      if (entry.unique_plus_one == 0) return true;
      const uint32_t unique = entry.unique_plus_one - 1;
      return entry.tag == tag && hashes_[(*first_row)[unique]] == hash && equal(unique);
    });
    if (entries_[at].unique_plus_one != 0) return entries_[at].unique_plus_one - 1;
    const uint32_t unique = static_cast<uint32_t>(first_row->size());
    first_row->push_back(row);
    entries_[at] = {tag, unique + 1};
    if (first_row->size() * 2 > entries_.size()) Grow(*first_row);
    return unique;
  }

 private:
  struct Entry {
    uint32_t tag = 0;
    uint32_t unique_plus_one = 0;  // 0: the entry is free.
  };
  static constexpr size_t kFirstCapacity = 4096;

  void Grow(const std::vector<uint32_t>& first_row) {
    entries_.assign(entries_.size() * 4, Entry{});
    for (uint32_t unique = 0; unique < first_row.size(); ++unique) {
      const uint64_t hash = hashes_[first_row[unique]];
      entries_[Probe(entries_, hash, [](const Entry& e) { return e.unique_plus_one == 0; })] = {
          static_cast<uint32_t>(hash >> 32), unique + 1};
    }
  }

  std::span<const uint64_t> hashes_;
  std::vector<Entry> entries_;
};

template <typename Equal>
void Number(std::span<const uint64_t> hashes, const Equal& equal, UniqueRows* unique) {
  constexpr size_t kAhead = 8;
  const size_t num_rows = hashes.size();
  UniqueTable table(hashes);
  unique->first_row.clear();
  unique->inverse.resize(num_rows);
  for (size_t row = 0; row < num_rows; ++row) {
    if (row + kAhead < num_rows) table.Prefetch(row + kAhead);
    unique->inverse[row] =
        table.FindOrAdd(static_cast<uint32_t>(row), &unique->first_row,
                        [&](uint32_t candidate) { return equal(row, candidate); });
  }
}

// True when every row equals the first row of its unique row in this column.
bool Confirm(const FeatureRows& column, const UniqueRows& unique) {
  return WithRowComparer(column, [&](const auto& equal) {
    for (size_t row = 0; row < unique.inverse.size(); ++row) {
      const uint32_t first = unique.first_row[unique.inverse[row]];
      if (first != row && !equal(row, first)) return false;
    }
    return true;
  });
}

// Whether all rows from `row - 1` on, `count` and one, are missing.
bool AreMissing(const FeatureRows& column, size_t row, size_t count) {
  if (column.shape.empty()) return false;
  uint32_t any = column.shape[row - 1];
  for (size_t i = 0; i < count; ++i) any |= column.shape[row + i];
  return any == 0;
}

// Of the rows that are marked, those that equal the row before in this column as well.
void KeepRepeats(const FeatureRows& column, std::span<uint8_t> same) {
  WithRowComparer(column, [&](const auto& equal) {
    constexpr size_t kStep = 16;
    for (size_t row = 1; row < same.size(); row += kStep) {
      const size_t count = std::min(kStep, same.size() - row);
      if (AreMissing(column, row, count)) continue;
      for (size_t i = row; i < row + count; ++i) {
        if (same[i] != 0) same[i] = equal(i, i - 1) ? 1 : 0;
      }
    }
  });
}

}  // namespace

bool RowsEqual(const FeatureRows& column, uint32_t a, uint32_t b) {
  return WithRowComparer(column, [&](const auto& equal) { return equal(a, b); });
}

void MarkRepeats(const FeatureRows& column, size_t num_rows, std::span<uint8_t> same_as_previous) {
  if (num_rows == 0) return;
  uint8_t* same = same_as_previous.data();
  same[0] = 0;
  WithRowComparer(column, [&](const auto& equal) {
    size_t row = 1;
    if (!column.shape.empty()) {
      // Most features of a wide table are nearly all missing: stretches of missing rows are passed
      // over sixteen at a time, as fast as their shape codes can be read.
      constexpr size_t kStep = 16;
      while (row + kStep <= num_rows) {
        if (AreMissing(column, row, kStep)) {
          std::memset(same + row, 1, kStep);
        } else {
          for (size_t i = row; i < row + kStep; ++i) same[i] = equal(i, i - 1) ? 1 : 0;
        }
        row += kStep;
      }
    }
    for (; row < num_rows; ++row) same[row] = equal(row, row - 1) ? 1 : 0;
  });
}

UniqueRows FindRuns(std::span<const FeatureRows* const> columns, size_t num_rows) {
  UniqueRows unique;
  unique.only_runs = true;
  std::vector<uint8_t> same(num_rows, 1);
  for (size_t c = 0; c < columns.size(); ++c) {
    if (c == 0) {
      MarkRepeats(*columns[c], num_rows, same);
    } else {
      KeepRepeats(*columns[c], same);
    }
  }
  unique.inverse.resize(num_rows);
  for (size_t row = 0; row < num_rows; ++row) {
    if (row == 0 || same[row] == 0) unique.first_row.push_back(static_cast<uint32_t>(row));
    unique.inverse[row] = static_cast<uint32_t>(unique.first_row.size() - 1);
  }
  return unique;
}

UniqueRows FindUnique(std::span<const FeatureRows* const> columns,
                      std::span<const uint64_t> hashes) {
  // Rows are first numbered by hash alone and then confirmed one column after another, which reads
  // each column once and in order. Only when a confirmation fails, that is after a collision of 64
  // bits, are the rows numbered again with a comparison at every step. The answer is the same:
  // where the confirmation holds, equal hashes and equal rows coincide.
  UniqueRows unique;
  Number(
      hashes, [](size_t, uint32_t) { return true; }, &unique);
  const bool confirmed =
      std::all_of(columns.begin(), columns.end(),
                  [&](const FeatureRows* column) { return Confirm(*column, unique); });
  if (confirmed) return unique;
  const auto equal = [&](size_t row, uint32_t candidate) {
    const uint32_t first = unique.first_row[candidate];
    return std::all_of(columns.begin(), columns.end(), [&](const FeatureRows* column) {
      return RowsEqual(*column, static_cast<uint32_t>(row), first);
    });
  };
  Number(hashes, equal, &unique);
  return unique;
}

}  // namespace dsi::internal
