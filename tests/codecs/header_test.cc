// All values of all header fields, in nodes of every encoding and width: what a header cannot be is
// refused by the rule that says so before memory is touched, and the rest decodes alike everywhere
// or fails.
#include <gtest/gtest.h>

#include <regex>

#include "dsi/tests/codecs/node_samples.h"
#include "dsi/tests/codecs/simd_numbers.h"

namespace dsi::internal {
namespace {

using namespace test;

// All values of a byte; of a number those around every bound.
std::vector<uint64_t> ValuesFor(const HeaderField& field, const NodeSample& sample) {
  if (field.size == 1) return Generate(256, [](size_t i) { return i; });
  std::vector<uint64_t> values;
  const uint64_t n = sample.count;
  const uint64_t two_31 = uint64_t{1} << 31;
  for (const uint64_t bound : {Get(sample.node, field), n, 2 * n, 4096 + 32 * n, two_31, 2 * two_31,
                               uint64_t{1}, 8 * static_cast<uint64_t>(sample.width)}) {
    for (const uint64_t value : {bound - 1, bound, bound + 1}) {
      if (value < 2 * two_31) values.push_back(value);
    }
  }
  return values;
}

// The rule that a header breaks whatever stands behind it; empty where none. Rules are asked in the
// order in which a decoder meets them.
std::string RuleAgainst(const Bytes& node, const NodeSample& sample) {
  constexpr EncodingSet kHasParam =
      SetOf(Encoding::kSplit, Encoding::kCompressed, Encoding::kSkewed, Encoding::kDecimal);
  constexpr EncodingSet kHasFlag = SetOf(Encoding::kPacked, Encoding::kSplit);
  constexpr EncodingSet kHasAux =
      SetOf(Encoding::kRuns, Encoding::kDictionary, Encoding::kSharedDictionary, Encoding::kSparse,
            Encoding::kSplit, Encoding::kCompressed, Encoding::kDecimal);
  const uint64_t id = Get(node, kHeaderFields[0]);
  const uint64_t width = Get(node, kHeaderFields[1]);
  const uint64_t param = Get(node, kHeaderFields[2]);
  const uint64_t flags = Get(node, kHeaderFields[3]);
  const uint64_t count = Get(node, kHeaderFields[4]);
  const uint64_t size = Get(node, kHeaderFields[5]);
  const uint64_t aux = Get(node, kHeaderFields[6]);
  if (width != 1 && width != 2 && width != 4 && width != 8) return "E-001";
  if (count == 0) return "E-001";
  if ((size + 7) / 8 * 8 != node.size() - kNodeHeaderSize) return "E-001";
  if (width != static_cast<uint64_t>(sample.width) || count != sample.count) return "E-002";
  if (id > 13 || id == 7 || id == 10) return "E-005";
  const EncodingSet own = SetOf(static_cast<Encoding>(id));
  if (flags > ((kHasFlag & own) != 0 ? 1 : 0)) return "E-005";
  if (param != 0 && (kHasParam & own) == 0) return "E-001";
  if (aux != 0 && (kHasAux & own) == 0) return "E-001";
  const auto if_not = [](bool holds, const char* rule) { return holds ? "" : rule; };
  switch (static_cast<Encoding>(id)) {
    case Encoding::kRuns:
      return if_not(aux >= 1 && aux <= count, "E-040");
    case Encoding::kDictionary:
      return if_not(aux >= 1 && aux <= count, "E-050");
    case Encoding::kSharedDictionary:
      return if_not(aux <= count, "E-051");
    case Encoding::kSparse:
      return if_not(aux >= 1 && aux < count, "E-070");
    case Encoding::kSplit:
      return if_not(param + aux < 8 * width && flags <= param, "E-080");
    case Encoding::kCompressed:
      return if_not((param == 1 || param == 2) && aux <= 4096 + 32 * count, "E-100");
    case Encoding::kSkewed:
      return if_not(param >= 2 && param <= 8, "E-110");
    case Encoding::kDecimal:
      return if_not(width >= 4 && param <= (width == 4 ? 10 : 22) && aux < count, "E-120");
    default:
      return "";
  }
}

// Whether any other value of a field is found, by the header or by what it leads to. Others may
// stand for other values: pages have checksums, nodes have none.
bool IsAlwaysFound(const HeaderField& field, Encoding encoding) {
  if (field.name == "encoding" || field.name == "flags") return false;
  if (field.name == "aux") return encoding != Encoding::kSplit;
  return field.name != "param" || encoding == Encoding::kCompressed;
}

// A decoded node, or what says why not; the memory that it was decoded to, with guards around it.
struct Outcome {
  explicit Outcome(const Bytes& bytes, const NodeSample& sample, bool as_codes = false)
      : node(bytes),
        width(as_codes ? sizeof(uint32_t) : static_cast<size_t>(sample.width)),
        values(Numbers::ToWrite(sample.count, width, 0)) {
    node.shrink_to_fit();  // So that a sanitizer sees a read beyond the end.
    status = as_codes ? DecodeSharedCodes(node, sample.width, sample.count, NodeSample::kEntries,
                                          &scratch, reinterpret_cast<uint32_t*>(values.data()))
                      : DecodeNode(node, sample.width, sample.count, sample.dictionary(), &scratch,
                                   values.data());
  }
  bool IsUntouched() const { return values.Holds(Numbers::ToWrite(values.count(), width, 0)); }
  bool AreGuardsWhole() const { return values.Holds(values); }

  Bytes node;
  size_t width;
  Numbers values;
  DecodeScratch scratch;
  Status status = Status::Ok();
};

class HeaderTest : public testing::Test {
 protected:
  void TearDown() override { ForceSimdTarget(0); }

  void CheckRefused(const Bytes& node, const NodeSample& sample, const std::string& rule,
                    bool may_take_memory = false) {
    for (const bool as_codes : {false, true}) {
      Outcome outcome(node, sample, as_codes);
      ASSERT_FALSE(outcome.status.ok());
      EXPECT_TRUE(outcome.IsUntouched());
      EXPECT_TRUE(may_take_memory || !TookMemory(&outcome.scratch));
      if (as_codes) continue;  // Says first that the node holds no codes.
      EXPECT_EQ(outcome.status.code(),
                rule == "E-005" ? StatusCode::kUnsupported : StatusCode::kCorrupt);
      EXPECT_TRUE(outcome.status.message().ends_with("(" + rule + ")"))
          << rule << " was expected: " << outcome.status.ToString();
    }
  }

  void CheckSafe(const Bytes& node, const NodeSample& sample, bool must_fail) {
    static const std::regex kRule(R"(\(E-\d{3}(, E-\d{3})*\)$)");
    const Outcome best(node, sample);
    ASSERT_TRUE(best.AreGuardsWhole());
    if (!best.status.ok()) {
      EXPECT_TRUE(std::regex_search(best.status.message(), kRule)) << best.status.ToString();
    }
    if (must_fail) {
      EXPECT_FALSE(best.status.ok());
      EXPECT_TRUE(best.IsUntouched());
    }
    ForceSimdTarget(targets_.back());
    const Outcome plain(node, sample);
    ForceSimdTarget(0);
    ASSERT_TRUE(plain.AreGuardsWhole());
    EXPECT_EQ(plain.status.ToString(), best.status.ToString());
    if (best.status.ok()) {
      EXPECT_TRUE(plain.values.Holds(best.values));
    }
  }

  const std::vector<int64_t> targets_ = RunnableSimdTargets();
};

TEST_F(HeaderTest, EveryValueOfEveryField) {
  size_t refused = 0;
  size_t others = 0;
  for (const NodeSample& sample : NodeSamples()) {
    for (const HeaderField& field : kHeaderFields) {
      for (const uint64_t value : ValuesFor(field, sample)) {
        SCOPED_TRACE(testing::Message() << sample.what << ", " << field.name << " " << value);
        const Bytes node = With(sample.node, field, value);
        const std::string rule = RuleAgainst(node, sample);
        const bool is_sound = value == Get(sample.node, field);
        ASSERT_TRUE(rule.empty() || !is_sound);
        if (rule.empty()) {
          CheckSafe(node, sample, !is_sound && IsAlwaysFound(field, sample.encoding()));
        } else {
          CheckRefused(node, sample, rule);
        }
        ++(rule.empty() ? others : refused);
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(refused, 50'000U);
  EXPECT_GT(others, 1'000U);
}

// Of every child before any is decoded, but for those whose counts stand in another.
TEST_F(HeaderTest, EveryChild) {  // E-001, E-002.
  size_t children = 0;
  for (const NodeSample& sample : NodeSamples()) {
    const int children_at = FindEncoding(static_cast<uint8_t>(sample.encoding()))->children_at;
    if (children_at < 0) continue;
    const bool counts_inside = sample.encoding() == Encoding::kSkewed;
    size_t at = kNodeHeaderSize + static_cast<size_t>(children_at);
    for (; at < sample.node.size(); ++children) {
      const auto child = std::span(sample.node).subspan(at);
      SCOPED_TRACE(testing::Message() << sample.what << ", child at " << at);
      Bytes node = sample.node;
      StoreLE(&node[at + 4], LoadLE<uint32_t>(&child[4]) + 1);
      CheckRefused(node, sample, "E-002", counts_inside);
      node = sample.node;
      node[at + 1] = std::byte{3};
      CheckRefused(node, sample, "E-001", counts_inside);
      at += *NodeSize(child);
    }
  }
  EXPECT_GT(children, 70U);
}

}  // namespace
}  // namespace dsi::internal
