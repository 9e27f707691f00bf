#include "dsi/writer/encode/id_space_encoder_internal.h"

#include "dsi/writer/cluster/gather_internal.h"
#include "dsi/writer/encode/id_space_choice_internal.h"

namespace dsi::internal {
namespace {

template <typename T>
void Encode(const IdSpaceLayout& space, const FileLayout& layout,
            std::span<const ClusteredFeature> features,
            std::span<const std::unique_ptr<FeatureValues>> stored, const StripeOptions& options,
            EncodedStripe* stripe) {
  std::vector<IdSpaceMember<T>> members;
  for (const uint32_t c : space.columns) {
    const ColumnLayout& column = layout.columns[c];
    if (stripe->streams[column.values_slot].record.has_source()) continue;
    for (uint32_t tier = 0; tier < column.num_tiers; ++tier) {
      IdSpaceMember<T>& m = members.emplace_back();
      m.slot = column.slot_of_tier(tier);
      m.is_read_alone = column.num_tiers == 1;
      m.type = features[column.feature].source().spec->columns[column.column].type;
      m.bytes = stored[column.feature]->TakeValues(column.column, tier);
    }
  }
  const IdDictionary<T> dictionary = ChooseDictionary<T>(space.dictionary_slot, options, members);
  for (const IdSpaceMember<T>& m : members) {
    RememberedPlan* plan = options.plans->Of(m.slot, m.way);
    if (m.way == kIdsWay) {
      stripe->streams[m.slot] =
          EncodeStream(ViewOf(m.bytes, m.type), options.page_values, options.tuning, plan);
      continue;
    }
    const CodedIds ids = {.codes = m.codes,
                          .literal = static_cast<uint32_t>(dictionary.ids.size()),
                          .literals = m.literals_view()};
    stripe->streams[m.slot] = EncodeCodeStream(ids, options.page_values, options.tuning, plan,
                                               options.plans->Of(m.slot, kLiteralsWay));
  }
  stripe->streams[space.dictionary_slot] =
      EncodeStream(dictionary.view(), options.page_values, options.tuning,
                   options.plans->Of(space.dictionary_slot, dictionary.way));
}

}  // namespace

void EncodeIdSpace(const FileLayout& layout, const IdSpaceLayout& space,
                   std::span<const ClusteredFeature> features,
                   std::span<const std::unique_ptr<FeatureValues>> stored,
                   const StripeOptions& options, EncodedStripe* stripe) {
  if (space.width == 4) {
    Encode<uint32_t>(space, layout, features, stored, options, stripe);
  } else {
    Encode<uint64_t>(space, layout, features, stored, options, stripe);
  }
}

}  // namespace dsi::internal
