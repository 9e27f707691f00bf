#include "dsi/writer/stripe_encoder_internal.h"

#include <algorithm>

#include "dsi/writer/gather_internal.h"
#include "dsi/writer/id_space_encoder_internal.h"
#include "dsi/writer/parallel_internal.h"

namespace dsi::internal {
namespace {

// Encodes the shape stream of a feature and the values of its columns that have no id space.
void EncodeFeature(const FileLayout& layout, const ClusteredFeature& feature, uint32_t f,
                   const GroupIndex& index, uint32_t first, uint32_t num_rows,
                   const StripeOptions& options, EncodedStripe* stripe) {
  const ClusteredFeature::Slice slice = feature.MakeSlice(first, num_rows);
  const FeatureSpec& spec = *feature.source().spec;
  const uint32_t leader = layout.features[f].first_column;

  const std::vector<uint32_t> shape = GatherShape(slice, index.stored_rows);
  EncodedStream& shape_stream = stripe->streams[layout.columns[leader].shape_slot];
  if (feature.source().has_lengths()) {
    shape_stream = EncodeStream({.values = shape.data(), .count = shape.size(), .width = 4},
                                options.page_values, options.tuning);
  } else {
    const std::vector<uint8_t> present(shape.begin(), shape.end());
    shape_stream = EncodeStream({.values = present.data(), .count = present.size(), .width = 1},
                                options.page_values, options.tuning);
  }
  shape_stream.record.max = *std::max_element(shape.begin(), shape.end());

  for (uint32_t c = 0; c < spec.columns.size(); ++c) {
    const ColumnLayout& column = layout.columns[leader + c];
    if (column.id_space != kNone16) continue;
    const std::vector<std::byte> values = GatherValues(slice, c, index.stored_rows);
    stripe->streams[column.values_slot] =
        EncodeStream(ViewOf(values, spec.columns[c].type), options.page_values, options.tuning);
  }
}

}  // namespace

Result<EncodedStripe> EncodeStripe(const FileLayout& layout,
                                   std::span<const ClusteredFeature> features, uint32_t first,
                                   uint32_t num_rows, const StripeOptions& options,
                                   const std::function<Status()>& poll) {
  EncodedStripe stripe;
  stripe.streams.resize(layout.num_slots);
  std::vector<GroupIndex> indexes(layout.groups.size());
  indexes[0].record = {.form = 0, .num_unique = num_rows};

  DSI_RETURN_IF_ERROR(ParallelFor(
      layout.groups.size() - 1, options.threads,
      [&](size_t i) {
        const GroupLayout& group = layout.groups[i + 1];
        std::vector<const ClusteredFeature*> members;
        for (const uint32_t f : group.features) members.push_back(&features[f]);
        indexes[i + 1] = BuildGroupIndex(members, group.anywhere, first, num_rows,
                                         options.page_values, options.tuning);
        return Status::Ok();
      },
      poll));

  // Id spaces and features are independent pieces: each writes the slots of its own streams. Id
  // spaces first, as they are the longest.
  const size_t num_spaces = layout.id_spaces.size();
  DSI_RETURN_IF_ERROR(ParallelFor(
      num_spaces + features.size(), options.threads,
      [&](size_t i) {
        if (i < num_spaces) {
          EncodeIdSpace(layout, layout.id_spaces[i], features, indexes, first, num_rows, options,
                        &stripe);
        } else {
          const auto f = static_cast<uint32_t>(i - num_spaces);
          EncodeFeature(layout, features[f], f, indexes[layout.features[f].group], first, num_rows,
                        options, &stripe);
        }
        return Status::Ok();
      },
      poll));

  for (size_t g = 0; g < indexes.size(); ++g) {
    stripe.groups.push_back(indexes[g].record);
    if (g > 0) stripe.streams[layout.groups[g].index_slot] = std::move(indexes[g].stream);
  }
  // F-061: an empty stream still states its width.
  for (const ColumnLayout& column : layout.columns) {
    const Type type = features[column.feature].source().spec->columns[column.column].type;
    stripe.streams[column.values_slot].record.width = static_cast<uint8_t>(TypeWidth(type));
  }
  return stripe;
}

}  // namespace dsi::internal
