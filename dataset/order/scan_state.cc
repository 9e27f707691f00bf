// The state of a scan and its JSON (spec DO-013, DO-014).
#include "dsi/dataset/order/scan_state_internal.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsi/dataset/order/keyed_bijection_internal.h"
#include "dsi/dataset/order/state_json_internal.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kKind = "dsi_scan_state";
constexpr uint64_t kVersion = 1;
constexpr JsonWord kUnits[] = {{"none", static_cast<int>(OrderUnit::kNone)},
                               {"block", static_cast<int>(OrderUnit::kBlock)},
                               {"stripe", static_cast<int>(OrderUnit::kStripe)},
                               {"file", static_cast<int>(OrderUnit::kFile)}};
constexpr JsonWord kMixes[] = {{"sessions", static_cast<int>(Mix::kSessions)},
                               {"rows", static_cast<int>(Mix::kRows)}};
constexpr JsonWord kRemainders[] = {{"drop", static_cast<int>(Remainder::kDrop)},
                                    {"pad", static_cast<int>(Remainder::kPad)},
                                    {"uneven", static_cast<int>(Remainder::kUneven)}};

template <typename Enum>
std::string_view Word(std::span<const JsonWord> words, Enum value) {
  return WordOf(words, static_cast<int>(value));
}

template <typename Enum>
JsonRead ReadEnum(std::span<const JsonWord> words, Enum* out) {
  return ReadWord(words, [out](int value) { *out = static_cast<Enum>(value); });
}

JsonRead ReadOrder(OrderOptions* order) {
  return [order](dom::element value) {
    const JsonMember members[] = {
        {"unit", ReadEnum(kUnits, &order->unit)},
        {"seed", ReadDecimal(&order->seed)},
        {"epoch", ReadDecimal(&order->epoch)},
        {"block_rows", ReadNumber(0, UINT32_MAX, &order->block_rows)},
        {"mixing_rows", ReadNumber(0, UINT32_MAX, &order->mixing_rows)},
        {"mix", ReadEnum(kMixes, &order->mix)},
    };
    return ReadJsonObject(value, members);
  };
}

// [[begin, end], …], each behind the one before.
Status ReadSpans(dom::element value, std::vector<BatchSpan>* spans) {
  dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return BadInput("expected an array of [begin, end]");
  for (const dom::element item : array) {
    if (spans->size() >= kMaxBatchSpans) return BadInput("more than {} spans", kMaxBatchSpans);
    dom::array pair;
    BatchSpan span;
    if (item.get(pair) != simdjson::SUCCESS || pair.size() != 2 ||
        pair.at(0).get(span.begin) != simdjson::SUCCESS ||
        pair.at(1).get(span.end) != simdjson::SUCCESS) {
      return BadInput("[{}]: expected [begin, end] of whole numbers", spans->size());
    }
    if (span.begin >= span.end) {
      return BadInput("[{}]: batches {} to {}: expected an end behind the beginning", spans->size(),
                      span.begin, span.end);
    }
    if (!spans->empty() && span.begin < spans->back().end) {
      const BatchSpan& before = spans->back();
      return BadInput("[{}]: batches {} to {} {} {} to {}, which stand before them", spans->size(),
                      span.begin, span.end, span.end > before.begin ? "overlap" : "belong before",
                      before.begin, before.end);
    }
    spans->push_back(span);
  }
  return {};
}

// What one number says of another.
Status CheckNumbers(const ScanState& state) {
  const uint64_t num_batches = CountBatches(state.num_rows, state.batch_size, state.drop_last);
  if (!state.left.empty() && state.left.back().end > num_batches) {
    return BadInput("left: batches up to {}, but {} rows make {} batches", state.left.back().end,
                    state.num_rows, num_batches);
  }
  const uint64_t count = CountBatchesOf(state.left);
  // Rank 0 has as many as any.
  const uint64_t most = RunOfRank(count, 0, state.world, state.remainder).count;
  if (state.handed_out > most) {
    return BadInput("handed_out: {}, but {} batches are at most {} for a rank of {}",
                    state.handed_out, count, most, state.world);
  }
  return {};
}

}  // namespace

std::string ScanState::ToJson() const {
  std::string json =
      fmt::format(R"({{"{}": {}, "snapshot": "{:016x}", "num_rows": {}, "rows": "{:016x}", )",
                  kKind, kVersion, snapshot, num_rows, rows_fingerprint);
  json += fmt::format(R"("order": {{"unit": "{}", "seed": "{}", "epoch": "{}", "block_rows": {}, )"
                      R"("mixing_rows": {}, "mix": "{}"}}, )",
                      Word(kUnits, order.unit), order.seed, order.epoch, order.block_rows,
                      order.mixing_rows, Word(kMixes, order.mix));
  json += fmt::format(
      R"("batch_size": {}, "drop_last": {}, "world": {}, "remainder": "{}", "handed_out": {}, )",
      batch_size, drop_last, world, Word(kRemainders, remainder), handed_out);
  json += "\"left\": [";
  for (size_t i = 0; i < left.size(); ++i) {
    fmt::format_to(std::back_inserter(json), "{}[{}, {}]", i == 0 ? "" : ", ", left[i].begin,
                   left[i].end);
  }
  return json + "]}";
}

Result<ScanState> ScanState::FromJson(std::string_view json) {
  constexpr std::string_view kWhat = "state of a scan";
  ScanState state;
  const JsonMember members[] = {
      {"snapshot", ReadHex(&state.snapshot)},
      {"num_rows", ReadNumber(0, KeyedBijection::kMaxSize, &state.num_rows)},
      {"rows", ReadHex(&state.rows_fingerprint)},
      {"order", ReadOrder(&state.order)},
      {"batch_size", ReadNumber(1, UINT32_MAX, &state.batch_size)},
      {"drop_last", ReadBool(&state.drop_last)},
      {"world", ReadNumber(1, kMaxWorld, &state.world)},
      {"remainder", ReadEnum(kRemainders, &state.remainder)},
      {"handed_out", ReadNumber(0, KeyedBijection::kMaxSize, &state.handed_out)},
      {"left", [&state](dom::element value) { return ReadSpans(value, &state.left); }},
  };
  DSI_RETURN_IF_ERROR(ReadStateText(json, kWhat, kKind, kVersion, members));
  DSI_RETURN_IF_ERROR(CheckNumbers(state).At(kWhat));
  return state;
}

std::vector<BatchSpan> ScanState::Remaining() const {
  return BatchesLeft(left, world, remainder, {&handed_out, 1});
}

Status ScanState::CheckSameBatches(const ScanState& asked) const {
  const auto differs = [](std::string_view what, const auto& in_state, const auto& in_options) {
    return BadInput(
        "the state is of a scan with {} {}, this one has {}: ask for the same, or "
        "start without a state",
        what, in_state, in_options);
  };
  if (snapshot != asked.snapshot) {
    return differs("dataset snapshot", fmt::format("{:016x}", snapshot),
                   fmt::format("{:016x}", asked.snapshot));
  }
  if (num_rows != asked.num_rows) return differs("rows in all", num_rows, asked.num_rows);
  if (rows_fingerprint != asked.rows_fingerprint) {
    return differs("a choice of rows of fingerprint", fmt::format("{:016x}", rows_fingerprint),
                   fmt::format("{:016x}", asked.rows_fingerprint));
  }
  const OrderOptions& other = asked.order;
  if (order.unit != other.unit) {
    return differs("order unit", Word(kUnits, order.unit), Word(kUnits, other.unit));
  }
  if (order.seed != other.seed) return differs("seed", order.seed, other.seed);
  if (order.epoch != other.epoch) return differs("epoch", order.epoch, other.epoch);
  if (order.block_rows != other.block_rows) {
    return differs("block_rows", order.block_rows, other.block_rows);
  }
  if (order.mixing_rows != other.mixing_rows) {
    return differs("mixing_rows", order.mixing_rows, other.mixing_rows);
  }
  if (order.mix != other.mix)
    return differs("mix", Word(kMixes, order.mix), Word(kMixes, other.mix));
  if (batch_size != asked.batch_size) return differs("batch_size", batch_size, asked.batch_size);
  if (drop_last != asked.drop_last) return differs("drop_last", drop_last, asked.drop_last);
  return {};
}

}  // namespace dsi::internal
