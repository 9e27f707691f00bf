// What is said of headers: which layer refuses, with what code, by what rule of the spec. One case
// for each bound of each field; header_test.cc goes through all values. The words between are free.
#include <gtest/gtest.h>

#include "dsi/tests/codecs/node_samples.h"

namespace dsi::internal {
namespace {

using namespace test;

struct Pinned {
  Encoding encoding;
  int width;
  std::string field;
  uint64_t value;
  std::string place;  // "node", or the encoding that speaks.
  std::string rule;
};

// Unknown encodings are unsupported (E-005), all else is damage.
void ExpectRefusal(const Status& status, const std::string& place, const std::string& rule) {
  EXPECT_EQ(status.code(), rule == "E-005" ? StatusCode::kUnsupported : StatusCode::kCorrupt);
  EXPECT_TRUE(status.message().starts_with(place + ": ")) << status.ToString();
  EXPECT_TRUE(status.message().ends_with("(" + rule + ")")) << status.ToString();
}

void Check(const std::vector<Pinned>& cases) {
  const std::vector<NodeSample> samples = NodeSamples();
  for (const Pinned& c : cases) {
    const auto sample = std::find_if(samples.begin(), samples.end(), [&](const NodeSample& s) {
      return s.encoding() == c.encoding && s.width == c.width;
    });
    const auto field = std::find_if(std::begin(kHeaderFields), std::end(kHeaderFields),
                                    [&](const HeaderField& f) { return f.name == c.field; });
    ASSERT_TRUE(sample != samples.end() && field != std::end(kHeaderFields));
    std::vector<uint8_t> values;
    const Status status = Decode(With(sample->node, *field, c.value), sample->width, sample->count,
                                 &values, sample->dictionary());
    SCOPED_TRACE(sample->what + ", " + c.field + " " + std::to_string(c.value) + " for " + c.rule);
    ExpectRefusal(status, c.place, c.rule);
  }
}

constexpr uint64_t kMost = 0xFFFFFFFF;

TEST(HeaderMessagesTest, OfAllNodes) {  // E-001, E-002, E-005.
  Check({
      {Encoding::kRaw, 4, "encoding", 15, "node", "E-005"},
      {Encoding::kRaw, 4, "encoding", 255, "node", "E-005"},
      {Encoding::kRaw, 4, "width", 0, "node", "E-001"},
      {Encoding::kRaw, 4, "width", 3, "node", "E-001"},
      {Encoding::kRaw, 4, "width", 255, "node", "E-001"},
      {Encoding::kRaw, 4, "width", 8, "node", "E-002"},
      {Encoding::kRaw, 4, "count", 0, "node", "E-001"},
      {Encoding::kRaw, 4, "count", 261, "node", "E-002"},
      {Encoding::kRaw, 4, "count", kMost, "node", "E-002"},
      {Encoding::kRaw, 4, "payload size", 0, "node", "E-001"},
      {Encoding::kRaw, 4, "payload size", 1041, "node", "E-001"},
      {Encoding::kRaw, 4, "payload size", kMost, "node", "E-001"},
  });
}

// What stands behind these headers is zeros.
TEST(HeaderMessagesTest, OfSizes) {  // E-010 to E-120.
  const auto check = [](const HandMadeNode& node, const char* place, const char* rule) {
    std::vector<uint8_t> values;
    SCOPED_TRACE(std::string(place) + " for " + rule);
    ExpectRefusal(Decode(node.bytes(), node.width, node.count, &values), place, rule);
  };
  check({.encoding = 0, .count = 3, .payload = Bytes(8)}, "raw", "E-010");
  check({.encoding = 1, .count = 3, .payload = Bytes(7)}, "constant", "E-011");
  check({.encoding = 1, .count = 3, .payload = Bytes(16)}, "constant", "E-011");
  check({.encoding = 2, .count = 3, .payload = Bytes(7)}, "packed", "E-020");
  check({.encoding = 2, .flags = 1, .count = 3, .payload = Bytes(8)}, "packed", "E-020");
  check({.encoding = 2, .count = 3, .payload = Bytes(16)}, "packed", "E-020");
  check({.encoding = 3, .count = 1, .payload = Bytes(8)}, "delta", "E-030");
  check({.encoding = 3, .count = 3, .payload = Bytes(7)}, "delta", "E-030");
  check({.encoding = 3, .count = 3, .payload = Bytes(8)}, "node", "E-001");
  check({.encoding = 8, .count = 3, .aux = 1, .payload = Bytes(7)}, "sparse", "E-070");
  check({.encoding = 12, .param = 2, .count = 3, .payload = Bytes(71)}, "skewed", "E-110");
  check({.encoding = 13, .count = 3, .payload = Bytes(7)}, "decimal", "E-120");
  check({.encoding = 3, .count = 2, .payload = Number(0) + RawNode(4, {1}) + Number(1, 5)}, "node",
        "E-001");
}

TEST(HeaderMessagesTest, OfFieldsThatAnEncodingLacks) {  // E-001.
  std::vector<Pinned> cases;
  for (const EncodingRow* row : EncodingTable()) {
    const auto add = [&](uint8_t use, const std::string& field, uint64_t value) {
      if ((row->used_fields & use) != 0) return;
      cases.push_back({row->id, 4, field, value, std::string(row->name), "E-001"});
    };
    add(kUsesParam, "param", 1);
    add(kUsesAux, "aux", kMost);
  }
  EXPECT_EQ(cases.size(), 2U * 12 - 4 - 7);
  Check(cases);
}

TEST(HeaderMessagesTest, OfOwnFields) {  // E-020 to E-120.
  Check({
      {Encoding::kRuns, 4, "aux", 0, "runs", "E-040"},
      {Encoding::kRuns, 4, "aux", 261, "runs", "E-040"},
      {Encoding::kRuns, 4, "aux", 1, "node", "E-002"},
      {Encoding::kDictionary, 4, "aux", 0, "dictionary", "E-050"},
      {Encoding::kDictionary, 4, "aux", 261, "dictionary", "E-050"},
      {Encoding::kDictionary, 4, "aux", 12, "node", "E-002"},
      {Encoding::kSharedDictionary, 4, "aux", 91, "shared dictionary", "E-051"},
      {Encoding::kSharedDictionary, 4, "aux", 1, "node", "E-001"},
      {Encoding::kSparse, 4, "aux", 0, "sparse", "E-070"},
      {Encoding::kSparse, 4, "aux", 260, "sparse", "E-070"},
      {Encoding::kSplit, 4, "param", 32, "split", "E-080"},
      {Encoding::kSplit, 4, "aux", 29, "split", "E-080"},
      {Encoding::kSplit, 4, "aux", kMost, "split", "E-080"},
      {Encoding::kCompressed, 4, "param", 0, "compressed", "E-100"},
      {Encoding::kCompressed, 4, "param", 3, "compressed", "E-100"},
      {Encoding::kCompressed, 4, "aux", 12417, "compressed", "E-100"},
      {Encoding::kCompressed, 4, "aux", 1055, "compressed", "E-101"},
      {Encoding::kSkewed, 4, "param", 1, "skewed", "E-110"},
      {Encoding::kSkewed, 4, "param", 9, "skewed", "E-110"},
      {Encoding::kDecimal, 4, "param", 11, "decimal", "E-120"},
      {Encoding::kDecimal, 8, "param", 23, "decimal", "E-120"},
      {Encoding::kDecimal, 4, "aux", 260, "decimal", "E-120"},
      // Encodings that are not of every width, under the name of another.
      {Encoding::kRaw, 2, "encoding", 13, "decimal", "E-120"},
  });
}

}  // namespace
}  // namespace dsi::internal
