#include "dsi/format/statistics_internal.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr std::byte kNoBounds{0x0F};
constexpr std::byte kNoTextBounds{0xFF};
constexpr uint64_t kSign = uint64_t{1} << 63;

uint64_t ReverseBytes(uint64_t bits, int width) {
  return __builtin_bswap64(bits) >> (64 - 8 * width);
}

int BytesFor(uint64_t value) { return (static_cast<int>(std::bit_width(value)) + 7) / 8; }

void AppendBytes(uint64_t value, int count, std::vector<std::byte>* out) {
  for (int i = 0; i < count; ++i) out->push_back(static_cast<std::byte>(value >> 8 * i));
}

// What is stored of the least value: few bytes for numbers near 0, of floats for few digits.
uint64_t StoredLeast(Type type, uint64_t bits) {
  if (IsFloat(type)) return ReverseBytes(bits, TypeWidth(type));
  if (!IsSignedInteger(type)) return bits;
  return bits << 1 ^ static_cast<uint64_t>(static_cast<int64_t>(bits) >> 63);  // Zigzag.
}

uint64_t LeastOf(Type type, uint64_t stored) {
  if (IsFloat(type)) return ReverseBytes(stored, TypeWidth(type));
  if (!IsSignedInteger(type)) return stored;
  return stored >> 1 ^ (~(stored & 1) + 1);
}

uint64_t StoredGreatest(Type type, uint64_t least, uint64_t greatest) {
  return IsFloat(type) ? ReverseBytes(greatest, TypeWidth(type)) : greatest - least;
}

// Whether both are values of the type, one not above the other.
bool AreBounds(Type type, uint64_t least, uint64_t greatest) {
  const int bits = 8 * TypeWidth(type);
  if (IsFloat(type)) {
    if (bits == 32 && ((least | greatest) >> 32) != 0) return false;
    return !IsNan(type, least) && !IsNan(type, greatest) &&
           OrderedBits(type, least) <= OrderedBits(type, greatest);
  }
  if (IsSignedInteger(type)) {
    const int64_t most = std::numeric_limits<int64_t>::max() >> (64 - bits);
    const auto low = static_cast<int64_t>(least);
    const auto high = static_cast<int64_t>(greatest);
    return low <= high && low >= -most - 1 && high <= most;
  }
  const uint64_t most = type == Type::kBool ? 1 : ~uint64_t{0} >> (64 - bits);
  return least <= greatest && greatest <= most;
}

Status Bad(const char* what) { return Corrupt("statistics: {} (F-083)", what); }

// A number of `count` bytes, the last of which is not zero.
Result<uint64_t> TakeNumber(int count, std::span<const std::byte>* bytes) {
  if (static_cast<size_t>(count) > bytes->size()) return Bad("they end inside an entry");
  uint64_t value = 0;
  for (int i = 0; i < count; ++i) value |= std::to_integer<uint64_t>((*bytes)[i]) << 8 * i;
  if (BytesFor(value) != count) return Bad("a number in more bytes than it needs");
  *bytes = bytes->subspan(static_cast<size_t>(count));
  return value;
}

template <typename T>
void Widen(const std::byte* values, size_t count, ColumnStatistics* statistics) {
  T least = std::numeric_limits<T>::max();
  T greatest = std::numeric_limits<T>::min();
  for (size_t i = 0; i < count; ++i) {
    const T value = LoadLE<T>(values + i * sizeof(T));
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  if (count == 0) return;
  using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  Wide low = least;
  Wide high = greatest;
  if (statistics->has_bounds) {
    low = std::min(low, static_cast<Wide>(statistics->least));
    high = std::max(high, static_cast<Wide>(statistics->greatest));
  }
  statistics->has_bounds = true;
  statistics->least = static_cast<uint64_t>(low);
  statistics->greatest = static_cast<uint64_t>(high);
}

template <typename Bits>
void WidenFloats(Type type, const std::byte* values, size_t count, ColumnStatistics* statistics) {
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = LoadLE<Bits>(values + i * sizeof(Bits));
    if (IsNan(type, bits)) continue;
    const uint64_t ordered = OrderedBits(type, bits);
    if (!statistics->has_bounds || ordered < OrderedBits(type, statistics->least))
      statistics->least = bits;
    if (!statistics->has_bounds || ordered > OrderedBits(type, statistics->greatest))
      statistics->greatest = bits;
    statistics->has_bounds = true;
  }
}

}  // namespace

bool IsNan(Type type, uint64_t bits) {
  if (type == Type::kFloat32) return (bits & 0x7FFFFFFF) > 0x7F800000;
  return type == Type::kFloat64 && (bits & ~kSign) > 0x7FF0000000000000;
}

uint64_t OrderedBits(Type type, uint64_t bits) {
  if (IsSignedInteger(type)) return bits ^ kSign;
  if (!IsFloat(type)) return bits;
  const uint64_t sign = uint64_t{1} << (8 * TypeWidth(type) - 1);
  return (bits & sign) != 0 ? ~bits & (sign - 1) : bits | sign;
}

void WidenBounds(Type type, const std::byte* values, size_t count, ColumnStatistics* statistics) {
  switch (type) {
    case Type::kInt8:
      return Widen<int8_t>(values, count, statistics);
    case Type::kInt16:
      return Widen<int16_t>(values, count, statistics);
    case Type::kInt32:
      return Widen<int32_t>(values, count, statistics);
    case Type::kInt64:
      return Widen<int64_t>(values, count, statistics);
    case Type::kBool:
    case Type::kUint8:
      return Widen<uint8_t>(values, count, statistics);
    case Type::kUint16:
      return Widen<uint16_t>(values, count, statistics);
    case Type::kUint32:
      return Widen<uint32_t>(values, count, statistics);
    case Type::kUint64:
      return Widen<uint64_t>(values, count, statistics);
    case Type::kFloat32:
      return WidenFloats<uint32_t>(type, values, count, statistics);
    case Type::kFloat64:
      return WidenFloats<uint64_t>(type, values, count, statistics);
    case Type::kBytes:
      break;
  }
}

void WidenBounds(std::string_view text, ColumnStatistics* statistics) {
  const TextPrefix prefix(text);
  const bool is_first = !std::exchange(statistics->has_bounds, true);
  if (is_first || prefix < statistics->least_text) statistics->least_text = prefix;
  if (is_first || prefix > statistics->greatest_text) statistics->greatest_text = prefix;
}

void ColumnStatistics::Add(Type type, const ColumnStatistics& other) {
  num_missing += other.num_missing;
  if (!other.has_bounds) return;
  if (type == Type::kBytes) {
    WidenBounds(other.least_text.view(), this);
    WidenBounds(other.greatest_text.view(), this);
    return;
  }
  const bool is_first = !std::exchange(has_bounds, true);
  const auto order = [type](uint64_t bits) { return OrderedBits(type, bits); };
  if (is_first || order(other.least) < order(least)) least = other.least;
  if (is_first || order(other.greatest) > order(greatest)) greatest = other.greatest;
}

void ColumnStatistics::AppendTo(Type type, std::vector<std::byte>* out) const {
  if (type == Type::kBytes) {
    if (has_bounds) {
      AppendTextBounds(least_text, greatest_text, out);
    } else {
      out->push_back(kNoTextBounds);
    }
  } else if (has_bounds) {
    const uint64_t low = StoredLeast(type, least);
    const uint64_t high = StoredGreatest(type, least, greatest);
    out->push_back(static_cast<std::byte>(BytesFor(low) | BytesFor(high) << 4));
    AppendBytes(low, BytesFor(low), out);
    AppendBytes(high, BytesFor(high), out);
  } else {
    out->push_back(kNoBounds);
  }
  uint64_t left = num_missing;
  for (; left >= 0x80; left >>= 7) out->push_back(static_cast<std::byte>(left | 0x80));
  out->push_back(static_cast<std::byte>(left));
}

Result<ColumnStatistics> ColumnStatistics::TakeFrom(Type type, uint32_t num_rows,
                                                    std::span<const std::byte>* bytes) {
  if (bytes->empty()) return Bad("they end before the last stripe");
  const bool is_text = type == Type::kBytes;
  const std::byte tag = bytes->front();
  ColumnStatistics s;
  s.has_bounds = tag != (is_text ? kNoTextBounds : kNoBounds);
  if (!is_text || !s.has_bounds) *bytes = bytes->subspan(1);
  if (s.has_bounds && is_text) {
    DSI_RETURN_IF_ERROR(TakeTextBounds(bytes, &s.least_text, &s.greatest_text));
  } else if (s.has_bounds) {
    const int low_bytes = std::to_integer<int>(tag & std::byte{0x0F});
    const int high_bytes = std::to_integer<int>(tag >> 4);
    if (low_bytes > 8 || high_bytes > 8) return Bad("a number of more than 8 bytes");
    DSI_ASSIGN_OR_RETURN(const uint64_t low, TakeNumber(low_bytes, bytes));
    DSI_ASSIGN_OR_RETURN(const uint64_t high, TakeNumber(high_bytes, bytes));
    const int most_bytes = IsFloat(type) ? TypeWidth(type) : 8;
    if (low_bytes > most_bytes || high_bytes > most_bytes) return Bad("a float of too many bytes");
    s.least = LeastOf(type, low);
    s.greatest = IsFloat(type) ? LeastOf(type, high) : s.least + high;
    if (!AreBounds(type, s.least, s.greatest)) return Bad("bounds that are none of the type");
  }
  for (int shift = 0;; shift += 7) {
    if (bytes->empty()) return Bad("they end inside an entry");
    const uint32_t part = std::to_integer<uint32_t>(bytes->front());
    *bytes = bytes->subspan(1);
    s.num_missing |= uint64_t{part & 0x7F} << shift;
    if ((part & 0x80) == 0) {
      if (part == 0 && shift != 0) return Bad("a number in more bytes than it needs");
      break;
    }
    if (shift == 21) return Bad("a count of more than 28 bits");  // F-052 needs 25.
  }
  if (s.num_missing > num_rows) return Bad("more rows are missing than there are");
  if (s.has_bounds && s.num_missing == num_rows) return Bad("bounds of no value");
  if (!s.has_bounds && s.num_missing != num_rows && !IsFloat(type)) return Bad("no bounds");
  return s;
}

}  // namespace dsi::internal
