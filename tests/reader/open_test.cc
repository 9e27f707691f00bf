// Opening and the directory: what a sound file says, and what is refused (F-002, F-010, F-011,
// F-030 … F-032, F-040, F-041, F-050 … F-052, F-070 … F-079, F-080, F-090, S-010, S-013).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "dsi/format/wire_internal.h"
#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/reader.h"
#include "dsi/tests/reader/sample_file.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::test {
namespace {

using wire::CoreFooter;

std::unique_ptr<Reader> OpenSample(int64_t rows = 100, uint32_t stripe_rows = 1 << 18) {
  auto reader = OpenBytes(SampleFile(rows, stripe_rows));
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return reader.ok() ? *std::move(reader) : nullptr;
}

TEST(Open, Info) {
  const auto reader = OpenSample(100, 30);
  ASSERT_NE(reader, nullptr);
  const FileInfo& info = reader->info();
  EXPECT_EQ(info.num_rows, 100U);
  EXPECT_EQ(info.num_sessions, 20U);
  EXPECT_EQ(info.num_features, 9U);
  EXPECT_EQ(info.num_columns, 11U);
  EXPECT_EQ(info.page_values, 1024U);
  EXPECT_EQ(info.major, 1);
  EXPECT_GT(info.num_stripes, 1U);
  uint64_t rows = 0;
  for (const StripeInfo& s : reader->stripes()) {
    EXPECT_EQ(s.first_row, rows);
    rows += s.num_rows;
  }
  EXPECT_EQ(rows, 100U);
}

TEST(Open, F072NamesResolve) {
  const auto reader = OpenSample();
  ASSERT_NE(reader, nullptr);
  const auto columns = reader->Columns();
  ASSERT_TRUE(columns.ok()) << columns.status().ToString();
  for (const ColumnInfo& column : *columns) {
    const auto found = reader->FindColumn(column.name);
    ASSERT_TRUE(found.ok()) << column.name << found.status().ToString();
    EXPECT_EQ(found->ordinal, column.ordinal);
  }
  EXPECT_EQ(reader->FindColumn("user.clicks")->id_space, "item");
  EXPECT_EQ(reader->FindColumn("user.history.time")->feature, "user.history");
  EXPECT_EQ(reader->FindColumn("user.age")->feature_id, 17U);
}

TEST(Open, F072FeatureAndGlob) {
  const auto reader = OpenSample();
  ASSERT_NE(reader, nullptr);
  const auto pages = [&](const std::string& name) {
    ScanOptions options;
    options.features.push_back({.name = name, .dtype = {}});
    const auto plan = reader->Plan(options);
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    return plan.ok() ? plan->bytes_needed : 0;
  };
  EXPECT_GT(pages("user.history"), 0U);
  EXPECT_EQ(pages("user.history"), pages("user.hist*"));
  EXPECT_EQ(pages("topics"), pages("t?pics"));
  EXPECT_EQ(reader->FindColumn("user.history").status().code(), StatusCode::kNotFound);
}

TEST(Open, NotFoundNamesNearOnes) {
  const auto reader = OpenSample();
  ASSERT_NE(reader, nullptr);
  const Status status = reader->FindColumn("user.click").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_NE(status.message().find("\"user.clicks\""), std::string::npos) << status.message();
  EXPECT_EQ(reader->FindColumn("").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(reader->FindColumn("x*").status().code(), StatusCode::kNotFound);
}

TEST(Open, SchemaComesBack) {
  const auto reader = OpenSample();
  ASSERT_NE(reader, nullptr);
  auto schema = reader->schema();
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  // Ids that were not declared are assigned.
  Schema expected = SampleSchema();
  ASSERT_EQ(schema->features.size(), expected.features.size());
  for (size_t i = 0; i < expected.features.size(); ++i) {
    if (!expected.features[i].id) expected.features[i].id = schema->features[i].id;
  }
  EXPECT_EQ(*schema->ToJson(), *expected.ToJson());
  EXPECT_TRUE(schema->Validate().ok());
  const auto metadata = reader->Metadata();
  ASSERT_TRUE(metadata.ok());
  EXPECT_EQ(*metadata, SampleSchema().metadata);
}

TEST(Open, GroupsAndStreams) {
  const auto reader = OpenSample(100, 30);
  ASSERT_NE(reader, nullptr);
  const auto groups = reader->Groups();
  ASSERT_TRUE(groups.ok()) << groups.status().ToString();
  ASSERT_EQ(groups->size(), reader->info().num_groups);
  const auto user = std::find_if(groups->begin(), groups->end(),
                                 [](const GroupInfo& g) { return g.name == "user"; });
  ASSERT_NE(user, groups->end());
  EXPECT_TRUE(user->declared);
  EXPECT_EQ(user->owner, "session_id");
  EXPECT_EQ(user->columns.size(), 4U);
  EXPECT_EQ(user->stripes.size(), reader->info().num_stripes);
  const auto all = reader->Streams("");
  ASSERT_TRUE(all.ok()) << all.status().ToString();
  for (const StreamInfo& stream : *all) EXPECT_FALSE(stream.encoding.empty());
  const auto one = reader->Streams("user.clicks");
  ASSERT_TRUE(one.ok()) << one.status().ToString();
  EXPECT_GE(one->size(), 3 * reader->info().num_stripes);
  EXPECT_LT(one->size(), all->size());
}

TEST(Open, PlanReadsNoMoreThanAsked) {
  const auto reader = OpenSample(2'000, 500);
  ASSERT_NE(reader, nullptr);
  ScanOptions one;
  one.features.push_back({.name = "label", .dtype = {}});
  const auto few = reader->Plan(one);
  const auto all = reader->Plan({});
  ASSERT_TRUE(few.ok() && all.ok());
  EXPECT_LT(few->bytes_needed, all->bytes_needed);
  uint64_t pages = 0;
  for (const StripeInfo& s : reader->stripes()) pages += s.bytes;
  EXPECT_EQ(all->bytes_needed, pages);
  one.row_begin = one.row_end = 0;
  EXPECT_EQ(reader->Plan(one)->num_pages, 0U);
}

TEST(Open, ForeignAndShortFiles) {
  EXPECT_EQ(OpenBytes({}).status().code(), StatusCode::kTruncated);
  EXPECT_EQ(OpenBytes(std::vector<std::byte>(7, std::byte{'P'})).status().code(),
            StatusCode::kNotDsi);
  EXPECT_EQ(OpenBytes(std::vector<std::byte>(5000, std::byte{'P'})).status().code(),
            StatusCode::kNotDsi);
  EXPECT_EQ(Reader::Open(std::string("/nonexistent/file.dsi")).status().code(),
            StatusCode::kNotFound);
}

TEST(Open, F031EveryTruncationIsRefused) {
  const std::vector<std::byte> bytes = SampleFile(20);
  for (size_t n = 0; n < bytes.size(); ++n) {
    const auto reader = OpenBytes({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(n)});
    ASSERT_EQ(reader.status().code(), StatusCode::kTruncated) << n << reader.status().ToString();
  }
  std::vector<std::byte> longer = bytes;
  for (int i = 0; i < 100; ++i) {
    longer.push_back(std::byte{0});
    ASSERT_FALSE(OpenBytes(longer).ok());
  }
}

// Every bit of the file is under a seal that somebody compares, and compares first: what is said of
// a flip is that the seal is wrong, never what the field under it says then. Without one are the
// words that tell what a file is, at both ends.
TEST(Open, F010F011EveryFlipIsFound) {
  std::vector<std::byte> bytes = SampleFile(10);
  const auto expect_seal = [&](size_t i, const Status& status) {
    if (i >= 8 && i < bytes.size() - 8) {
      EXPECT_PRED_FORMAT2(::testing::IsSubstring, "seal", status.message()) << "byte " << i;
    }
  };
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto flip = static_cast<std::byte>(1U << (i % 8));
    bytes[i] ^= flip;
    const auto reader = OpenBytes(bytes);
    if (reader.ok()) {
      const auto damage = (*reader)->Verify();
      ASSERT_TRUE(damage.ok()) << damage.status().ToString();
      ASSERT_FALSE(damage->empty()) << "byte " << i;
      expect_seal(i, damage->front().status);
    } else {
      expect_seal(i, reader.status());
    }
    bytes[i] ^= flip;
  }
}

struct CoreDamage {
  const char* rule;
  StatusCode code;
  std::function<void(EditableFile*)> change;
};

wire::TableRef With(const wire::TableRef& t, uint64_t offset, uint32_t size, uint32_t count) {
  return {offset, size, count, t.seal()};
}

wire::StripeRef Stripe(const wire::StripeRef& s, uint64_t first, uint32_t rows, uint32_t sessions,
                       uint32_t flags, uint32_t reserved, uint64_t offset, uint64_t size) {
  return {first, rows, sessions, flags, reserved, offset, size, s.groups(), s.streams(), s.pages()};
}

// Rules of the core footer, each broken under sound seals.
TEST(Open, F050CoreFooterRules) {
  const std::vector<std::byte> sound = SampleFile(100, 30);
  const auto corrupt = StatusCode::kCorrupt;
  const std::vector<CoreDamage> damages = {
      {"F-050", corrupt,
       [](EditableFile* f) { f->SetCore<uint64_t>(CoreFooter::VT_NUM_ROWS, 99); }},
      {"F-050", corrupt,
       [](EditableFile* f) { f->SetCore<uint64_t>(CoreFooter::VT_NUM_SESSIONS, 1); }},
      {"F-050", corrupt,
       [](EditableFile* f) { f->SetCore<uint32_t>(CoreFooter::VT_NUM_FEATURES, 12); }},
      {"F-076", corrupt,
       [](EditableFile* f) { f->SetCore<uint32_t>(CoreFooter::VT_NUM_SLOTS, 1); }},
      {"F-050", corrupt,
       [](EditableFile* f) { f->SetCore<uint32_t>(CoreFooter::VT_PAGE_VALUES, 1000); }},
      {"F-050", corrupt,
       [](EditableFile* f) { f->SetCore<uint32_t>(CoreFooter::VT_PAGE_VALUES, 1U << 21); }},
      {"F-090", corrupt,
       [](EditableFile* f) {
         auto& t = f->columns();
         t = With(t, t.offset(), t.record_size(), (1U << 22) + 1);
       }},
      {"F-041", corrupt,
       [](EditableFile* f) {
         auto& t = f->columns();
         t = With(t, t.offset(), t.record_size(), 1U << 21);
       }},
      // Longer records do not fit between the tables …
      {"F-041", corrupt,
       [](EditableFile* f) {
         auto& t = f->columns();
         t = With(t, t.offset(), 4096, t.count());
       }},
      // … and are multiples of 8 of at most 4096 bytes; a name heap has none.
      {"F-041", corrupt,
       [](EditableFile* f) {
         auto& t = f->columns();
         t = With(t, t.offset(), t.record_size() + 4, t.count());
       }},
      {"F-041", corrupt,
       [](EditableFile* f) {
         auto& t = f->columns();
         t = With(t, t.offset(), 4104, t.count());
       }},
      {"F-041", corrupt,
       [](EditableFile* f) {
         auto& t = f->names();
         t = With(t, t.offset(), 8, t.count());
       }},
      {"F-041", corrupt,
       [](EditableFile* f) {
         auto& t = f->columns();
         t = With(t, t.offset(), 0, t.count());
       }},
      {"F-041", corrupt,
       [](EditableFile* f) {
         auto& t = f->names();
         t = With(t, ~uint64_t{7}, t.record_size(), t.count());
       }},
      {"F-040", corrupt,
       [](EditableFile* f) {
         auto& t = f->names();
         t = With(t, t.offset(), t.record_size(), 0);
       }},
      {"F-002", corrupt,
       [](EditableFile* f) {
         auto& t = f->names();
         t = With(t, t.offset() + 8, t.record_size(), t.count());
       }},
      {"F-072", corrupt,
       [](EditableFile* f) {
         auto& t = f->name_index();
         t = With(t, t.offset(), t.record_size(), 10);
       }},
      {"F-051", corrupt,
       [](EditableFile* f) {
         auto& s = f->stripe(1);
         s = Stripe(s, 1, s.num_rows(), s.num_sessions(), 0, 0, s.data_offset(), s.data_size());
       }},
      {"F-052", corrupt,
       [](EditableFile* f) {
         auto& s = f->stripe(0);
         s = Stripe(s, 0, 0, 0, 0, 0, s.data_offset(), s.data_size());
       }},
      {"F-052", corrupt,
       [](EditableFile* f) {
         auto& s = f->stripe(0);
         s = Stripe(s, 0, (1U << 24) + 1, 0, 0, 0, s.data_offset(), s.data_size());
       }},
      {"F-051", corrupt,
       [](EditableFile* f) {
         auto& s = f->stripe(0);
         s = Stripe(s, 0, s.num_rows(), s.num_sessions(), 1, 0, s.data_offset(), s.data_size());
       }},
      {"F-051", corrupt,
       [](EditableFile* f) {
         auto& s = f->stripe(1);
         s = Stripe(s, s.first_row(), s.num_rows(), s.num_sessions(), 0, 0, s.data_offset() + 8,
                    s.data_size());
       }},
      {"F-051", corrupt,
       [](EditableFile* f) {
         auto& s = f->stripe(0);
         s = Stripe(s, 0, s.num_rows(), s.num_sessions(), 0, 0, 64, ~uint64_t{7});
       }},
      {"F-003", corrupt,
       [](EditableFile* f) {
         auto& s = f->stripe(0);
         s = Stripe(s, 0, s.num_rows(), s.num_sessions(), 0, 1, 64, s.data_size());
       }},
      {"F-003", corrupt,
       [](EditableFile* f) {
         auto& s = f->stripe(0);
         s = Stripe(s, 0, s.num_rows(), s.num_sessions(), 2, 0, 64, s.data_size());
       }},
      {"F-080", StatusCode::kUnsupported,
       [](EditableFile* f) {
         auto& s = f->section(0);
         s = wire::SectionRef(99, 1, s.offset(), s.size(), s.seal());
       }},
      {"F-080", corrupt,
       [](EditableFile* f) {
         auto& s = f->section(0);
         s = wire::SectionRef(1, 0, s.offset(), ~uint64_t{0}, s.seal());
       }},
  };
  for (size_t i = 0; i < damages.size(); ++i) {
    EditableFile file(sound);
    damages[i].change(&file);
    const Status status = OpenBytes(file.Reseal().bytes()).status();
    EXPECT_EQ(status.code(), damages[i].code) << i << ' ' << status.ToString();
    EXPECT_NE(status.message().find(damages[i].rule), std::string::npos)
        << i << ' ' << damages[i].rule << ' ' << status.ToString();
  }
  EditableFile same(sound);
  EXPECT_EQ(same.Reseal().bytes(), sound);
}

// F-051: there are sessions only where rows are clustered by a key.
TEST(Open, F051SessionsNeedAKey) {
  std::vector<std::byte> bytes;
  Schema schema;
  schema.features.push_back(Feature("x", Kind::kDense, {{"", Type::kInt64, ""}}));
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "sample"), schema, {});
  ASSERT_TRUE(writer.ok());
  RowBatch rows((*writer)->schema());
  ASSERT_TRUE(rows.SetInt(0, 7).ok());
  ASSERT_TRUE(rows.EndRow().ok());
  ASSERT_TRUE((*writer)->Append(rows).ok());
  ASSERT_TRUE((*writer)->Finish().ok());
  EditableFile file(bytes);
  wire::StripeRef& s = file.stripe(0);
  EXPECT_EQ(s.num_sessions(), 0U);
  ASSERT_TRUE(OpenBytes(file.Reseal().bytes()).ok());
  s = Stripe(s, 0, s.num_rows(), 1, 0, 0, s.data_offset(), s.data_size());
  const Status status = OpenBytes(file.Reseal().bytes()).status();
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_NE(status.message().find("F-051"), std::string::npos) << status.ToString();
}

// S-013: UTF-8 as RFC 3629 has it.
TEST(Open, S013NamesAreUtf8) {
  for (const std::string_view text : {"a", "\xC3\xA9", "\xED\x9F\xBF", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(internal::IsNameText(text)) << text;
  // Overlong, a surrogate, above U+10FFFF, cut short, NUL.
  for (const std::string_view text :
       {std::string_view("\xC1\xB8"), std::string_view("\xE0\x80\xAF"),
        std::string_view("\xED\xA0\x80"), std::string_view("\xF4\x90\x80\x80"),
        std::string_view("a\xC3"), std::string_view("\0", 1)})
    EXPECT_FALSE(internal::IsNameText(text)) << text;
}

TEST(Open, F080UnknownSectionIsSkipped) {
  EditableFile file(SampleFile());
  auto& s = file.section(0);
  s = wire::SectionRef(99, 0, s.offset(), s.size(), s.seal());
  const auto reader = OpenBytes(file.Reseal().bytes());
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE((*reader)->Metadata()->empty());
  EXPECT_TRUE((*reader)->Verify()->empty());
}

// S-010: what a newer version knows is fatal only for who asks for it.
TEST(Open, S010UnknownKindConcernsItsColumn) {
  EditableFile file(SampleFile());
  file.Put<uint8_t>(EditableFile::Place(file.columns(), 2) + 64, 77);
  const auto reader = OpenBytes(file.Reseal().bytes());
  ASSERT_TRUE(reader.ok());
  const auto label = (*reader)->FindColumn("label");
  ASSERT_TRUE(label.ok());
  EXPECT_EQ(label->support.code(), StatusCode::kUnsupported);
  const auto age = (*reader)->FindColumn("user.age");
  ASSERT_TRUE(age.ok());
  EXPECT_TRUE(age->support.ok());
}

// The core footer's bytes under a sound seal, each bit of it: no crash, and nothing but a Status.
TEST(Open, F050AnyCoreFooterIsHandled) {
  const std::vector<std::byte> sound = SampleFile(10);
  const EditableFile plain(sound);
  for (uint64_t at = plain.core_offset(); at < sound.size() - internal::kTrailerSize; ++at) {
    for (const uint8_t value : std::initializer_list<uint8_t>{0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      // Only the seals above the footer: those below may have moved.
      EditableFile file(sound);
      file.Put<uint8_t>(at, value);
      file.ResealFooter();
      const auto reader = OpenBytes(file.bytes());
      if (!reader.ok()) continue;
      (void)(*reader)->Columns();
      (void)(*reader)->schema();
      (void)(*reader)->Verify();
    }
  }
}

// Counts what is read.
class CountingFile final : public RandomAccessFile {
 public:
  CountingFile(std::unique_ptr<RandomAccessFile> file, uint64_t* reads, uint64_t* bytes)
      : file_(std::move(file)), reads_(*reads), bytes_(*bytes) {}
  uint64_t size() const override { return file_->size(); }
  const std::string& name() const override { return file_->name(); }
  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    ++reads_;
    bytes_ += dst.size();
    return file_->ReadAt(offset, dst);
  }
  Status ReadMany(std::span<const ReadRequest> requests) const override {
    for (const ReadRequest& request : requests) {
      ++reads_;
      bytes_ += request.dst.size();
    }
    return file_->ReadMany(requests);
  }
  SourceCosts costs() const override { return file_->costs(); }

 private:
  std::unique_ptr<RandomAccessFile> file_;
  uint64_t& reads_;
  uint64_t& bytes_;
};

std::vector<std::byte> WideFile(int num_features) {
  Schema schema;
  for (int i = 0; i < num_features; ++i) {
    schema.features.push_back(
        Feature("feature." + std::to_string(i), Kind::kDense, {{"", Type::kInt32, ""}}));
  }
  std::vector<std::byte> bytes;
  WriterOptions options;
  options.threads = 1;
  options.find_groups = false;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "wide"), schema, options);
  EXPECT_TRUE(writer.ok());
  RowBatch rows((*writer)->schema());
  for (int64_t row = 0; row < 20; ++row) {
    for (int i = 0; i < num_features; ++i) {
      EXPECT_TRUE(rows.SetInt(static_cast<size_t>(i), row * i % 1000).ok());
    }
    EXPECT_TRUE(rows.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(rows).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

// Opening and resolving costs the same few reads whatever the number of features.
TEST(Open, CostDoesNotGrowWithFeatures) {
  const auto cost = [](int num_features, uint64_t* reads, uint64_t* bytes) {
    auto file = std::make_unique<CountingFile>(OpenMemoryFile(WideFile(num_features), "wide"),
                                               reads, bytes);
    const auto reader = Reader::Open(std::move(file));
    ASSERT_TRUE(reader.ok());
    for (int i = 0; i < 10; ++i) {
      const std::string name = "feature." + std::to_string(i * (num_features / 10));
      ASSERT_TRUE((*reader)->FindColumn(name).ok()) << name;
    }
  };
  uint64_t reads = 0;
  uint64_t bytes = 0;
  cost(20'000, &reads, &bytes);
  EXPECT_LE(reads, 45U);
  EXPECT_LE(bytes, 300U << 10);
}

}  // namespace
}  // namespace dsi::test
