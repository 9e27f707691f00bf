#include "dsi/base/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace dsi {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) return Status(StatusCode::kOutOfRange, "odd");
  return number / 2;
}

Result<int> Quarter(int number) {
  DSI_ASSIGN_OR_RETURN(const int half, Half(number));
  DSI_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

TEST(StatusTest, OkHasNoMessage) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.ToString(), "ok");
  EXPECT_TRUE(status.At("somewhere").ok());
}

TEST(StatusTest, SaysWhere) {
  const Status status = Status(StatusCode::kCorrupt, "bad seal").At("page 7").At("part-0.dsi");
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_EQ(status.ToString(), "corrupt: part-0.dsi: page 7: bad seal");
}

TEST(StatusTest, EveryCodeHasAName) {
  for (int code = 0; code <= 12; ++code) {
    EXPECT_NE(StatusCodeName(static_cast<StatusCode>(code)), "unknown") << code;
  }
  EXPECT_EQ(StatusCodeName(static_cast<StatusCode>(200)), "unknown");
}

TEST(StatusTest, ResultsPassErrorsOn) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).status().code(), StatusCode::kOutOfRange);
}

TEST(StatusTest, ResultsHoldWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

}  // namespace
}  // namespace dsi
