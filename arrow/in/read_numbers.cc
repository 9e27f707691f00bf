// Steps from the buffer of an array to the values of a column, each left out where it changes
// nothing: pick, unpack, count in another unit, convert.
#include "dsi/arrow/in/read_numbers_internal.h"

#include "dsi/arrow/in/convert_numbers_internal.h"
#include "dsi/arrow/in/read_decimals_internal.h"
#include "dsi/base/bytes_internal.h"
#include "dsi/format/number_fit_internal.h"

namespace dsi::internal {
namespace {

struct Numbers {
  Type type = Type::kInt64;
  const std::byte* values = nullptr;
};

template <typename T>
std::byte* Pick(const std::byte* from, const Positions& at, ArrowScratch* scratch) {
  auto* to = scratch->Take<std::byte>(at.count * sizeof(T));
  for (size_t i = 0; i < at.count; ++i) {
    const int64_t slot = at.slots[i];
    const T value = slot < 0 ? T{} : LoadLE<T>(from + static_cast<size_t>(slot) * sizeof(T));
    StoreLE(to + i * sizeof(T), value);
  }
  return to;
}

// Numbers of `width` bytes, in place unless they are picked.
const std::byte* LoadFixed(const ArrowView& view, size_t width, const Positions& at,
                           ArrowScratch* scratch) {
  const std::byte* values = view.buffer(1);
  if (values == nullptr) return nullptr;  // No slots.
  values += view.start * width;
  if (at.slots == nullptr) return values + at.begin * width;
  switch (width) {
    case 1:
      return Pick<uint8_t>(values, at, scratch);
    case 2:
      return Pick<uint16_t>(values, at, scratch);
    case 4:
      return Pick<uint32_t>(values, at, scratch);
    default:
      return Pick<uint64_t>(values, at, scratch);
  }
}

const std::byte* LoadBools(const ArrowView& view, const Positions& at, ArrowScratch* scratch) {
  auto* to = scratch->Take<uint8_t>(at.count);
  const SlotBits bits{reinterpret_cast<const uint8_t*>(view.buffer(1)), view.start};
  if (at.slots != nullptr) {
    for (size_t i = 0; i < at.count; ++i) {
      const int64_t slot = at.slots[i];
      to[i] = slot >= 0 && bits.IsSet(static_cast<size_t>(slot)) ? 1 : 0;
    }
    return reinterpret_cast<std::byte*>(to);
  }
  for (size_t i = 0; i < at.count; i += 64) {
    const size_t count = std::min<size_t>(64, at.count - i);
    uint64_t word = BitWord(bits.bits, bits.start + at.begin + i, count);
    for (size_t k = 0; k < count; ++k, word >>= 1) to[i + k] = word & 1;
  }
  return reinterpret_cast<std::byte*>(to);
}

Result<Numbers> Load(const ArrowView& view, const Positions& at, const EntryRows& rows, Type wanted,
                     const ColumnPlace& place, ArrowScratch* scratch) {
  const ArrowField& field = *view.field;
  if (field.form == ArrowForm::kDecimal) {
    Numbers numbers{TypeOfDecimals(field, wanted), nullptr};
    DSI_ASSIGN_OR_RETURN(numbers.values,
                         ReadDecimals(view, at, rows, numbers.type, place, scratch));
    return numbers;
  }
  if (field.form == ArrowForm::kBool) return Numbers{Type::kBool, LoadBools(view, at, scratch)};
  if (field.form == ArrowForm::kNumber) {
    return Numbers{field.type,
                   LoadFixed(view, static_cast<size_t>(TypeWidth(field.type)), at, scratch)};
  }
  const std::byte* halves = LoadFixed(view, sizeof(uint16_t), at, scratch);
  auto* floats = scratch->Take<std::byte>(at.count * sizeof(float));
  ConvertHalves(halves, at.count, floats);
  return Numbers{Type::kFloat32, floats};
}

// Points in time from one unit to another; exact or a fault.
Result<const std::byte*> CountIn(int64_t from_nanos, int64_t to_nanos, const std::byte* from,
                                 size_t count, const EntryRows& rows, const ColumnPlace& place,
                                 ArrowScratch* scratch) {
  auto* to = scratch->Take<std::byte>(count * sizeof(int64_t));
  const bool finer = from_nanos >= to_nanos;
  const int64_t factor = finer ? from_nanos / to_nanos : to_nanos / from_nanos;
  const auto convert = [&](size_t begin, size_t num) {
    bool fits = true;
    for (size_t i = begin; i < begin + num; ++i) {
      const auto value = LoadLE<int64_t>(from + i * sizeof(int64_t));
      int64_t result = 0;
      if (finer) {
        fits &= !__builtin_mul_overflow(value, factor, &result);
      } else {
        fits &= value % factor == 0;
        result = value / factor;
      }
      StoreLE(to + i * sizeof(int64_t), result);
    }
    return fits;
  };
  DSI_RETURN_IF_ERROR(CheckEntries(rows, count, convert, [&](size_t row, size_t entry) {
    return place.RowFault(StatusCode::kOutOfRange, row,
                          "found time {}, which the unit of the timestamp does not hold exactly: "
                          "declare a finer or a coarser one",
                          TextOfNumber(Type::kInt64, from + entry * sizeof(int64_t)));
  }));
  return to;
}

Result<Numbers> Convert(const Numbers& from, Type type, size_t count, const EntryRows& rows,
                        const ColumnPlace& place, ArrowScratch* scratch) {
  if (from.type == type) return from;
  const auto from_width = static_cast<size_t>(TypeWidth(from.type));
  const auto to_width = static_cast<size_t>(TypeWidth(type));
  auto* to = scratch->Take<std::byte>(count * to_width);
  const auto convert = [&](size_t begin, size_t num) {
    return ConvertNumbers(from.type, from.values + begin * from_width, num, type,
                          to + begin * to_width);
  };
  DSI_RETURN_IF_ERROR(CheckEntries(rows, count, convert, [&](size_t row, size_t entry) {
    const std::string value = TextOfNumber(from.type, from.values + entry * from_width);
    if (IsFloat(type) && !IsFloat(from.type)) {
      return place.RowFault(StatusCode::kOutOfRange, row, "found {}, {}", value,
                            AdviceOnWhole(type));
    }
    return place.RowFault(StatusCode::kOutOfRange, row,
                          "found {}, expected a value that fits type {}", value, TypeName(type));
  }));
  return Numbers{type, to};
}

template <typename Index>
bool LoadIndices(const std::byte* from, size_t begin, size_t count, size_t size, int64_t* to) {
  bool fits = true;
  for (size_t i = begin; i < begin + count; ++i) {
    // Negative ones are large.
    const auto index = static_cast<uint64_t>(LoadLE<Index>(from + i * sizeof(Index)));
    const bool known = index < size;
    fits &= known;
    to[i] = known ? static_cast<int64_t>(index) : -1;
  }
  return fits;
}

bool LoadIndicesOf(Type type, const std::byte* from, size_t begin, size_t count, size_t size,
                   int64_t* to) {
  switch (type) {
    case Type::kInt8:
      return LoadIndices<int8_t>(from, begin, count, size, to);
    case Type::kInt16:
      return LoadIndices<int16_t>(from, begin, count, size, to);
    case Type::kInt32:
      return LoadIndices<int32_t>(from, begin, count, size, to);
    case Type::kUint8:
      return LoadIndices<uint8_t>(from, begin, count, size, to);
    case Type::kUint16:
      return LoadIndices<uint16_t>(from, begin, count, size, to);
    case Type::kUint32:
      return LoadIndices<uint32_t>(from, begin, count, size, to);
    default:
      return LoadIndices<uint64_t>(from, begin, count, size, to);
  }
}

bool AllSet(const SlotBits& bits, const Positions& at, size_t begin, size_t count) {
  if (at.slots == nullptr) {
    for (size_t i = 0; i < count; i += 64) {
      const size_t num = std::min<size_t>(64, count - i);
      const uint64_t full = num == 64 ? ~uint64_t{0} : (uint64_t{1} << num) - 1;
      if (BitWord(bits.bits, bits.start + at.begin + begin + i, num) != full) return false;
    }
    return true;
  }
  for (size_t i = begin; i < begin + count; ++i) {
    if (at.slots[i] >= 0 && !bits.IsSet(static_cast<size_t>(at.slots[i]))) return false;
  }
  return true;
}

}  // namespace

Status CheckNoNulls(const SlotBits& bits, const Positions& at, const EntryRows& rows,
                    const ColumnPlace& place) {
  if (bits.bits == nullptr) return {};
  const auto no_nulls = [&](size_t begin, size_t count) { return AllSet(bits, at, begin, count); };
  return CheckEntries(rows, at.count, no_nulls, [&](size_t row, size_t entry) {
    return place.RowFault(StatusCode::kBadInput, row,
                          "entry {} is null, expected a number (lists hold no nulls; null_entries "
                          "drops or fills them)",
                          entry - rows.Begin(row));
  });
}

Result<const int64_t*> ReadIndices(const ArrowView& view, const Positions& at,
                                   const EntryRows& rows, size_t size, const ColumnPlace& place,
                                   ArrowScratch* scratch) {
  const Type type = view.field->type;
  const auto width = static_cast<size_t>(TypeWidth(type));
  const std::byte* from = LoadFixed(view, width, at, scratch);
  auto* to = scratch->Take<int64_t>(at.count);
  const auto load = [&](size_t begin, size_t count) {
    bool fits = LoadIndicesOf(type, from, begin, count, size, to);
    if (at.slots == nullptr) return fits;
    fits = true;
    for (size_t i = begin; i < begin + count; ++i) {
      if (at.slots[i] < 0) to[i] = -1;  // Filled, whatever the dictionary holds.
      fits &= at.slots[i] < 0 || to[i] >= 0;
    }
    return fits;
  };
  DSI_RETURN_IF_ERROR(CheckEntries(rows, at.count, load, [&](size_t row, size_t entry) {
    return place.RowFault(StatusCode::kBadInput, row, "index {} into a dictionary of {} values",
                          TextOfNumber(type, from + entry * width), size);
  }));
  return to;
}

Result<const std::byte*> ReadNumbers(const ArrowView& view, const Positions& at,
                                     const EntryRows& rows, const NumberTarget& target,
                                     const ColumnPlace& place, ArrowScratch* scratch) {
  // Also a dictionary without values: no row looks at it.
  if (view.count == 0) {
    if (at.count == 0) return nullptr;
    auto* zeros = scratch->Take<std::byte>(at.count * static_cast<size_t>(TypeWidth(target.type)));
    std::fill_n(zeros, at.count * static_cast<size_t>(TypeWidth(target.type)), std::byte{0});
    return zeros;
  }
  DSI_ASSIGN_OR_RETURN(Numbers numbers, Load(view, at, rows, target.type, place, scratch));
  const int64_t nanos = view.field->instant_nanos;
  if (nanos != 0 && target.instant_nanos != 0 && nanos != target.instant_nanos) {
    DSI_ASSIGN_OR_RETURN(numbers, Convert(numbers, Type::kInt64, at.count, rows, place, scratch));
    DSI_ASSIGN_OR_RETURN(numbers.values, CountIn(nanos, target.instant_nanos, numbers.values,
                                                 at.count, rows, place, scratch));
  }
  DSI_ASSIGN_OR_RETURN(numbers, Convert(numbers, target.type, at.count, rows, place, scratch));
  return numbers.values;
}

}  // namespace dsi::internal
