#include "dsi/arrow/in/read_decimals_internal.h"

#include <array>
#include <limits>

#include "dsi/base/bytes_internal.h"

namespace dsi::internal {
namespace {

using Int128 = __int128;

constexpr size_t kBytes = 16;
// Up to these a double holds a whole number, and a power of ten, so that their quotient is the
// double nearest to the decimal.
constexpr Int128 kMostWhole = Int128{1} << 53;
constexpr int64_t kMostPower = 22;

constexpr Int128 PowerOfTen(int64_t exponent) {
  Int128 power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

constexpr auto kPowers = [] {
  std::array<double, kMostPower + 1> powers{};
  double power = 1;
  for (double& one : powers) {
    one = power;
    power *= 10;
  }
  return powers;
}();

Int128 LoadWhole(const std::byte* from) {
  const auto low = LoadLE<uint64_t>(from);
  const auto high = LoadLE<uint64_t>(from + sizeof(low));
  return static_cast<Int128>(static_cast<unsigned __int128>(high) << 64 | low);
}

bool HoldsExactly(Int128 whole, int64_t scale) {
  return whole <= kMostWhole && whole >= -kMostWhole && scale <= kMostPower;
}

// False: it has more digits than a double tells apart.
bool ToDouble(Int128 whole, int64_t scale, double* value) {
  if (!HoldsExactly(whole, scale)) {
    // Zeros at the end say nothing: 12.990000000000000000.
    for (const int64_t zeros : {16, 8, 4, 2, 1}) {
      if (scale < zeros || whole % PowerOfTen(zeros) != 0) continue;
      whole /= PowerOfTen(zeros);
      scale -= zeros;
    }
    if (!HoldsExactly(whole, scale)) return false;
  }
  *value = static_cast<double>(whole) / kPowers[static_cast<size_t>(scale)];
  return true;
}

template <typename T>
bool ToWhole(Int128 whole, T* value) {
  *value = static_cast<T>(whole);
  return whole >= std::numeric_limits<T>::min() && whole <= std::numeric_limits<T>::max();
}

bool Store(Int128 whole, int64_t scale, Type type, std::byte* to) {
  if (type == Type::kUint64) {
    uint64_t value = 0;
    const bool fits = ToWhole(whole, &value);
    StoreLE(to, value);
    return fits;
  }
  if (type == Type::kInt64) {
    int64_t value = 0;
    const bool fits = ToWhole(whole, &value);
    StoreLE(to, value);
    return fits;
  }
  double value = 0;
  const bool fits = ToDouble(whole, scale, &value);
  StoreLE(to, value);
  return fits;
}

}  // namespace

Type TypeOfDecimals(const ArrowField& field, Type wanted) {
  return field.width == 0 && wanted == Type::kUint64 ? wanted : field.type;
}

Result<const std::byte*> ReadDecimals(const ArrowView& view, const Positions& at,
                                      const EntryRows& rows, Type type, const ColumnPlace& place,
                                      ArrowScratch* scratch) {
  const ArrowField& field = *view.field;
  const std::byte* from = view.buffer(1);
  if (from == nullptr) return nullptr;  // No slots.
  from += (view.start + (at.slots == nullptr ? at.begin : 0)) * kBytes;
  const Int128 limit = PowerOfTen(field.digits);
  const auto whole_at = [&](size_t i) {
    const int64_t slot = at.slots != nullptr ? at.slots[i] : static_cast<int64_t>(i);
    return slot < 0 ? Int128{0} : LoadWhole(from + static_cast<size_t>(slot) * kBytes);
  };
  const auto is_declared = [limit](Int128 whole) { return whole > -limit && whole < limit; };
  auto* to = scratch->Take<std::byte>(at.count * sizeof(int64_t));
  const auto load = [&](size_t begin, size_t count) {
    bool fits = true;
    for (size_t i = begin; i < begin + count; ++i) {
      const Int128 whole = whole_at(i);
      fits &= is_declared(whole) && Store(whole, field.width, type, to + i * sizeof(int64_t));
    }
    return fits;
  };
  DSI_RETURN_IF_ERROR(CheckEntries(rows, at.count, load, [&](size_t row, size_t entry) {
    const Int128 whole = whole_at(entry);
    if (!is_declared(whole)) {
      return place.RowFault(StatusCode::kBadInput, row, "a decimal of more than {} digits",
                            field.digits);
    }
    if (field.width == 0) {
      return place.RowFault(StatusCode::kOutOfRange, row,
                            "found {}, expected a value that fits type {}", whole, TypeName(type));
    }
    return place.RowFault(StatusCode::kOutOfRange, row,
                          "found {} / 10^{}, which has more digits than float64 tells apart: round "
                          "it, or cast the column to float64",
                          whole, field.width);
  }));
  return to;
}

}  // namespace dsi::internal
