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
  for (size_t i = 0; i < powers.size(); ++i)
    powers[i] = static_cast<double>(PowerOfTen(static_cast<int64_t>(i)));
  return powers;
}();

// As many zeros as one step takes away, and the power of ten that does.
struct ZeroStep {
  int64_t zeros;
  Int128 power;
};
constexpr ZeroStep kZeroSteps[] = {{16, PowerOfTen(16)},
                                   {8, PowerOfTen(8)},
                                   {4, PowerOfTen(4)},
                                   {2, PowerOfTen(2)},
                                   {1, PowerOfTen(1)}};

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
    for (const ZeroStep& step : kZeroSteps) {
      if (scale < step.zeros || whole % step.power != 0) continue;
      whole /= step.power;
      scale -= step.zeros;
    }
    if (!HoldsExactly(whole, scale)) return false;
  }
  *value = static_cast<double>(whole) / kPowers[static_cast<size_t>(scale)];
  return true;
}

template <typename T>
bool StoreWhole(Int128 whole, std::byte* to) {
  StoreLE(to, static_cast<T>(whole));
  return whole >= std::numeric_limits<T>::min() && whole <= std::numeric_limits<T>::max();
}

bool Store(Int128 whole, int64_t scale, Type type, std::byte* to) {
  if (type == Type::kUint64) return StoreWhole<uint64_t>(whole, to);
  if (type == Type::kInt64) return StoreWhole<int64_t>(whole, to);
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
