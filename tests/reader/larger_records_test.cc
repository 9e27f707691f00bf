// Records of a newer version may be longer (F-041): what stands behind the fields that this version
// knows is sealed with its block, and left alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "dsi/base/bytes_internal.h"
#include "dsi/format/wire_internal.h"
#include "dsi/reader/reader.h"
#include "dsi/text/row_text.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::test {
namespace {

constexpr auto kUnknown = std::byte{0xA5};

void Append(std::vector<std::byte>* out, const std::byte* from, uint64_t size) {
  out->insert(out->end(), from, from + size);
}

// The file with `extra` bytes more at the end of every record but those of the name heap. Tables
// and sections keep their order, so the core footer keeps its size.
std::vector<std::byte> WithLargerRecords(const std::vector<std::byte>& sound, uint32_t extra) {
  EditableFile from(sound);
  const auto& core = from.core();
  std::map<uint64_t, const wire::TableRef*> tables;
  std::map<uint64_t, const wire::SectionRef*> sections;
  uint64_t data_end = internal::kHeaderSize;
  for (const wire::TableRef* t :
       {core.columns(), core.name_index(), core.names(), core.groups(), core.id_spaces()}) {
    tables[t->offset()] = t;
  }
  for (const wire::StripeRef* s : *core.stripes()) {
    for (const wire::TableRef* t : {&s->groups(), &s->streams(), &s->pages()})
      tables[t->offset()] = t;
    data_end = s->data_offset() + s->data_size();
  }
  tables.erase(0);  // Empty ones.
  for (const wire::SectionRef* s : *core.sections()) sections[s->offset()] = s;

  std::vector<std::byte> out(sound.begin(), sound.begin() + static_cast<int64_t>(data_end));
  for (const auto& [at, table] : tables) {
    auto& ref = *const_cast<wire::TableRef*>(table);
    const uint32_t size = ref.record_size();
    const uint32_t grown = size == 1 ? 1 : size + extra;
    const uint64_t place = out.size();
    for (uint32_t i = 0; i < ref.count(); ++i) {
      Append(&out, from.At(at + uint64_t{i} * size), size);
      out.resize(out.size() + grown - size, kUnknown);
    }
    const uint32_t per_block = internal::RecordsPerBlock(grown);
    out.resize(internal::AlignUp(out.size(), 8) +
               8 * uint64_t{(ref.count() + per_block - 1) / per_block});
    ref = wire::TableRef(place, grown, ref.count(), 0);
  }
  for (const auto& [at, section] : sections) {
    auto& ref = *const_cast<wire::SectionRef*>(section);
    const uint64_t place = out.size();
    const bool in_blocks = (ref.flags() & internal::kSectionInBlocks) != 0;
    const uint64_t seals = in_blocks ? 8 * ((ref.size() + 4095) / 4096) : 0;
    Append(&out, from.At(at), internal::AlignUp(ref.size(), 8) + seals);
    ref = wire::SectionRef(ref.kind(), ref.flags(), place, ref.size(), 0);
  }
  const uint64_t core_at = out.size();
  Append(&out, from.At(from.core_offset()), from.size() - from.core_offset());
  const uint64_t file_size = out.size();
  std::byte* const trailer = out.data() + file_size - internal::kTrailerSize;
  std::memcpy(trailer, &core_at, 8);
  std::memcpy(trailer + 40, &file_size, 8);
  EditableFile file(std::move(out));
  return file.Reseal().bytes();
}

std::string AllRows(const Reader& reader) {
  std::string rows;
  const auto text = RowText::Create(reader, {});
  EXPECT_TRUE(text.ok()) << text.status().ToString();
  for (;;) {
    const auto more = (*text)->Next(&rows, nullptr);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) return rows;
  }
}

TEST(LargerRecords, F041AreReadAsThisVersionKnowsThem) {
  const std::vector<std::byte> sound = SampleFile(300, 90);
  const auto plain = OpenBytes(sound);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(WithLargerRecords(sound, 0), sound);
  constexpr uint32_t kMost = kMaxRecordBytes - internal::kStreamsRecordSize;
  for (const uint32_t extra : {8U, kMost}) {
    const auto larger = OpenBytes(WithLargerRecords(sound, extra));
    ASSERT_TRUE(larger.ok()) << larger.status().ToString();
    const auto findings = (*larger)->Verify();
    ASSERT_TRUE(findings.ok());
    for (const Damage& d : *findings) ADD_FAILURE() << d.where << ": " << d.status.ToString();
    EXPECT_EQ(*(*larger)->schema()->ToJson(), *(*plain)->schema()->ToJson());
    EXPECT_EQ((*larger)->FindColumn("query")->stored_bytes,
              (*plain)->FindColumn("query")->stored_bytes);
    EXPECT_EQ(AllRows(**larger), AllRows(**plain));
  }
}

// The bytes that this version does not know are under the seal of their block.
TEST(LargerRecords, F041UnknownBytesAreSealed) {
  std::vector<std::byte> bytes = WithLargerRecords(SampleFile(), 8);
  const EditableFile file(bytes);
  bytes[EditableFile::Place(*file.core().columns(), 3) - 1] ^= std::byte{1};
  const auto reader = OpenBytes(bytes);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->FindColumn("user.age").status().code(), StatusCode::kCorrupt);
  EXPECT_FALSE((*reader)->Verify()->empty());
}

}  // namespace
}  // namespace dsi::test
