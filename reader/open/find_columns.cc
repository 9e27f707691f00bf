// Names to columns: through the sealed name index without reading the directory (spec F-072), or by
// a glob over all names.
#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {
namespace {

// Advice for a mistyped name reads all names; wider files answer without it.
constexpr uint32_t kMaxColumnsForAdvice = 1 << 16;
constexpr size_t kAdvice = 3;

class NameIndex {
 public:
  explicit NameIndex(const OpenFile& file) : file_(file), table_(file.name_index()) {}

  Result<NameIndexRecord> At(uint32_t i) const {
    std::byte bytes[NameIndexRecord::kSize];
    DSI_RETURN_IF_ERROR(table_.Read(i, 1, bytes, file_.ahead()));
    return NameIndexRecord::DecodeFrom(bytes);
  }

  // The first entry whose hash is not below `hash`. Hashes are uniform: the first guess is near, so
  // steps that double find a bracket inside the same block; a table that is not uniform costs a
  // logarithm.
  Result<uint32_t> LowerBound(uint32_t hash) const {
    const uint32_t count = table_.count();
    if (count == 0) return 0U;
    const auto guess = static_cast<uint32_t>(uint64_t{hash} * count >> 32);
    uint64_t low = 0;       // Every entry before it is below.
    uint64_t high = count;  // It and every entry after it are not.
    DSI_ASSIGN_OR_RETURN(const NameIndexRecord at, At(guess));
    uint64_t step = 8;
    if (at.hash < hash) {
      low = uint64_t{guess} + 1;
      for (uint64_t i = guess + step; i < count; step *= 2, i += step) {
        DSI_ASSIGN_OR_RETURN(const NameIndexRecord r, At(static_cast<uint32_t>(i)));
        if (r.hash >= hash) {
          high = i;
          break;
        }
        low = i + 1;
      }
    } else {
      high = guess;
      for (uint64_t back = step; back <= guess; step *= 2, back += step) {
        DSI_ASSIGN_OR_RETURN(const NameIndexRecord r, At(static_cast<uint32_t>(guess - back)));
        if (r.hash < hash) {
          low = guess - back + 1;
          break;
        }
        high = guess - back;
      }
    }
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      DSI_ASSIGN_OR_RETURN(const NameIndexRecord r, At(static_cast<uint32_t>(middle)));
      if (r.hash < hash) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return static_cast<uint32_t>(low);
  }

  // Columns of exactly this name; empty when there are none.
  Result<std::vector<uint32_t>> Find(std::string_view name) const {
    const uint32_t hash = NameIndexRecord::HashOf(name);
    DSI_ASSIGN_OR_RETURN(uint32_t i, LowerBound(hash));
    for (; i < table_.count(); ++i) {
      DSI_ASSIGN_OR_RETURN(const NameIndexRecord entry, At(i));
      if (entry.hash != hash) break;
      if (entry.column >= file_.core().columns.count) {
        return Corrupt("name index: entry {}: column {} of {} (F-072)", i, entry.column,
                       file_.core().columns.count);
      }
      file_.LookAtColumn(entry.column);
      DSI_ASSIGN_OR_RETURN(const OpenColumn column, file_.LoadAnyColumn(entry.column));
      const ColumnRecord& r = column.record;
      // While lookups are noted, a name that is not in memory yet is taken for the one looked for.
      const bool is_it =
          column.name.empty() || (entry.is_feature ? column.feature_name() : column.name) == name;
      if (!entry.is_feature && is_it) return std::vector{entry.column};
      if (entry.is_feature && r.place == 0 && is_it) {
        DSI_RETURN_IF_ERROR(file_.CheckFollowers(column));
        std::vector<uint32_t> columns(r.num_columns);
        std::iota(columns.begin(), columns.end(), entry.column);
        return columns;
      }
    }
    return std::vector<uint32_t>{};
  }

 private:
  const OpenFile& file_;
  const SealedTable& table_;
};

// Calls visit(ordinal, column name, feature name) for every column that this build can read: by a
// pattern nobody asks for another by name (S-010, S-011).
template <typename Visit>
Status ForEachName(const OpenFile& file, const Visit& visit) {
  CountedVector<std::byte> names;
  CountedVector<std::byte> records;
  DSI_RETURN_IF_ERROR(file.names().ReadAll(&names, file.ahead()));
  DSI_RETURN_IF_ERROR(file.columns().ReadAll(&records, file.ahead()));
  const std::string_view heap(reinterpret_cast<const char*>(names.data()), names.size());
  for (uint32_t i = 0; i < file.core().columns.count; ++i) {
    auto record = ColumnRecord::DecodeFrom(records.data() + i * ColumnRecord::kSize);
    if (!record.ok()) return record.status().At(fmt::format("column {}", i));
    if (!record->Support().ok()) continue;
    if (record->name_offset > heap.size() ||
        record->name_size > heap.size() - record->name_offset) {
      return Corrupt("column {}: name outside the name heap (F-071)", i);
    }
    const std::string_view name = heap.substr(record->name_offset, record->name_size);
    visit(i, name, name.substr(0, record->feature_name_size));
  }
  return Status::Ok();
}

Result<std::string> Advice(const OpenFile& file, std::string_view name) {
  if (file.core().columns.count > kMaxColumnsForAdvice) return std::string();
  NearNames near(name, kAdvice);
  DSI_RETURN_IF_ERROR(ForEachName(
      file, [&](uint32_t, std::string_view column, std::string_view) { near.Offer(column); }));
  return near.Advice();
}

}  // namespace

Result<std::vector<uint32_t>> OpenFile::FindColumns(std::string_view name) const {
  DSI_ASSIGN_OR_RETURN(std::vector<uint32_t> columns, NameIndex(*this).Find(name));
  if (!columns.empty()) return columns;
  if (name.find_first_of("*?") != std::string_view::npos) {
    DSI_RETURN_IF_ERROR(
        ForEachName(*this, [&](uint32_t i, std::string_view column, std::string_view feature) {
          if (GlobMatches(name, column) || GlobMatches(name, feature)) columns.push_back(i);
        }));
    if (!columns.empty()) return columns;
    return Error(StatusCode::kNotFound, "no feature matches \"{}\"", name);
  }
  DSI_ASSIGN_OR_RETURN(const std::string advice, Advice(*this, name));
  return Error(StatusCode::kNotFound, "no feature is called \"{}\"{}", name, advice);
}

}  // namespace dsi::internal
