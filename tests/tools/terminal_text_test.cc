// What dsictl shows and takes at a terminal: numbers, widths, and text that must not drive it.
#include <cstdint>
#include <string>

#include "dsi/tools/console_internal.h"
#include "dsi/tools/exit_code_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/verbs_internal.h"
#include <gtest/gtest.h>

namespace dsi::tools {
namespace {

TEST(NumberText, ReadsAsPeopleWrite) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1000), "1,000");
  EXPECT_EQ(CountText(UINT64_MAX), "18,446,744,073,709,551,615");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1024), "1.0 KiB");
  EXPECT_EQ(BytesText((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(BytesText(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(SecondsText(0.00005), "0.05 ms");
  EXPECT_EQ(SecondsText(0.0994), "99.40 ms");
  EXPECT_EQ(SecondsText(0.5), "0.500 s");
  EXPECT_EQ(SecondsText(245), "4 min 05 s");
  EXPECT_EQ(CountOf(1, "read"), "1 read");
  EXPECT_EQ(CountOf(1200, "read"), "1,200 reads");
  EXPECT_EQ(SessionsText(0, 5), "none");
  EXPECT_EQ(SessionsText(2, 5), "2  (2.5 rows each)");
  EXPECT_EQ(FactorText(3, 0), "-");
  EXPECT_EQ(FactorText(3, 2), "1.50x");
}

TEST(ParseAmount, TakesUnitsAndNothingElse) {
  const auto parse = [](std::string_view text, uint64_t base) {
    uint64_t amount = 0;
    return ParseAmount(text, base, &amount) ? amount : UINT64_MAX;
  };
  EXPECT_EQ(parse("0", 1000), 0U);
  EXPECT_EQ(parse("50k", 1000), 50'000U);
  EXPECT_EQ(parse("2GiB", 1024), 2ULL << 30);
  EXPECT_EQ(parse("3mB", 1024), 3ULL << 20);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1x", "1.5k", "k", "1kk", "1Bi",
                           "18446744073709551616", "18446744073709551615k"}) {
    EXPECT_EQ(parse(text, 1000), UINT64_MAX) << text;
  }
}

TEST(Printable, LeavesNoControlCharacter) {
  EXPECT_EQ(Printable("plain"), "plain");
  EXPECT_EQ(Printable("a\x1b[31m\n\x7f"), "a\\x1b[31m\\x0a\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b!"), "\\x9b!") << "a control character of two bytes";
  EXPECT_EQ(Printable("\xc3\xa9"), "\xc3\xa9") << "other text stays";
  EXPECT_EQ(Printable("a\x9b\xc2"), "a\\x9b\\xc2") << "bytes that are no character";
  EXPECT_EQ(PrintableJson("{\"\xc2\x9b\x7f\": 1}\n"), "{\"\\u009b\\u007f\": 1}\n");
}

TEST(CutToWidth, CountsCharactersNotBytes) {
  EXPECT_EQ(CutToWidth("abc", 3), "abc");
  EXPECT_EQ(CutToWidth("abcd", 3), "ab…");
  EXPECT_EQ(CutToWidth("éééé", 3), "éé…");
  EXPECT_EQ(DisplayWidth(CutToWidth("éééé", 1)), 1U);
}

TEST(ExitCode, IsStableForEveryStatus) {
  const auto code = [](StatusCode status) { return ExitCode(Status(status, "x")); };
  EXPECT_EQ(ExitCode(Status::Ok()), 0);
  for (const StatusCode status :
       {StatusCode::kCorrupt, StatusCode::kTruncated, StatusCode::kNotDsi}) {
    EXPECT_EQ(code(status), 1);
  }
  EXPECT_EQ(code(StatusCode::kUnsupported), 4);
  for (const StatusCode status : {StatusCode::kInvalidArgument, StatusCode::kBadInput,
                                  StatusCode::kAlreadyExists, StatusCode::kOutOfRange}) {
    EXPECT_EQ(code(status), 2);
  }
  for (const StatusCode status :
       {StatusCode::kIo, StatusCode::kNotFound, StatusCode::kResourceExhausted}) {
    EXPECT_EQ(code(status), 3);
  }
  EXPECT_EQ(code(StatusCode::kCancelled), 130);
}

}  // namespace
}  // namespace dsi::tools
