// Files whose seals are right whatever else is wrong with them, and the golden ones: read in every
// way there is, under a small budget. No crash (sanitizers look on), no more memory than allowed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/text/row_text.h"
#include "dsi/tests/support/memory_hook.h"

namespace dsi::test {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kBudget = 16 << 20;
constexpr uint64_t kOverhead = 64 << 20;  // Of what is not charged; most of it is never used.
constexpr int kMaxBatches = 40;

std::vector<fs::path> AllFiles() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(DSI_SOURCE_DIR) / "tests" / "golden")) {
    if (entry.path().extension() == ".dsi") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::byte> BytesOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> chars{std::istreambuf_iterator<char>(in), {}};
  const auto* const bytes = reinterpret_cast<const std::byte*>(chars.data());
  return {bytes, bytes + chars.size()};
}

void Scan(const Reader& reader, ScanOptions options) {
  options.memory_bytes = kBudget;
  auto scan = reader.NewScan(options);
  if (!scan.ok()) return;
  Batch batch;
  for (int i = 0; i < kMaxBatches; ++i) {
    const auto more = (*scan)->Next(&batch);
    if (!more.ok() || !*more) break;
    volatile unsigned sum = 0;
    for (const std::byte byte : batch.slab()) sum = sum + static_cast<unsigned>(byte);
  }
  static_cast<void>(reader.CountRows(options));
  static_cast<void>(reader.Plan(options));
}

// Every layout, width, type, range of rows and filter.
void ReadInEveryWay(const Reader& reader) {
  const uint64_t num_rows = reader.info().num_rows;
  if (num_rows > 1'000'000) {  // Where rows cost nothing, one look at them is long enough.
    ScanOptions options;
    options.features = {{.name = "*", .layout = Layout::kIkjt}};
    options.row_end = 1;
    return Scan(reader, options);
  }
  for (const Layout layout :
       {Layout::kPadded, Layout::kJagged, Layout::kIkjt, Layout::kPaddedIkjt}) {
    for (const uint32_t width : {1U, 10U, 40U, 300U}) {
      for (const Keep keep : {Keep::kFirst, Keep::kLast}) {
        for (const uint32_t batch_size : {7U, 100U, 5000U}) {
          ScanOptions options;
          options.batch_size = batch_size;
          options.features = {{.name = "*", .layout = layout, .width = width, .keep = keep}};
          Scan(reader, options);
          options.row_begin = num_rows / 3;
          options.row_end = num_rows / 2;
          Scan(reader, options);
          options.row_end = UINT64_MAX;
          options.filter.sample = {{.when = {}, .keep = 0.02}};
          Scan(reader, options);
        }
        if (layout != Layout::kPadded && layout != Layout::kPaddedIkjt) break;
      }
      if (layout != Layout::kPadded && layout != Layout::kPaddedIkjt) break;
    }
  }
  const auto columns = reader.Columns();
  if (!columns.ok()) return;
  for (const ColumnInfo& column : *columns) {
    // Two cursors over the pages of one column, beside others.
    ScanOptions options;
    options.batch_size = 64;
    for (const Type type : {Type::kInt64, Type::kFloat64}) {
      for (const Layout layout : {Layout::kVbe, Layout::kKjt})
        options.features.push_back({.name = column.name,
                                    .layout = layout,
                                    .dtype = type,
                                    .set = std::string(TypeName(type))});
    }
    options.features.push_back({.name = "*", .layout = Layout::kJagged});
    Scan(reader, options);
    options.filter.where = {{column.name, Compare::kGreater, 3}};
    Scan(reader, options);
  }
}

TEST(HostileFiles, AreReadWithinTheBudgetSlow) {
  for (const fs::path& path : AllFiles()) {
    SCOPED_TRACE(path.string());
    const std::vector<std::byte> bytes = BytesOf(path);
    auto file = OpenMemoryFile(bytes, path.filename().string());
    std::optional<MemoryPeak> peak(std::in_place);
    const auto reader = Reader::Open(std::move(file));
    if (!reader.ok()) continue;
    ReadInEveryWay(**reader);
    EXPECT_LE(peak->bytes(), kBudget + kOverhead);
    peak.emplace();
    static_cast<void>((*reader)->Verify({.memory_bytes = kBudget}));
    EXPECT_LE(peak->bytes(), kBudget + kOverhead);
    peak.emplace();
    if (auto text = RowText::Create(**reader, {.memory_bytes = kBudget}); text.ok()) {
      std::string out;
      for (int i = 0; i < kMaxBatches; ++i) {
        out.clear();
        const auto more = (*text)->Next(&out, nullptr);
        if (!more.ok() || !*more) break;
      }
    }
    EXPECT_LE(peak->bytes(), 2 * kBudget + kOverhead);  // The text comes on top.
    const auto told = [&] {
      static_cast<void>((*reader)->Groups());
      static_cast<void>((*reader)->Streams(""));
      static_cast<void>((*reader)->schema());
      static_cast<void>((*reader)->Metadata());
    };
    told();
  }
}

// A small file may state 2^24 rows in a stripe and a chain of groups over them.
TEST(HostileFiles, FewBytesThatAreManyRowsAreRefused) {
  for (const char* name : {"wide_5.dsi", "wide_40.dsi"}) {
    SCOPED_TRACE(name);
    const auto reader = Reader::Open(OpenMemoryFile(
        BytesOf(fs::path(DSI_SOURCE_DIR) / "tests" / "golden" / "hostile" / name), name));
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    const MemoryPeak peak;
    ScanOptions options;
    options.memory_bytes = kBudget;
    options.row_end = 1;
    auto scan = (*reader)->NewScan(options);
    Batch batch;
    const StatusCode code =
        scan.ok() ? (*scan)->Next(&batch).status().code() : scan.status().code();
    EXPECT_EQ(code, StatusCode::kResourceExhausted);
    EXPECT_LE(peak.bytes(), kBudget + kOverhead);
  }
}

TEST(HostileFiles, GoldenFilesVerifyByDefault) {
  for (const fs::path& path : AllFiles()) {
    if (path.parent_path().filename() != "valid") continue;
    const auto reader = Reader::Open(OpenMemoryFile(BytesOf(path), "golden"));
    ASSERT_TRUE(reader.ok()) << path;
    const auto damage = (*reader)->Verify({.memory_bytes = kBudget});
    ASSERT_TRUE(damage.ok()) << path << ": " << damage.status().ToString();
    EXPECT_TRUE(damage->empty()) << path;
  }
}

}  // namespace
}  // namespace dsi::test
