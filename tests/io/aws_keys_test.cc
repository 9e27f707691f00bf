// Keys as programs, containers and machines answer with them.
#include "dsi/io/aws/aws_keys_internal.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "dsi/io/aws/key_sources_internal.h"

namespace dsi::internal {
namespace {

TEST(AwsKeysTest, WhatIsAnswered) {
  const auto keys = ReadKeysJson(
      R"({"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": "AKID", "SecretAccessKey": "s/+",
          "Token": "t==", "Expiration": "2026-11-25T10:00:00.5Z"})",
      "here");
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(keys->access_key_id, "AKID");
  EXPECT_EQ(keys->secret_access_key, "s/+");
  EXPECT_EQ(keys->session_token, "t==");
  EXPECT_EQ(keys->expires->time_since_epoch(), std::chrono::milliseconds(1'795'600'800'500));
  const auto plain = ReadKeysJson(
      R"({"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "s", "SessionToken": null})",
      "here");
  ASSERT_TRUE(plain.ok()) << plain.status().ToString();
  EXPECT_FALSE(plain->expires.has_value());
  EXPECT_EQ(plain->session_token, "");
}

TEST(AwsKeysTest, WhatIsDamagedIsNamedAndNotShown) {
  const std::string pair = R"("AccessKeyId": "SECRET", "SecretAccessKey": "SECRET")";
  const std::pair<std::string, std::string> cases[] = {
      {"", "here: answered malformed JSON (byte 0)"},
      {R"({"AccessKeyId": SECRET})", "here: answered malformed JSON (byte 16)"},
      {"[]", "here: answered JSON that is no object"},
      {R"({"Code": "AssumeRoleUnauthorizedAccess"})", "here: answered \"AssumeRole"},
      {R"({"AccessKeyId": "SECRET"})", "here: of access key id and secret access key the second"},
      {R"({"SecretAccessKey": "SECRET"})",
       "here: of access key id and secret access key the first"},
      {R"({"AccessKeyId": 5, "SecretAccessKey": "SECRET"})", "here: \"AccessKeyId\" is no string"},
      {"{" + pair + R"(, "Token": "SECRET\r\nX:y"})", "here: an access key, its secret or its"},
      {"{" + pair + R"(, "Token": ")" + std::string(33'000, 'x') + "\"}", "here: an access key"},
      {"{" + pair + R"(, "Expiration": "SECRET"})", "here: the time at which the keys end"},
      {"{" + pair + R"(, "Expiration": "9999-01-01T00:00:00Z"})", "here: the time at which"},
  };
  for (const auto& [json, expected] : cases) {
    const Status status = ReadKeysJson(json, "here").status();
    EXPECT_EQ(status.message().substr(0, expected.size()), expected);
    EXPECT_EQ(status.message().find("SECRET"), std::string::npos) << status.message();
  }
}

TEST(AwsKeysTest, CommandsAreSplitWithoutAShell) {
  const auto run = [](const std::string& command) {
    return KeysOfProcess(command, "run").status();
  };
  const auto keys = KeysOfProcess(
      R"(printf   '{"AccessKeyId":"%s","SecretAccessKey":"%s"}' "$HOME" b\;'c$'"/*")", "run");
  ASSERT_TRUE(keys.ok()) << keys.status().ToString();
  EXPECT_EQ(keys->access_key_id, "$HOME");
  EXPECT_EQ(keys->secret_access_key, "b;c$/*");
  // A blank in quotes or behind a backslash is of the word, and of no key.
  for (const char* word : {"'a b'", "\"a b\"", "a\\ b"}) {
    const Status status =
        run(R"(printf '{"AccessKeyId":"%s","SecretAccessKey":"s"}' )" + std::string(word));
    EXPECT_NE(status.message().find("bytes that no key has"), std::string::npos)
        << status.ToString();
  }
  EXPECT_EQ(run("").message(), "run: no command, or one with half a quotation");
  EXPECT_EQ(run("echo 'x").message(), "run: no command, or one with half a quotation");
  EXPECT_EQ(run("/none/there").message(), "run: cannot be run: No such file or directory");
  EXPECT_EQ(run("false").message(), "run: ended with 1");
  EXPECT_EQ(run("sh -c 'kill -9 $$'").message(), "run: was ended by signal 9");
  EXPECT_EQ(run("head -c 70000 /dev/zero").message(), "run: printed more than 65536 bytes");
  EXPECT_EQ(run("true").message(), "run: answered malformed JSON (byte 0)");
}

}  // namespace
}  // namespace dsi::internal
