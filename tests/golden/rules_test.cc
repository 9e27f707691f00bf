// Small files of tests/golden/rules: sound ones are read, and what breaks one rule under valid
// seals is refused by that rule, by a scan and by Verify (D-001, D-002, D-005, D-013, D-014,
// F-073).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "dsi/reader/reader.h"

namespace dsi {
namespace {

namespace fs = std::filesystem;

struct RuleFile {
  std::string name;       // "D-013.gap_in_front.dsi"
  std::string rule = {};  // "D-013", "sound" or "found".
  StatusCode code = StatusCode::kCorrupt;
  std::vector<std::byte> bytes = {};
};

std::vector<RuleFile> RuleFiles() {
  std::vector<RuleFile> files;
  for (const auto& entry :
       fs::directory_iterator(fs::path(DSI_SOURCE_DIR) / "tests/golden/rules")) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto bytes = std::as_bytes(std::span(text));
    RuleFile file{.name = entry.path().filename().string(), .bytes = {bytes.begin(), bytes.end()}};
    file.rule = file.name.substr(0, file.name.find('.'));
    if (file.name.find(".unsupported.") != std::string::npos) file.code = StatusCode::kUnsupported;
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(),
            [](const RuleFile& a, const RuleFile& b) { return a.name < b.name; });
  return files;
}

// Everything in one layout and width. The first failure, or ok.
Status Scan(const Reader& reader, Layout layout, uint32_t width, Keep keep) {
  ScanOptions options;
  options.batch_size = 2;
  options.memory_bytes = 64 << 20;
  options.features = {{.name = "*", .layout = layout, .width = width, .keep = keep, .dtype = {}}};
  DSI_ASSIGN_OR_RETURN(const auto scan, reader.NewScan(options));
  Batch batch;
  for (;;) {
    DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch));
    if (!more) return Status::Ok();
  }
}

std::vector<Status> Scans(const std::vector<std::byte>& bytes) {
  const auto reader = Reader::Open(OpenMemoryFile(bytes, "rules"));
  if (!reader.ok()) return {reader.status()};
  return {Scan(**reader, Layout::kJagged, 0, Keep::kLast),
          Scan(**reader, Layout::kIkjt, 0, Keep::kLast),
          Scan(**reader, Layout::kPadded, 40, Keep::kFirst),
          Scan(**reader, Layout::kPadded, 1, Keep::kFirst),
          Scan(**reader, Layout::kPadded, 1, Keep::kLast)};
}

std::vector<Damage> Verify(const std::vector<std::byte>& bytes) {
  const auto reader = Reader::Open(OpenMemoryFile(bytes, "rules"));
  if (!reader.ok()) return {{reader.status(), "open"}};
  auto damage = (*reader)->Verify();
  EXPECT_TRUE(damage.ok()) << damage.status().ToString();
  return damage.ok() ? *std::move(damage) : std::vector<Damage>{};
}

bool Quotes(const Status& status, const std::string& rule) {
  return status.message().find(rule) != std::string::npos;
}

TEST(Rules, VerifyQuotesTheRule) {
  const std::vector<RuleFile> files = RuleFiles();
  ASSERT_GE(files.size(), 40U);
  for (const RuleFile& file : files) {
    SCOPED_TRACE(file.name);
    const std::vector<Damage> damages = Verify(file.bytes);
    EXPECT_EQ(damages.empty(), file.rule == "sound")
        << (damages.empty() ? "nothing found" : damages[0].status.ToString());
    if (file.rule == "sound" || file.rule == "found") continue;
    EXPECT_TRUE(std::any_of(damages.begin(), damages.end(), [&](const Damage& d) {
      return d.status.code() == file.code && Quotes(d.status, file.rule);
    })) << damages[0].status.ToString();
    if (file.code != StatusCode::kUnsupported) continue;
    for (const Damage& d : damages)
      EXPECT_EQ(d.status.code(), StatusCode::kUnsupported) << d.status.ToString();
  }
}

std::vector<std::byte> BytesOf(const std::string& name) {
  for (const RuleFile& file : RuleFiles()) {
    if (file.name == name) return file.bytes;
  }
  ADD_FAILURE() << name;
  return {};
}

// Whatever gap is worth reading over: the read that they would share is no longer than one of them.
TEST(Rules, PagesThatOverlapAreRefusedByWhoReadsThemAlone) {
  for (const uint64_t gap : {uint64_t{0}, UINT64_MAX}) {
    const auto reader = Reader::Open(OpenMemoryFile(BytesOf("F-062.page_on_another.dsi"), "rules"),
                                     {.coalesce_gap = gap});
    ASSERT_TRUE(reader.ok());
    ScanOptions options;
    options.features = {{.name = "a"}, {.name = "c"}};
    const auto scan = (*reader)->NewScan(options);
    ASSERT_TRUE(scan.ok());
    Batch batch;
    const Status status = (*scan)->Next(&batch).status();
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    EXPECT_TRUE(Quotes(status, "F-062")) << status.ToString();
  }
}

// A feature is never made of columns of another.
TEST(Rules, F070FeaturesByNameAndSchemasAreOfTheirOwnColumns) {
  for (const auto& [file, feature] : {std::pair("F-070.another_feature_inside.dsi", "h"),
                                      std::pair("F-070.weights_of_another_feature.dsi", "w")}) {
    const auto reader = Reader::Open(OpenMemoryFile(BytesOf(file), "rules"));
    ASSERT_TRUE(reader.ok());
    ScanOptions options;
    options.features = {{.name = feature}};
    for (const Status& status : {(*reader)->NewScan(options).status(), (*reader)->schema().status(),
                                 (*reader)->Columns().status()}) {
      EXPECT_EQ(status.code(), StatusCode::kCorrupt) << file;
      EXPECT_TRUE(Quotes(status, "F-070")) << status.ToString();
    }
  }
}

// Only who looks at the whole index, at a group, a page or a part of one that nobody reads, or at
// what is said beside the rows, can tell these.
const std::set<std::string> kFoundByVerify = {"D-002", "F-002", "F-034", "F-063", "F-064",
                                              "F-070", "F-073", "F-082", "F-083", "found"};

// Who reads a column that needs a form to come says so, whatever else is wrong with it.
bool IsBesideUnknown(const RuleFile& file) {
  return file.name.find("damage_beside_form") != std::string::npos;
}

// Who reads a column believes what its record says of its source's id space, and what the core
// footer says of sessions; nobody reads one of an unknown kind.
const std::set<std::string> kNotSeenByScans = {"D-001.no_parent_for_form_4.dsi",
                                               "D-001.no_parent_for_form_5.dsi",
                                               "D-001.no_parent_for_form_6.dsi",
                                               "D-006.no_time_among_keys_for_nobody.dsi",
                                               "D-006.no_time_for_nobody.dsi",
                                               "F-051.no_sessions.dsi",
                                               "F-051.sessions_of_the_time.dsi",
                                               "F-061.unknown_node_of_20_bytes.dsi",
                                               "F-061.unknown_node_of_no_bytes.dsi",
                                               "F-066.another_id_space.dsi",
                                               "F-066.id_space_not_stated.dsi",
                                               "F-066.narrow_of_an_unknown_kind.dsi",
                                               "F-066.of_a_shape_of_an_unknown_kind.dsi",
                                               "S-010.columns_of_an_unknown_kind.unsupported.dsi",
                                               "S-010.sessions_of_an_unknown_kind.unsupported.dsi"};

TEST(Rules, ScansQuoteTheRule) {
  for (const RuleFile& file : RuleFiles()) {
    SCOPED_TRACE(file.name);
    for (const Status& status : Scans(file.bytes)) {
      if (kFoundByVerify.contains(file.rule) || kNotSeenByScans.contains(file.name)) continue;
      if (file.rule == "sound") {
        EXPECT_TRUE(status.ok()) << status.ToString();
        continue;
      }
      EXPECT_FALSE(status.ok());
      if (IsBesideUnknown(file)) continue;
      EXPECT_TRUE(Quotes(status, file.rule)) << status.ToString();
      EXPECT_EQ(status.code(), file.code) << status.ToString();
    }
  }
}

// D-001, F-061, E-005: what is unknown is nothing to who asks for other columns.
TEST(Rules, UnknownFormsAreFatalOnlyWhenAskedFor) {
  for (const RuleFile& file : RuleFiles()) {
    const bool of_index = file.rule == "D-001";
    const bool of_list =
        file.name.starts_with("F-061.form_9") || file.name.starts_with("E-005.flags");
    if (!(of_index || of_list) || file.code != StatusCode::kUnsupported) continue;
    const auto reader = Reader::Open(OpenMemoryFile(file.bytes, "rules"));
    ASSERT_TRUE(reader.ok());
    ScanOptions options;
    options.features = {{.name = of_index ? "g0" : "k", .layout = Layout::kPadded, .dtype = {}}};
    auto scan = (*reader)->NewScan(options);
    ASSERT_TRUE(scan.ok()) << scan.status().ToString();
    Batch batch;
    const auto more = (*scan)->Next(&batch);
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    EXPECT_EQ(batch.num_rows(), of_index ? 5U : 6U);
  }
}

}  // namespace
}  // namespace dsi
