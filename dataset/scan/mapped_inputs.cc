#include "dsi/dataset/scan/mapped_inputs_internal.h"

#include <utility>

namespace dsi::internal {
namespace {

class ChainMap final : public ValueMap {
 public:
  explicit ChainMap(ElementwiseChain chain)
      : ValueMap(static_cast<size_t>(TypeWidth(chain.output_type()))), chain_(std::move(chain)) {}
  void Apply(const void* in, size_t n, void* out) const override { chain_.Apply(in, n, out); }

 private:
  ElementwiseChain chain_;
};

}  // namespace

MappedInputs::MappedInputs(const TransformPlan& plan, const FileRequest& request,
                           std::span<const uint32_t> session_outputs,
                           std::span<const std::unique_ptr<ScanMember>> members)
    : plan_(plan),
      request_(request),
      members_(members),
      stage_of_(plan.features().size(), kNone32) {
  std::vector<uint32_t> takers(stage_of_.size());
  for (size_t stage = 0; stage < plan.stages().size(); ++stage) {
    for (const TransformSource& source : plan.stages()[stage].sources) {
      if (source.is_stage) continue;
      ++takers[source.index];
      stage_of_[source.index] = static_cast<uint32_t>(stage);
    }
  }
  for (size_t i = 0; i < takers.size(); ++i) {
    if (takers[i] != 1 || !plan.stages()[stage_of_[i]].elementwise) stage_of_[i] = kNone32;
  }
  for (const auto& member : members) uses_.emplace_back(member->projection().values.size());
  const auto use = [&](const MemberPlace& place) {
    if (uint32_t* const uses = UsesOf(place); uses != nullptr) ++*uses;
  };
  for (const MemberPlace& place : request.positions) use(place);
  for (const uint32_t output : session_outputs) use({0, output});
  for (const FileRequest::Input& input : request.inputs) {
    use(input.values);
    use(input.scores);
  }
}

// Null: of no values.
uint32_t* MappedInputs::UsesOf(const MemberPlace& place) {
  if (place.at == kNone32) return nullptr;
  const uint32_t values = members_[place.member]->projection().outputs[place.at].values;
  return values == kNone32 ? nullptr : &uses_[place.member][values];
}

uint32_t MappedInputs::Map(size_t feature) {
  const uint32_t stage = stage_of_[feature];
  if (stage == kNone32) return kNone32;
  const FileRequest::Input& input = request_.inputs[feature];
  const bool is_scored = plan_.stages()[stage].type.shape == RowShape::kScored;
  const ElementwiseChain& values = plan_.values_of(stage);
  const ElementwiseChain& scores = plan_.scores_of(stage);
  if (!MayMap(input.values, values) || (is_scored && !MayMap(input.scores, scores))) return kNone32;
  MapPlace(input.values, values);
  if (is_scored) MapPlace(input.scores, scores);
  return stage;
}

bool MappedInputs::MayMap(const MemberPlace& place, const ElementwiseChain& chain) {
  const uint32_t* const uses = UsesOf(place);
  if (uses == nullptr) return false;
  const ScanProjection& projection = members_[place.member]->projection();
  return chain.empty() ||
         (*uses == 1 && projection.CanMapValues(projection.outputs[place.at].values));
}

void MappedInputs::MapPlace(const MemberPlace& place, const ElementwiseChain& chain) {
  if (chain.empty()) return;
  ScanProjection* const projection = members_[place.member]->mutable_projection();
  projection->MapValues(projection->outputs[place.at].values, std::make_shared<ChainMap>(chain),
                        chain.output_type());
}

}  // namespace dsi::internal
