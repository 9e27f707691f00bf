// Pages of text hold as many bytes as pages of ids do (F-061).
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/tests/support/reseal.h"
#include "dsi/writer/writer.h"

namespace dsi::test {
namespace {

constexpr uint32_t kPageValues = 4096;

std::vector<std::string> Texts(size_t count) {
  std::mt19937 random(3);
  std::vector<std::string> texts;
  for (size_t i = 0; i < count; ++i)
    texts.push_back("query " + std::to_string(random()) + " of " + std::to_string(i));
  return texts;
}

std::vector<std::byte> Write(const std::vector<std::string>& texts) {
  Schema schema;
  schema.features = {{.name = "text",
                      .kind = Kind::kString,
                      .columns = {{.name = "", .type = Type::kBytes, .id_space = ""}}}};
  std::vector<std::byte> bytes;
  auto writer = Writer::Create(CreateMemoryFile(&bytes, "text"), schema,
                               {.page_values = kPageValues, .threads = 1});
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  RowBatch batch((*writer)->schema());
  for (const std::string& text : texts) {
    EXPECT_TRUE(batch.SetBytes(0, text).ok());
    EXPECT_TRUE(batch.EndRow().ok());
  }
  EXPECT_TRUE((*writer)->Append(batch).ok());
  EXPECT_TRUE((*writer)->Finish().ok());
  return bytes;
}

// Pages, and values per page, of the values stream.
std::pair<uint32_t, uint32_t> PagesOf(const std::vector<std::byte>& bytes) {
  EditableFile file(bytes);
  const uint64_t record = file.Stream(0, 0);
  return {file.Get<uint32_t>(record + 20), file.Get<uint32_t>(record + 28)};
}

TEST(TextPages, AreEightTimesAsManyBytes) {
  const std::vector<std::string> texts = Texts(3'000);
  size_t total = 0;
  for (const std::string& text : texts) total += text.size();
  const std::vector<std::byte> bytes = Write(texts);
  EXPECT_EQ(PagesOf(bytes),
            std::pair((static_cast<uint32_t>(total) + 8 * kPageValues - 1) / (8 * kPageValues),
                      8 * kPageValues));

  const auto reader = Reader::Open(OpenMemoryFile(bytes, "text"));
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  const auto damage = (*reader)->Verify();
  ASSERT_TRUE(damage.ok());
  EXPECT_TRUE(damage->empty());
  // From a row whose text begins in a page of its own choice.
  for (const uint64_t first : {0U, 1'111U, 2'999U}) {
    ScanOptions options{.features = {{.name = "text", .layout = Layout::kJagged}},
                        .batch_size = 700};
    options.row_begin = first;
    auto scan = (*reader)->NewScan(options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    size_t row = first;
    while (*(*scan)->Next(&batch)) {
      const auto view = batch.Jagged("text");
      ASSERT_TRUE(view.ok());
      for (size_t i = 0; i < view->rows; ++i, ++row) {
        const auto* const text = static_cast<const char*>(view->values) + view->offsets[i];
        ASSERT_EQ(texts[row],
                  std::string(text, static_cast<size_t>(view->offsets[i + 1] - view->offsets[i])));
      }
    }
    EXPECT_EQ(row, texts.size());
  }
}

// What fits a page as it is may share one with others.
TEST(TextPages, ShortTextsSayNothing) {
  const std::vector<std::byte> bytes = Write(Texts(150));
  EXPECT_EQ(PagesOf(bytes).first, 1U);
  EditableFile file(bytes);
  EXPECT_LE(file.Get<uint64_t>(file.Stream(0, 0)), kPageValues);
  EXPECT_NE(PagesOf(bytes).second, 8 * kPageValues);
}

}  // namespace
}  // namespace dsi::test
