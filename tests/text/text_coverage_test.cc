// What is said of a text beside its rows: names skipped, features that never occurred, what an
// inferred schema leaves out, and keys that rows could be clustered by.
#include <random>

#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

class TextCoverageTest : public test::TextTest {
 protected:
  TextCoverage Cover(const std::string& name, std::string_view text, const std::string& features) {
    const auto schema = MakeSchema(features);
    const auto input = TextInput::Open(Write(name, text), schema, {.ignore_unknown = true});
    EXPECT_TRUE(input.ok()) << input.status().ToString();
    RowBatch batch(schema);
    const auto read = (*input)->Next(1000, &batch);
    EXPECT_TRUE(read.ok()) << read.status().ToString();
    return (*input)->coverage();
  }
  static std::string Text(const TextCoverage& coverage) {
    std::string text;
    for (const IgnoredName& name : coverage.ignored) {
      text += name.name + " " + std::to_string(name.values) + " from " +
              std::to_string(name.first_line) + "\n";
    }
    for (const std::string& name : coverage.absent) text += "no " + name + "\n";
    return text;
  }
  Result<Schema> Infer(const std::string& name, std::string_view text) {
    report_ = {};
    return InferSchema(Write(name, text), {}, &report_);
  }
  InferReport report_;
};

constexpr const char* kFeatures =
    R"({"name":"x","kind":"dense"},{"name":"label","kind":"label"},{"name":"u.age","kind":"dense"},
       {"name":"h","kind":"sequence","columns":[{"name":"i","type":"int64"}]})";

TEST_F(TextCoverageTest, CountsWhatJsonHasAndTheSchemaLacks) {
  EXPECT_EQ(Text(Cover("a.jsonl",
                       "{\"x\":1,\"lable\":1,\"u\":{\"agee\":3,\"o\":{\"p\":1}},\"n\":null}\n"
                       "\n"
                       "{\"lable\":null,\"label\":null,\"u\":5}\n"
                       "{\"lable\":[1],\"lable\":2,\"h\":{\"i\":[]}}\n",
                       kFeatures)),
            "lable 3 from 1\nu.agee 1 from 1\nu.o 1 from 1\nu 1 from 3\nno label\nno u.age\n");
}

TEST_F(TextCoverageTest, CountsCells) {
  EXPECT_EQ(Text(Cover("a.csv", "x,lable,empty,h.i\n1,,,1|2\n2,5,,\n3,\"\",,\n", kFeatures)),
            "lable 2 from 3\nempty 0 from 0\nno label\nno u.age\n");
}

TEST_F(TextCoverageTest, NamesWithoutEndDoNotFillTheMemory) {
  std::string line = "{\"x\":1";
  for (int i = 0; i < 10'500; ++i) line += ",\"n" + std::to_string(i) + "\":1";
  const TextCoverage coverage = Cover("a.jsonl", line + "}\n", kFeatures);
  EXPECT_EQ(coverage.ignored.size(), 10'000U);
  EXPECT_EQ(coverage.more_ignored, 500U);
}

TEST_F(TextCoverageTest, InferenceNamesWhatItLeavesOut) {
  ASSERT_TRUE(Infer("a.jsonl", "{\"a\":null,\"b\":{},\"c\":{\"d\":null,\"e\":1},\"f\":[]}\n").ok());
  EXPECT_EQ(report_.dropped, (std::vector<std::string>{"a", "b", "c.d"}));
  EXPECT_EQ(report_.rows, 1U);
  ASSERT_TRUE(Infer("a.csv", "a,b,c\n1,2,\n2,x,\n3,true,\n").ok());
  ASSERT_EQ(report_.mixed.size(), 1U);
  EXPECT_EQ(report_.mixed[0].name, "b");
  EXPECT_EQ(report_.mixed[0].line, 3U);
}

TEST_F(TextCoverageTest, SpellingsOfOneName) {
  for (const char* name : {"sessionId", "SessionID", "SESSION_ID", "session-id", "sessionid",
                           "sess_id", "visitId", "my_session_id", "HTTPSessionId", "session"}) {
    const auto schema =
        Infer("n.jsonl", std::string("{\"") + name + "\":1,\"eventTime\":1700000000}\n");
    ASSERT_TRUE(schema.ok()) << schema.status().ToString();
    EXPECT_EQ(schema->cluster_by, (std::vector<std::string>{name, "eventTime"})) << name;
  }
  for (const char* name : {"sessions", "session_length", "obsession_idx", "possession"}) {
    const auto schema = Infer("n.jsonl", std::string("{\"") + name + "\":1,\"ts\":1}\n");
    ASSERT_TRUE(schema.ok());
    EXPECT_TRUE(schema->cluster_by.empty()) << name;
  }
  // The name itself before one that ends in it.
  const auto schema = Infer("n.jsonl", "{\"last_session_id\":1,\"session_id\":2}\n");
  EXPECT_EQ(schema->cluster_by, (std::vector<std::string>{"session_id"}));
}

// Rows of `num_keys` owners, each with a list of its own, in an order that mixes them.
std::string MixedRows(int num_keys, bool together) {
  std::mt19937_64 random(3);
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    const int owner =
        together ? i / 20 : static_cast<int>(random() % static_cast<uint64_t>(num_keys));
    text += "{\"who\":" + std::to_string(1000 + owner) + ",\"n\":" + std::to_string(i) +
            ",\"kind\":" + std::to_string(random() % 9) + ",\"list\":[";
    for (int k = 0; k < 20; ++k) text += std::to_string(owner * 100 + k) + (k < 19 ? "," : "");
    text += "]}\n";
  }
  return text;
}

TEST_F(TextCoverageTest, ProposesTheKeyThatPutsEqualRowsTogether) {
  ASSERT_TRUE(Infer("m.jsonl", MixedRows(100, false)).ok());
  ASSERT_FALSE(report_.keys.empty());
  EXPECT_EQ(report_.keys[0].name, "who");
  EXPECT_NEAR(report_.keys[0].rows_per_value, 20, 1);
  EXPECT_GT(report_.keys[0].repeats, 0.7);
  EXPECT_LT(report_.repeats, 0.1);
  ASSERT_TRUE(Infer("t.jsonl", MixedRows(100, true)).ok());
  EXPECT_TRUE(report_.keys.empty());
  EXPECT_GT(report_.repeats, 0.7);
}

}  // namespace
}  // namespace dsi
