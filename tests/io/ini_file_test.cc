// Files of profiles as AWS's tools write and read them, and what is none.
#include "dsi/io/aws/ini_file_internal.h"

#include <gtest/gtest.h>

#include <string>

namespace dsi::internal {
namespace {

TEST(IniFileTest, WhatToolsWrite) {
  const auto file = ParseIni(
      "\xef\xbb\xbf# a comment\r\n"
      "[default]\r\n"
      "aws_access_key_id = AKID ; not of the value\r\n"
      "AWS_Secret_Access_Key=a#b=c;d\n"
      "\n"
      "[ profile   \"my name\" ] # mine\n"
      "region\t=\teu-west-1\n"
      "  and more\n"
      "s3 =\n"
      "  endpoint_url = http://h:9 \n"
      "\taddressing_style = path\n"
      "empty =\n"
      "; [profile none]\n"
      "[default]\n"
      "output = json",
      "f");
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(file->at("default"), (IniSection{{"aws_access_key_id", "AKID"},
                                             {"aws_secret_access_key", "a#b=c;d"},
                                             {"output", "json"}}));
  EXPECT_EQ(file->at("profile my name"), (IniSection{{"region", "eu-west-1\nand more"},
                                                     {"s3", ""},
                                                     {"s3.endpoint_url", "http://h:9"},
                                                     {"s3.addressing_style", "path"},
                                                     {"empty", ""}}));
  EXPECT_EQ(file->size(), 2u);
  EXPECT_TRUE(ParseIni("", "f")->empty());
}

// Where, and nothing of what stands there: it may be a key.
TEST(IniFileTest, WhatIsNone) {
  const std::pair<std::string, std::string> cases[] = {
      {"[a]\nSECRET\n", "f:2: expected name = value"},
      {"SECRET = 1\n", "f:1: a value before the first [section]"},
      {"[a]\n= SECRET\n", "f:2: a value without a name"},
      {"[a\n", "f:1: '[' without ']'"},
      {"[a] SECRET\n", "f:1: something behind ']'"},
      {"[ ]\n", "f:1: a section without a name"},
      {"[a]\n SECRET\n", "f:2: a line that begins with a blank goes on with none before it"},
      {"[a]\nb =\n SECRET\n", "f:3: expected name = value"},
      {"[a]\nb = 1\nB = SECRET\n", "f:3: a value that this section has already"},
      {std::string("[a]\nb = 1\0SECRET\n", 17), "f:2: a control character"},
      {std::string(kMaxIniBytes + 1, '#'), "f: more than 1048576 bytes"},
  };
  for (const auto& [text, expected] : cases) {
    const Status status = ParseIni(text, "f").status();
    EXPECT_EQ(status.code(), StatusCode::kBadInput);
    EXPECT_EQ(status.message().substr(0, expected.size()), expected);
    EXPECT_EQ(status.message().find("SECRET"), std::string::npos);
  }
}

}  // namespace
}  // namespace dsi::internal
