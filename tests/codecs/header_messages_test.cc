// What is said of headers: the field, what was found there and what was expected, and the rule.
// One case for each bound of each field; header_test.cc goes through all values.
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
  std::string message;
};

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
    EXPECT_EQ(status.message(), c.message)
        << sample->what << ", " << c.field << " " << c.value << ": " << status.ToString();
  }
}

constexpr uint64_t kMost = 0xFFFFFFFF;

TEST(HeaderMessagesTest, OfAllNodes) {  // E-001, E-002, E-005.
  Check({
      {Encoding::kRaw, 4, "encoding", 15, "node: encoding 15, this build knows 0 to 14 (E-005)"},
      {Encoding::kRaw, 4, "encoding", 255, "node: encoding 255, this build knows 0 to 14 (E-005)"},
      {Encoding::kRaw, 4, "width", 0, "node: width 0, expected 1, 2, 4 or 8 (E-001)"},
      {Encoding::kRaw, 4, "width", 3, "node: width 3, expected 1, 2, 4 or 8 (E-001)"},
      {Encoding::kRaw, 4, "width", 255, "node: width 255, expected 1, 2, 4 or 8 (E-001)"},
      {Encoding::kRaw, 4, "width", 8,
       "node: 260 values of width 8, expected 260 of width 4 (E-002)"},
      {Encoding::kRaw, 4, "count", 0, "node: count 0, expected at least 1 (E-001)"},
      {Encoding::kRaw, 4, "count", 261,
       "node: 261 values of width 4, expected 260 of width 4 (E-002)"},
      {Encoding::kRaw, 4, "count", kMost,
       "node: 4294967295 values of width 4, expected 260 of width 4 (E-002)"},
      {Encoding::kRaw, 4, "payload size", 0,
       "node: 16 bytes, expected 1056 to fill its place (E-001)"},
      {Encoding::kRaw, 4, "payload size", 1041,
       "node: payload of 1041 bytes, expected at most 1040 (E-001)"},
      {Encoding::kRaw, 4, "payload size", kMost,
       "node: payload of 4294967295 bytes, expected at most 1040 (E-001)"},
  });
}

// What stands behind these headers is zeros.
TEST(HeaderMessagesTest, OfSizes) {  // E-010 to E-120.
  const auto check = [](const HandMadeNode& node, const std::string& message) {
    std::vector<uint8_t> values;
    const Status status = Decode(node.bytes(), node.width, node.count, &values);
    EXPECT_EQ(status.message(), message);
  };
  check({.encoding = 0, .count = 3, .payload = Bytes(8)},
        "raw: payload of 8 bytes, expected 12 (E-010)");
  check({.encoding = 1, .count = 3, .payload = Bytes(7)},
        "constant: payload of 7 bytes, expected at least 8 (E-011)");
  check({.encoding = 1, .count = 3, .payload = Bytes(16)},
        "constant: payload of 16 bytes, expected 8 (E-011)");
  check({.encoding = 2, .count = 3, .payload = Bytes(7)},
        "packed: payload of 7 bytes, expected at least 8 (E-020)");
  check({.encoding = 2, .flags = 1, .count = 3, .payload = Bytes(8)},
        "packed: payload of 8 bytes, expected at least 16 (E-020)");
  check({.encoding = 2, .count = 3, .payload = Bytes(16)},
        "packed: payload of 16 bytes, expected 8 (E-020)");
  check({.encoding = 3, .count = 1, .payload = Bytes(8)},
        "delta: count 1, expected at least 2 (E-030)");
  check({.encoding = 3, .count = 3, .payload = Bytes(7)},
        "delta: payload of 7 bytes, expected at least 8 (E-030)");
  check({.encoding = 3, .count = 3, .payload = Bytes(8)},
        "node: 0 bytes left, expected a header of 16 (E-001)");
  check({.encoding = 7, .count = 9, .payload = Bytes(1)},
        "bitmap: payload of 1 bytes, expected 2 (E-060)");
  check({.encoding = 8, .count = 3, .aux = 1, .payload = Bytes(7)},
        "sparse: payload of 7 bytes, expected at least 8 (E-070)");
  check({.encoding = 12, .param = 2, .count = 3, .payload = Bytes(71)},
        "skewed: payload of 71 bytes, expected at least 72 (E-110)");
  check({.encoding = 13, .count = 3, .payload = Bytes(7)},
        "decimal: payload of 7 bytes, expected at least 8 (E-120)");
  check({.encoding = 3, .count = 2, .payload = Number(0) + RawNode(4, {1}) + Number(1, 5)},
        "node: 5 bytes after the last child, expected none (E-001)");
}

TEST(HeaderMessagesTest, OfFieldsThatAnEncodingLacks) {  // E-001.
  std::vector<Pinned> cases;
  for (const EncodingRow* row : EncodingTable()) {
    const int width = row->id == Encoding::kSymbols ? 1 : 4;
    const auto add = [&](uint8_t use, const std::string& field, uint64_t value) {
      if ((row->used_fields & use) != 0) return;
      cases.push_back({row->id, width, field, value,
                       std::string(row->name) + ": " + field + " " + std::to_string(value) +
                           ", expected 0 (E-001)"});
    };
    add(kUsesParam, "param", 1);
    add(kUsesFlags, "flags", 255);
    add(kUsesAux, "aux", kMost);
  }
  EXPECT_EQ(cases.size(), 3U * 15 - 5 - 2 - 8);
  Check(cases);
}

TEST(HeaderMessagesTest, OfOwnFields) {  // E-020 to E-130.
  Check({
      {Encoding::kPacked, 4, "flags", 2, "packed: flags 2, expected 0 or 1 (E-020)"},
      {Encoding::kRuns, 4, "aux", 0, "runs: 0 runs, expected 1 to 260 (E-040)"},
      {Encoding::kRuns, 4, "aux", 261, "runs: 261 runs, expected 1 to 260 (E-040)"},
      {Encoding::kRuns, 4, "aux", 1, "node: 34 values of width 4, expected 1 of width 4 (E-002)"},
      {Encoding::kDictionary, 4, "aux", 0, "dictionary: 0 entries, expected 1 to 260 (E-050)"},
      {Encoding::kDictionary, 4, "aux", 261, "dictionary: 261 entries, expected 1 to 260 (E-050)"},
      {Encoding::kDictionary, 4, "aux", 12,
       "node: 11 values of width 4, expected 12 of width 4 (E-002)"},
      {Encoding::kSharedDictionary, 4, "aux", 91,
       "shared dictionary: 91 literals, expected at most 90 (E-051)"},
      {Encoding::kSharedDictionary, 4, "aux", 1,
       "node: 0 bytes left, expected a header of 16 (E-001)"},
      {Encoding::kSparse, 4, "aux", 0,
       "sparse: 0 exceptions, expected at least 1 and below 260 (E-070)"},
      {Encoding::kSparse, 4, "aux", 260,
       "sparse: 260 exceptions, expected at least 1 and below 260 (E-070)"},
      {Encoding::kSplit, 4, "param", 32,
       "split: 32 low bits and a shift of 0, expected a sum below 32 (E-080)"},
      {Encoding::kSplit, 4, "aux", 29,
       "split: 3 low bits and a shift of 29, expected a sum below 32 (E-080)"},
      {Encoding::kSplit, 4, "aux", kMost,
       "split: 3 low bits and a shift of 4294967295, expected a sum below 32 (E-080)"},
      {Encoding::kSplit, 4, "flags", 2,
       "split: flags 2 with 3 low bits, expected 0, or 1 with a low part (E-080)"},
      {Encoding::kCompressed, 4, "param", 0, "compressed: codec 0, expected 1 or 2 (E-100)"},
      {Encoding::kCompressed, 4, "param", 3, "compressed: codec 3, expected 1 or 2 (E-100)"},
      {Encoding::kCompressed, 4, "aux", 12417,
       "compressed: raw size of 12417 bytes, expected at most 12416 (E-100)"},
      {Encoding::kCompressed, 4, "aux", 1055,
       "compressed: frame states 1056 bytes of content, expected 1055 (E-101)"},
      {Encoding::kSkewed, 4, "param", 1, "skewed: 1 classes, expected 2 to 8 (E-110)"},
      {Encoding::kSkewed, 4, "param", 9, "skewed: 9 classes, expected 2 to 8 (E-110)"},
      {Encoding::kDecimal, 4, "param", 11, "decimal: exponent 11, expected at most 10 (E-120)"},
      {Encoding::kDecimal, 8, "param", 23, "decimal: exponent 23, expected at most 22 (E-120)"},
      {Encoding::kDecimal, 4, "aux", 260, "decimal: 260 exceptions, expected below 260 (E-120)"},
      {Encoding::kSymbols, 1, "param", 0, "symbols: 0 symbols, expected 1 to 255 (E-130)"},
      {Encoding::kSymbols, 1, "param", 255,
       "node: 17 values of width 1, expected 255 of width 1 (E-002)"},
      {Encoding::kSymbols, 1, "aux", 0, "symbols: 0 codes, expected 1 to 520 (E-130)"},
      {Encoding::kSymbols, 1, "aux", 521, "symbols: 521 codes, expected 1 to 520 (E-130)"},
      // Encodings that are not of every width, under the name of another.
      {Encoding::kRaw, 1, "encoding", 10, "byte planes: width 1, expected at least 2 (E-090)"},
      {Encoding::kRaw, 1, "encoding", 14, "symbols: 0 symbols, expected 1 to 255 (E-130)"},
      {Encoding::kRaw, 2, "encoding", 13, "decimal: width 2, expected 4 or 8 (E-120)"},
      {Encoding::kRaw, 2, "encoding", 14, "symbols: width 2, expected 1 (E-130)"},
  });
}

}  // namespace
}  // namespace dsi::internal
