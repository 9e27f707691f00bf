#include "dsi/dedup/versions_internal.h"

#include <cstddef>

namespace dsi::internal {

Versions NumberVersions(const UniqueRows& unique, std::span<const uint32_t> owners,
                        uint32_t num_owners, std::span<const uint32_t> rows_in_time, bool reuse) {
  constexpr uint32_t kNone = UINT32_MAX;
  const size_t num_rows = unique.inverse.size();
  // Per content: its version, the newest where it has several.
  std::vector<uint32_t> version_of(unique.first_row.size(), kNone);
  std::vector<uint32_t> latest(num_owners, kNone);  // Per owner: the content before.
  std::vector<uint32_t> count(num_owners, 0);
  std::vector<uint32_t> version(num_rows);
  std::vector<uint32_t> new_rows;  // Rows that begin a version.
  for (const uint32_t row : rows_in_time) {
    const uint32_t content = unique.inverse[row];
    const uint32_t owner = owners[row];
    uint32_t& v = version_of[content];
    if (v == kNone || (!reuse && latest[owner] != content)) {
      v = count[owner]++;
      new_rows.push_back(row);
    }
    latest[owner] = content;
    version[row] = v;
  }
  std::vector<uint32_t> base(num_owners);
  uint32_t next = 0;
  for (uint32_t owner = 0; owner < num_owners; ++owner) {
    base[owner] = next;
    next += count[owner];
  }
  Versions out;
  out.stored_rows.resize(new_rows.size());
  for (const uint32_t row : new_rows) out.stored_rows[base[owners[row]] + version[row]] = row;
  out.steps.resize(num_rows);
  out.inverse.resize(num_rows);
  std::vector<uint32_t> current(num_owners, 0);
  for (size_t row = 0; row < num_rows; ++row) {
    const uint32_t owner = owners[row];
    const auto step = static_cast<int32_t>(version[row] - current[owner]);
    out.steps[row] = static_cast<uint32_t>(step) << 1 ^ static_cast<uint32_t>(step >> 31);
    out.inverse[row] = base[owner] + version[row];
    current[owner] = version[row];
  }
  return out;
}

}  // namespace dsi::internal
