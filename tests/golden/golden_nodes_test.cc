// Golden nodes: each decodes to its values on every SIMD target, every cut is refused, no flipped
// bit does harm, and today's encoder makes the same bytes (promises P1, P2; E-001 to E-120).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "dsi/codecs/simd_internal.h"
#include "dsi/tests/golden/node_cases.h"

namespace dsi::internal {
namespace {

using namespace test;
namespace fs = std::filesystem;

fs::path Folder() { return fs::path(DSI_SOURCE_DIR) / "tests/golden/nodes"; }

std::string ReadText(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<uint64_t> Numbers(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<uint64_t>(in), {}};
}

// A node as it is stored, and what stands beside it.
struct GoldenNode {
  GoldenNode(const std::string& encoding, const std::string& the_name, const nlohmann::json& entry)
      : name(encoding + "/" + the_name),
        form(entry.at("form")),
        values(entry.at("width"), Numbers(entry.at("values"))),
        dictionary(values.width, Numbers(entry.value("dictionary", ""))) {
    const std::string text = ReadText(Folder() / (name + ".node"));
    const auto as_bytes = std::as_bytes(std::span(text));
    bytes.assign(as_bytes.begin(), as_bytes.end());
    EXPECT_EQ(values.count, entry.at("count").get<size_t>()) << name;
  }

  // From a copy of its own, so that a sanitizer sees a read beyond the end.
  Status Decode(Bytes node, std::vector<uint8_t>* decoded) const {
    node.shrink_to_fit();
    SharedDictionary shared;
    if (dictionary.count != 0)
      shared = {dictionary.words.data(), dictionary.count, dictionary.width};
    return test::Decode(node, values.width, values.count, decoded, shared);
  }

  std::string name;
  std::string form;
  Array values;
  Array dictionary;
  Bytes bytes;
};

std::vector<GoldenNode> GoldenNodes() {
  std::vector<GoldenNode> nodes;
  for (const EncodingRow* row : EncodingTable()) {
    const std::string encoding = FolderOf(row->id);
    const auto entries =
        nlohmann::json::parse(ReadText(Folder() / (encoding + ".json")), nullptr, false);
    EXPECT_TRUE(entries.is_object()) << encoding << " has no golden nodes";
    if (!entries.is_object()) continue;
    for (const auto& [name, entry] : entries.items()) nodes.emplace_back(encoding, name, entry);
  }
  return nodes;
}

bool NamesARule(const Status& status) {
  static const std::regex kRule(R"(\(E-\d{3}(, E-\d{3})*\))");
  return std::regex_search(status.message(), kRule);
}

class GoldenNodesTest : public testing::Test {
 protected:
  void TearDown() override { ForceSimdTarget(0); }
};

TEST_F(GoldenNodesTest, EveryEncodingHasSome) {
  std::set<uint8_t> seen;
  std::set<fs::path> expected;
  for (const GoldenNode& golden : GoldenNodes()) {
    ASSERT_FALSE(golden.bytes.empty()) << golden.name;
    seen.insert(static_cast<uint8_t>(golden.bytes[0]));
    expected.insert(Folder() / (golden.name + ".node"));
    EXPECT_EQ(golden.name.substr(0, golden.name.find('/')),
              FolderOf(static_cast<Encoding>(golden.bytes[0])));
  }
  EXPECT_EQ(seen.size(), EncodingTable().size());
  std::set<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(Folder())) {
    if (entry.path().extension() == ".node") found.insert(entry.path());
  }
  EXPECT_EQ(found, expected) << "nodes without values, or values without a node";
}

TEST_F(GoldenNodesTest, DecodeToTheirValuesOnEveryTarget) {
  const std::vector<GoldenNode> nodes = GoldenNodes();
  const std::vector<int64_t> targets = RunnableSimdTargets();
  ASSERT_FALSE(targets.empty());
  for (const int64_t target : targets) {
    ForceSimdTarget(target);
    for (const GoldenNode& golden : nodes) {
      std::vector<uint8_t> decoded;
      const Status status = golden.Decode(golden.bytes, &decoded);
      EXPECT_TRUE(status.ok()) << golden.name << ": " << status.ToString();
      EXPECT_TRUE(SameBytes(decoded, golden.values))
          << golden.name << " on " << SimdTargetName(target);
    }
  }
}

TEST_F(GoldenNodesTest, AreOfTheFormStated) {
  for (const GoldenNode& golden : GoldenNodes()) {
    const Result<std::string> form = DescribeNode(golden.bytes, golden.values.count);
    ASSERT_TRUE(form.ok()) << golden.name << ": " << form.status().ToString();
    EXPECT_EQ(*form, golden.form) << golden.name;
  }
}

// Where this fails on purpose, make_nodes_helper makes the nodes anew.
TEST_F(GoldenNodesTest, TodaysEncoderMakesTheSameBytes) {
  std::set<std::string> names;
  const std::vector<GoldenNode> nodes = GoldenNodes();
  for (const NodeCase& c : NodeCases()) {
    const std::string name = FolderOf(c.encoding) + "/" + c.name;
    names.insert(name);
    const auto golden = std::find_if(nodes.begin(), nodes.end(),
                                     [&](const GoldenNode& node) { return node.name == name; });
    ASSERT_NE(golden, nodes.end()) << name;
    EXPECT_TRUE(c.values.words == golden->values.words) << name << ": other values";
    if (c.is_reproducible()) {
      EXPECT_TRUE(c.node == golden->bytes) << name << ": today's node has other bytes";
    }
  }
  EXPECT_EQ(names.size(), nodes.size());
}

// E-001: a node fills its place, so every cut is damage.
TEST_F(GoldenNodesTest, EveryCutIsRefused) {
  for (const GoldenNode& golden : GoldenNodes()) {
    for (size_t size = 0; size < golden.bytes.size(); ++size) {
      std::vector<uint8_t> decoded;
      const Bytes cut(golden.bytes.begin(),
                      golden.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      const Status status = golden.Decode(cut, &decoded);
      ASSERT_EQ(status.code(), StatusCode::kCorrupt) << golden.name << " cut to " << size;
      ASSERT_TRUE(NamesARule(status)) << golden.name << ": " << status.ToString();
    }
  }
}

// Whether a flip in this byte of the header is found whatever stands in the payload: encoding,
// width, count, payload size, and the fields that the encoding does not use (E-001, E-002).
bool MustBeFound(size_t byte, const EncodingRow& row) {
  if (byte == 2) return (row.used_fields & kUsesParam) == 0;
  if (byte == 3) return (row.used_fields & kUsesFlag) == 0;
  if (byte >= 12) return byte < kNodeHeaderSize && (row.used_fields & kUsesAux) == 0;
  return true;
}

TEST_F(GoldenNodesTest, FlippedBitsAreRefusedByARuleOrHarmless) {
  size_t harmless = 0;
  for (const GoldenNode& golden : GoldenNodes()) {
    const EncodingRow& row = *FindEncoding(static_cast<uint8_t>(golden.bytes[0]));
    for (size_t bit = 0; bit < 8 * golden.bytes.size(); ++bit) {
      Bytes bad = golden.bytes;
      bad[bit / 8] ^= std::byte{1} << (bit % 8);
      std::vector<uint8_t> decoded;
      const Status status = golden.Decode(bad, &decoded);
      if (!status.ok()) {
        ASSERT_TRUE(NamesARule(status)) << golden.name << ": " << status.ToString();
        continue;
      }
      ++harmless;
      ASSERT_EQ(decoded.size(), golden.values.size());
      ASSERT_FALSE(bit / 8 < kNodeHeaderSize && MustBeFound(bit / 8, row))
          << golden.name << ": missed bit " << bit % 8 << " of byte " << bit / 8;
    }
  }
  EXPECT_GT(harmless, 0U);  // Nodes have no checksum of their own; pages do.
}

}  // namespace
}  // namespace dsi::internal
