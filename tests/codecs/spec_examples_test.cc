// The examples of spec/encodings.md: blocks of a line such as
//     u16 5 5 9 5 of 1 2 = sparse(raw u32, raw u16)
// that says which values a node holds (of a dictionary, where it is shared) and by which encodings,
// and of lines with bytes, and words about them after two spaces.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal {
namespace {

using namespace test;

struct Example {
  std::string title;
  std::string form;
  Array values;
  Array dictionary;
  Bytes node;
};

// "00 ×32" is a zero 32 times.
constexpr std::string_view kTimes = "×";

uint64_t NumberOf(const std::string& word, bool is_float) {
  return is_float ? std::bit_cast<uint32_t>(std::stof(word)) : std::stoull(word);
}

std::vector<uint64_t> ValuesOf(const std::string& type, const std::string& text) {
  if (type == "text") return {text.begin(), text.end()};
  std::istringstream in(text);
  std::vector<uint64_t> values;
  for (std::string word; in >> word;) {
    if (word.starts_with(kTimes)) {
      values.resize(values.size() - 1 + std::stoul(word.substr(kTimes.size())), values.back());
    } else {
      values.push_back(NumberOf(word, type == "f32"));
    }
  }
  return values;
}

int WidthOf(const std::string& type) { return type == "text" ? 1 : std::stoi(type.substr(1)) / 8; }

void AppendBytes(const std::string& line, Bytes* node) {
  std::istringstream in(line.substr(0, line.find("  ")));
  for (std::string word; in >> word;) {
    if (word == "|") continue;
    if (word.starts_with(kTimes)) {
      node->resize(node->size() - 1 + std::stoul(word.substr(kTimes.size())), node->back());
    } else {
      node->push_back(static_cast<std::byte>(std::stoi(word, nullptr, 16)));
    }
  }
}

std::vector<Example> Examples() {
  std::ifstream in(std::string(DSI_SOURCE_DIR) + "/spec/encodings.md", std::ios::binary);
  static const std::regex kTitle(R"((u8|u16|u32|u64|f32|text) (.*?)(?: of ([\d ]+))? = (.*))");
  std::vector<Example> examples;
  for (std::string line; std::getline(in, line);) {
    if (line != "```node") continue;
    std::getline(in, line);
    std::smatch title;
    EXPECT_TRUE(std::regex_match(line, title, kTitle)) << line;
    const int width = WidthOf(title[1]);
    examples.push_back({line,
                        title[4],
                        Array(width, ValuesOf(title[1], title[2])),
                        Array(width, ValuesOf(title[1], title[3])),
                        {}});
    while (std::getline(in, line) && line != "```") AppendBytes(line, &examples.back().node);
  }
  return examples;
}

// The plan that a node was made by.
EncodePlan PlanOf(std::span<const std::byte> node) {
  const EncodingRow& row = *FindEncoding(static_cast<uint8_t>(node[0]));
  EncodePlan plan = Plan(row.id, {}, static_cast<int>(node[2]), static_cast<int>(node[12]));
  plan.sign_low = node[3] != std::byte{0};
  if (row.children_at < 0) return plan;
  node = node.subspan(kNodeHeaderSize + static_cast<size_t>(row.children_at));
  for (; !node.empty(); node = node.subspan(*NodeSize(node))) plan.children.push_back(PlanOf(node));
  return plan;
}

// By the binding alone: small nodes may be larger than raw values.
Bytes EncodeAgain(const Example& example) {
  const EncodePlan plan = PlanOf(example.node);
  const EncodeTuning tuning;
  Bytes out;
  if (plan.encoding != Encoding::kSharedDictionary) {
    EncodeContext context(tuning);
    context.depth = 1;
    EXPECT_TRUE(FindEncoding(static_cast<uint8_t>(plan.encoding))
                    ->encode(example.values.view(), plan, &context, &out));
    return out;
  }
  std::vector<uint32_t> codes(example.values.count);
  std::vector<uint64_t> literals;
  for (size_t i = 0; i < codes.size(); ++i) {
    while (codes[i] < example.dictionary.count &&
           example.dictionary.at(codes[i]) != example.values.at(i))
      ++codes[i];
    if (codes[i] == example.dictionary.count) literals.push_back(example.values.at(i));
  }
  EncodeSharedCodes(codes, ByPlan(plan.children[0], tuning),
                    Array(example.values.width, literals).view(), ByPlan(plan.children[1], tuning),
                    &out);
  return out;
}

TEST(SpecExamplesTest, AreWhatTheEncoderMakesAndDecode) {  // E-010 to E-120.
  std::set<std::byte> encodings;
  for (const Example& example : Examples()) {
    SCOPED_TRACE(example.title);
    ASSERT_GE(example.node.size(), kNodeHeaderSize);
    encodings.insert(example.node[0]);
    std::vector<uint8_t> decoded;
    const Status status = Decode(
        example.node, example.values.width, example.values.count, &decoded,
        {example.dictionary.words.data(), example.dictionary.count, example.dictionary.width});
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(SameBytes(decoded, example.values));
    EXPECT_EQ(*DescribeNode(example.node, example.values.count), example.form);
    // Frames depend on the version of the library that makes them.
    if (example.node[0] == static_cast<std::byte>(Encoding::kCompressed)) continue;
    EXPECT_TRUE(EncodeAgain(example) == example.node);
  }
  EXPECT_EQ(encodings.size(), EncodingTable().size());
}

}  // namespace
}  // namespace dsi::internal
