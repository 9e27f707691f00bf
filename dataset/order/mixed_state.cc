// The JSON of a mixture (spec DO-017).
#include "dsi/dataset/order/mixed_state_internal.h"

#include <fmt/format.h>

#include "dsi/base/json_text_internal.h"
#include "dsi/dataset/order/state_json_internal.h"
#include "dsi/dataset/order/weighted_turns_internal.h"

namespace dsi::internal {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kKind = "dsi_mixed_state";
constexpr uint64_t kVersion = 1;
constexpr JsonWord kPolicies[] = {{"stop", static_cast<int>(Exhausted::kStop)},
                                  {"drop", static_cast<int>(Exhausted::kDrop)},
                                  {"repeat", static_cast<int>(Exhausted::kRepeat)}};

Status ReadSource(dom::element value, MixedSourceState* source) {
  const JsonMember members[] = {
      {"weight", ReadNumber(1, kMaxWeights, &source->weight)},
      {"round", ReadDecimal(&source->round)},
      {"ended", ReadBool(&source->ended)},
      {"state", ReadText(&source->state)},
  };
  return ReadJsonObject(value, members);
}

Status ReadSources(dom::element value, std::vector<MixedSourceState>* sources) {
  dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return BadInput("expected an array of objects");
  for (const dom::element item : array) {
    if (sources->size() >= kMaxSources) return BadInput("more than {} sources", kMaxSources);
    const std::string where = fmt::format("[{}]", sources->size());
    DSI_RETURN_IF_ERROR(ReadSource(item, &sources->emplace_back()).At(where));
  }
  return {};
}

Status CheckTurn(const MixedState& state) {
  uint64_t sum = 0;
  uint64_t in_turn = 0;
  for (const MixedSourceState& source : state.sources) {
    sum += source.weight;
    in_turn += source.ended ? 0 : source.weight;
  }
  if (sum == 0 || sum > kMaxWeights) {
    return BadInput("weights of {} in all, expected 1 to {}", sum, kMaxWeights);
  }
  if (state.turn > 0 && state.turn >= in_turn) {
    return BadInput("turn {}: sources that have not ended weigh {}", state.turn, in_turn);
  }
  return {};
}

}  // namespace

std::string MixedState::ToJson() const {
  std::string json =
      fmt::format(R"({{"{}": {}, "exhausted": "{}", "turn": {}, "sources": [)", kKind, kVersion,
                  WordOf(kPolicies, static_cast<int>(exhausted)), turn);
  for (size_t i = 0; i < sources.size(); ++i) {
    const MixedSourceState& source = sources[i];
    json += fmt::format(R"({}{{"weight": {}, "round": "{}", "ended": {}, "state": )",
                        i == 0 ? "" : ", ", source.weight, source.round, source.ended);
    AppendJsonString(source.state, &json);
    json += '}';
  }
  return json + "]}";
}

Result<MixedState> MixedState::FromJson(std::string_view json) {
  constexpr std::string_view kWhat = "state of a mixture";
  MixedState state;
  const JsonMember members[] = {
      {"exhausted",
       ReadWord(kPolicies, [&](int value) { state.exhausted = static_cast<Exhausted>(value); })},
      {"turn", ReadNumber(0, kMaxWeights, &state.turn)},
      {"sources", [&](dom::element value) { return ReadSources(value, &state.sources); }},
  };
  DSI_RETURN_IF_ERROR(ReadStateText(json, kWhat, kKind, kVersion, members));
  DSI_RETURN_IF_ERROR(CheckTurn(state).At(kWhat));
  return state;
}

}  // namespace dsi::internal
