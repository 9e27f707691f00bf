// Weighted features, and sequences of two columns, in JSON as objects whose names are data.
#include <cmath>

#include "dsi/tests/text/text_fixture.h"

namespace dsi {
namespace {

constexpr StatusCode kBad = StatusCode::kBadInput;
constexpr char kFeatures[] = R"({"name": "w", "kind": "weighted"},
    {"name": "u.tags", "kind": "weighted", "type": "uint32", "hashed": true},
    {"name": "u.seen", "kind": "sequence", "columns": [
        {"name": "item", "type": "uint64"}, {"name": "place", "type": "int64", "hashed": true}]},
    {"name": "three", "kind": "sequence", "columns": [
        {"name": "a", "type": "int64"}, {"name": "b", "type": "int64"},
        {"name": "c", "type": "int64"}]},
    {"name": "around", "kind": "weighted"},
    {"name": "around.in", "kind": "dense", "type": "int8", "nested": false})";

class MapsTest : public test::TextTest {
 protected:
  Status Lines(const std::string& rows) { return ReadText("r.jsonl", rows, kFeatures); }
  static int64_t Id(const std::string& text, Type type) {
    return static_cast<int64_t>(IdOfText(text, type));
  }
};

TEST_F(MapsTest, NamesAreIds) {
  ASSERT_TRUE(Lines(R"({"w":{"7":0.5,"-3":2},"u":{"tags":{"red":1,"":0.25,"7":"NaN"},)"
                    R"("seen":{"18446744073709551615":"x","0":"y"}}})"
                    "\n"
                    R"({"w":{},"u":{"seen":{}}})"
                    "\n"
                    R"({"w":null,"u":{"seen":null}})"
                    "\n")
                  .ok());
  EXPECT_EQ(batch_->num_rows(), 3U);
  EXPECT_EQ(Values<int64_t>(0, 0), (std::vector<int64_t>{7, -3}));
  EXPECT_EQ(Values<float>(0, 1), (std::vector<float>{0.5F, 2}));
  EXPECT_EQ(batch_->feature(0).lengths, (std::vector<uint32_t>{2, 0}));
  EXPECT_EQ(batch_->feature(0).num_present, 2U);
  std::vector<uint32_t> tags;
  for (const char* name : {"red", "", "7"})
    tags.push_back(static_cast<uint32_t>(Id(name, Type::kUint32)));
  EXPECT_EQ(Values<uint32_t>(1, 0), tags);
  EXPECT_EQ(batch_->feature(1).num_present, 1U);
  EXPECT_EQ(Values<uint64_t>(2, 0), (std::vector<uint64_t>{UINT64_MAX, 0}));
  EXPECT_EQ(Values<int64_t>(2, 1),
            (std::vector<int64_t>{Id("x", Type::kInt64), Id("y", Type::kInt64)}));
  EXPECT_EQ(batch_->feature(2).lengths, (std::vector<uint32_t>{2, 0}));
}

TEST_F(MapsTest, ObjectsOfArraysAreWhatTheyWere) {
  ASSERT_TRUE(Lines(R"({"w":{"ids":[3],"weights":[1]},"u":{"tags":{"weights":null,"ids":null}}})"
                    "\n"
                    R"({"w":{"ids":null,"weights":null},"around":{"in":1}})"
                    "\n"
                    R"({"around":{"ids":[1],"weights":[2],"in":3},"three":{}})"
                    "\n")
                  .ok());
  EXPECT_EQ(Values<int64_t>(0, 0), (std::vector<int64_t>{3}));
  EXPECT_EQ(batch_->feature(0).num_present, 1U);
  EXPECT_EQ(batch_->feature(1).num_present, 0U);
  EXPECT_EQ(batch_->feature(3).num_present, 0U);
  EXPECT_EQ(batch_->feature(4).num_present, 1U);
  EXPECT_EQ(Values<int8_t>(5), (std::vector<int8_t>{1, 3}));
}

TEST_F(MapsTest, NullsAreNotMissing) {
  EXPECT_REFUSED(Lines("{\"u\":{\"tags\":{\"red\":null}}}\n"), kBad, "entry 0: found null");
  TextInputOptions fill;
  fill.null_entries = NullEntries::kFill;
  for (const char* rest : {"", ",\"blue\":1"}) {
    const std::string row = "{\"u\":{\"tags\":{\"red\":null" + std::string(rest) + "}}}\n";
    ASSERT_TRUE(ReadText("r.jsonl", row, kFeatures, fill).ok());
    ASSERT_EQ(batch_->feature(1).num_present, 1U) << row;
    EXPECT_TRUE(std::isnan(Values<float>(1, 1)[0])) << row;
    EXPECT_EQ(Values<uint32_t>(1, 0)[0], static_cast<uint32_t>(Id("red", Type::kUint32)));
  }
}

TEST_F(MapsTest, WhatIsRefused) {
  for (const auto& [row, part] :
       {std::pair(R"({"w":{"7":0.5,"red":1}})",
                  "feature \"w.ids\": entry 1: the name \"red\" is no number of type int64 "
                  "(\"hashed\" takes any)"),
        std::pair(R"({"w":{"7.0":1}})", "entry 0: the name \"7.0\" is no number"),
        std::pair(R"({"w":{" 7":1}})", "the name \" 7\" is no number"),
        std::pair(R"({"w":{"9223372036854775808":1}})", "9223372036854775808"),
        std::pair(R"({"u":{"seen":{"-1":"x"}}})", "-1"),
        std::pair(R"({"w":{"9223372036854775808":1,"-1":1}})", "names below 0 beside some of 2^63"),
        std::pair(R"({"w":{"7":null,"8":1}})", "feature \"w.weights\": entry 0: found null"),
        std::pair(R"({"w":{"7":{"x":1}}})", "feature \"w.weights\": entry 0: found an object"),
        std::pair(R"({"w":{"8":1,"7":[1]}})", "feature \"w.weights\": entry 1: found an array"),
        std::pair(R"({"u":{"tags":{"red":"x"}}})", "feature \"u.tags.weights\": entry 0: found"),
        std::pair(R"({"u":{"seen":{"1":2.5}}})",
                  "feature \"u.seen.place\": entry 0: found the num"),
        // The names of columns say what is meant.
        std::pair(R"({"w":{"ids":3,"weights":0.5}})",
                  "feature \"w.ids\": found the number 3, expected an array"),
        std::pair(R"({"three":{"1":2}})", "\"three.1\" is no feature of the schema"),
        std::pair(R"({"around":{"7":0.5}})", "\"around.7\" is no feature of the schema"),
        std::pair(R"({"w":{"7":1},"w.ids":[1]})", "set twice")}) {
    const Status status = Lines(std::string(row) + "\n");
    EXPECT_EQ(status.code(), kBad) << row;
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
    EXPECT_EQ(batch_->num_rows(), 0U);
    EXPECT_EQ(batch_->size_bytes(), 0U);
  }
}

}  // namespace
}  // namespace dsi
