#include "dsi/format/types.h"

#include <array>
#include <cstddef>

#include "dsi/base/xxh3_internal.h"

namespace dsi {
namespace {

// Names stand at the index of their wire value; an empty name marks a value that is not in use.
constexpr std::array<std::string_view, 10> kKindNames = {
    "",          "dense", "list", "weighted",  "sequence",
    "embedding", "label", "key",  "timestamp", "string"};
constexpr std::array<std::string_view, 13> kTypeNames = {
    "",       "bool",   "int8",   "int16",   "int32",   "int64", "uint8",
    "uint16", "uint32", "uint64", "float32", "float64", "bytes"};
constexpr std::array<std::string_view, 5> kTimeUnitNames = {"none", "s", "ms", "us", "ns"};
constexpr std::array<std::string_view, 4> kPrecisionNames = {"exact", "fp16", "bf16", "int8"};
constexpr std::array<std::string_view, 4> kTuningNames = {"", "nvme", "network", "archive"};

template <size_t kSize>
std::string_view NameOf(const std::array<std::string_view, kSize>& names, size_t value) {
  return value < kSize ? names[value] : std::string_view();
}

template <typename Value, size_t kSize>
bool ParseName(const std::array<std::string_view, kSize>& names, std::string_view name,
               Value* value) {
  if (name.empty()) return false;
  for (size_t i = 0; i < kSize; ++i) {
    if (names[i] == name) {
      *value = static_cast<Value>(i);
      return true;
    }
  }
  return false;
}

}  // namespace

std::string_view KindName(Kind kind) { return NameOf(kKindNames, static_cast<size_t>(kind)); }
std::string_view TypeName(Type type) { return NameOf(kTypeNames, static_cast<size_t>(type)); }
std::string_view TimeUnitName(TimeUnit unit) {
  return NameOf(kTimeUnitNames, static_cast<size_t>(unit));
}

bool ParseKind(std::string_view name, Kind* kind) { return ParseName(kKindNames, name, kind); }
bool ParseType(std::string_view name, Type* type) { return ParseName(kTypeNames, name, type); }
bool ParseTimeUnit(std::string_view name, TimeUnit* unit) {
  return ParseName(kTimeUnitNames, name, unit);
}

std::string_view PrecisionName(Precision precision) {
  return NameOf(kPrecisionNames, static_cast<size_t>(precision));
}
bool ParsePrecision(std::string_view name, Precision* precision) {
  return ParseName(kPrecisionNames, name, precision);
}

std::string_view TuningName(Tuning tuning) {
  return NameOf(kTuningNames, static_cast<size_t>(tuning));
}
bool ParseTuning(std::string_view name, Tuning* tuning) {
  return ParseName(kTuningNames, name, tuning);
}

uint64_t IdOfText(std::string_view text, Type type) {
  const int bits = TypeWidth(type) * 8 - (IsSignedInteger(type) ? 1 : 0);
  return internal::Xxh3(text.data(), text.size(), 0) & (~uint64_t{0} >> (64 - bits));
}

}  // namespace dsi
