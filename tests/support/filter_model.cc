#include "dsi/tests/support/filter_model.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace dsi::test {
namespace {

// As a column of the type compares with it.
Wide WidenValue(const FilterValue& value, Type type) {
  return std::visit(
      [type](const auto& v) -> Wide {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(v)>>) {
          if (type == Type::kFloat32) return static_cast<float>(v);
          if (type == Type::kFloat64) return static_cast<double>(v);
          return static_cast<Wide>(v);
        } else {
          ADD_FAILURE() << "a string where a number is expected: " << v;
          return 0;
        }
      },
      value);
}

template <typename T>
bool Holds(Compare compare, const T& a, const T& b) {
  switch (compare) {
    case Compare::kEqual:
    case Compare::kIn:
      return a == b;
    case Compare::kNotEqual:
    case Compare::kNotIn:
      return !(a == b);
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

std::string Text(const std::vector<uint64_t>& entries) { return {entries.begin(), entries.end()}; }

// The number that row_filter.h promises of a value, in small steps.
double HashedTo(const ModelColumn& column, const std::vector<uint64_t>& entries, uint64_t salt) {
  uint64_t bits = 0;
  if (column.type == Type::kBytes) {
    const std::string text = Text(entries);
    bits = XXH3_64bits(text.data(), text.size());
  } else if (const Wide value = Widen(entries.front(), column.type); !IsFloat(column.type)) {
    bits = static_cast<uint64_t>(static_cast<int64_t>(entries.front()));
    if (value < 0) bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  } else if (std::isfinite(value) && value == std::floor(value) && std::abs(value) < 0x1p62L) {
    bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  } else {
    bits = std::bit_cast<uint64_t>(std::isnan(value) ? std::nan("") : static_cast<double>(value));
  }
  uint64_t z = bits + (salt + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return std::ldexp(static_cast<double>((z ^ (z >> 31)) >> 11), -53);
}

// Without its alternatives.
bool PassesAlone(const ModelTable& table, const Predicate& predicate, size_t row);
Predicate RandomTerm(const ModelTable& table, std::mt19937_64* random);

}  // namespace

Wide Widen(uint64_t bits, Type type) {
  if (type == Type::kFloat32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (type == Type::kFloat64) return std::bit_cast<double>(bits);
  if (!IsSignedInteger(type)) return static_cast<Wide>(bits);
  const int shift = 64 - 8 * TypeWidth(type);
  return static_cast<Wide>(static_cast<int64_t>(bits << shift) >> shift);
}

bool IsComparable(const ModelColumn& column) { return HasOneValue(column.kind); }

FilterValue ValueOf(const ModelColumn& column, const std::vector<uint64_t>& entries) {
  if (column.type == Type::kBytes) return Text(entries);
  const uint64_t bits = entries.front();
  if (IsFloat(column.type)) return static_cast<double>(Widen(bits, column.type));
  if (column.type == Type::kUint64) return bits;
  return static_cast<int64_t>(Widen(bits, column.type));
}

bool Passes(const ModelTable& table, const Predicate& predicate, size_t row) {
  return PassesAlone(table, predicate, row) ||
         std::any_of(predicate.alternatives.begin(), predicate.alternatives.end(),
                     [&](const Predicate& other) { return Passes(table, other, row); });
}

Predicate RandomPredicate(const ModelTable& table, std::mt19937_64* random) {
  Predicate predicate = RandomTerm(table, random);
  while ((*random)() % 3 == 0) predicate.alternatives.push_back(RandomPredicate(table, random));
  return predicate;
}

namespace {

bool PassesAlone(const ModelTable& table, const Predicate& predicate, size_t row) {
  const ModelColumn& column = table.Column(predicate.column);
  const auto& entries = column.rows[row];
  if (predicate.compare == Compare::kMissing) return !entries.has_value();
  if (!entries.has_value()) return false;
  if (predicate.compare == Compare::kExists) return true;
  const auto holds = [&](const FilterValue& value) {
    if (predicate.subject == Subject::kHash)
      return Holds(predicate.compare, HashedTo(column, *entries, predicate.salt),
                   std::get<double>(value));
    if (predicate.subject == Subject::kLength)
      return Holds(predicate.compare, static_cast<Wide>(entries->size()),
                   WidenValue(value, Type::kUint32));
    if (column.type == Type::kBytes)
      return Holds(predicate.compare, Text(*entries), std::get<std::string>(value));
    return Holds(predicate.compare, Widen(entries->front(), column.type),
                 WidenValue(value, column.type));
  };
  const std::vector<FilterValue>& values = predicate.values;
  if (predicate.compare == Compare::kIn) return std::any_of(values.begin(), values.end(), holds);
  if (predicate.compare == Compare::kNotIn) return std::all_of(values.begin(), values.end(), holds);
  return holds(predicate.value);
}

Predicate RandomTerm(const ModelTable& table, std::mt19937_64* random) {
  const ModelColumn& column = table.columns[(*random)() % table.columns.size()];
  Predicate predicate;
  predicate.column = column.name;
  if (HasLengths(column.kind, column.type) && (*random)() % 2 == 0) {
    predicate.subject = Subject::kLength;
    predicate.compare = static_cast<Compare>((*random)() % 10);
    const auto some_length = [&]() -> FilterValue {
      const auto& row = column.rows[(*random)() % table.num_rows];
      const auto length = static_cast<int64_t>(row.has_value() ? row->size() : 0);
      if ((*random)() % 3 == 0) return static_cast<double>(length) + 0.5;
      return length + static_cast<int64_t>((*random)() % 3) - 1;
    };
    predicate.value = some_length();
    for (uint64_t n = (*random)() % 5; n > 0; --n) predicate.values.push_back(some_length());
    return predicate;
  }
  if (!IsComparable(column)) {
    predicate.compare = (*random)() % 2 == 0 ? Compare::kExists : Compare::kMissing;
    return predicate;
  }
  if ((*random)() % 5 == 0) {
    predicate.subject = Subject::kHash;
    predicate.salt = (*random)() % 3;
    predicate.compare = static_cast<Compare>(static_cast<int>(Compare::kLess) + (*random)() % 4);
    predicate.value = static_cast<double>((*random)() % 11) / 10;
    return predicate;
  }
  predicate.compare = static_cast<Compare>((*random)() % 10);
  const auto some_value = [&]() -> FilterValue {
    const auto& row = column.rows[(*random)() % table.num_rows];
    FilterValue value = ValueOf(column, row.value_or(std::vector<uint64_t>{0}));
    const uint64_t beside = (*random)() % 4;
    if (auto* const text = std::get_if<std::string>(&value); text != nullptr && beside == 0) {
      if (!text->empty()) text->pop_back();
    } else if (auto* const whole = std::get_if<int64_t>(&value); whole != nullptr && beside == 0) {
      *whole = static_cast<int64_t>(static_cast<uint64_t>(*whole) - 1);
    }
    return value;
  };
  predicate.value = some_value();
  for (uint64_t n = (*random)() % 5; n > 0; --n) predicate.values.push_back(some_value());
  return predicate;
}

}  // namespace
}  // namespace dsi::test
