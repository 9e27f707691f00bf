// The record of a column: round trip, and every check that it alone allows. Rules F-070, S-010 …
// S-013, D-014.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "dsi/format/limits.h"
#include "dsi/format/wire_internal.h"
#include "dsi/tests/format/record_checks.h"

namespace dsi::internal {
namespace {

using test::CodeAfter;
using test::ExpectReserved;
using test::Refusal;
using test::RoundTrip;

ColumnRecord SomeColumn() {
  ColumnRecord r;
  r.id_less_hash = 17;
  r.default_bits = 19;
  r.stored_bytes = 20;
  r.num_values = 21;
  r.name_offset = 22;
  r.name_size = 23;
  r.feature_name_size = 23;
  r.place = 0;
  r.num_columns = 1;
  r.id_space = 26;
  r.group = 27;
  r.max_length = 30;
  r.kind = Kind::kList;
  r.type = Type::kUint64;
  r.newest_first = true;
  r.nested = false;
  r.has_default = true;
  return r;
}

TEST(ColumnRecord, F070RoundTrip) {
  const ColumnRecord r = SomeColumn();
  const ColumnRecord back = RoundTrip(r);
  EXPECT_EQ(back.id_less_hash, r.id_less_hash);
  EXPECT_EQ(back.default_bits, r.default_bits);
  EXPECT_EQ(back.stored_bytes, r.stored_bytes);
  EXPECT_EQ(back.num_values, r.num_values);
  EXPECT_EQ(back.name_offset, r.name_offset);
  EXPECT_EQ(back.name_size, r.name_size);
  EXPECT_EQ(back.feature_name_size, r.feature_name_size);
  EXPECT_EQ(back.place, r.place);
  EXPECT_EQ(back.num_columns, r.num_columns);
  EXPECT_EQ(back.id_space, r.id_space);
  EXPECT_EQ(back.group, r.group);
  EXPECT_EQ(back.max_length, r.max_length);
  EXPECT_EQ(back.kind, r.kind);
  EXPECT_EQ(back.type, r.type);
  EXPECT_TRUE(back.newest_first);
  EXPECT_FALSE(back.nested);
  EXPECT_TRUE(back.has_default);
  ExpectReserved(r, 63, 63);
  ExpectReserved(r, 68, 71);
}

TEST(ColumnRecord, S015Hashed) {
  const auto said = [](Kind kind, Type type) {
    ColumnRecord r = SomeColumn();
    r.kind = kind;
    r.type = type;
    r.num_columns = kind == Kind::kWeighted ? 2 : 1;
    r.fixed_length = kind == Kind::kEmbedding ? 3 : 0;
    r.hashed = true;
    const std::string refusal = Refusal(r);
    if (refusal == "sound") EXPECT_TRUE(RoundTrip(r).hashed);
    return refusal;
  };
  for (const Kind kind : {Kind::kList, Kind::kWeighted, Kind::kSequence}) {
    for (const Type type : {Type::kInt32, Type::kUint32, Type::kInt64, Type::kUint64})
      EXPECT_EQ(said(kind, type), "sound");
    for (const Type type : {Type::kInt16, Type::kUint8, Type::kFloat32, Type::kFloat64})
      EXPECT_PRED_FORMAT2(::testing::IsSubstring, "(S-015)", said(kind, type));
  }
  for (const Kind kind : {Kind::kDense, Kind::kEmbedding, Kind::kLabel, Kind::kKey})
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "(S-015)", said(kind, Type::kInt64));
  EXPECT_FALSE(RoundTrip(SomeColumn()).hashed);
}

TEST(ColumnRecord, F070PlaceInItsFeature) {
  ColumnRecord r = SomeColumn();
  r.kind = Kind::kSequence;
  r.num_columns = 3;
  r.place = 2;
  EXPECT_EQ(RoundTrip(r).place, 2);
  r.place = 3;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "F-070", Refusal(r));
}

ColumnRecord Tiered() {
  ColumnRecord r = SomeColumn();
  r.tiers_slot = 41;
  r.num_tiers = 3;
  return r;
}

TEST(ColumnRecord, D014Tiers) {
  const ColumnRecord back = RoundTrip(Tiered());
  EXPECT_EQ(back.tiers_slot, 41U);
  EXPECT_EQ(back.num_tiers, 3U);
  const auto refusal = [](Kind kind, uint32_t tiers_slot, uint8_t num_tiers) {
    ColumnRecord r = Tiered();
    r.kind = kind;
    r.tiers_slot = tiers_slot;
    r.num_tiers = num_tiers;
    return Refusal(r);
  };
  EXPECT_EQ(refusal(Kind::kList, kNone32, 0), "sound");
  EXPECT_EQ(refusal(Kind::kList, 41, 2), "sound");
  EXPECT_EQ(refusal(Kind::kList, 41, kMaxTiers), "sound");
  for (const std::string& said : {refusal(Kind::kList, 41, 0), refusal(Kind::kList, 41, 1),
                                  refusal(Kind::kList, 41, kMaxTiers + 1),
                                  refusal(Kind::kList, kNone32, 2), refusal(Kind::kDense, 41, 2)}) {
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "tiers (D-014)", said);
  }
}

// An unknown kind or type is no damage; the record is decoded, and says that it is unsupported.
TEST(ColumnRecord, S010S011UnknownIsUnsupported) {
  const auto support = [](size_t at, uint8_t value) {
    std::array<std::byte, ColumnRecord::kSize> bytes;
    SomeColumn().EncodeTo(bytes.data());
    bytes[at] = std::byte{value};
    const auto record = ColumnRecord::DecodeFrom(bytes.data());
    return record.ok() ? record->Support() : record.status();
  };
  for (const uint8_t value : std::initializer_list<uint8_t>{0, 77, 255}) {
    EXPECT_EQ(support(64, value).code(), StatusCode::kUnsupported);
    EXPECT_NE(support(64, value).message().find("S-010"), std::string::npos);
    EXPECT_EQ(support(65, value).code(), StatusCode::kUnsupported);
    EXPECT_NE(support(65, value).message().find("S-011"), std::string::npos);
  }
  EXPECT_TRUE(SomeColumn().Support().ok());
}

TEST(ColumnRecord, F070Rules) {
  const auto refusal = [](size_t at, uint8_t value) {
    std::array<std::byte, ColumnRecord::kSize> bytes;
    SomeColumn().EncodeTo(bytes.data());
    bytes[at] = static_cast<std::byte>(value);
    const Status status = ColumnRecord::DecodeFrom(bytes.data()).status();
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    return status.message();
  };
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "flags 0x14 (F-070)", refusal(66, 16 + 4));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "a default that is not given (F-070)",
                      refusal(66, 0));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "time unit 5 (F-070)", refusal(67, 5));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "name of 0 bytes (F-070)", refusal(36, 0));  // S-013.
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "name of 4119 bytes (F-070)", refusal(37, 0x10));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "feature name of 24 bytes", refusal(38, 24));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "feature name of 0 bytes", refusal(38, 0));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "of a feature of 0 (F-070)", refusal(42, 0));
}

TEST(ColumnRecord, S012KindAndType) {
  bool hashed = false;
  const auto code = [&](Kind kind, Type type, TimeUnit unit, uint32_t fixed, uint16_t columns) {
    ColumnRecord r = SomeColumn();
    r.hashed = hashed;
    r.kind = kind;
    r.type = type;
    r.time_unit = unit;
    r.fixed_length = fixed;
    r.num_columns = columns;
    std::array<std::byte, ColumnRecord::kSize> bytes;
    r.EncodeTo(bytes.data());
    return ColumnRecord::DecodeFrom(bytes.data()).status().code();
  };
  const TimeUnit none = TimeUnit::kNone;
  EXPECT_EQ(code(Kind::kString, Type::kBytes, none, 0, 1), StatusCode::kOk);
  EXPECT_EQ(code(Kind::kKey, Type::kBytes, none, 0, 1), StatusCode::kOk);
  EXPECT_EQ(code(Kind::kString, Type::kInt64, none, 0, 1), StatusCode::kCorrupt);
  EXPECT_EQ(code(Kind::kList, Type::kBytes, none, 0, 1), StatusCode::kCorrupt);
  EXPECT_EQ(code(Kind::kTimestamp, Type::kInt64, TimeUnit::kMillis, 0, 1), StatusCode::kOk);
  EXPECT_EQ(code(Kind::kTimestamp, Type::kInt64, none, 0, 1), StatusCode::kCorrupt);
  EXPECT_EQ(code(Kind::kTimestamp, Type::kInt32, TimeUnit::kMillis, 0, 1), StatusCode::kCorrupt);
  EXPECT_EQ(code(Kind::kDense, Type::kInt64, TimeUnit::kMillis, 0, 1), StatusCode::kCorrupt);
  EXPECT_EQ(code(Kind::kEmbedding, Type::kFloat32, none, 8, 1), StatusCode::kOk);
  EXPECT_EQ(code(Kind::kEmbedding, Type::kFloat32, none, 0, 1), StatusCode::kCorrupt);
  EXPECT_EQ(code(Kind::kDense, Type::kFloat32, none, 8, 1), StatusCode::kCorrupt);
  EXPECT_EQ(code(Kind::kWeighted, Type::kInt64, none, 0, 2), StatusCode::kOk);
  EXPECT_EQ(code(Kind::kWeighted, Type::kInt64, none, 0, 1), StatusCode::kCorrupt);
  EXPECT_EQ(code(Kind::kSequence, Type::kInt64, none, 0, 5), StatusCode::kOk);
  EXPECT_EQ(code(Kind::kDense, Type::kInt64, none, 0, 2), StatusCode::kCorrupt);
  // Lists of times.
  EXPECT_EQ(code(Kind::kList, Type::kInt64, TimeUnit::kMillis, 0, 1), StatusCode::kOk);
  EXPECT_EQ(code(Kind::kSequence, Type::kInt64, TimeUnit::kNanos, 0, 2), StatusCode::kOk);
  EXPECT_EQ(code(Kind::kList, Type::kInt32, TimeUnit::kMillis, 0, 1), StatusCode::kCorrupt);
  EXPECT_EQ(code(Kind::kWeighted, Type::kInt64, TimeUnit::kMillis, 0, 2), StatusCode::kCorrupt);
  EXPECT_EQ(code(Kind::kEmbedding, Type::kInt64, TimeUnit::kMillis, 8, 1), StatusCode::kCorrupt);
  hashed = true;
  EXPECT_EQ(code(Kind::kList, Type::kInt64, none, 0, 1), StatusCode::kOk);
  EXPECT_EQ(code(Kind::kList, Type::kInt64, TimeUnit::kMillis, 0, 1), StatusCode::kCorrupt);
}

}  // namespace
}  // namespace dsi::internal
