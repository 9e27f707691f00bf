// What predicates say of rows that are held cell by cell, worked out one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dsi/format/types.h"
#include "dsi/fuzz/read_batches.h"
#include "dsi/reader/reader.h"

namespace dsi::fuzz {

// Holds a value of every type exactly.
using Wide = long double;

struct Cell {
  size_t length = 0;
  Wide number = 0;   // Of the first entry.
  std::string text;  // Of a string.
};

struct CellColumn {
  Type type = Type::kInt64;
  std::vector<std::optional<Cell>> rows;  // Nothing: missing.
};

using CellTable = std::map<std::string, CellColumn>;

inline Wide NumberAt(const std::byte* at, Type type) {
  const auto load = [at](auto value) -> Wide {
    std::memcpy(&value, at, sizeof(value));
    return static_cast<Wide>(value);
  };
  switch (type) {
    case Type::kInt8:
      return load(int8_t{});
    case Type::kInt32:
      return load(int32_t{});
    case Type::kInt64:
      return load(int64_t{});
    case Type::kUint64:
      return load(uint64_t{});
    case Type::kFloat32:
      return load(float{});
    case Type::kFloat64:
      return load(double{});
    default:
      return load(uint8_t{});
  }
}

// Of a file whose rows are one batch.
inline CellTable ReadCells(const Reader& reader) {
  CellTable table;
  const auto columns = reader.Columns();
  for (const ColumnInfo& column : *columns) {
    const auto scan =
        reader.NewScan({.features = {{.name = column.name, .layout = Layout::kJagged}}});
    Batch batch;
    if (!scan.ok() || !(*scan)->Next(&batch).ok()) Disagree("cannot read " + column.name);
    const auto view = batch.Jagged(column.name);
    const auto width = static_cast<size_t>(TypeWidth(column.type));
    CellColumn cells{.type = column.type, .rows = {}};
    for (size_t row = 0; row < view->rows; ++row) {
      cells.rows.emplace_back();
      if (view->present[row] == 0) continue;
      const auto begin = static_cast<size_t>(view->offsets[row]);
      const auto* const at = static_cast<const std::byte*>(view->values) + begin * width;
      Cell& cell = cells.rows.back().emplace();
      cell.length = static_cast<size_t>(view->offsets[row + 1]) - begin;
      if (column.type == Type::kBytes) {
        cell.text.assign(reinterpret_cast<const char*>(at), cell.length);
      } else if (cell.length > 0) {
        cell.number = NumberAt(at, column.type);
      }
    }
    table[column.name] = std::move(cells);
  }
  return table;
}

template <typename T>
bool Holds(Compare compare, const T& a, const T& b) {
  switch (compare) {
    case Compare::kEqual:
    case Compare::kIn:
      return a == b;
    case Compare::kNotEqual:
    case Compare::kNotIn:
      return a != b;
    case Compare::kLess:
      return a < b;
    case Compare::kLessEqual:
      return a <= b;
    case Compare::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

// As a column of the type compares with it.
inline Wide WideOf(const FilterValue& value, Type type) {
  return std::visit(
      [type](const auto& v) -> Wide {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(v)>>) {
          if (type == Type::kFloat32) return static_cast<float>(v);
          if (type == Type::kFloat64) return static_cast<double>(v);
          return static_cast<Wide>(v);
        }
        Disagree("a string where a number is expected");
      },
      value);
}

// Hashes and times are not worked out here.
inline bool IsPlain(const Predicate& term) {
  const auto is_text = [](const FilterValue& v) { return std::holds_alternative<std::string>(v); };
  const bool has_text =
      is_text(term.value) || std::any_of(term.values.begin(), term.values.end(), is_text);
  return term.subject != Subject::kHash && !(has_text && term.column == "ts");
}

// Without its alternatives.
inline bool TermHolds(const CellTable& table, const Predicate& term, size_t row) {
  const CellColumn& column = table.at(term.column);
  const std::optional<Cell>& cell = column.rows[row];
  if (term.compare == Compare::kMissing) return !cell.has_value();
  if (!cell.has_value() || term.compare == Compare::kExists) return cell.has_value();
  const auto holds = [&](const FilterValue& value) {
    if (term.subject == Subject::kLength)
      return Holds<Wide>(term.compare, static_cast<Wide>(cell->length),
                         WideOf(value, Type::kUint32));
    if (column.type == Type::kBytes)
      return Holds(term.compare, cell->text, std::get<std::string>(value));
    return Holds(term.compare, cell->number, WideOf(value, column.type));
  };
  const std::vector<FilterValue>& values = term.values;
  if (term.compare == Compare::kIn) return std::any_of(values.begin(), values.end(), holds);
  if (term.compare == Compare::kNotIn) return std::all_of(values.begin(), values.end(), holds);
  return holds(term.value);
}

}  // namespace dsi::fuzz
