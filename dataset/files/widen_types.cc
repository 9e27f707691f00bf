#include <algorithm>

#include "dsi/dataset/files/schema_view_internal.h"

namespace dsi::internal {
namespace {

// Bits of the numbers of an integer type, without the sign.
int NumberBits(Type type) {
  if (type == Type::kBool) return 1;
  return 8 * TypeWidth(type) - (IsSignedInteger(type) ? 1 : 0);
}

// Integers of so many bits are exact in such a float.
constexpr int kFloat32Bits = 24;
constexpr int kFloat64Bits = 53;

}  // namespace

Widening WideningOf(Kind kind) {
  switch (kind) {
    case Kind::kDense:
    case Kind::kLabel:
    case Kind::kEmbedding:
    case Kind::kSequence:
      return Widening::kQuantity;
    case Kind::kKey:
    case Kind::kTimestamp:
      return Widening::kKey;
    default:
      return Widening::kIds;
  }
}

std::optional<Type> WidenTypes(std::span<const Type> types, Widening widening) {
  const bool all_same =
      std::all_of(types.begin(), types.end(), [&](Type type) { return type == types[0]; });
  if (all_same) return types[0];
  int bits = 0;
  bool has_float32 = false, has_float64 = false;
  for (const Type type : types) {
    if (type == Type::kBytes) return std::nullopt;
    has_float32 |= type == Type::kFloat32;
    has_float64 |= type == Type::kFloat64;
    if (!IsFloat(type)) bits = std::max(bits, NumberBits(type));
  }
  if (!has_float32 && !has_float64) {
    if (bits <= 31) return Type::kInt32;
    return bits <= 63 ? std::optional(Type::kInt64) : std::nullopt;
  }
  if (bits != 0 && widening == Widening::kIds) return std::nullopt;
  if (bits > kFloat64Bits && widening != Widening::kQuantity) return std::nullopt;
  return has_float64 || bits > kFloat32Bits ? Type::kFloat64 : Type::kFloat32;
}

}  // namespace dsi::internal
