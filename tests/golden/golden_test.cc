// Golden files: each decodes to its rows, is sound, and reports every flipped bit and every cut
// (promises P1, P2; F-002, F-010, F-011, F-031).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "dsi/codecs/registry_internal.h"
#include "dsi/reader/reader.h"
#include "dsi/text/row_text.h"

namespace dsi {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::byte> ReadBytes(const fs::path& path) {
  const std::string text = ReadText(path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<fs::path> GoldenFiles() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(fs::path(DSI_SOURCE_DIR) / "tests/golden/valid")) {
    if (entry.path().extension() == ".dsi") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A scan of every column, then all rows as text.
Result<std::string> ReadEverything(std::vector<std::byte> bytes) {
  DSI_ASSIGN_OR_RETURN(auto reader, Reader::Open(OpenMemoryFile(std::move(bytes), "golden")));
  DSI_ASSIGN_OR_RETURN(auto scan, reader->NewScan({}));
  Batch batch;
  for (;;) {
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) break;
  }
  DSI_ASSIGN_OR_RETURN(auto rows, RowText::Create(*reader, {}));
  std::string text;
  for (;;) {
    DSI_ASSIGN_OR_RETURN(const bool more, rows->Next(&text, nullptr));
    if (!more) return text;
  }
}

bool VerifyFindsDamage(std::vector<std::byte> bytes) {
  auto reader = Reader::Open(OpenMemoryFile(std::move(bytes), "golden"));
  if (!reader.ok()) return true;
  auto found = (*reader)->Verify();
  return !found.ok() || !found->empty();
}

// What the writer makes of values, wherever it may choose an encoding.
TEST(GoldenFilesTest, HoldNodesOfEveryEncoding) {  // E-010 to E-120.
  std::string all;
  for (const fs::path& path : GoldenFiles()) {
    const auto reader = Reader::Open(path.string());
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    const auto columns = (*reader)->Columns();
    ASSERT_TRUE(columns.ok());
    for (const ColumnInfo& column : *columns) {
      const auto streams = (*reader)->Streams(column.name);
      ASSERT_TRUE(streams.ok()) << streams.status().ToString();
      for (const StreamInfo& stream : *streams) all += "(" + stream.encoding + ")";
    }
  }
  for (const internal::EncodingRow* row : internal::EncodingTable()) {
    const std::regex named("(\\(|, )" + std::string(row->name) + "(\\(|:| u)");
    EXPECT_TRUE(std::regex_search(all, named)) << row->name;
  }
}

class Golden : public testing::TestWithParam<fs::path> {};

// List entries come back in the order given, whichever end is the newest.
TEST_P(Golden, D012DecodesToItsRows) {
  const auto text = ReadEverything(ReadBytes(GetParam()));
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_EQ(*text, ReadText(fs::path(GetParam()).replace_extension(".rows.jsonl")));
}

TEST_P(Golden, IsSound) {
  auto reader = Reader::Open(GetParam().string());
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  auto found = (*reader)->Verify();
  ASSERT_TRUE(found.ok());
  for (const Damage& damage : *found)
    ADD_FAILURE() << damage.where << ": " << damage.status.ToString();
}

// In larger files every seventh bit, about one of every byte.
TEST_P(Golden, SlowEveryFlippedBitIsReported) {
  const std::vector<std::byte> good = ReadBytes(GetParam());
  const size_t step = good.size() > 12'000 ? 7 : 1;
  for (size_t i = 0; i < good.size() * 8; i += step) {
    std::vector<std::byte> bad = good;
    bad[i / 8] ^= std::byte{1} << (i % 8);
    ASSERT_TRUE(VerifyFindsDamage(bad)) << "verify missed bit " << i % 8 << " of byte " << i / 8;
    ASSERT_FALSE(ReadEverything(std::move(bad)).ok())
        << "reading missed bit " << i % 8 << " of byte " << i / 8;
  }
}

TEST_P(Golden, EveryCutIsReported) {
  const std::vector<std::byte> good = ReadBytes(GetParam());
  for (size_t size = 0; size < good.size(); ++size) {
    const auto text =
        ReadEverything({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
    ASSERT_FALSE(text.ok()) << size << " of " << good.size() << " bytes";
    ASSERT_TRUE(
        VerifyFindsDamage({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}));
  }
}

TEST_P(Golden, AppendedBytesAreReported) {
  std::vector<std::byte> bytes = ReadBytes(GetParam());
  for (int n = 0; n < 100; ++n) {
    bytes.push_back(std::byte{0});
    ASSERT_FALSE(ReadEverything(bytes).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(GoldenFiles()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace dsi
