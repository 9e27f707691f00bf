// What servers may send, and what is made of it.
#include "dsi/io/http_answer_internal.h"

#include <curl/curl.h>
#include <gtest/gtest.h>

#include "dsi/io/http_judge_internal.h"

namespace dsi::internal {
namespace {

TEST(HttpAnswerTest, ContentRanges) {
  const auto range = ParseContentRange("bytes 0-99/1000");
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->begin, 0u);
  EXPECT_EQ(range->end, 100u);
  EXPECT_EQ(range->total, 1000u);
  EXPECT_EQ(ParseContentRange(" BYTES  5-5/* ")->end, 6u);
  EXPECT_FALSE(ParseContentRange("bytes 5-5/*")->total.has_value());
  EXPECT_EQ(ParseContentRange("bytes */0")->total, 0u);
  EXPECT_EQ(
      ParseContentRange("bytes 9223372036854775806-9223372036854775806/9223372036854775807")->begin,
      9223372036854775806u);
}

TEST(HttpAnswerTest, HostileContentRanges) {
  for (const char* value :
       {"",
        "bytes",
        "bytes ",
        "bytes 0-99",
        "0-99/1000",
        "lines 0-99/1000",
        "bytes 99-0/1000",
        "bytes 0-1000/1000",
        "bytes -5-9/10",
        "bytes 0--9/10",
        "bytes +0-9/10",
        "bytes 0-+9/10",
        "bytes 0-9/-10",
        "bytes 0-9/10x",
        "bytes 0x0-9/10",
        "bytes 0 -9/10",
        "bytes 0-9 /10",
        "bytes */*",
        "bytes -/10",
        "bytes 0-/10",
        "bytes -9/10",
        "bytes 0-9/",
        "bytes 0.0-9/10",
        "bytes 0-9223372036854775808/*",
        "bytes 0-9/9223372036854775808",
        "bytes 18446744073709551616-18446744073709551625/18446744073709551626"}) {
    EXPECT_FALSE(ParseContentRange(value).has_value()) << value;
  }
}

HttpAnswer Answer(std::initializer_list<const char*> lines) {
  HttpAnswer answer;
  for (const char* line : lines) answer.AddLine(line);
  return answer;
}

TEST(HttpAnswerTest, Heads) {
  const HttpAnswer answer =
      Answer({"HTTP/1.1 100 Continue\r\n", "ETag: \"old\"\r\n", "\r\n", "HTTP/1.1 206 Partial\r\n",
              "eTaG:  \"x\" \r\n", "Content-Length: 100\r\n", "Content-Range: bytes 0-99/100\r\n",
              "Retry-After: 7\r\n", "no colon\r\n", ": no name\r\n", "Last-Modified: today\r\n"});
  EXPECT_EQ(answer.status, 206);
  EXPECT_EQ(answer.etag, "\"x\"");
  EXPECT_EQ(answer.content_length, 100u);
  EXPECT_EQ(answer.range->end, 100u);
  EXPECT_EQ(answer.retry_after_s, 7u);
  EXPECT_EQ(answer.last_modified, "today");
  for (const char* length : {"-1", "", "1x", "99999999999999999999", "1 2", "0x10"}) {
    const std::string line = std::string("Content-Length: ") + length;
    EXPECT_FALSE(Answer({"HTTP/1.1 200 OK", line.c_str()}).content_length.has_value()) << length;
  }
  EXPECT_EQ(Answer({"HTTP/1.1 -20 x"}).status, 0);
  EXPECT_EQ(Answer({"HTTP/1.1"}).status, 0);
  EXPECT_EQ(Answer({("ETag: " + std::string(2000, 'x')).c_str()}).etag, "");
}

const RemoteIdentity kIdentity{1000, "\"v1\"", "then"};

Judgement JudgeOf(std::initializer_list<const char*> lines, RangeAsked asked) {
  return JudgeHead(Answer(lines), asked);
}

TEST(HttpJudgeTest, PartsOfAnOpenFile) {
  const RangeAsked asked{.offset = 100, .size = 50, .from_end = false, .identity = &kIdentity};
  const auto verdict = [&](const char* range, const char* more = "X: y") {
    const std::string line = std::string("Content-Range: bytes ") + range;
    return JudgeOf({"HTTP/1.1 206 x", line.c_str(), more}, asked).verdict;
  };
  EXPECT_EQ(verdict("100-149/1000"), Verdict::kTakeBody);
  EXPECT_EQ(verdict("100-149/*"), Verdict::kTakeBody);
  EXPECT_EQ(verdict("100-120/1000"), Verdict::kTakeBody);  // Less is fine: the rest follows.
  EXPECT_EQ(verdict("100-150/1000"), Verdict::kAskAgain);
  EXPECT_EQ(verdict("99-149/1000"), Verdict::kAskAgain);
  EXPECT_EQ(verdict("100-149/1001"), Verdict::kGiveUp);
  EXPECT_EQ(verdict("*/1000"), Verdict::kAskAgain);
  EXPECT_EQ(verdict("100-149/1000", "Content-Length: 49"), Verdict::kAskAgain);
  EXPECT_EQ(verdict("100-149/1000", "ETag: \"v2\""), Verdict::kGiveUp);
  EXPECT_EQ(verdict("100-149/1000", "Last-Modified: now"), Verdict::kTakeBody);
  EXPECT_EQ(JudgeOf({"HTTP/1.1 206 x"}, asked).verdict, Verdict::kAskAgain);
  EXPECT_TRUE(JudgeOf({"HTTP/1.1 200 x", "Content-Length: 50"}, asked).ignores_ranges);
}

TEST(HttpJudgeTest, Opening) {
  const RangeAsked tail{.offset = 0, .size = 64, .from_end = true, .identity = nullptr};
  const auto judge = [&](const char* status, const char* line) {
    return JudgeOf({status, line}, tail);
  };
  EXPECT_EQ(judge("HTTP/1.1 206 x", "Content-Range: bytes 36-99/100").range.begin, 36u);
  EXPECT_EQ(judge("HTTP/1.1 206 x", "Content-Range: bytes 0-9/10").verdict, Verdict::kTakeBody);
  EXPECT_EQ(judge("HTTP/1.1 206 x", "Content-Range: bytes 36-99/*").verdict, Verdict::kAskAgain);
  EXPECT_EQ(judge("HTTP/1.1 206 x", "Content-Range: bytes 37-99/100").verdict, Verdict::kAskAgain);
  EXPECT_EQ(judge("HTTP/1.1 206 x", "Content-Range: bytes 0-9/100").verdict, Verdict::kAskAgain);
  EXPECT_EQ(judge("HTTP/1.1 200 x", "Content-Length: 64").range.total, 64u);
  EXPECT_TRUE(judge("HTTP/1.1 200 x", "Content-Length: 65").ignores_ranges);
  EXPECT_TRUE(judge("HTTP/1.1 200 x", "Transfer-Encoding: chunked").ignores_ranges);
  EXPECT_EQ(judge("HTTP/1.1 416 x", "Content-Range: bytes */0").range.total, 0u);
  EXPECT_EQ(judge("HTTP/1.1 416 x", "Content-Range: bytes */9").verdict, Verdict::kGiveUp);
  EXPECT_EQ(judge("HTTP/1.1 206 x", "Content-Encoding: gzip").verdict, Verdict::kGiveUp);
}

TEST(HttpJudgeTest, Statuses) {
  const RangeAsked asked{.offset = 0, .size = 64, .from_end = false, .identity = &kIdentity};
  const auto verdict = [&](int status) {
    return JudgeOf({("HTTP/1.1 " + std::to_string(status)).c_str()}, asked).verdict;
  };
  for (const int status : {408, 429, 500, 502, 503, 504})
    EXPECT_EQ(verdict(status), Verdict::kAskAgain) << status;
  for (const int status : {301, 302, 303, 307, 308})
    EXPECT_EQ(verdict(status), Verdict::kGoElsewhere) << status;
  for (const int status : {0, 204, 300, 304, 400, 401, 403, 404, 410, 412, 416, 501, 505, 999})
    EXPECT_EQ(verdict(status), Verdict::kGiveUp) << status;
}

TEST(HttpJudgeTest, Errors) {
  for (const int code : {CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_RECV_ERROR})
    EXPECT_TRUE(MayPass(code)) << code;
  for (const int code :
       {CURLE_PEER_FAILED_VERIFICATION, CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL})
    EXPECT_FALSE(MayPass(code)) << code;
  EXPECT_EQ(ErrorInXml("<x><Code>A\x1b</Code>\n<Message>b</Message>"), "A: b");
  EXPECT_EQ(ErrorInXml("<Code>A</Code><Message>"), "A");
  EXPECT_EQ(ErrorInXml("<Code>A"), "");
  EXPECT_EQ(ErrorInXml("<Code>" + std::string(5000, 'x') + "</Code>").size(), 200u);
}

TEST(HttpJudgeTest, Waits) {
  EXPECT_DOUBLE_EQ(WaitSeconds(1, {}, 1), 0.1);
  EXPECT_DOUBLE_EQ(WaitSeconds(1, {}, 0), 0.05);
  EXPECT_DOUBLE_EQ(WaitSeconds(3, {}, 1), 0.4);
  EXPECT_DOUBLE_EQ(WaitSeconds(4000000000u, {}, 1), 5);
  EXPECT_DOUBLE_EQ(WaitSeconds(1, 9, 0.5), 9);
  EXPECT_DOUBLE_EQ(WaitSeconds(10, 0, 0), 2.5);
}

}  // namespace
}  // namespace dsi::internal
