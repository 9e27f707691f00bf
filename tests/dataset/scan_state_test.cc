#include "dsi/dataset/order/scan_state_internal.h"

#include <gtest/gtest.h>

#include <string>

#include "dsi/dataset/dataset_scan.h"

namespace dsi::internal {
namespace {

ScanState Example() {
  ScanState state;
  state.snapshot = 0xFEDCBA9876543210;
  state.num_rows = 10'000'000'000;
  state.rows_fingerprint = 5;
  state.order = {OrderUnit::kBlock, UINT64_MAX, 3, 4096, 100'000, Mix::kRows};
  state.batch_size = 1000;
  state.world = 4;
  state.remainder = Remainder::kUneven;
  state.StartAnew();
  state.left = {{0, 10}, {12, 13}, {9'000'000, 10'000'000}};
  state.handed_out = 17;
  return state;
}

std::string Replaced(const std::string& from, const std::string& to) {
  std::string json = Example().ToJson();
  const size_t at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to);
}

TEST(ScanState, HasTheTextOfTheSpec) {
  EXPECT_EQ(Example().ToJson(),
            R"({"dsi_scan_state": 1, "snapshot": "fedcba9876543210", "num_rows": 10000000000, )"
            R"("rows": "0000000000000005", "order": {"unit": "block", )"
            R"("seed": "18446744073709551615", "epoch": "3", "block_rows": 4096, )"
            R"("mixing_rows": 100000, "mix": "rows"}, "batch_size": 1000, "drop_last": false, )"
            R"("world": 4, "remainder": "uneven", "handed_out": 17, )"
            R"("left": [[0, 10], [12, 13], [9000000, 10000000]]})")
      << "DO-014";
}

TEST(ScanState, CountsBatches) {
  EXPECT_EQ(CountBatches(8, 4, false), 2U) << "DO-004";
  EXPECT_EQ(CountBatches(9, 4, false), 3U);
  EXPECT_EQ(CountBatches(9, 4, true), 2U);
  EXPECT_EQ(CountBatches(0, 4, false), 0U);
}

TEST(ScanState, ReadsWhatItWrites) {
  for (const OrderUnit unit :
       {OrderUnit::kNone, OrderUnit::kBlock, OrderUnit::kStripe, OrderUnit::kFile}) {
    for (const Remainder remainder : {Remainder::kDrop, Remainder::kPad, Remainder::kUneven}) {
      ScanState state = Example();
      state.order.unit = unit;
      state.order.mix = unit == OrderUnit::kNone ? Mix::kSessions : Mix::kRows;
      state.remainder = remainder;
      state.drop_last = unit == OrderUnit::kFile;
      const Result<ScanState> read = ScanState::FromJson(state.ToJson());
      ASSERT_TRUE(read.ok()) << read.status().ToString();
      EXPECT_EQ(read->ToJson(), state.ToJson());
      EXPECT_TRUE(read->CheckSameBatches(state).ok());
    }
  }
}

TEST(ScanState, SaysWhatIsWrong) {
  const struct {
    std::string json;
    std::string message;
  } cases[] = {
      {"", "empty"},
      {"{", "malformed JSON at byte 1"},
      {"[]", "something else"},
      {"{\"dsi_mixed_state\": 1}", "something else"},
      {Replaced("_state\": 1", "_state\": 2"), "version 2, this build reads version 1"},
      {Replaced("\"drop_last\": false, ", ""), "\"drop_last\" is missing"},
      {Replaced("\"world\"", "\"wordl\""), "unknown member \"wordl\""},
      {Replaced("\"world\": 4", "\"world\": 4, \"world\": 4"), "\"world\" stands twice"},
      {Replaced("\"world\": 4", "\"world\": 0"),
       "world: expected a whole number from 1 to 1048576"},
      {Replaced("\"batch_size\": 1000", "\"batch_size\": 0"), "batch_size: expected"},
      {Replaced("\"batch_size\": 1000", "\"batch_size\": 4294967296"), "batch_size: expected"},
      {Replaced("false", "0"), "drop_last: expected true or false"},
      {Replaced("10000000000", "-1"), "num_rows: expected a whole number"},
      {Replaced("10000000000", "281474976710657"), "num_rows: expected a whole number"},
      {Replaced("\"fedc", "\"FEDC"), "snapshot: expected a text of 16 digits"},
      {Replaced("\"fedc", "\"edc"), "snapshot: expected a text of 16 digits"},
      {Replaced("\"epoch\": \"3\"", "\"epoch\": 3"), "order: epoch: expected a text of digits"},
      {Replaced("\"epoch\": \"3\"", "\"epoch\": \"03\""), "order: epoch: expected"},
      {Replaced("\"epoch\": \"3\"", "\"epoch\": \"-3\""), "order: epoch: expected"},
      {Replaced("\"epoch\": \"3\"", "\"epoch\": \"18446744073709551616\""), "below 2^64"},
      {Replaced("\"block\"", "\"row\""), "unit: expected one of none, block, stripe, file"},
      {Replaced("\"uneven\"", "7"), "remainder: expected one of drop, pad, uneven"},
      {Replaced("17", "250003"), "handed_out: 250003, but 1000011 batches are at most 250003"},
      {Replaced("17", "250004"), "handed_out: 250004, but 1000011 batches are at most 250003"},
      {Replaced("[0, 10]", "[0, 10, 1]"), "left: [0]: expected [begin, end]"},
      {Replaced("[0, 10]", "[0, \"1\"]"), "left: [0]: expected [begin, end]"},
      {Replaced("[12, 13]", "[13, 13]"), "left: [1]: batches 13 to 13: expected an end behind"},
      {Replaced("[12, 13]", "[9, 13]"), "batches 9 to 13 overlap 0 to 10"},
      {Replaced("[9000000, 10000000]", "[0, 10]"), "belong before 12 to 13"},
      {Replaced("10000000]", "10000001]"), "batches up to 10000001, but 10000000000 rows"},
  };
  for (const auto& c : cases) {
    const Result<ScanState> state = ScanState::FromJson(c.json);
    if (c.message.ends_with("at most 250003") && c.json.find("250003") != std::string::npos) {
      EXPECT_TRUE(state.ok()) << state.status().ToString();  // The most there can be.
      continue;
    }
    EXPECT_EQ(state.status().code(), StatusCode::kBadInput) << c.message;
    EXPECT_NE(state.status().message().find(c.message), std::string::npos)
        << state.status().message() << "\nDO-014: " << c.message;
  }
}

TEST(ScanState, TellsOtherBatchesApart) {
  const ScanState state = Example();
  const auto message = [&](const auto& change) {
    ScanState asked = state;
    change(&asked);
    const Status status = state.CheckSameBatches(asked);
    EXPECT_EQ(status.code(), StatusCode::kBadInput);
    return status.message();
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(message([](ScanState* s) { ++s->snapshot; }), "dataset snapshot fedcba9876543210");
  has(message([](ScanState* s) { ++s->num_rows; }), "rows in all");
  has(message([](ScanState* s) { ++s->rows_fingerprint; }), "a choice of rows");
  has(message([](ScanState* s) { s->order.unit = OrderUnit::kFile; }), "order unit block");
  has(message([](ScanState* s) { s->order.seed = 1; }), "seed");
  has(message([](ScanState* s) { s->order.epoch = 4; }), "epoch 3, this one has 4");
  has(message([](ScanState* s) { s->order.block_rows = 4; }), "block_rows");
  has(message([](ScanState* s) { s->order.mixing_rows = 4; }), "mixing_rows");
  has(message([](ScanState* s) { s->order.mix = Mix::kSessions; }), "mix rows");
  has(message([](ScanState* s) { s->batch_size = 4; }), "batch_size");
  has(message([](ScanState* s) { s->drop_last = true; }), "drop_last");
}

TEST(JoinStates, LeavesWhatNoRankHandedOut) {
  ScanState state = Example();
  state.num_rows = 10'000;
  state.left = {{0, 10}};
  state.world = 3;
  state.remainder = Remainder::kDrop;  // [0, 3), [3, 6), [6, 9), and 9 is left out.
  std::vector<std::string> states;
  for (const uint64_t gone : {1, 0, 3}) {
    state.handed_out = gone;
    states.push_back(state.ToJson());
  }
  const Result<std::string> joined = JoinStates(states);
  ASSERT_TRUE(joined.ok()) << joined.status().ToString();
  EXPECT_NE(joined->find("\"world\": 1, \"remainder\": \"drop\", \"handed_out\": 0, "
                         "\"left\": [[1, 6], [9, 10]]"),
            std::string::npos)
      << "DO-015: " << *joined;

  const auto refusal = [&](const std::vector<std::string>& of) {
    const Status status = JoinStates(of).status();
    return status.message();
  };
  EXPECT_NE(refusal({}).find("no states"), std::string::npos);
  EXPECT_NE(refusal({states[0]}).find("1 states of a scan of 3 ranks"), std::string::npos);
  const auto with = [&](const auto& change) {
    ScanState other = state;
    change(&other);
    return refusal({states[0], states[1], other.ToJson()});
  };
  EXPECT_NE(with([](ScanState* s) { s->order.epoch = 9; }).find("rank 2"), std::string::npos);
  EXPECT_NE(with([](ScanState* s) { s->world = 2; }).find("shares other"), std::string::npos);
  EXPECT_NE(with([](ScanState* s) {
              s->left = {{1, 10}};
            }).find("shares other"),
            std::string::npos);
  EXPECT_NE(refusal({states[0], "x", states[1]}).find("rank 1"), std::string::npos);
}

}  // namespace
}  // namespace dsi::internal
