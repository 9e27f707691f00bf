// Verify: sound files have no findings; each rule that only a whole file breaks is found under
// sound seals (F-002, F-060 … F-064, F-070 … F-079, D-001 … D-003, D-010, D-011, S-011, S-013).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "dsi/format/seal_internal.h"
#include "dsi/format/wire_internal.h"
#include "dsi/reader/reader.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"
#include "dsi/tests/support/told_file.h"

namespace dsi::test {
namespace {

std::vector<Damage> Verify(const std::vector<std::byte>& bytes) {
  const auto reader = OpenBytes(bytes);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  if (!reader.ok()) return {};
  auto damage = (*reader)->Verify();
  EXPECT_TRUE(damage.ok()) << damage.status().ToString();
  return damage.ok() ? *std::move(damage) : std::vector<Damage>{};
}

std::string Text(const std::vector<Damage>& damages) {
  std::string text;
  for (const Damage& d : damages) text += d.where + ": " + d.status.ToString() + "\n";
  return text;
}

TEST(Verify, SoundFiles) {
  for (const int64_t rows : {1, 2, 5, 100, 3'000}) {
    EXPECT_EQ(Text(Verify(SampleFile(rows))), "") << rows;
    EXPECT_EQ(Text(Verify(SampleFile(rows, 40))), "") << rows;
  }
}

// Pages are looked at several times; where a read takes long they come once.
TEST(Verify, AFarStripeIsReadOnce) {
  const std::vector<std::byte> sound = SampleFile(60'000, 20'000);
  std::vector<std::byte> damaged = sound;
  EditableFile file(damaged);
  const uint64_t begin = file.stripe(0).data_offset();
  const uint64_t end = begin + file.stripe(0).data_size();
  damaged[(begin + end) / 2] ^= std::byte{1};
  for (const std::vector<std::byte>& bytes : {sound, damaged}) {
    for (const uint64_t memory : {uint64_t{16} << 20, VerifyOptions().memory_bytes}) {
      uint64_t read = 0;
      const ToldFile::Tell tell = [&](uint64_t offset, uint64_t size) {
        if (offset >= begin && offset < end) read += size;
      };
      const auto reader =
          Reader::Open(std::make_unique<ToldFile>(bytes, SourceCosts{2e-3, 1e6}, &tell));
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();
      read = 0;
      const auto found = (*reader)->Verify({.memory_bytes = memory});
      ASSERT_TRUE(found.ok()) << found.status().ToString();
      EXPECT_EQ(Text(*found), Text(Verify(bytes)));
      EXPECT_EQ(read, end - begin) << bytes.size();
    }
  }
}

struct Change {
  const char* rule;
  std::function<void(EditableFile*)> apply;
};

// Place of the record of a column, by ordinal in SampleSchema's columns.
constexpr uint32_t kLabel = 2, kAge = 3, kClicks = 4, kHistoryTime = 6, kTopics = 7, kWeights = 8;
constexpr uint32_t kVector = 9;

uint64_t Column(EditableFile* f, uint32_t ordinal) {
  return EditableFile::Place(f->columns(), ordinal);
}
uint64_t Stream(EditableFile* f, uint32_t slot) { return f->Stream(0, slot); }
// Of a feature of one column, or of the first of several.
uint32_t ShapeSlot(EditableFile*, uint32_t ordinal) { return internal::ShapeSlot(ordinal); }
uint32_t ValuesSlot(EditableFile*, uint32_t ordinal) { return internal::ValuesSlot(ordinal); }
uint32_t GroupOf(EditableFile* f, uint32_t ordinal) {
  return f->Get<uint32_t>(Column(f, ordinal) + 44);
}
uint32_t IndexSlot(EditableFile* f, uint32_t group) { return f->slots().index(group); }
uint64_t StripeGroup(EditableFile* f, uint32_t group) {
  return EditableFile::Place(f->stripe(0).groups(), group);
}

template <typename T>
void Add(EditableFile* f, uint64_t at, T by) {
  f->Put<T>(at, static_cast<T>(f->Get<T>(at) + by));
}

TEST(Verify, DirectoryRules) {
  const std::vector<std::byte> sound = SampleFile();
  const std::vector<Change> changes = {
      {"F-070", [](EditableFile* f) { Add<uint64_t>(f, Column(f, kAge) + 16, 1); }},  // Bytes.
      {"F-070", [](EditableFile* f) { Add<uint64_t>(f, Column(f, kAge) + 24, 1); }},  // Values.
      {"F-070",
       [](EditableFile* f) {  // A default wider than its type.
         f->Put<uint64_t>(Column(f, kAge) + 8, uint64_t{1} << 32);
         f->Put<uint8_t>(Column(f, kAge) + 66, 4);
       }},
      {"S-011",
       [](EditableFile* f) {
         f->Put<uint64_t>(Column(f, kLabel) + 8, 2);
         f->Put<uint8_t>(Column(f, kLabel) + 66, 4);
       }},
      {"F-070",
       [](EditableFile* f) {  // Two features of one id.
         f->Put<uint64_t>(Column(f, kAge), 7 - internal::NameHash("user.age"));
         f->Put<uint64_t>(Column(f, kLabel), 7 - internal::NameHash("label"));
       }},
      {"F-070", [](EditableFile* f) { Add<uint16_t>(f, Column(f, kHistoryTime) + 38, 1); }},
      {"F-070", [](EditableFile* f) { Add<uint16_t>(f, Column(f, kHistoryTime) + 40, 1); }},
      {"F-070", [](EditableFile* f) { f->Put<uint16_t>(Column(f, kAge) + 40, 100); }},
      {"F-079", [](EditableFile* f) { f->Put<uint32_t>(Column(f, kWeights) + 44, 0xFFFF); }},
      {"F-073", [](EditableFile* f) { f->Put<uint32_t>(Column(f, kLabel) + 44, 0xFFFF); }},
      {"F-076",
       [](EditableFile* f) {  // Tiers where the indexes are.
         f->Put<uint32_t>(Column(f, kClicks) + 56, f->slots().index(1));
         f->Put<uint8_t>(Column(f, kClicks) + 62, 2);
       }},
      {"F-078",
       [](EditableFile* f) {  // The shape of a column that is not its feature's first.
         f->Put<uint8_t>(f->Stream(0, internal::ShapeSlot(kHistoryTime)) + 32, 4);
       }},
      {"F-074", [](EditableFile* f) { f->Put<uint16_t>(Column(f, kClicks) + 60, 999); }},
      {"F-074",
       [](EditableFile* f) { f->Put<uint8_t>(EditableFile::Place(f->id_spaces(), 0) + 6, 4); }},
      {"S-012", [](EditableFile* f) { f->Put<uint8_t>(Column(f, kWeights) + 65, 5); }},
      {"S-012",
       [](EditableFile* f) {  // Floats, then integers.
         f->Put<uint8_t>(Column(f, kTopics) + 65, 11);
         f->Put<uint8_t>(Column(f, kWeights) + 65, 4);
       }},
      {"S-013", [](EditableFile* f) { f->Put<uint8_t>(EditableFile::Place(f->names(), 0), 0xFF); }},
      {"S-013", [](EditableFile* f) { f->Put<uint8_t>(EditableFile::Place(f->names(), 0), 0); }},
      {"F-071",
       [](EditableFile* f) {  // A byte that no name uses any more.
         const uint64_t group = EditableFile::Place(f->groups(), 1);
         const auto size = static_cast<uint16_t>(f->Get<uint16_t>(group + 4) - 1);
         f->Put<uint16_t>(group + 4, size);
         f->Put<uint8_t>(EditableFile::Place(f->names(), f->Get<uint32_t>(group) + size), 0xFF);
       }},
      {"F-073",
       [](EditableFile* f) { Add<uint32_t>(f, EditableFile::Place(f->groups(), 0) + 12, 1); }},
      {"F-073",
       [](EditableFile* f) { f->Put<uint8_t>(EditableFile::Place(f->groups(), 0) + 6, 1); }},
      {"F-073",
       [](EditableFile* f) { f->Put<uint32_t>(EditableFile::Place(f->groups(), 1) + 8, 0xFFFF); }},
      {"F-072",
       [](EditableFile* f) {  // Two entries change places.
         const uint64_t at = EditableFile::Place(f->name_index(), 3);
         std::swap_ranges(f->At(at), f->At(at + 8), f->At(at + 8));
       }},
      {"F-072",
       [](EditableFile* f) { Add<uint32_t>(f, EditableFile::Place(f->name_index(), 0) + 4, 1); }},
      {"F-050",
       [](EditableFile* f) { f->SetCore<uint32_t>(wire::CoreFooter::VT_NUM_FEATURES, 10); }},
      {"F-080", [](EditableFile* f) { f->Put<uint8_t>(f->section(0).offset(), '['); }},
      {"F-002",
       [](EditableFile* f) { f->Put<uint8_t>(f->section(0).offset() + f->section(0).size(), 1); }},
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    EditableFile file(sound);
    changes[i].apply(&file);
    const std::string text = Text(Verify(file.Reseal().bytes()));
    EXPECT_NE(text.find(changes[i].rule), std::string::npos) << i << ' ' << changes[i].rule << ":\n"
                                                             << text;
  }
}

TEST(Verify, StripeRules) {
  const std::vector<std::byte> sound = SampleFile();
  const std::vector<Change> changes = {
      {"D-001", [](EditableFile* f) { f->Put<uint32_t>(StripeGroup(f, 1), 9); }},
      {"D-003", [](EditableFile* f) { f->Put<uint32_t>(StripeGroup(f, 1) + 4, 0); }},
      {"D-003", [](EditableFile* f) { f->Put<uint32_t>(StripeGroup(f, 1) + 4, 1000); }},
      {"D-0",
       [](EditableFile* f) { Add<uint32_t>(f, StripeGroup(f, GroupOf(f, kClicks)) + 4, -1); }},
      {"F-073", [](EditableFile* f) { f->Put<uint32_t>(StripeGroup(f, 0), 1); }},
      {"D-010",
       [](EditableFile* f) { Add<uint32_t>(f, Stream(f, ShapeSlot(f, kTopics)) + 36, 1); }},
      {"D-010", [](EditableFile* f) { Add<uint64_t>(f, Stream(f, ShapeSlot(f, kTopics)), 1); }},
      {"D-010", [](EditableFile* f) { f->Put<uint8_t>(Stream(f, ShapeSlot(f, kTopics)) + 32, 2); }},
      {"F-061",
       [](EditableFile* f) { f->Put<uint8_t>(Stream(f, ValuesSlot(f, kVector)) + 32, 4); }},
      {"F-061",
       [](EditableFile* f) { f->Put<uint32_t>(Stream(f, ValuesSlot(f, kVector)) + 36, 4); }},
      {"F-061",
       [](EditableFile* f) { f->Put<uint32_t>(Stream(f, ValuesSlot(f, kVector)) + 16, 9999); }},
      {"D-001", [](EditableFile* f) { Add<uint64_t>(f, Stream(f, IndexSlot(f, 1)), 1); }},
      {"F-062",
       [](EditableFile* f) { Add<uint64_t>(f, EditableFile::Place(f->stripe(0).pages(), 0), 8); }},
      {"F-062",
       [](EditableFile* f) {
         Add<uint32_t>(f, EditableFile::Place(f->stripe(0).pages(), 0) + 8, -8);
       }},
      {"F-062",
       [](EditableFile* f) {
         f->Put<uint32_t>(EditableFile::Place(f->stripe(0).pages(), 0) + 12, 5);
       }},
      {"F-003",
       [](EditableFile* f) { f->Put<uint8_t>(Stream(f, ValuesSlot(f, kVector)) + 34, 1); }},
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    EditableFile file(sound);
    changes[i].apply(&file);
    const std::string text = Text(Verify(file.Reseal().bytes()));
    EXPECT_NE(text.find(changes[i].rule), std::string::npos) << i << ' ' << changes[i].rule << ":\n"
                                                             << text;
  }
}

// F-064: two packed streams in one place.
TEST(Verify, F064OverlapIsFound) {
  EditableFile file(SampleFile());
  std::vector<uint64_t> packed;
  for (uint32_t slot = 0; slot < file.core().num_slots(); ++slot) {
    if (file.Get<uint8_t>(Stream(&file, slot) + 33) == 2) packed.push_back(Stream(&file, slot));
  }
  ASSERT_GE(packed.size(), 2U);
  file.Put<uint32_t>(packed[1] + 24, file.Get<uint32_t>(packed[0] + 24));
  const std::string text = Text(Verify(file.Reseal().bytes()));
  EXPECT_NE(text.find("F-064"), std::string::npos) << text;
}

// Damage in several places is found in one go, and named.
TEST(Verify, GoesOnAfterDamage) {
  std::vector<std::byte> bytes = SampleFile(2'000, 500);
  EditableFile file(bytes);
  const auto page = [&](uint32_t stripe) {
    return file.Get<uint64_t>(EditableFile::Place(file.stripe(stripe).pages(), 0));
  };
  *file.At(page(0)) ^= std::byte{1};
  *file.At(page(2)) ^= std::byte{1};
  *file.At(EditableFile::Place(file.stripe(1).streams(), 0)) ^= std::byte{1};
  const std::string text = Text(Verify(file.bytes()));
  EXPECT_NE(text.find("page 0 (stripe 0"), std::string::npos) << text;
  EXPECT_NE(text.find("page 0 (stripe 2"), std::string::npos) << text;
  EXPECT_NE(text.find("streams of stripe 1"), std::string::npos) << text;
  EXPECT_NE(text.find("column "), std::string::npos) << text;
}

// Without the record of user.clicks its dictionary is not taken for user.history's own (F-070).
TEST(Verify, AMissingColumnBlamesNoOther) {
  EditableFile file(SampleFile(20'000));
  Add<uint64_t>(&file, Column(&file, kClicks) + 8, 1);  // Hash of the name.
  const std::string text = Text(Verify(file.Reseal().bytes()));
  EXPECT_NE(text.find("column 4"), std::string::npos) << text;
  EXPECT_EQ(text.find("bytes in all stripes"), std::string::npos) << text;
}

// A page of another place, sound in itself, does not pass (F-010).
TEST(Verify, F010SwappedPagesAreFound) {
  EditableFile file(SampleFile(3'000));
  const wire::TableRef& pages = file.stripe(0).pages();
  bool swapped = false;
  for (uint32_t a = 0; a < pages.count() && !swapped; ++a) {
    for (uint32_t b = a + 1; b < pages.count() && !swapped; ++b) {
      const uint64_t x = EditableFile::Place(pages, a);
      const uint64_t y = EditableFile::Place(pages, b);
      const auto size = file.Get<uint32_t>(x + 8);
      std::byte* p = file.At(file.Get<uint64_t>(x));
      std::byte* q = file.At(file.Get<uint64_t>(y));
      if (size != file.Get<uint32_t>(y + 8) || std::equal(p, p + size, q)) continue;
      std::swap_ranges(p, p + size, q);
      swapped = true;
    }
  }
  if (!swapped) GTEST_SKIP() << "no two pages of one size";
  EXPECT_EQ(Verify(file.bytes()).size(), 2U);
}

TEST(Verify, ProgressAndCancel) {
  const std::vector<std::byte> bytes = SampleFile(1'000, 100);
  const auto reader = OpenBytes(bytes);
  ASSERT_TRUE(reader.ok());
  uint64_t done = 0;
  VerifyOptions options;
  options.progress = [&](const VerifyProgress& p) {
    EXPECT_GE(p.bytes_done, done);
    EXPECT_EQ(p.bytes_total, bytes.size());
    done = p.bytes_done;
    return true;
  };
  const auto damage = (*reader)->Verify(options);
  ASSERT_TRUE(damage.ok());
  EXPECT_EQ(done, bytes.size());
  int calls = 0;
  options.progress = [&](const VerifyProgress&) { return ++calls < 3; };
  const auto cancelled = (*reader)->Verify(options);
  EXPECT_EQ(cancelled.status().code(), StatusCode::kCancelled);
  EXPECT_EQ(calls, 3);
}

TEST(Verify, ResealedChangesAreHandled) {
  const std::vector<std::byte> sound = SampleFile(10);
  const EditableFile plain(sound);
  for (uint64_t at = 64; at < plain.core_offset(); ++at) {
    for (const uint8_t value : std::initializer_list<uint8_t>{0x00, 0x01, 0x80, 0xFF}) {
      EditableFile file(sound);
      if (file.Get<uint8_t>(at) == value) continue;
      file.Put<uint8_t>(at, value);
      const auto reader = OpenBytes(file.Reseal().bytes());
      ASSERT_TRUE(reader.ok()) << reader.status().ToString();  // The core footer is as it was.
      const auto damage = (*reader)->Verify();
      ASSERT_TRUE(damage.ok()) << at << damage.status().ToString();
      (void)(*reader)->Columns();
      (void)(*reader)->Groups();
      (void)(*reader)->schema();
      (void)(*reader)->Metadata();
      (void)(*reader)->Streams("");
      (void)(*reader)->Plan({});
    }
  }
}

}  // namespace
}  // namespace dsi::test
