// Files that rows were deleted of, and files that were appended to (F-033 … F-035, F-084), as
// make_rules.py makes them: what a scan gives, what is told of them, and where an append was cut.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> RuleFile(const std::string& name) {
  std::ifstream in(fs::path(DSI_SOURCE_DIR) / "tests/golden/rules" / (name + ".dsi"),
                   std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::unique_ptr<Reader> Open(std::vector<std::byte> bytes) {
  auto reader = Reader::Open(OpenMemoryFile(std::move(bytes), "growth.dsi"));
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return *std::move(reader);
}

// The values of the key k in the rows that the scan gives.
std::vector<int64_t> Keys(const Reader& reader, ScanOptions options = {}) {
  options.features = {{.name = "k", .layout = Layout::kJagged}, {.name = "l"}};
  auto scan = reader.NewScan(options);
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  std::vector<int64_t> keys;
  Batch batch;
  for (auto more = (*scan)->Next(&batch);; more = (*scan)->Next(&batch)) {
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) break;
    const auto view = batch.Jagged("k");
    const auto* const values = static_cast<const int64_t*>(view->values);
    keys.insert(keys.end(), values, values + batch.num_rows());
  }
  EXPECT_EQ(*reader.CountRows(options), keys.size());
  EXPECT_EQ((*scan)->stats().rows, keys.size());
  EXPECT_EQ(reader.Plan(options)->stripes_skipped, (*scan)->stats().stripes_skipped);
  return keys;
}

using Numbers = std::vector<int64_t>;

TEST(DeletedRows, F084AreNeverGivenOut) {
  const auto reader =
      Open(RuleFile("sound.deleted"));  // Rows 1 and 4 of the first, all of the next.
  EXPECT_EQ(reader->info().num_rows, 8U);
  EXPECT_EQ(reader->info().num_deleted_rows, 5U);
  EXPECT_EQ(reader->stripes()[0].num_deleted_rows, 2U);
  EXPECT_EQ(reader->stripes()[1].num_deleted_rows, 3U);
  EXPECT_EQ(Keys(*reader), (Numbers{50, 52, 53}));
  ScanOptions options;
  options.batch_size = 2;
  EXPECT_EQ(Keys(*reader, options), (Numbers{50, 52, 53}));
  options.row_begin = 1;
  options.row_end = 3;  // Numbers of rows do not change.
  EXPECT_EQ(Keys(*reader, options), (Numbers{52}));
  options = {};
  options.filter.where = {{"k", Compare::kGreater, 51}};
  EXPECT_EQ(Keys(*reader, options), (Numbers{52, 53}));
  options.filter = {};
  options.filter.sample = {{.when = {}, .keep = 1}};
  EXPECT_EQ(Keys(*reader, options), (Numbers{50, 52, 53}));
  EXPECT_EQ(reader->Plan({})->stripes_skipped, 1U);
  EXPECT_EQ(Keys(*Open(RuleFile("sound.deleted_all"))), Numbers{});
  EXPECT_EQ(Keys(*Open(RuleFile("sound.deleted_none"))).size(), 8U);
}

// What the mask says is needed by every scan, even of columns that are known.
TEST(DeletedRows, F084AnUnknownNodeIsUnsupported) {
  const auto reader = Open(RuleFile("E-005.deleted.unsupported"));
  EXPECT_EQ(reader->CountRows({}).status().code(), StatusCode::kUnsupported);
  ScanOptions second;
  second.row_begin = 5;
  EXPECT_EQ(*reader->CountRows(second), 3U);
}

TEST(DeletedRows, F084TheMaskIsChargedToTheBudget) {
  ScanOptions options;
  options.memory_bytes = 8;
  EXPECT_EQ(Open(RuleFile("sound.deleted"))->CountRows(options).status().code(),
            StatusCode::kResourceExhausted);
}

TEST(AppendedFiles, F033F034AreReadAsOthers) {
  const auto appended = Open(RuleFile("sound.appended"));
  EXPECT_EQ(Keys(*appended), (Numbers{0, 7, 0, 1, 8, 1, 2, 9, 2}));
  EXPECT_TRUE(appended->info().may_have_gaps);
  const uint64_t before = appended->info().previous_file_bytes;
  std::vector<std::byte> older = RuleFile("sound.appended");
  older.resize(before);
  const auto reader = Open(older);
  EXPECT_EQ(Keys(*reader), (Numbers{0, 7, 0, 1, 8, 1}));
  EXPECT_FALSE(reader->info().may_have_gaps);
  EXPECT_EQ(reader->info().previous_file_bytes, 0U);
  EXPECT_EQ(Keys(*Open(RuleFile("sound.stripe_dropped"))), (Numbers{0, 7, 0}));
  EXPECT_EQ(Keys(*Open(RuleFile("sound.footer_replaced"))), (Numbers{0, 7, 0, 1, 8, 1}));
}

// Wherever the append is cut, the file is refused, and what it was before is found.
TEST(AppendedFiles, F035ACutAppendLeavesTheOlderFile) {
  const TempFolder folder;
  const std::string path = folder.File("cut.dsi");
  const std::vector<std::byte> whole = RuleFile("sound.appended");
  const uint64_t before = Open(whole)->info().previous_file_bytes;
  const auto write = [&](uint64_t size, std::string_view more) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(whole.data()), static_cast<std::streamsize>(size));
    out << more;
  };
  for (uint64_t size = before + 1; size < whole.size(); size += 13) {
    write(size, "");
    EXPECT_FALSE(Reader::Open(path).ok());
    EXPECT_EQ(*Reader::FindLastFile(path), before) << size;
  }
  for (const char* more : {"x", "nine more", "a page that was half written: it says nothing"}) {
    write(whole.size(), more);
    EXPECT_FALSE(Reader::Open(path).ok());
    EXPECT_EQ(*Reader::FindLastFile(path), whole.size());
  }
  write(whole.size(), std::string(3 << 20, 'x'));
  EXPECT_EQ(*Reader::FindLastFile(path), whole.size());
  write(before - 1, "");
  EXPECT_EQ(*Reader::FindLastFile(path), 0U);
  write(0, "");
  EXPECT_EQ(*Reader::FindLastFile(path), 0U);
  EXPECT_EQ(Reader::FindLastFile(folder.File("none.dsi")).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace dsi::test
