// Numbers as text to floats: what was written reads back to its bits.
#include "dsi/text/lines/number_of_text_internal.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "dsi/tests/text/text_fixture.h"

namespace dsi::internal {
namespace {

double Parsed(const std::string& text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string Shortest(float value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

TEST(NumberOfText, AFloatThatWasWrittenReadsBack) {
  // Rounded twice it is the float behind it.
  const auto known = std::bit_cast<float>(0x15AE43FDU);
  ASSERT_EQ(Shortest(known), "7.038531e-26");
  ASSERT_NE(static_cast<float>(Parsed("7.038531e-26")), known);
  EXPECT_EQ(static_cast<float>(NumberOfText(Parsed("7.038531e-26"), Type::kFloat32)), known);
  EXPECT_EQ(static_cast<float>(NumberOfText(Parsed("-7.038531e-26"), Type::kFloat32)), -known);
  std::mt19937 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(static_cast<float>(NumberOfText(Parsed(Shortest(value)), Type::kFloat32)), value);
  }
}

TEST(NumberOfText, OtherTextsAreRoundedToNearest) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::bit_cast<double>(random() >> 2 | uint64_t{3} << 60);  // About 1e±30.
    const auto narrow = static_cast<float>(value);
    EXPECT_EQ(static_cast<float>(NumberOfText(value, Type::kFloat32)), narrow);
    EXPECT_EQ(NumberOfText(value, Type::kFloat64), value);
  }
  // Halfway: to even, as no shortest text reads so.
  EXPECT_EQ(static_cast<float>(NumberOfText(16777217.0, Type::kFloat32)), 16777216.0F);
  EXPECT_EQ(static_cast<float>(NumberOfText(16777219.0, Type::kFloat32)), 16777220.0F);
  EXPECT_EQ(NumberOfText(1e300, Type::kFloat32), 1e300);
  EXPECT_TRUE(std::isnan(NumberOfText(std::nan(""), Type::kFloat32)));
}

class FloatTexts : public test::TextTest {};

TEST_F(FloatTexts, InBothFormats) {
  const std::string features = R"({"name": "x", "kind": "dense", "type": "float32"},
                                  {"name": "l", "kind": "list", "type": "float32"})";
  for (const auto& [name, text] :
       {std::pair("a.jsonl", "{\"x\":7.038531e-26,\"l\":[7.038531e-26]}\n"),
        std::pair("a.csv", "x,l\n7.038531e-26,[7.038531e-26]\n")}) {
    ASSERT_TRUE(ReadText(name, text, features).ok());
    for (const size_t feature : {0U, 1U})
      EXPECT_EQ(std::bit_cast<uint32_t>(Values<float>(feature)[0]), 0x15AE43FDU) << name;
  }
}

}  // namespace
}  // namespace dsi::internal
