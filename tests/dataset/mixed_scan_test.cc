#include "dsi/dataset/mixed_scan.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "dsi/dataset/order/mixed_state_internal.h"
#include "dsi/dataset/order/weighted_turns_internal.h"

namespace dsi {
namespace {

// Batches without rows; its state is how many are gone.
class CountedScan : public DatasetScan {
 public:
  CountedScan(uint64_t size, uint64_t gone) : size_(size), gone_(gone), first_(gone) {}
  Result<bool> Next(Batch*) override {
    if (gone_ == size_) return false;
    ++gone_;
    return true;
  }
  uint64_t num_batches() const noexcept override { return size_ - first_; }
  std::span<const ScanColumn> columns() const noexcept override { return {}; }
  const ScanStats& stats() const noexcept override { return stats_; }
  Result<std::string> state() const override { return std::to_string(gone_); }
  Status RowsOf(const Batch&, std::vector<BatchRow>*) const override { return {}; }
  bool is_repeated() const noexcept override { return false; }
  uint64_t gone() const { return gone_; }

 private:
  uint64_t size_;
  uint64_t gone_;
  uint64_t first_;
  ScanStats stats_;
};

std::unique_ptr<DatasetScan> Counted(uint64_t size, uint64_t gone) {
  return std::make_unique<CountedScan>(size, gone);
}

struct Part {
  uint32_t weight;
  uint64_t batches;
};

std::vector<MixedSource> Sources(const std::vector<Part>& parts) {
  std::vector<MixedSource> sources;
  for (const Part& part : parts) {
    sources.push_back(
        {part.weight,
         [part](uint64_t round, const std::string& state) -> Result<std::unique_ptr<DatasetScan>> {
           const uint64_t gone = state.empty() ? 0 : std::stoull(state);
           return Counted(part.batches + round, gone);
         }});
  }
  return sources;
}

std::unique_ptr<MixedScan> MakeScan(const std::vector<Part>& parts, Exhausted exhausted,
                                    const std::string& state = "") {
  auto scan = MixedScan::Make(Sources(parts), {exhausted, state});
  EXPECT_TRUE(scan.ok()) << scan.status().ToString();
  return *std::move(scan);
}

// Of each batch its source and its number there, `most` at most.
std::vector<std::pair<size_t, uint64_t>> Drain(MixedScan* scan, size_t most = 1000) {
  std::vector<std::pair<size_t, uint64_t>> batches;
  Batch batch;
  while (batches.size() < most) {
    const Result<bool> more = scan->Next(&batch);
    EXPECT_TRUE(more.ok()) << more.status().ToString();
    if (!more.ok() || !*more) break;
    const auto* of = static_cast<CountedScan*>(scan->scan(scan->source()));
    batches.emplace_back(scan->source(), of->gone() - 1);
  }
  return batches;
}

TEST(WeightedTurns, NoSourceIsEverABatchOff) {
  for (const std::vector<uint32_t>& weights :
       std::vector<std::vector<uint32_t>>{{1},
                                          {1, 1},
                                          {7, 3},
                                          {1, 99},
                                          {70, 20, 10},
                                          {5, 0, 7, 11, 13},
                                          {1, 1, 1, 1, 1, 100},
                                          {3, 3, 3, 2, 2, 2, 1, 1, 1},
                                          {1000, 1, 999}}) {
    uint64_t sum = 0;
    for (const uint32_t weight : weights) sum += weight;
    internal::WeightedTurns turns(weights);
    std::vector<uint64_t> taken(weights.size(), 0);
    for (uint64_t t = 1; t <= 2 * sum; ++t) {
      const size_t next = turns.Next();
      ++taken[next];
      turns.Take(next);
      for (size_t i = 0; i < weights.size(); ++i) {
        const auto had = static_cast<int64_t>(taken[i] * sum);
        const auto due = static_cast<int64_t>(t * weights[i]);
        ASSERT_LT(std::abs(had - due), static_cast<int64_t>(sum)) << "DO-016";
        ASSERT_TRUE(t % sum > 0 || had == due) << "DO-016";
      }
      internal::WeightedTurns again(weights, t % sum);
      ASSERT_EQ(again.Next(), turns.Next());
    }
  }
}

TEST(MixedScan, EndsAsItsPolicySays) {
  const std::vector<Part> parts = {{3, 10}, {1, 7}, {2, 4}};
  auto stop = MakeScan(parts, Exhausted::kStop);
  EXPECT_EQ(Drain(stop.get()).size(), stop->num_batches());
  auto drop = MakeScan(parts, Exhausted::kDrop);
  EXPECT_EQ(drop->num_batches(), 21U);
  EXPECT_EQ(Drain(drop.get()).size(), 21U);
  auto repeat = MakeScan(parts, Exhausted::kRepeat);
  EXPECT_EQ(repeat->num_batches(), MixedScan::kWithoutEnd);
  std::vector<uint64_t> counts(3, 0);
  for (const auto& [source, batch] : Drain(repeat.get(), 600)) ++counts[source];
  EXPECT_EQ(counts, (std::vector<uint64_t>{300, 100, 200})) << "DO-016";
}

TEST(MixedScan, CountsExactly) {
  for (uint64_t a = 0; a < 12; ++a) {
    for (uint64_t b = 0; b < 12; ++b) {
      for (const Exhausted exhausted : {Exhausted::kStop, Exhausted::kDrop}) {
        auto scan = MakeScan({{3, a}, {2, b}, {1, 5}}, exhausted);
        const uint64_t count = scan->num_batches();
        ASSERT_EQ(Drain(scan.get()).size(), count);
      }
    }
  }
}

TEST(MixedScan, GoesOnFromEveryState) {
  const std::vector<Part> parts = {{3, 10}, {1, 7}, {2, 4}};
  for (const Exhausted exhausted : {Exhausted::kStop, Exhausted::kDrop, Exhausted::kRepeat}) {
    const auto all = Drain(MakeScan(parts, exhausted).get(), 60);
    std::string state;
    // Each step in a scan of its own, from the state of the one before.
    for (size_t done = 0; done < all.size(); ++done) {
      auto scan = MakeScan(parts, exhausted, state);
      const bool ends = exhausted != Exhausted::kRepeat;
      ASSERT_EQ(scan->num_batches(), ends ? all.size() - done : MixedScan::kWithoutEnd);
      const auto one = Drain(scan.get(), 1);
      ASSERT_EQ(one, std::vector(1, all[done])) << "DO-017: " << done;
      const Result<std::string> next = scan->state();
      ASSERT_TRUE(next.ok());
      state = *next;
    }
    if (exhausted == Exhausted::kRepeat) continue;
    EXPECT_TRUE(Drain(MakeScan(parts, exhausted, state).get()).empty());
  }
}

TEST(MixedScan, RefusesWhatCannotBe) {
  const auto refusal = [](const std::vector<Part>& parts, const MixedScanOptions& options = {}) {
    return MixedScan::Make(Sources(parts), options).status().ToString();
  };
  EXPECT_NE(refusal({}).find("0 sources"), std::string::npos);
  EXPECT_NE(refusal({{0, 1}}).find("weight 0"), std::string::npos);
  EXPECT_NE(refusal({{65'536, 1}, {1, 1}}).find("65537"), std::string::npos);
  EXPECT_NE(MixedScan::Make({{}}).status().message().find("no callback"), std::string::npos);
  const std::string state = *MakeScan({{2, 5}}, Exhausted::kStop)->state();
  EXPECT_NE(refusal({{3, 5}}, {.state = state}).find("weight 2 in the state"), std::string::npos);
  EXPECT_NE(refusal({{2, 5}, {1, 1}}, {.state = state}).find("1 sources"), std::string::npos);
  EXPECT_NE(refusal({{2, 5}}, {Exhausted::kDrop, state}).find("policy"), std::string::npos);
  const auto bad = [](const std::string& turn, const std::string& more) {
    return internal::MixedState::FromJson(
               R"({"dsi_mixed_state": 1, "exhausted": "stop", "turn": )" + turn +
               R"(, "sources": [{"weight": 2, "round": "0", "ended": false, "state": ""}])" + more +
               "}")
        .status()
        .ToString();
  };
  EXPECT_EQ(bad("1", ""), "ok");
  EXPECT_NE(bad("2", "").find("turn 2"), std::string::npos);
  EXPECT_NE(bad("1", ", \"x\": 1").find("unknown member \"x\""), std::string::npos);
  EXPECT_NE(bad("\"1\"", "").find("whole number"), std::string::npos);
}

// What a callback throws or returns comes out as a status, and the scan is over.
TEST(MixedScan, CallbacksMayFail) {
  std::vector<MixedSource> sources = Sources({{1, 1}});
  sources[0].open = [](uint64_t, const std::string&) -> Result<std::unique_ptr<DatasetScan>> {
    throw std::runtime_error("gone");
  };
  EXPECT_EQ(MixedScan::Make(sources).status().code(), StatusCode::kCancelled);
  sources[0].open = [](uint64_t round, const std::string&) -> Result<std::unique_ptr<DatasetScan>> {
    return Counted(round == 0 ? 1 : 0, 0);
  };
  auto scan = MixedScan::Make(sources, {.exhausted = Exhausted::kRepeat});
  ASSERT_TRUE(scan.ok());
  Batch batch;
  EXPECT_TRUE(*(*scan)->Next(&batch));
  const Result<bool> more = (*scan)->Next(&batch);
  EXPECT_NE(more.status().message().find("round 1 has no batches"), std::string::npos);
  EXPECT_FALSE(*(*scan)->Next(&batch));
}

}  // namespace
}  // namespace dsi
