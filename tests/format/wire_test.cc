// Every record of wire_internal.h but that of columns: round trip, every check that a record alone
// allows, and seals that know their place. Rules F-001, F-003, F-010, F-020, F-030, F-031, F-060 …
// F-062, F-072 … F-074.
#include "dsi/format/wire_internal.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "dsi/base/bytes_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/tests/format/record_checks.h"

namespace dsi::internal {
namespace {

using test::CodeAfter;
using test::ExpectReserved;
using test::Refusal;
using test::RoundTrip;

using HeaderBytes = std::array<std::byte, kHeaderSize>;
using TrailerBytes = std::array<std::byte, kTrailerSize>;

HeaderBytes SoundHeader() {
  HeaderBytes bytes;
  Header{.minor = 3, .salt = 0x1122334455667788}.EncodeTo(bytes);
  return bytes;
}

void Reseal(HeaderBytes* bytes) {
  StoreLE(bytes->data() + 56, Seal(std::span(*bytes).first(56), SealKind::kHeader, 0, 0));
}

StatusCode CodeOf(const HeaderBytes& bytes) { return Header::DecodeFrom(bytes).status().code(); }

TEST(Header, F001F020GoldenBytes) {
  HeaderBytes bytes;
  Header{.minor = 0, .salt = 0x0102030405060708}.EncodeTo(bytes);
  const std::array<uint8_t, 24> expected = {
      0x89, 'D', 'S', 'I', 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, 0, 0, 64, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(static_cast<uint8_t>(bytes[i]), expected[i]) << i;
  }
  EXPECT_TRUE(AllZero(std::span(bytes).subspan(24, 32)));
  EXPECT_EQ(LoadLE<uint64_t>(bytes.data() + 56),
            0x0ULL + Seal(std::span(bytes).first(56), SealKind::kHeader, 0, 0));
}

TEST(Header, RoundTripAndNewerMinor) {
  const auto header = Header::DecodeFrom(SoundHeader());
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->minor, 3);
  EXPECT_EQ(header->salt, 0x1122334455667788U);
}

TEST(Header, F020EveryByteIsUnderTheSeal) {
  for (size_t i = 0; i < kHeaderSize; ++i) {
    HeaderBytes bytes = SoundHeader();
    bytes[i] ^= std::byte{1};
    EXPECT_EQ(CodeOf(bytes), i < 8 ? StatusCode::kNotDsi : StatusCode::kCorrupt) << i;
  }
}

TEST(Header, F003ResealedFieldsAreChecked) {
  for (size_t i = 8; i < 56; ++i) {
    HeaderBytes bytes = SoundHeader();
    bytes[i] ^= std::byte{1};
    Reseal(&bytes);
    StatusCode expected = StatusCode::kCorrupt;
    if (i < 10) expected = StatusCode::kUnsupported;     // Major version.
    if (i == 10 || i == 11) expected = StatusCode::kOk;  // A greater minor version is read.
    if (i >= 16 && i < 24) expected = StatusCode::kOk;   // Any salt.
    EXPECT_EQ(CodeOf(bytes), expected) << i;
  }
}

constexpr uint64_t kFileSize = 1000 * 8;

Trailer SomeTrailer() {
  Trailer t;
  t.core_size = 400;
  t.core_offset = kFileSize - kTrailerSize - t.core_size;
  t.minor = 7;
  t.compat = 1;
  t.ro_compat = 2;
  t.file_size = kFileSize;
  t.core_seal = 0xABCDEF;
  t.salt = 99;
  return t;
}

TrailerBytes Encode(const Trailer& t) {
  TrailerBytes bytes;
  t.EncodeTo(bytes);
  return bytes;
}

StatusCode CodeOf(const Trailer& t, uint64_t found = kFileSize) {
  return Trailer::DecodeFrom(Encode(t), found).status().code();
}

TEST(Trailer, F030RoundTrip) {
  const auto t = Trailer::DecodeFrom(Encode(SomeTrailer()), kFileSize);
  ASSERT_TRUE(t.ok()) << t.status().ToString();
  EXPECT_EQ(t->core_offset, SomeTrailer().core_offset);
  EXPECT_EQ(t->core_size, 400U);
  EXPECT_EQ(t->minor, 7);
  EXPECT_EQ(t->compat, 1U);
  EXPECT_EQ(t->ro_compat, 2U);
  EXPECT_EQ(t->core_seal, 0xABCDEFU);
  EXPECT_EQ(t->salt, 99U);
}

TEST(Trailer, F030EveryByteIsUnderTheSeal) {
  for (size_t i = 0; i < kTrailerSize; ++i) {
    TrailerBytes bytes = Encode(SomeTrailer());
    bytes[i] ^= std::byte{0x10};
    const auto t = Trailer::DecodeFrom(bytes, kFileSize);
    EXPECT_EQ(t.status().code(), i < 72 ? StatusCode::kCorrupt : StatusCode::kTruncated) << i;
  }
}

TEST(Trailer, F031CutOrGrown) {
  const TrailerBytes bytes = Encode(SomeTrailer());
  EXPECT_EQ(Trailer::DecodeFrom(bytes, kFileSize - 8).status().code(), StatusCode::kTruncated);
  EXPECT_EQ(Trailer::DecodeFrom(bytes, kFileSize + 8).status().code(), StatusCode::kTruncated);
}

TEST(Trailer, F030F032Ranges) {
  Trailer t = SomeTrailer();
  t.incompat = 1;
  EXPECT_EQ(CodeOf(t), StatusCode::kUnsupported);
  for (const uint32_t size : {0U, 4U, 401U, (1U << 26) + 8, 0xFFFFFFF8U}) {
    t = SomeTrailer();
    t.core_size = size;
    t.core_offset = kFileSize - kTrailerSize - size;
    EXPECT_EQ(CodeOf(t), StatusCode::kCorrupt) << size;
  }
  t = SomeTrailer();
  t.core_offset -= 8;
  EXPECT_EQ(CodeOf(t), StatusCode::kCorrupt);
}

// F-010: the same bytes elsewhere, as another kind, or under another salt do not pass.
TEST(Seal, F010KnowsItsPlace) {
  std::vector<std::byte> bytes(100, std::byte{5});
  const uint64_t seal = Seal(bytes, SealKind::kPage, 4096, 1);
  EXPECT_EQ(seal, Seal(bytes, SealKind::kPage, 4096, 1));
  EXPECT_NE(seal, Seal(bytes, SealKind::kPage, 4104, 1));
  EXPECT_NE(seal, Seal(bytes, SealKind::kSection, 4096, 1));
  EXPECT_NE(seal, Seal(bytes, SealKind::kPage, 4096, 2));
  EXPECT_EQ(Seal(bytes, SealKind::kHeader, 0, 1), Seal(bytes, SealKind::kHeader, 0, 2));
  EXPECT_EQ(Seal(bytes, SealKind::kTrailer, 8, 1), Seal(bytes, SealKind::kTrailer, 8, 2));
  std::vector<std::byte> zeros(64);
  EXPECT_NE(Seal(zeros, SealKind::kPage, 64, 0), 0U);
}

TEST(StripeGroupRecord, F060) {
  const StripeGroupRecord r{.form = IndexForm::kGeneral, .num_unique = 77};
  const StripeGroupRecord back = RoundTrip(r);
  EXPECT_EQ(back.form, IndexForm::kGeneral);
  EXPECT_EQ(back.num_unique, 77U);
}

StreamRecord Packed() {
  return {.num_values = 10,
          .first_page = 4,
          .num_pages = 1,
          .offset_in_page = 64,
          .size = 96,
          .width = 4,
          .form = StreamForm::kPacked,
          .max = 5};
}

TEST(StreamRecord, F061RoundTrip) {
  const StreamRecord back = RoundTrip(Packed());
  EXPECT_EQ(back.num_values, 10U);
  EXPECT_EQ(back.first_page, 4U);
  EXPECT_EQ(back.num_pages, 1U);
  EXPECT_EQ(back.offset_in_page, 64U);
  EXPECT_EQ(back.size, 96U);
  EXPECT_EQ(back.width, 4);
  EXPECT_EQ(back.form, StreamForm::kPacked);
  EXPECT_EQ(back.max, 5U);
  EXPECT_EQ(
      RoundTrip(StreamRecord{
                    .num_values = 2, .constant = 0xFF, .width = 1, .form = StreamForm::kConstant})
          .constant,
      0xFFU);
  ExpectReserved(Packed(), 34, 35);
}

StreamRecord Alias() {
  return {.num_values = 10, .first_page = 4, .width = 4, .form = StreamForm::kAlias, .max = 5};
}

TEST(StreamRecord, F061Rules) {
  EXPECT_EQ(Refusal(Packed()), "sound");
  EXPECT_EQ(Refusal(Alias()), "sound");
  struct Damage {
    const char* refusal;
    std::function<void(StreamRecord*)> change;
    StreamRecord record = Packed();
  };
  const StreamRecord empty;
  const StreamRecord constant{
      .num_values = 1, .constant = 255, .width = 1, .form = StreamForm::kConstant};
  EXPECT_EQ(Refusal(empty), "sound");
  EXPECT_EQ(Refusal(constant), "sound");
  const std::vector<Damage> damages = {
      {"form 255 with 0 values (F-061)", [](auto* r) { *r = {.form = StreamForm{255}}; }},
      {"width 3 (F-061)", [](auto* r) { r->width = 3; }},
      {"width 0 (F-061)", [](auto* r) { r->width = 0; }},
      {"width 16 (F-061)", [](auto* r) { r->width = 16; }},
      {"form 2 with 0 values (F-061)", [](auto* r) { r->num_values = 0; }},
      {"form 4 with 0 values (F-061)", [](auto* r) { r->num_values = 0; }, Alias()},
      {"form 0 with 1 values (F-061)", [](auto* r) { r->num_values = 1; }, empty},
      {"4294967296 values (F-090)", [](auto* r) { r->num_values = uint64_t{1} << 32; }},
      {"source 0x100000000 (F-066)", [](auto* r) { r->constant = uint64_t{1} << 32; }},
      {"source 0x400001 (F-066)", [](auto* r) { r->constant = (1U << 22) + 1; }},
      {"source 0x1000000000001 (F-066)", [](auto* r) { r->constant = uint64_t{1} << 48 | 1; }},
      {"a constant in form 4 (F-061)", [](auto* r) { r->constant = 1; }, Alias()},
      {"wider than 1 bytes (F-061)", [](auto* r) { r->constant = 256; }, constant},
      {"2 pages, offset 64, size 96 in form 2 (F-061)", [](auto* r) { r->num_pages = 2; }},
      {"offset 4, size 96 in form 2 (F-061)", [](auto* r) { r->offset_in_page = 4; }},
      {"offset 64, size 20 in form 2 (F-061)", [](auto* r) { r->size = 20; }},
      {"offset 64, size 8 in form 2 (F-061)", [](auto* r) { r->size = 8; }},
      {"a place in a page in form 3 (F-061)", [](auto* r) { r->form = StreamForm::kPaged; }},
      {"1023 values a page in form 3 (F-061)",
       [](auto* r) {
         *r = {.num_values = 1, .num_pages = 1, .size = 1023, .form = StreamForm::kPaged};
       }},
      {"1049600 values a page in form 3 (F-061)",
       [](auto* r) {
         *r = {
             .num_values = 1, .num_pages = 1, .size = (1 << 20) + 1024, .form = StreamForm::kPaged};
       }},
      {"a place in a page in form 4 (F-061)", [](auto* r) { r->offset_in_page = 8; }, Alias()},
      {"a place in a page in form 1 (F-061)", [](auto* r) { r->size = 16; }, constant},
      {"a maximum in form 0 (F-061)", [](auto* r) { r->max = 1; }, empty},
      {"pages in form 0 (F-061)", [](auto* r) { r->first_page = 1; }, empty},
      {"pages in form 0 (F-061)", [](auto* r) { r->num_pages = 1; }, empty},
      {"pages in form 1 (F-061)", [](auto* r) { r->num_pages = 1; }, constant},
      {"pages in form 1 (F-061)", [](auto* r) { r->first_page = 1; }, constant},
      {"pages in form 4 (F-061)", [](auto* r) { r->num_pages = 1; }, Alias()},
  };
  for (const Damage& damage : damages) {
    StreamRecord record = damage.record;
    damage.change(&record);
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, damage.refusal, Refusal(record));
  }
}

// What is known of a form to come: how many values of which width, the greatest of them.
TEST(StreamRecord, F061UnknownForm) {
  StreamRecord record = Packed();
  record.form = StreamForm{5};
  std::array<std::byte, StreamRecord::kSize> bytes;
  record.EncodeTo(bytes.data());
  bytes[34] = std::byte{1};  // Its own.
  const auto back = StreamRecord::DecodeFrom(bytes.data());
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(back->num_values, 10U);
  EXPECT_EQ(back->width, 4);
  EXPECT_EQ(back->max, 5U);
  EXPECT_EQ(back->num_pages, 0U);
  EXPECT_EQ(back->Support().code(), StatusCode::kUnsupported);
  EXPECT_EQ(Packed().Support().code(), StatusCode::kOk);
  record.width = 3;
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "width 3 (F-061)", Refusal(record));
}

TEST(PageRecord, F062) {
  const PageRecord r{.offset = 72, .stored_size = 16, .num_values = 3, .seal = 0x123456789ABCDEF0};
  const PageRecord back = RoundTrip(r);
  EXPECT_EQ(back.offset, 72U);
  EXPECT_EQ(back.stored_size, 16U);
  EXPECT_EQ(back.num_values, 3U);
  EXPECT_EQ(back.seal, r.seal);
  EXPECT_EQ(CodeAfter(r, 0, 73), StatusCode::kCorrupt);     // Not at a multiple of 8.
  EXPECT_EQ(CodeAfter(r, 8, 17), StatusCode::kCorrupt);     // Size not a multiple of 8.
  EXPECT_EQ(CodeAfter(r, 8, 8), StatusCode::kCorrupt);      // Shorter than a node header.
  EXPECT_EQ(CodeAfter(r, 11, 0x11), StatusCode::kCorrupt);  // Above 2^28 (F-090).
}

TEST(NameIndexRecord, F072) {
  const NameIndexRecord r{.hash = ~uint32_t{0}, .column = 5, .is_feature = true};
  const NameIndexRecord back = RoundTrip(r);
  EXPECT_EQ(back.hash, r.hash);
  EXPECT_EQ(back.column, 5U);
  EXPECT_TRUE(back.is_feature);
  EXPECT_FALSE(RoundTrip(NameIndexRecord{.hash = 1, .column = 5}).is_feature);
}

// What has no name has no place of one.
TEST(GroupRecord, F073NoNameNoPlace) {
  std::array<std::byte, GroupRecord::kSize> group;
  GroupRecord{.source = 2, .owner = 3}.EncodeTo(group.data());
  EXPECT_TRUE(GroupRecord::DecodeFrom(group.data()).ok());
  GroupRecord{.name_offset = 8, .source = 2, .owner = 3}.EncodeTo(group.data());
  EXPECT_EQ(GroupRecord::DecodeFrom(group.data()).status().code(), StatusCode::kCorrupt);
  std::array<std::byte, IdSpaceRecord::kSize> space;
  IdSpaceRecord{.width = 4}.EncodeTo(space.data());
  EXPECT_TRUE(IdSpaceRecord::DecodeFrom(space.data()).ok());
  IdSpaceRecord{.name_offset = 8, .width = 4}.EncodeTo(space.data());
  EXPECT_EQ(IdSpaceRecord::DecodeFrom(space.data()).status().code(), StatusCode::kCorrupt);
}

TEST(GroupRecord, F073) {
  const GroupRecord r{
      .name_offset = 1, .name_size = 2, .source = 2, .owner = 4, .num_columns = 5, .parent = 6};
  const GroupRecord back = RoundTrip(r);
  EXPECT_EQ(back.name_offset, 1U);
  EXPECT_EQ(back.name_size, 2);
  EXPECT_EQ(back.source, 2);
  EXPECT_EQ(back.owner, 4U);
  EXPECT_EQ(back.num_columns, 5U);
  EXPECT_EQ(back.parent, 6U);
  EXPECT_EQ(CodeAfter(r, 6, 4), StatusCode::kCorrupt);
  ExpectReserved(r, 7, 7);
  ExpectReserved(r, 20, 23);
}

TEST(IdSpaceRecord, F074) {
  const IdSpaceRecord r{.name_offset = 1, .name_size = 2, .width = 4};
  const IdSpaceRecord back = RoundTrip(r);
  EXPECT_EQ(back.name_offset, 1U);
  EXPECT_EQ(back.name_size, 2);
  EXPECT_EQ(back.width, 4);
  EXPECT_EQ(CodeAfter(r, 6, 2), StatusCode::kCorrupt);
  ExpectReserved(r, 7, 7);
}

}  // namespace
}  // namespace dsi::internal
