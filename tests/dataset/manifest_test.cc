#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <thread>

#include "dsi/dataset/files/file_skipper_internal.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/tests/dataset/dataset_folder.h"

namespace dsi::test {
namespace {

std::string Replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

class ManifestTest : public ::testing::Test {
 protected:
  ManifestTest() {
    folder_.PutRows("a.dsi", 0, 10, SmallSchema(), 4);
    folder_.PutRows("day=1/b.dsi", 100, 5);
    folder_.PutRows("empty.dsi", 0, 0);
    auto dataset = Dataset::Open(folder_.path());
    EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
    dataset_ = *std::move(dataset);
    auto text = dataset_->Manifest(folder_.path());
    EXPECT_TRUE(text.ok()) << text.status().ToString();
    text_ = *text;
    folder_.PutText("all.json", text_);
  }

  // What reading a row's worth of file `i` says, with this manifest in place of the true one.
  Status AcquireWith(const std::string& text, size_t i = 0) {
    folder_.PutText("lies.json", text);
    const auto files = OpenFiles(folder_.File("lies.json"));
    if (!files.ok()) return files.status();
    return (*files)->Acquire(i).status();
  }

  DatasetFolder folder_;
  std::unique_ptr<Dataset> dataset_;
  std::string text_;
};

TEST_F(ManifestTest, SaysWhatTheFooterSays) {
  const auto again = Dataset::Open(folder_.File("all.json"));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ((*again)->snapshot(), dataset_->snapshot());
  EXPECT_EQ((*again)->num_rows(), 15U);
  ASSERT_EQ((*again)->files().size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    const DatasetFile& a = (*again)->files()[i];
    const DatasetFile& b = dataset_->files()[i];
    EXPECT_EQ(a.path, b.path);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.num_rows, b.num_rows);
    EXPECT_EQ(a.first_row, b.first_row);
    EXPECT_EQ(a.fingerprint, b.fingerprint);
  }
  const auto files = OpenFiles(folder_.File("all.json"));
  const std::span<const uint64_t> ends = (*files)->stripe_ends();
  EXPECT_EQ(std::vector<uint64_t>(ends.begin(), ends.end()), (std::vector<uint64_t>{4, 10, 15}));
  EXPECT_EQ(*(*again)->Manifest(folder_.path()), text_);
  EXPECT_EQ(*dataset_->Manifest(folder_.path()), text_);
  const auto columns = (*again)->Columns();
  ASSERT_TRUE(columns.ok());
  EXPECT_EQ(columns->size(), 2U);
}

TEST_F(ManifestTest, OpeningItOpensNoFile) {
  for (const char* name : {"a.dsi", "day=1/b.dsi", "empty.dsi"})
    std::filesystem::remove(folder_.File(name));
  const auto files = OpenFiles(folder_.File("all.json"));
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  EXPECT_EQ((*files)->num_rows(), 15U);
  EXPECT_TRUE(internal::MakeView(**files, {}).ok());
  const Status status = (*files)->Acquire(0).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_NE(status.message().find("make the manifest anew"), std::string::npos);
}

TEST_F(ManifestTest, WholePathsWhereNoFolderIsNamed) {
  const auto text = dataset_->Manifest();
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("\"" + folder_.File("a.dsi") + "\""), std::string::npos);
  DatasetFolder other;
  other.PutText("m.json", *text);
  EXPECT_EQ((*Dataset::Open(other.File("m.json")))->snapshot(), dataset_->snapshot());
}

TEST_F(ManifestTest, Ds016LiesAreFoundWhenTheFileIsOpened) {
  EXPECT_TRUE(AcquireWith(text_).ok());
  folder_.PutRows("c.dsi", 0, 5);
  const std::string size = std::to_string(dataset_->files()[0].bytes);
  const std::string print = fmt::format("{:016x}", dataset_->files()[0].fingerprint);
  const struct {
    std::string text, said;
  } lies[] = {
      {Replaced(text_, "\"bytes\": " + size, "\"bytes\": 77"), "bytes " + size},
      {Replaced(text_, print, "00000000000000aa"),
       "fingerprint " + print + ", the manifest says 00000000000000aa; make the manifest anew"},
      {Replaced(text_, "\"rows\": 10, \"stripes\": [4, 6]", "\"rows\": 11, \"stripes\": [11]"),
       "rows 10, the manifest says 11"},
      {Replaced(text_, "[4, 6]", "[6, 4]"), "rows of stripes"},
      {Replaced(text_, "\"a.dsi\"", "\"c.dsi\""), "c.dsi: bytes"},
  };
  for (const auto& lie : lies) {
    const Status status = AcquireWith(lie.text);
    EXPECT_EQ(status.code(), StatusCode::kBadInput) << status.ToString();
    EXPECT_NE(status.message().find(lie.said), std::string::npos) << status.ToString();
    EXPECT_NE(status.message().find("make the manifest anew"), std::string::npos);
  }
}

TEST_F(ManifestTest, WithoutOneAChangedFileIsFoundToo) {
  const auto files = OpenFiles(folder_.path());
  folder_.PutRows("a.dsi", 1, 10, SmallSchema(), 4);
  const Status status = (*files)->Acquire(0).status();
  EXPECT_EQ(status.code(), StatusCode::kBadInput) << status.ToString();
  EXPECT_NE(status.message().find("the dataset was opened with another"), std::string::npos);
}

TEST_F(ManifestTest, Ds010WhatIsNoManifest) {
  EXPECT_EQ(AcquireWith(Replaced(text_, "manifest\": 1", "manifest\": 2")).code(),
            StatusCode::kUnsupported);
  EXPECT_EQ(AcquireWith(Replaced(text_, "manifest\": 1", "manifest\": 2, \"x\": 1")).code(),
            StatusCode::kUnsupported);
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[1]"), std::string("{\"dsi_manifest\": 1}"),
        text_.substr(0, text_.size() / 2), text_ + "x",
        Replaced(text_, "\"dsi_manifest\": 1", "\"dsi_manifest\": \"1\""),
        Replaced(text_, "\"dsi_manifest\": 1", "\"dsi_manifest\": 1, \"more\": 1")}) {
    const Status status = AcquireWith(text);
    EXPECT_EQ(status.code(), StatusCode::kBadInput) << status.ToString();
    EXPECT_NE(status.message().find("lies.json"), std::string::npos) << status.ToString();
  }
}

TEST_F(ManifestTest, Ds013Contradictions) {
  const std::string id = text_.substr(text_.find("{\"id\": \"") + 8, 16);
  const struct {
    std::string what, with, said;
  } cases[] = {
      {"\"rows\": 10", "\"rows\": 11", "11 rows, and its stripes have 10"},
      {"\"rows\": 10", "\"rows\": -1", "whole number"},
      {"\"rows\": 10", "\"rows\": 10, \"rows\": 10", "stands twice"},
      {"\"rows\": 10, ", "", "expected \"rows\""},
      {"\"schema\": \"" + id, "\"schema\": \"x", "is no schema of it"},
      {"\"fingerprint\": \"", "\"fingerprint\": \"A", "16 digits"},
      {"\"path\": \"a.dsi\"", "\"path\": \"\"", "path"},
      {"\"path\": \"a.dsi\"", "\"path\": \"day=1/b.dsi\"", "named twice"},
      {"\"path\": \"a.dsi\"", "\"path\": \"a.dsi\", \"extra\": 0", "unknown member \"extra\""},
      {"\"kind\": \"key\"", "\"kind\": \"kex\"", "none that this version knows"},
      {"\"name\": \"score\"", "\"name\": \"key\"", "two columns are called"},
      {"[0, 0, 0, 9]", "[0, 0, 9, 0]", "the least value is above the greatest"},
      {"[0, 0, 0, 9]", "[0, 0, 0]", "expected [column, missing]"},
      {"[0, 0, 0, 9]", "[2, 0, 0, 9]", "column 2 of 2"},
      {"[0, 0, 0, 9]", "[0, 11, 0, 9]", "0 to 10"},
      {"[0, 0, 0, 9]", "[0, 10, 0, 9]", "least value where all rows miss it"},
      {"[0, 0, 0, 9]", "[0, 0]", "none where some have it"},
      {"[0, 0, 0, 9]", "[0, 0, 0.5, 9]", "fit the type"},
      {"[0, 0, 0, 9]", "[1, 0, 0, 1], [0, 0, 0, 9]", "not ascending"},
  };
  for (const auto& c : cases) {
    const Status status = AcquireWith(Replaced(text_, c.what, c.with));
    EXPECT_FALSE(status.ok()) << c.with;
    EXPECT_NE(status.message().find(c.said), std::string::npos) << status.ToString();
  }
}

TEST_F(ManifestTest, Ds015WhatSchemasSay) {
  const struct {
    std::string what, with, said;
  } cases[] = {
      {"{\"name\": \"score\"", "{\"name\": \"score\", \"feature\": \"sco\"",
       "no column of that feature"},
      {"\"kind\": \"dense\", ", "", "expected \"name\", \"id\", \"kind\" and \"type\""},
      {"\"kind\": \"dense\"", "\"kind\": \"dense\", \"default\": \"x\"", "fits the type"},
      {"\"kind\": \"dense\"", "\"kind\": \"dense\", \"newest\": \"last\"", "newest"},
      {"\"kind\": \"dense\"", "\"kind\": \"dense\", \"hashed\": 1", "true or false"},
  };
  for (const auto& c : cases) {
    const Status status = AcquireWith(Replaced(text_, c.what, c.with));
    EXPECT_EQ(status.code(), StatusCode::kBadInput) << c.with;
    EXPECT_NE(status.message().find(c.said), std::string::npos) << status.ToString();
  }
  // Two ids of what is the same are one schema, which has no group nor sizes.
  const std::string id = text_.substr(text_.find("{\"id\": \"") + 8, 16);
  const size_t begin = text_.find("{\"id\""), end = text_.find("]}", begin) + 2;
  const std::string second = Replaced(text_.substr(begin, end - begin), id, "other");
  std::string both = text_.substr(0, end) + ", " + second + text_.substr(end);
  both.replace(both.rfind(id), id.size(), "other");
  folder_.PutText("both.json", both);
  const auto files = OpenFiles(folder_.File("both.json"));
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  EXPECT_EQ((*(*files)->Schemas())->schemas.size(), 1U);
}

TEST_F(ManifestTest, Ds012LargeNumbersAreStrings) {
  DatasetFolder other;
  const int64_t large = (int64_t{1} << 53) + 1;
  other.PutRows("a.dsi", large, 2);
  const std::string text = *(*Dataset::Open(other.path()))->Manifest(other.path());
  EXPECT_NE(text.find("[0, 0, \"9007199254740993\", \"9007199254740994\"]"), std::string::npos)
      << text;
  const auto content = internal::ParseManifest(text);
  ASSERT_TRUE(content.ok()) << content.status().ToString();
  EXPECT_EQ(content->facts[0].statistics[0].all.least, static_cast<uint64_t>(large));
  EXPECT_EQ(internal::ManifestToJson(*content), text);
}

TEST(ManifestStatistics, Ds014BoundsOfStringsAreHexadecimal) {
  const auto manifest = [](const std::string& statistics) {
    return "{\n\"dsi_manifest\": 1,\n\"schemas\": [\n  {\"id\": \"9dde45a6a2758afe\", \"columns\": "
           "[{\"name\": \"city\", \"id\": 7, \"kind\": \"key\", \"type\": \"bytes\"}]}\n],\n"
           "\"files\": [\n  {\"path\": \"a.dsi\", \"bytes\": 800, \"fingerprint\": "
           "\"0123456789abcdef\", \"schema\": \"9dde45a6a2758afe\", \"rows\": 5, \"stripes\": [5], "
           "\"statistics\": [" +
           statistics + "]}\n]\n}\n";
  };
  const std::string longest(48, 'f');
  for (const std::string& sound :
       {std::string("[0, 1, \"4265726e\", \"5ac3bc\"]"), std::string("[0, 0, \"\", \"\"]"),
        "[0, 4, \"00ff\", \"" + longest + "\"]", std::string("[0, 5]")}) {
    const auto content = internal::ParseManifest(manifest(sound));
    ASSERT_TRUE(content.ok()) << sound << content.status().ToString();
    EXPECT_EQ(internal::ManifestToJson(*content), manifest(sound));
  }
  const auto content = internal::ParseManifest(manifest("[0, 1, \"4265726e\", \"5ac3bc\"]"));
  EXPECT_EQ(content->facts[0].statistics[0].all.least_text.view(), "Bern");
  EXPECT_EQ(content->facts[0].statistics[0].all.greatest_text.view(), "Z\xC3\xBC");
  for (const std::string& wrong :
       {std::string("[0, 1, \"426\", \"5a\"]"), std::string("[0, 1, \"4G\", \"5a\"]"),
        std::string("[0, 1, \"4A\", \"5a\"]"), std::string("[0, 1, 42, \"5a\"]"),
        std::string("[0, 1, \"5a\", \"42\"]"), "[0, 1, \"\", \"" + longest + "00\"]",
        std::string("[0, 5, \"42\", \"5a\"]"), std::string("[0, 1]")}) {
    EXPECT_EQ(internal::ParseManifest(manifest(wrong)).status().code(), StatusCode::kBadInput)
        << wrong;
  }
}

TEST_F(ManifestTest, Ds011WhereFilesLie) {
  const OpenOptions plain;
  const auto path = [&](const std::string& name, const std::string& manifest) {
    const auto found = internal::PathFromManifest(name, manifest, plain);
    return found.ok() ? *found : "refused";
  };
  EXPECT_EQ(path("a b.dsi", "m.json"), "a b.dsi");
  EXPECT_EQ(path("a.dsi", "x/m.json"), "x/a.dsi");
  EXPECT_EQ(path("/y/a.dsi", "x/m.json"), "/y/a.dsi");
  EXPECT_EQ(path("s3://b/a.dsi", "x/m.json"), "s3://b/a.dsi");
  EXPECT_EQ(path("a.dsi", "s3://b/x/m.json"), "s3://b/x/a.dsi");
  EXPECT_EQ(path("d/a b%.dsi", "http://h/x/m.json?key=a/b"), "http://h/x/d/a%20b%25.dsi");
  EXPECT_EQ(path("http://other/a.dsi", "http://h/m.json"), "http://other/a.dsi");
  for (const char* name : {"/etc/passwd", "file:///etc/passwd", "ftp://h/x"})
    EXPECT_EQ(path(name, "http://h/m.json"), "refused");
  OpenOptions with_token;
  with_token.remote.headers = {"Authorization: Bearer x"};
  EXPECT_FALSE(
      internal::PathFromManifest("http://other/a.dsi", "http://h/m.json", with_token).ok());
  EXPECT_TRUE(internal::PathFromManifest("http://h/y/a.dsi", "http://h/m.json", with_token).ok());
  EXPECT_TRUE(internal::IsManifestName("http://h/m.json?signature=x"));
  EXPECT_FALSE(internal::IsManifestName("http://h/m?x=.json"));
}

TEST_F(ManifestTest, NamesThatJsonCannotHave) {
  folder_.PutRows("\xff.dsi", 0, 1);
  const auto dataset = Dataset::Open(folder_.path());
  ASSERT_TRUE(dataset.ok());
  const Status status = (*dataset)->Manifest().status();
  EXPECT_EQ(status.code(), StatusCode::kBadInput);
  EXPECT_NE(status.message().find("no UTF-8"), std::string::npos);
}

TEST_F(ManifestTest, Ds014FilesThatCannotPassAreKnownUnopened) {
  // The writer leaves out statistics of few numbers that no order has.
  folder_.PutText("more.json",
                  Replaced(Replaced(text_, "[0, 0, 0, 9]", "[0, 0, 0, 9], [1, 0, 0.0, 4.5]"),
                           "[0, 0, 100, 104]", "[0, 0, 100, 104], [1, 0, 50.0, 52.0]"));
  const auto files = OpenFiles(folder_.File("more.json"));
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  const auto passing = [&](const RowFilter& filter) {
    const auto skipper = internal::FileSkipper::Make(**files, filter);
    if (!skipper.ok()) return skipper.status().ToString();
    std::string out;
    for (size_t i = 0; i < (*files)->files().size(); ++i) out += (*skipper).MayPass(i) ? 'y' : 'n';
    return out;
  };
  EXPECT_EQ(passing({}), "yyy");
  EXPECT_EQ(passing({.where = {{"key", Compare::kGreater, int64_t{50}}}}), "nyy");
  EXPECT_EQ(passing({.where = {{"key", Compare::kLess, int64_t{50}}}}), "yny");
  EXPECT_EQ(passing({.where = {{"key", Compare::kEqual, 9.5}}}), "nny");
  EXPECT_EQ(passing({.where = {{"score", Compare::kLessEqual, 4.5}}}), "yny");
  EXPECT_EQ(passing({.where = {{"score", Compare::kGreater, 52.0}}}), "nny");
  EXPECT_NE(passing({.where = {{"none", Compare::kLess, int64_t{5}}}}).find("no feature"),
            std::string::npos);
  // Without a manifest nothing is known.
  const auto found = OpenFiles(folder_.path());
  const auto skipper =
      internal::FileSkipper::Make(**found, {.where = {{"key", Compare::kGreater, int64_t{50}}}});
  EXPECT_TRUE(skipper->MayPass(0));
}

TEST_F(ManifestTest, Ds004TheSnapshotIsOfContentAndOrder) {
  DatasetFolder moved;
  std::filesystem::copy(folder_.File("a.dsi"), moved.File("1.dsi"));
  std::filesystem::copy(folder_.File("day=1/b.dsi"), moved.File("2.dsi"));
  std::filesystem::copy(folder_.File("empty.dsi"), moved.File("3.dsi"));
  EXPECT_EQ((*Dataset::Open(moved.path()))->snapshot(), dataset_->snapshot());
  std::filesystem::rename(moved.File("1.dsi"), moved.File("4.dsi"));
  EXPECT_NE((*Dataset::Open(moved.path()))->snapshot(), dataset_->snapshot());
}

TEST_F(ManifestTest, NothingIsHeldOpenThatNobodyUses) {
  const size_t before = OpenDescriptors();
  DatasetOptions options;
  options.max_open_files = 2;
  DatasetFolder many;
  for (int i = 0; i < 8; ++i) many.PutRows(std::to_string(i) + ".dsi", i, 2);
  const auto files = OpenFiles(many.path(), options);
  ASSERT_TRUE((*files)->Manifest("").ok());
  EXPECT_EQ(OpenDescriptors(), before);
  {
    std::vector<std::shared_ptr<const Reader>> held;
    for (size_t i = 0; i < 8; ++i) held.push_back(*(*files)->Acquire(i));
    EXPECT_EQ(OpenDescriptors(), before + 8);
    EXPECT_EQ((*files)->Acquire(3)->get(), held[3].get());
  }
  for (size_t i = 0; i < 8; ++i) ASSERT_TRUE((*files)->Acquire(i).ok());
  EXPECT_LE(OpenDescriptors(), before + 3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 400; ++i) {
        const auto reader = (*files)->Acquire((i * 7 + static_cast<size_t>(t)) % 8);
        EXPECT_TRUE(reader.ok() && (*reader)->info().num_rows == 2);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(OpenDescriptors(), before + 3);
}

TEST_F(ManifestTest, ProgressMayCancel) {
  DatasetOptions options;
  options.threads = 1;
  options.progress = [](uint64_t, uint64_t total) { return total != 3; };
  EXPECT_EQ(Dataset::Open(folder_.path(), options).status().code(), StatusCode::kCancelled);
}

TEST(ManifestSizes, TenThousandFiles) {
  DatasetFolder folder;
  // A hundred contents, each under a hundred names.
  for (int i = 0; i < 100; ++i) {
    const std::vector<std::byte> bytes = SmallFile(SmallSchema(), i, 3);
    for (int k = 0; k < 100; ++k)
      folder.Put(std::to_string(i % 10) + "/" + std::to_string(i * 100 + k) + ".dsi", bytes);
  }
  const size_t before = OpenDescriptors();
  const auto dataset = Dataset::Open(folder.path());
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  EXPECT_EQ((*dataset)->num_rows(), 30'000U);
  EXPECT_EQ(OpenDescriptors(), before);
  const std::string text = *(*dataset)->Manifest(folder.path());
  folder.PutText("all.json", text);
  const auto again = OpenFiles(folder.File("all.json"));
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ((*again)->snapshot(), (*dataset)->snapshot());
  EXPECT_EQ((*(*again)->Schemas())->schemas.size(), 1U);
}

}  // namespace
}  // namespace dsi::test
