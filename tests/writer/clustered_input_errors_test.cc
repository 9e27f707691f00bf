// Rows that are said to come clustered and do not: the first that shows it is named, and nothing is
// published.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dsi/tests/support/fault_file.h"
#include "dsi/tests/support/temp_folder.h"
#include "dsi/tests/writer/clustered_clicks.h"
#include "dsi/writer/cluster/sessions_seen_internal.h"

namespace dsi::test {
namespace {

// Writes rows that are not in order, in many ways: the message has all of `said`, and nothing is
// left.
void ExpectRefused(const Clicks& clicks, const Keys& keys, const std::vector<std::string>& said) {
  for (const size_t rows_of_batch : {size_t{1}, size_t{64}, clicks.size()}) {
    for (const uint64_t budget : {uint64_t{0}, uint64_t{1'000}}) {
      for (const uint32_t stripe_rows : {kClickStripeRows, 262'144U}) {
        const Outcome done = WriteClicks(clicks, rows_of_batch,
                                         {.cluster_by = keys,
                                          .input_is_clustered = true,
                                          .stripe_rows = stripe_rows,
                                          .memory_bytes = budget});
        EXPECT_EQ(done.status.code(), StatusCode::kBadInput) << done.status.ToString();
        for (const std::string& words : said)
          EXPECT_NE(done.status.message().find(words), std::string::npos)
              << words << " in " << done.status.message();
        EXPECT_TRUE(done.bytes.empty());
      }
    }
  }
}

size_t FirstRowOf(const Clicks& clicks, size_t row) {
  while (row > 0 && clicks[row - 1].visit == clicks[row].visit) --row;
  return row;
}

// After 1 to many sessions, and so many stripes, also as the very last row.
TEST(ClusteredInputErrorsTest, ASessionThatComesAgainIsTold) {
  const Clicks clicks = MakeClicks(11, 900, 9, /*by_first_time=*/true);
  for (const Keys& keys : {kBoth, kOne}) {
    for (const auto& [from, to] : std::vector<std::pair<size_t, size_t>>{
             {0, 30}, {3, 100}, {3, 899}, {500, 530}, {500, 700}, {860, 899}}) {
      Clicks wrong = clicks;
      const size_t begin = FirstRowOf(clicks, from);
      const size_t at = to == 899 ? 900 : FirstRowOf(clicks, to);
      Click again = clicks[from];
      again.time = 1'000'000;
      wrong.insert(wrong.begin() + static_cast<ptrdiff_t>(at), again);
      ExpectRefused(wrong, keys,
                    {"row " + std::to_string(at) + " ", "row " + std::to_string(begin) + " began",
                     "\"session\"", "rows are sorted"});
    }
  }
  // A session is told apart by all keys.
  Clicks same_name = clicks;
  for (Click& click : same_name) click.session = std::to_string(click.visit % 3);
  const Outcome both = WriteClicks(
      same_name, 100,
      {.cluster_by = kBoth, .input_is_clustered = true, .stripe_rows = kClickStripeRows});
  EXPECT_TRUE(both.status.ok()) << both.status.ToString();
  CheckCuts(same_name, CutsOf(*OpenBytes(both.bytes)));
  ExpectRefused(same_name, kOne, {"of the session by \"session\""});
}

TEST(ClusteredInputErrorsTest, ATimeThatGoesBackIsTold) {
  const Clicks clicks = MakeClicks(12, 700, 20, /*by_first_time=*/true);
  for (const size_t near : {20U, 333U, 690U}) {
    size_t row = near;
    while (clicks[row].visit != clicks[row - 1].visit) --row;
    Clicks wrong = clicks;
    wrong[row].time = *clicks[row - 1].time - 1;
    ExpectRefused(
        wrong, kOne,
        {"row " + std::to_string(row) + " ", "\"t\" is " + std::to_string(*wrong[row].time),
         std::to_string(*clicks[row - 1].time) + " of the row before it in its session",
         "rows are sorted"});
    wrong[row].time.reset();
    ExpectRefused(wrong, kBoth, {"row " + std::to_string(row) + " ", "\"t\" is none"});
    wrong[row].time = clicks[row - 1].time;  // Not back.
    wrong.resize(row + 1);
    EXPECT_TRUE(
        WriteClicks(wrong, 100, {.cluster_by = kOne, .input_is_clustered = true}).status.ok());
  }
}

// More sessions than are held: what comes again is found by sorting, and the first is named.
TEST(ClusteredInputErrorsTest, ManySessionsAreSortedToFindOneThatComesAgain) {
  const auto hash_of = [](uint64_t number) {
    std::array<std::byte, 16> hash{};
    for (size_t i = 0; i < 8; ++i) {
      hash[i] = static_cast<std::byte>((number * 0x9E3779B97F4A7C15U) >> (8 * i));
      hash[8 + i] = static_cast<std::byte>(number >> (8 * i));
    }
    return hash;
  };
  constexpr uint32_t kSessions = 200'000;
  const auto first_again = [&](const std::map<uint32_t, uint32_t>& again) {
    internal::SessionsSeen seen(1'000, "");
    for (uint32_t row = 0; row < kSessions; ++row) {
      const auto at = again.find(row);
      const auto hash = hash_of(at == again.end() ? row : at->second);
      const auto found = seen.Add(hash.data(), row);
      EXPECT_TRUE(found.ok()) << found.status().ToString();
      if (*found) return std::pair((*found)->first_row, (*found)->row);
    }
    const auto found = seen.Finish();
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    return *found ? std::pair((*found)->first_row, (*found)->row) : std::pair(0U, 0U);
  };
  EXPECT_EQ(first_again({}), std::pair(0U, 0U));
  EXPECT_EQ(first_again({{kSessions - 1, 0}}), std::pair(0U, kSessions - 1));
  EXPECT_EQ(first_again({{150'000, 149'999}}), std::pair(149'999U, 150'000U));
  EXPECT_EQ(first_again({{190'000, 5}, {100'000, 77'000}, {120'000, 77'000}}),
            std::pair(77'000U, 100'000U));
}

TEST(ClusteredInputErrorsTest, KeysMustBeThere) {
  const auto code_of = [](WriterOptions options) {
    options.input_is_clustered = true;
    std::vector<std::byte> bytes;
    return Writer::Create(CreateMemoryFile(&bytes, "memory"), *Schema::FromJson(kClickFeatures),
                          std::move(options))
        .status()
        .code();
  };
  EXPECT_EQ(code_of({.cluster_by = kOne}), StatusCode::kOk);
  EXPECT_EQ(code_of({}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of({.cluster_by = kOne, .keep_order = true}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code_of({.cluster_by = kOne,
                     .overlay = OverlayBinding{.base_fingerprint = 7,
                                               .base_rows = 5,
                                               .rows = {{0, 5}},
                                               .stripe_rows = {5}}}),
            StatusCode::kInvalidArgument);
}

// An error of the disk midway, a cancelled call, and rows out of order leave no file.
TEST(ClusteredInputErrorsTest, WhatFailsLeavesNothing) {
  const Clicks clicks = MakeClicks(13, 900, 9, /*by_first_time=*/true);
  const WriterOptions options = {
      .cluster_by = kOne, .input_is_clustered = true, .stripe_rows = kClickStripeRows};
  std::vector<std::byte> bytes;
  auto failing =
      Writer::Create(WithWriteFaults(CreateMemoryFile(&bytes, "memory"), {.fail_call = 5}),
                     *Schema::FromJson(kClickFeatures), options);
  ASSERT_TRUE(failing.ok());
  EXPECT_EQ((*failing)->Append(BatchOf(**failing, clicks)).code(), StatusCode::kIo);
  EXPECT_EQ((*failing)->Finish().status().code(), StatusCode::kIo);
  EXPECT_TRUE(bytes.empty());
  for (const bool cancels : {false, true}) {
    const TempFolder folder;
    WriterOptions told = options;
    told.progress = [cancels](const WriteProgress& now) { return !cancels || now.rows_done == 0; };
    auto writer = Writer::Create(folder.File("out.dsi"), *Schema::FromJson(kClickFeatures), told);
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    Clicks rows = clicks;
    if (!cancels) rows.push_back(clicks[1]);
    const Status added = (*writer)->Append(BatchOf(**writer, rows));
    const Status finished = (*writer)->Finish().status();
    EXPECT_EQ(finished.code(), cancels ? StatusCode::kCancelled : StatusCode::kBadInput);
    if (!added.ok()) {
      EXPECT_EQ(added.ToString(), finished.ToString());
    }
    writer->reset();
    EXPECT_TRUE(folder.Names().empty());
  }
}

}  // namespace
}  // namespace dsi::test
