#include "dsi/dataset/order/batch_share_internal.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "dsi/dataset/order/scan_state_internal.h"

namespace dsi::internal {
namespace {

constexpr Remainder kRemainders[] = {Remainder::kDrop, Remainder::kPad, Remainder::kUneven};

std::vector<uint64_t> BatchesOf(std::span<const BatchSpan> spans) {
  std::vector<uint64_t> batches;
  for (const BatchSpan& span : spans) {
    for (uint64_t b = span.begin; b < span.end; ++b) batches.push_back(b);
  }
  return batches;
}

BatchShare MakeShare(std::span<const BatchSpan> left, uint32_t rank, uint32_t world,
                     Remainder remainder) {
  Result<BatchShare> share = BatchShare::Make(left, {rank, world, remainder});
  EXPECT_TRUE(share.ok()) << share.status().ToString();
  return *std::move(share);
}

// So many batches in a few pieces, with gaps.
std::vector<BatchSpan> Pieces(uint64_t n) {
  std::vector<BatchSpan> left;
  uint64_t at = n % 5;
  for (uint64_t size = 1 + n % 7; n > 0; size = 1 + size * 2 % 9) {
    const uint64_t count = std::min(n, size);
    left.push_back({at, at + count});
    at += count + 1 + size % 3;
    n -= count;
  }
  return left;
}

TEST(BatchShare, NoneTwiceAndNoneLostInAnyWorld) {
  for (uint64_t n = 0; n <= 200; ++n) {
    const std::vector<BatchSpan> left = Pieces(n);
    const std::vector<uint64_t> all = BatchesOf(left);
    ASSERT_EQ(all.size(), n);
    for (uint32_t world = 1; world <= 64; ++world) {
      for (const Remainder remainder : kRemainders) {
        std::vector<uint64_t> handed_out;
        for (uint32_t rank = 0; rank < world; ++rank) {
          const BatchShare share = MakeShare(left, rank, world, remainder);
          const uint64_t more = remainder == Remainder::kPad      ? (n + world - 1) / world
                                : remainder == Remainder::kUneven ? n / world + (rank < n % world)
                                                                  : n / world;
          ASSERT_EQ(share.size(), more) << "DO-011";
          for (uint64_t i = 0; i < share.size(); ++i) {
            if (!share.is_repeated(i)) handed_out.push_back(share.at(i));
            if (!share.is_repeated(i)) continue;
            ASSERT_EQ(remainder, Remainder::kPad);
            ASSERT_EQ(i, share.size() - 1);
            ASSERT_EQ(share.at(i), i > 0 ? share.at(i - 1) : all.back()) << "DO-012";
          }
        }
        // Ranks take runs in their order: together they are the list.
        const size_t expected = remainder == Remainder::kDrop ? n - n % world : n;
        ASSERT_EQ(handed_out, std::vector<uint64_t>(
                                  all.begin(), all.begin() + static_cast<ptrdiff_t>(expected)));
      }
    }
  }
}

TEST(BatchShare, RefusesWhatCannotBe) {
  const std::vector<BatchSpan> left = {{0, 4}};
  for (const ShardOptions& shard :
       {ShardOptions{0, 0}, ShardOptions{3, 3}, ShardOptions{0, kMaxWorld + 1}}) {
    EXPECT_EQ(BatchShare::Make(left, shard).status().code(), StatusCode::kInvalidArgument);
  }
  std::vector<BatchSpan> many;
  for (uint64_t i = 0; i <= kMaxBatchSpans; ++i) many.push_back({2 * i, 2 * i + 1});
  EXPECT_EQ(BatchShare::Make(many, {}).status().code(), StatusCode::kResourceExhausted);
}

// Ranks stop after each number of batches, others go on from what is left, and again.
TEST(BatchShare, ResumedInOtherWorldsHandsOutEachBatchOnce) {
  std::mt19937 random(11);
  for (int round = 0; round < 4000; ++round) {
    ScanState state;
    state.num_rows = random() % 120;
    state.batch_size = 1;
    state.StartAnew();
    std::map<uint64_t, int> times;
    for (int hop = 0; hop < 6; ++hop) {
      state.world = 1 + random() % 16;
      state.remainder = kRemainders[random() % 3];
      const bool to_the_end = hop == 5;
      if (to_the_end) state.remainder = Remainder::kUneven;
      const uint64_t most = MakeShare(state.left, 0, state.world, state.remainder).size();
      state.handed_out = to_the_end ? most : random() % (most + 1);
      for (uint32_t rank = 0; rank < state.world; ++rank) {
        const BatchShare share = MakeShare(state.left, rank, state.world, state.remainder);
        for (uint64_t i = 0; i < std::min(share.size(), state.handed_out); ++i) {
          if (!share.is_repeated(i)) ++times[share.at(i)];
        }
      }
      const Result<ScanState> read = ScanState::FromJson(state.ToJson());
      ASSERT_TRUE(read.ok()) << read.status().ToString();
      state.left = read->Remaining();
      state.handed_out = 0;
    }
    EXPECT_TRUE(state.left.empty());
    ASSERT_EQ(times.size(), state.num_rows) << "DO-013";
    for (const auto& [batch, count] : times) ASSERT_EQ(count, 1) << "DO-013: " << batch;
  }
}

// The same world goes on with the same batches on each rank, at every step.
TEST(BatchShare, ResumedInTheSameWorldGoesOnAsBefore) {
  for (const uint64_t n : {1ULL, 7ULL, 23ULL, 64ULL}) {
    const std::vector<BatchSpan> left = Pieces(n);
    for (uint32_t world = 1; world <= 9; ++world) {
      for (const Remainder remainder : kRemainders) {
        for (uint64_t gone = 0; gone <= n / world; ++gone) {
          const std::vector<BatchSpan> rest = BatchesLeft(left, world, remainder, {{gone}});
          for (uint32_t rank = 0; rank < world; ++rank) {
            const BatchShare before = MakeShare(left, rank, world, remainder);
            const BatchShare after = MakeShare(rest, rank, world, remainder);
            ASSERT_EQ(after.size() + gone, before.size());
            for (uint64_t i = 0; i < after.size(); ++i) {
              ASSERT_EQ(after.is_repeated(i), before.is_repeated(i + gone));
              // Where all of a rank's own are gone, another may stand for the repeated one.
              if (gone < n / world || !after.is_repeated(i)) {
                ASSERT_EQ(after.at(i), before.at(i + gone));
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace dsi::internal
