#include "dsi/dataset/compare/column_pairs_internal.h"

#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/format/reserved_names_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMostAdvice = 3;

// What a feature calls its column; empty where it has one.
std::string_view PartOf(const ColumnInfo& column) {
  return std::string_view(column.name).substr(column.feature.size());
}

// Of each column of A that of B.
std::vector<std::optional<size_t>> MatchColumns(std::span<const ColumnInfo> a,
                                                std::span<const ColumnInfo> b) {
  std::map<std::pair<uint64_t, std::string_view>, size_t> by_id;
  std::unordered_map<std::string_view, size_t> by_name;
  for (size_t i = 0; i < b.size(); ++i) {
    by_id.emplace(std::pair(b[i].feature_id, PartOf(b[i])), i);
    by_name.emplace(b[i].name, i);
  }
  std::vector<std::optional<size_t>> matched(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const auto found = by_id.find({a[i].feature_id, PartOf(a[i])});
    if (found == by_id.end()) continue;
    matched[i] = found->second;
    by_name.erase(b[found->second].name);
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (matched[i]) continue;
    const auto found = by_name.find(a[i].name);
    if (found != by_name.end()) matched[i] = found->second;
  }
  return matched;
}

std::vector<std::string> ChangesOf(const ColumnInfo& a, const ColumnInfo& b) {
  std::vector<std::string> changes;
  const auto look = [&changes](const char* word, bool is_same) {
    if (!is_same) changes.emplace_back(word);
  };
  look("name", a.name == b.name);
  look("id", a.feature_id == b.feature_id);
  look("kind", a.kind == b.kind);
  look("type", a.type == b.type);
  look("unit", a.time_unit == b.time_unit);
  look("id_space", a.id_space == b.id_space);
  look("max_length", a.max_length == b.max_length);
  look("length", a.fixed_length == b.fixed_length);
  look("newest", a.newest_first == b.newest_first);
  look("nested", a.nested == b.nested);
  // Bits of two types are not alike.
  look("default", a.default_bits.has_value() == b.default_bits.has_value() &&
                      (a.type != b.type || a.default_bits == b.default_bits));
  look("precision", a.precision == b.precision);
  look("hashed", a.hashed == b.hashed);
  return changes;
}

Status SupportOf(const ComparedColumn& column) {
  if (!column.a) return Error(StatusCode::kNotFound, "A has no column {}", column.name());
  if (!column.b) return Error(StatusCode::kNotFound, "B has no column {}", column.name());
  DSI_RETURN_IF_ERROR(column.a->support.At("A"));
  DSI_RETURN_IF_ERROR(column.b->support.At("B"));
  if ((column.a->type == Type::kBytes) == (column.b->type == Type::kBytes)) return Status::Ok();
  const bool is_string = column.a->type == Type::kBytes;
  return InvalidArgument("column {}: A has {}, B {}", column.name(),
                         is_string ? "strings" : "numbers", is_string ? "numbers" : "strings");
}

bool IsNamed(std::string_view name, const std::optional<ColumnInfo>& column) {
  return column && (name == column->name || name == column->feature);
}
bool IsMatched(std::string_view name, const std::optional<ColumnInfo>& column) {
  return column && (GlobMatches(name, column->name) || GlobMatches(name, column->feature));
}

Status NotThere(std::string_view name, std::span<const ComparedColumn> columns) {
  NearNames near(name, kMostAdvice);
  for (const ComparedColumn& column : columns) near.Offer(column.name());
  return Error(StatusCode::kNotFound, "neither has a feature {}{}", name, near.Advice());
}

}  // namespace

std::vector<ComparedColumn> PairColumns(std::span<const ColumnInfo> a,
                                        std::span<const ColumnInfo> b) {
  const std::vector<std::optional<size_t>> matched = MatchColumns(a, b);
  std::vector<ComparedColumn> columns;
  std::vector<bool> is_taken(b.size(), false);
  for (size_t i = 0; i < a.size(); ++i) {
    ComparedColumn& column = columns.emplace_back();
    column.a = a[i];
    if (!matched[i]) continue;
    column.b = b[*matched[i]];
    column.changes = ChangesOf(*column.a, *column.b);
    is_taken[*matched[i]] = true;
  }
  for (size_t i = 0; i < b.size(); ++i) {
    if (!is_taken[i]) columns.emplace_back().b = b[i];
  }
  for (ComparedColumn& column : columns) {
    column.support = SupportOf(column);
    column.has_same_values = column.support.ok();
  }
  return columns;
}

Status ChoosePairs(std::span<const std::string> names, std::vector<ComparedColumn>* columns) {
  if (names.empty()) {
    std::erase_if(*columns,
                  [](const ComparedColumn& column) { return column.name() == kPositionName; });
    return Status::Ok();
  }
  std::vector<bool> is_chosen(columns->size(), false);
  for (const std::string& name : names) {
    const auto choose = [&](const auto& is_meant) {
      bool found = false;
      for (size_t i = 0; i < columns->size(); ++i) {
        const ComparedColumn& column = (*columns)[i];
        if (!is_meant(name, column.a) && !is_meant(name, column.b)) continue;
        is_chosen[i] = found = true;
      }
      return found;
    };
    // A name that is there is no pattern.
    if (!choose(IsNamed) && !choose(IsMatched)) return NotThere(name, *columns);
  }
  size_t kept = 0;
  for (size_t i = 0; i < columns->size(); ++i) {
    if (is_chosen[i]) std::swap((*columns)[kept++], (*columns)[i]);
  }
  columns->resize(kept);
  return Status::Ok();
}

Result<std::vector<size_t>> FindKey(std::span<const std::string> names,
                                    std::span<const ComparedColumn> columns) {
  std::vector<size_t> key;
  for (const std::string& name : names) {
    const size_t known = key.size();
    for (size_t i = 0; i < columns.size(); ++i) {
      if (!IsNamed(name, columns[i].a) && !IsNamed(name, columns[i].b)) continue;
      if (!columns[i].support.ok())
        return InvalidArgument("key {}: {}", name, columns[i].support.message());
      key.push_back(i);
    }
    if (key.size() == known) return NotThere(name, columns);
  }
  return key;
}

}  // namespace dsi::internal
