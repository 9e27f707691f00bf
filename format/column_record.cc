// The column record (spec F-070) and what it says about kind and type (S-010 … S-013).
#include <cstring>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/wire_internal.h"

namespace dsi::internal {
namespace {

constexpr uint8_t kFlagNewestFirst = 1;
constexpr uint8_t kFlagNested = 2;
constexpr uint8_t kFlagDefault = 4;
constexpr uint8_t kFlagHashed = 8;
constexpr uint8_t kKnownFlags = 15;

bool IsKnown(Kind kind) { return kind >= Kind::kDense && kind <= Kind::kString; }
bool IsKnown(Type type) { return type >= Type::kBool && type <= Type::kBytes; }

// S-012.
Status CheckNumColumns(const ColumnRecord& r) {
  if (r.kind == Kind::kWeighted && r.num_columns != 2)
    return Corrupt("column record: weighted with {} columns (S-012)", r.num_columns);
  if (r.num_columns != 1 && r.kind != Kind::kWeighted && r.kind != Kind::kSequence) {
    return Corrupt("column record: {} columns in a {} (S-012)", r.num_columns, KindName(r.kind));
  }
  return Status::Ok();
}

// S-012.
Status CheckKindAndType(const ColumnRecord& r) {
  const bool bytes = r.type == Type::kBytes;
  if (r.kind == Kind::kString && !bytes)
    return Corrupt("column record: a string of type {} (S-012)", TypeName(r.type));
  if (bytes && r.kind != Kind::kString && r.kind != Kind::kKey)
    return Corrupt("column record: bytes in a {} (S-012)", KindName(r.kind));
  const bool has_unit = r.time_unit != TimeUnit::kNone;
  if ((r.kind == Kind::kTimestamp && !has_unit) ||
      (has_unit && (r.hashed || !MayBeTime(r.kind, r.type)))) {
    return Corrupt("column record: a {} of {}type {} with time unit {} (S-012)", KindName(r.kind),
                   r.hashed ? "hashed " : "", TypeName(r.type), static_cast<int>(r.time_unit));
  }
  if (r.kind == Kind::kEmbedding && r.type == Type::kBool)
    return Corrupt("column record: an embedding of type {} (S-012)", TypeName(r.type));
  if ((r.kind == Kind::kEmbedding) != (r.fixed_length != 0)) {
    return Corrupt("column record: fixed length {} in a {} (S-012)", r.fixed_length,
                   KindName(r.kind));
  }
  return Status::Ok();
}

// What a type says of the default.
Status CheckDefault(const ColumnRecord& r) {
  const int width = TypeWidth(r.type);
  if (width < 8 && r.default_bits >> (8 * width) != 0)
    return Corrupt("column record: a default of more than {} bytes (F-070)", width);
  if (r.type == Type::kBool && r.default_bits > 1)
    return Corrupt("column record: default {} of a bool (S-011)", r.default_bits);
  return Status::Ok();
}

}  // namespace

void ColumnRecord::EncodeTo(std::byte* out) const {
  std::memset(out, 0, kSize);
  StoreLE(out, id_less_hash);
  StoreLE(out + 8, default_bits);
  StoreLE(out + 16, stored_bytes);
  StoreLE(out + 24, num_values);
  StoreLE(out + 32, name_offset);
  StoreLE(out + 36, name_size);
  StoreLE(out + 38, feature_name_size);
  StoreLE(out + 40, place);
  StoreLE(out + 42, num_columns);
  StoreLE(out + 44, group);
  StoreLE(out + 48, max_length);
  StoreLE(out + 52, fixed_length);
  StoreLE(out + 56, tiers_slot);
  StoreLE(out + 60, id_space);
  StoreLE(out + 62, num_tiers);
  StoreLE(out + 64, static_cast<uint8_t>(kind));
  StoreLE(out + 65, static_cast<uint8_t>(type));
  const int flags = (newest_first ? kFlagNewestFirst : 0) | (nested ? kFlagNested : 0) |
                    (has_default ? kFlagDefault : 0) | (hashed ? kFlagHashed : 0);
  StoreLE(out + 66, static_cast<uint8_t>(flags));
  StoreLE(out + 67, static_cast<uint8_t>(time_unit));
}

Result<ColumnRecord> ColumnRecord::DecodeFrom(const std::byte* bytes) {
  ColumnRecord r;
  r.id_less_hash = LoadLE<uint64_t>(bytes);
  r.default_bits = LoadLE<uint64_t>(bytes + 8);
  r.stored_bytes = LoadLE<uint64_t>(bytes + 16);
  r.num_values = LoadLE<uint64_t>(bytes + 24);
  r.name_offset = LoadLE<uint32_t>(bytes + 32);
  r.name_size = LoadLE<uint16_t>(bytes + 36);
  r.feature_name_size = LoadLE<uint16_t>(bytes + 38);
  r.place = LoadLE<uint16_t>(bytes + 40);
  r.num_columns = LoadLE<uint16_t>(bytes + 42);
  r.group = LoadLE<uint32_t>(bytes + 44);
  r.max_length = LoadLE<uint32_t>(bytes + 48);
  r.fixed_length = LoadLE<uint32_t>(bytes + 52);
  r.tiers_slot = LoadLE<uint32_t>(bytes + 56);
  r.id_space = LoadLE<uint16_t>(bytes + 60);
  r.num_tiers = LoadLE<uint8_t>(bytes + 62);
  const auto kind = LoadLE<uint8_t>(bytes + 64);
  const auto type = LoadLE<uint8_t>(bytes + 65);
  const auto flags = LoadLE<uint8_t>(bytes + 66);
  const auto unit = LoadLE<uint8_t>(bytes + 67);
  if (!AllZero({bytes + 63, 1}) || !AllZero({bytes + 68, 4}))
    return Corrupt("column record: reserved bytes are not zero (F-003)");
  if (flags > kKnownFlags) return Corrupt("column record: flags {:#x} (F-070)", flags);
  if (unit > 4) return Corrupt("column record: time unit {} (F-070)", unit);
  r.kind = static_cast<Kind>(kind);
  r.type = static_cast<Type>(type);
  r.newest_first = (flags & kFlagNewestFirst) != 0;
  r.nested = (flags & kFlagNested) != 0;
  r.has_default = (flags & kFlagDefault) != 0;
  r.hashed = (flags & kFlagHashed) != 0;
  r.time_unit = static_cast<TimeUnit>(unit);
  if (!r.has_default && r.default_bits != 0)
    return Corrupt("column record: a default that is not given (F-070)");
  if (r.name_size < 1 || r.name_size > kMaxNameBytes)
    return Corrupt("column record: name of {} bytes (F-070)", r.name_size);
  if (r.feature_name_size < 1 || r.feature_name_size > r.name_size) {
    return Corrupt("column record: feature name of {} bytes in a name of {} (F-070)",
                   r.feature_name_size, r.name_size);
  }
  if (r.place >= r.num_columns) {
    return Corrupt("column record: column {} of a feature of {} (F-070)", r.place, r.num_columns);
  }
  const bool tiers = r.tiers_slot != kNone32;
  if (tiers ? r.num_tiers < 2 || r.num_tiers > kMaxTiers || !r.MayHaveWindows()
            : r.num_tiers != 0) {
    return Corrupt("column record: {} tiers (D-014)", r.num_tiers);
  }
  if (IsKnown(r.kind)) DSI_RETURN_IF_ERROR(CheckNumColumns(r));
  if (!r.Support().ok()) return r;
  DSI_RETURN_IF_ERROR(CheckKindAndType(r));
  DSI_RETURN_IF_ERROR(CheckDefault(r));
  if (r.hashed && !MayBeHashed(r.kind, r.type)) {
    return Corrupt("column record: hashed on kind {}, type {} (S-015)", KindName(r.kind),
                   TypeName(r.type));
  }
  return r;
}

bool ColumnRecord::MayHaveWindows() const { return !Support().ok() || HasLengths(kind, type); }

Status ColumnRecord::Support() const {
  if (!IsKnown(kind)) {
    return Error(StatusCode::kUnsupported, "column record: unknown kind {} (S-010)",
                 static_cast<int>(kind));
  }
  if (!IsKnown(type)) {
    return Error(StatusCode::kUnsupported, "column record: unknown type {} (S-011)",
                 static_cast<int>(type));
  }
  return Status::Ok();
}

}  // namespace dsi::internal
