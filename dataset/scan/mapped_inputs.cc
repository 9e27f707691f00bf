#include "dsi/dataset/scan/mapped_inputs_internal.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dsi::internal {
namespace {

// Lists of hashes, of .3 of the rows: from .4 of the time on tables whose lists repeat to 1.3 times
// it where each id is another; of .1 to 1.6 times, for two steps of a feature to 2.7 times.
constexpr double kLeastShare = 0.25;
constexpr double kLeastShareOfSeveral = 0.5;

class ChainMap final : public ValueMap {
 public:
  explicit ChainMap(ElementwiseChain chain)
      : ValueMap(static_cast<size_t>(TypeWidth(chain.output_type()))), chain_(std::move(chain)) {}
  void Apply(const void* in, size_t n, void* out) const override { chain_.Apply(in, n, out); }

 private:
  ElementwiseChain chain_;
};

class InputMapper {
 public:
  explicit InputMapper(std::span<const std::unique_ptr<ScanMember>> members) : members_(members) {
    for (const auto& member : members) uses_.emplace_back(member->projection().values.size());
  }

  // Somebody wants what is there as it is stored, or as a stage makes it.
  void Use(const MemberPlace& place) {
    if (uint32_t* const uses = UsesOf(place); uses != nullptr) ++*uses;
  }

  // Nobody else uses what is there, and it is as it is stored.
  bool MayMap(const MemberPlace& place) {
    const uint32_t* const uses = UsesOf(place);
    if (uses == nullptr || *uses != 1) return false;
    const ScanProjection& projection = members_[place.member]->projection();
    return projection.CanMapValues(projection.outputs[place.at].values);
  }

  // The place of what a chain makes of these values, which become it; or where that is not
  // `in_place` others beside them.
  MemberPlace Map(MemberPlace place, const ElementwiseChain& chain, bool in_place) {
    if (chain.empty()) return place;
    ScanProjection* const projection = members_[place.member]->mutable_projection();
    if (!in_place) place.at = projection->AddHiddenCopy(place.at);
    projection->MapValues(projection->outputs[place.at].values, std::make_shared<ChainMap>(chain),
                          chain.output_type());
    return place;
  }

 private:
  // Null: of no values.
  uint32_t* UsesOf(const MemberPlace& place) {
    if (place.at == kNone32) return nullptr;
    const uint32_t values = members_[place.member]->projection().outputs[place.at].values;
    return values == kNone32 ? nullptr : &uses_[place.member][values];
  }

  std::span<const std::unique_ptr<ScanMember>> members_;
  std::vector<std::vector<uint32_t>> uses_;  // By member and position in its values.
};

// By feature: the stages that take it; none where one of them is not elementwise.
std::vector<std::vector<size_t>> ElementwiseTakers(const TransformPlan& plan) {
  std::vector<std::vector<size_t>> takers(plan.features().size());
  std::vector<uint8_t> is_taken_whole(takers.size());
  for (size_t stage = 0; stage < plan.stages().size(); ++stage) {
    for (const TransformSource& source : plan.stages()[stage].sources) {
      if (source.is_stage) continue;
      takers[source.index].push_back(stage);
      if (!plan.stages()[stage].elementwise) is_taken_whole[source.index] = 1;
    }
  }
  for (size_t i = 0; i < takers.size(); ++i) {
    if (is_taken_whole[i] != 0) takers[i].clear();
  }
  return takers;
}

}  // namespace

std::vector<FileRequest::Input> MapInputs(const TransformPlan& plan, const FileRequest& request,
                                          std::span<const uint32_t> session_outputs, double share,
                                          std::span<const std::unique_ptr<ScanMember>> members) {
  InputMapper mapper(members);
  for (const MemberPlace& place : request.positions) mapper.Use(place);
  for (const uint32_t output : session_outputs) mapper.Use({0, output});
  for (const FileRequest::Input& input : request.inputs) {
    mapper.Use(input.values);
    mapper.Use(input.scores);
  }
  std::vector<FileRequest::Input> mapped(plan.stages().size());
  const std::vector<std::vector<size_t>> takers = ElementwiseTakers(plan);
  for (size_t feature = 0; feature < takers.size(); ++feature) {
    const FileRequest::Input& input = request.inputs[feature];
    // How many of them want something else than what is stored.
    const auto wanted = [&](const auto& chain_of) {
      return std::ranges::count_if(takers[feature],
                                   [&](size_t stage) { return !chain_of(stage).empty(); });
    };
    const auto values_of = [&](size_t stage) -> const auto& { return plan.values_of(stage); };
    const auto scores_of = [&](size_t stage) -> const auto& { return plan.scores_of(stage); };
    const bool is_scored = plan.features()[feature].type.shape == RowShape::kScored;
    if (input.values.at == kNone32 || (is_scored && input.scores.at == kNone32)) continue;
    const auto num_takers = std::ssize(takers[feature]);
    if (share < (num_takers > 1 ? kLeastShareOfSeveral : kLeastShare)) continue;
    const auto with_values = wanted(values_of);
    const auto with_scores = is_scored ? wanted(scores_of) : 0;
    if (with_values != 0 && !mapper.MayMap(input.values)) continue;
    if (with_scores != 0 && !mapper.MayMap(input.scores)) continue;
    for (const size_t stage : takers[feature]) {
      // Where all want something else, that of the last takes the place of what is stored.
      const bool is_last = stage == takers[feature].back();
      mapped[stage].values =
          mapper.Map(input.values, plan.values_of(stage), is_last && with_values == num_takers);
      if (!is_scored) continue;
      mapped[stage].scores =
          mapper.Map(input.scores, plan.scores_of(stage), is_last && with_scores == num_takers);
    }
  }
  return mapped;
}

}  // namespace dsi::internal
