// Kinds and types of features (spec S-010, S-011), and what else a file names by a number. The
// numbers are wire values: frozen, never reused.
#pragma once

#include <cstdint>
#include <string_view>

#include "dsi/base/export.h"

namespace dsi {

// What a feature is (spec S-010).
enum class Kind : uint8_t {
  kDense = 1,      // One number per row.
  kList = 2,       // A list of numbers per row; of ids by default.
  kWeighted = 3,   // A list of ids and a parallel list of scores.
  kSequence = 4,   // Parallel lists that share their lengths: item, time, action …
  kEmbedding = 5,  // A fixed number of numbers.
  kLabel = 6,      // One number: what is learnt.
  kKey = 7,        // One number or string that names a session, user, request or item.
  kTimestamp = 8,  // One int64 with a unit.
  kString = 9,     // One byte string.
};

// How one value is stored (spec S-011).
enum class Type : uint8_t {
  kBool = 1,
  kInt8 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kUint8 = 6,
  kUint16 = 7,
  kUint32 = 8,
  kUint64 = 9,
  kFloat32 = 10,
  kFloat64 = 11,
  kBytes = 12,
};

enum class TimeUnit : uint8_t { kNone = 0, kSeconds = 1, kMillis = 2, kMicros = 3, kNanos = 4 };

// To what the writer rounds floats that are declared so (spec S-014).
enum class Precision : uint8_t { kExact = 0, kFp16 = 1, kBf16 = 2, kInt8 = 3 };

// What a stored byte is worth against the time to decode it: encodings are chosen by their size at
// this price plus their decode time (spec F-053). Files of all tunings are read alike.
enum class Tuning : uint8_t {
  kNvme = 1,     // A core's share of a local drive: 250 MB/s. The default.
  kNetwork = 2,  // A core's share of a network: 80 MB/s.
  kArchive = 3,  // Smallest, within reason; written several times slower.
};

constexpr int TypeWidth(Type type) {
  switch (type) {
    case Type::kBool:
    case Type::kInt8:
    case Type::kUint8:
    case Type::kBytes:
      return 1;
    case Type::kInt16:
    case Type::kUint16:
      return 2;
    case Type::kInt32:
    case Type::kUint32:
    case Type::kFloat32:
      return 4;
    case Type::kInt64:
    case Type::kUint64:
    case Type::kFloat64:
      return 8;
  }
  return 0;
}
constexpr bool IsFloat(Type type) { return type == Type::kFloat32 || type == Type::kFloat64; }
constexpr bool IsSignedInteger(Type type) { return type >= Type::kInt8 && type <= Type::kInt64; }
constexpr bool IsInteger(Type type) { return type >= Type::kInt8 && type <= Type::kUint64; }
constexpr bool IsListKind(Kind kind) {
  return kind == Kind::kList || kind == Kind::kWeighted || kind == Kind::kSequence;
}

// Rows that have one number or one string each: what filters compare and statistics tell about.
constexpr bool HasOneValue(Kind kind) {
  return kind == Kind::kDense || kind == Kind::kLabel || kind == Kind::kKey ||
         kind == Kind::kTimestamp || kind == Kind::kString;
}

// Rows whose shape code is a length (spec D-010): lists, and byte strings whatever their kind.
constexpr bool HasLengths(Kind kind, Type type) { return IsListKind(kind) || type == Type::kBytes; }

// Columns that may have ids made of texts (spec S-015). Of dense features they would be rounded:
// these stand as floats in batches.
constexpr bool MayBeHashed(Kind kind, Type type) {
  return IsListKind(kind) && IsInteger(type) && TypeWidth(type) >= 4;
}

// Columns that may have a unit of time (spec S-012).
constexpr bool MayBeTime(Kind kind, Type type) {
  return type == Type::kInt64 &&
         (kind == Kind::kTimestamp || kind == Kind::kList || kind == Kind::kSequence);
}

// The id that a hashed column of this type stores for a text: the low bits of its XXH3 (64 bits,
// seed 0), 64 of uint64, 32 of uint32, one less of signed types, so that none is negative (spec
// S-015). Who looks up an id later makes it by this function or by any other XXH3.
DSI_EXPORT uint64_t IdOfText(std::string_view text, Type type);

// Names as used in schema files and by the command line: "list", "int64", "ms"; nothing for an
// unknown value.
DSI_EXPORT std::string_view KindName(Kind kind);
DSI_EXPORT std::string_view TypeName(Type type);
DSI_EXPORT std::string_view TimeUnitName(TimeUnit unit);
DSI_EXPORT bool ParseKind(std::string_view name, Kind* kind);
DSI_EXPORT bool ParseType(std::string_view name, Type* type);
DSI_EXPORT bool ParseTimeUnit(std::string_view name, TimeUnit* unit);
DSI_EXPORT std::string_view PrecisionName(Precision precision);
DSI_EXPORT bool ParsePrecision(std::string_view name, Precision* precision);
DSI_EXPORT std::string_view TuningName(Tuning tuning);
DSI_EXPORT bool ParseTuning(std::string_view name, Tuning* tuning);

// How a dedup group says which unique row each row is (spec D-001). A number beyond is a form of a
// newer version.
enum class IndexForm : uint32_t {
  kIdentity = 0,
  kRunLengths = 1,
  kNewRowBits = 2,
  kGeneral = 3,
  kViaParent = 4,
  kVersions = 5,
  kAsOf = 6,
};
constexpr bool IsKnown(IndexForm form) { return form <= IndexForm::kAsOf; }
// Forms that refer to the index of the group's parent.
constexpr bool NeedsParent(IndexForm form) {
  return form >= IndexForm::kViaParent && form <= IndexForm::kAsOf;
}

}  // namespace dsi
