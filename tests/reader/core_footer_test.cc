// The core footer has one form (F-050), limits come before anything they bound (F-090), and what is
// unsupported of the whole file is said first (F-004).
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "dsi/format/core_internal.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::test {
namespace {

using wire::CoreFooter;

Status OpenStatus(const EditableFile& file) {
  return Reader::Open(OpenMemoryFile(file.bytes(), "edited")).status();
}

void ExpectRefused(const EditableFile& file, const std::string& rule, StatusCode code,
                   const std::string& what) {
  const Status status = OpenStatus(file);
  EXPECT_EQ(status.code(), code) << what << ' ' << status.ToString();
  EXPECT_NE(status.message().find(rule), std::string::npos) << what << ' ' << status.ToString();
}

// Bytes that no field is in: behind the vtable, between the table and the vectors, at the end.
TEST(CoreFooter, F050PaddingIsZero) {
  const std::vector<std::byte> sound = SampleFile();
  const EditableFile file(sound);
  const uint64_t end = sound.size() - internal::kTrailerSize;
  for (const uint64_t at :
       {file.core_offset() + 38, file.core_offset() + 43, file.core_offset() + 213, end - 1}) {
    EditableFile edited(sound);
    ASSERT_EQ(edited.Get<uint8_t>(at), 0) << at;
    edited.Put<uint8_t>(at, 1);
    ExpectRefused(edited.ResealFooter(), "F-050", StatusCode::kCorrupt, std::to_string(at));
  }
}

// A FlatBuffer as sound as before, of the same values.
TEST(CoreFooter, F050FieldsStandInOneOrder) {
  EditableFile file(SampleFile());
  const uint64_t core = file.core_offset();
  const auto sessions = file.Get<uint64_t>(core + 56);
  file.Put<uint64_t>(core + 56, file.Get<uint64_t>(core + 48));
  file.Put<uint64_t>(core + 48, sessions);
  file.Put<uint16_t>(core + 8, 12);
  file.Put<uint16_t>(core + 10, 4);
  EXPECT_EQ(file.core().num_sessions(), sessions);
  ExpectRefused(file.ResealFooter(), "F-050", StatusCode::kCorrupt, "fields exchanged");
}

TEST(CoreFooter, F050EveryFieldIsStored) {
  EditableFile file(SampleFile());
  file.SetCore<uint8_t>(CoreFooter::VT_TUNING, 0);
  EXPECT_TRUE(OpenStatus(file.ResealFooter()).ok());
  file.Put<uint16_t>(file.core_offset() + 4 + CoreFooter::VT_TUNING, 0);
  ExpectRefused(file.ResealFooter(), "F-050", StatusCode::kCorrupt, "tuning left out");
}

// What a later version has added is not this one's to judge.
TEST(CoreFooter, F050FormIsThatOfMinorVersion0) {
  EditableFile file(SampleFile());
  const uint64_t trailer = file.size() - internal::kTrailerSize;
  file.Put<uint16_t>(10, 1);
  file.Put<uint16_t>(trailer + 14, 1);
  file.Put<uint8_t>(file.core_offset() + 38, 1);
  EXPECT_TRUE(OpenStatus(file.Reseal()).ok());
}

TEST(CoreFooter, F090SlotsAndColumnsAtTheirLimits) {
  for (const uint32_t more : {0U, 1U}) {
    EditableFile slots(SampleFile());
    slots.SetCore<uint32_t>(CoreFooter::VT_NUM_SLOTS, (1U << 24) + more);
    ExpectRefused(slots.ResealFooter(), more == 0 ? "F-061" : "F-090", StatusCode::kCorrupt,
                  "slots");
    EditableFile columns(SampleFile());
    wire::TableRef& t = columns.columns();
    t = wire::TableRef(t.offset(), t.record_size(), (1U << 22) + more, t.seal());
    ExpectRefused(columns.ResealFooter(), more == 0 ? "F-041" : "F-090", StatusCode::kCorrupt,
                  "columns");
    EditableFile spaces(SampleFile());
    wire::TableRef& s = spaces.id_spaces();
    s = wire::TableRef(s.offset(), s.record_size(), 65535 + more, s.seal());
    ExpectRefused(spaces.ResealFooter(), more == 0 ? "F-041" : "F-090", StatusCode::kCorrupt,
                  "id spaces");
  }
  EditableFile all(SampleFile());
  all.SetCore<uint32_t>(CoreFooter::VT_NUM_SLOTS, ~0U);
  ExpectRefused(all.ResealFooter(), "F-090", StatusCode::kCorrupt, "slots");
}

// Three for each column, one for each id space and each group but that of rows.
TEST(CoreFooter, F076FewestSlots) {
  EditableFile file(SampleFile());
  const uint32_t fewest = file.slots().first_tier();
  file.SetCore<uint32_t>(CoreFooter::VT_NUM_SLOTS, fewest - 1);
  ExpectRefused(file.ResealFooter(), "F-076", StatusCode::kCorrupt, "slots");
}

// Tiers of one column are given to another: they serve twice, and others nothing.
TEST(CoreFooter, F077F078SlotsOfTiers) {
  std::ifstream in(std::string(DSI_SOURCE_DIR) + "/tests/golden/valid/tiers.dsi", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto content = std::as_bytes(std::span(text));
  EditableFile file({content.begin(), content.end()});
  std::vector<uint64_t> places;
  for (uint32_t c = 0; c < file.columns().count(); ++c) {
    const uint64_t place = EditableFile::Place(file.columns(), c) + 56;
    if (file.Get<uint32_t>(place) != internal::kNone32) places.push_back(place);
  }
  ASSERT_GE(places.size(), 2U);
  file.Put<uint32_t>(places[1], file.Get<uint32_t>(places[0]));
  const auto reader = Reader::Open(OpenMemoryFile(file.Reseal().bytes(), "edited"));
  ASSERT_TRUE(reader.ok());
  const auto damage = (*reader)->Verify();
  ASSERT_TRUE(damage.ok());
  std::string all;
  for (const Damage& d : *damage) all += d.status.message();
  EXPECT_NE(all.find("F-077"), std::string::npos) << all;
  EXPECT_NE(all.find("F-078"), std::string::npos) << all;
}

TEST(CoreFooter, F004UnsupportedIsSaidFirst) {
  EditableFile flags(SampleFile());
  const uint64_t trailer = flags.size() - internal::kTrailerSize;
  flags.Put<uint64_t>(trailer + 32, 1);  // Incompat; then a version that is not the header's.
  flags.Put<uint16_t>(trailer + 12, 2);
  ExpectRefused(flags.ResealFooter(), "F-030", StatusCode::kUnsupported, "flags");

  EditableFile section(SampleFile());
  wire::SectionRef& s = section.section(0);
  s = wire::SectionRef(99, 1, s.offset() + 4, s.size(), s.seal());
  section.SetCore<uint64_t>(CoreFooter::VT_NUM_ROWS, 99);
  ExpectRefused(section.ResealFooter(), "F-080", StatusCode::kUnsupported, "section");
}

// The form is a FlatBuffer that others can read.
TEST(CoreFooter, F050IsAFlatBuffer) {
  internal::Core core;
  core.num_rows = 7;
  core.names = {64, 1, 3, 5};
  core.cluster_keys = {1, 2, 3};
  core.stripes.resize(2);
  core.stripes[1].pages = {8, 24, 9, 10};
  core.sections = {{2, 1, 64, 5, 6}};
  core.writer = "somebody";
  core.tuning = 3;
  const std::vector<std::byte> bytes = internal::EncodeCore(core);
  ASSERT_EQ(bytes.size(), internal::EncodedCoreSize(core));
  std::vector<uint64_t> aligned(bytes.size() / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  const auto* const data = reinterpret_cast<const uint8_t*>(aligned.data());
  flatbuffers::Verifier verifier(data, bytes.size(), 8, 64);
  ASSERT_TRUE(verifier.VerifyBuffer<CoreFooter>(nullptr));
  const auto* const found = flatbuffers::GetRoot<CoreFooter>(data);
  EXPECT_EQ(found->num_rows(), 7U);
  EXPECT_EQ(found->names()->count(), 3U);
  EXPECT_EQ(found->cluster_keys()->Get(2), 3U);
  EXPECT_EQ(found->stripes()->Get(1)->pages().seal(), 10U);
  EXPECT_EQ(found->sections()->Get(0)->seal(), 6U);
  EXPECT_EQ(found->writer()->str(), "somebody");
  EXPECT_EQ(found->tuning(), 3);
}

}  // namespace
}  // namespace dsi::test
