// The whole indexes of the dedup groups of a plan, decoded and checked as scans do.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dsi/reader/decode/index_decoder_internal.h"
#include "dsi/reader/decode/time_order_internal.h"

namespace dsi::internal {

// By position in the plan of the context; each has kept all its rows.
using DecodedGroups = std::vector<std::unique_ptr<GroupIndexDecoder>>;

inline Result<DecodedGroups> DecodeGroups(const StripeContext& context, uint32_t num_rows,
                                          MemoryBudget* budget) {
  DecodedGroups groups;
  TimeOrder time(budget);
  for (const PlannedGroup& group : context.plan->groups) {
    const GroupIndexDecoder* const parent =
        group.parent == kNone32 ? nullptr : groups[group.parent].get();
    if (group.record.form == IndexForm::kAsOf)
      DSI_RETURN_IF_ERROR(time.Start(&context, *groups[context.plan->time.group]));
    GroupIndexDecoder& decoder = *groups.emplace_back(std::make_unique<GroupIndexDecoder>(budget));
    const PlannedStream* const index =
        group.index == kNone32 ? nullptr : &context.plan->streams[group.index];
    DSI_RETURN_IF_ERROR(
        decoder.Start(&context, group.record, index, parent, time.rows(), num_rows, false));
    DSI_RETURN_IF_ERROR(decoder.KeepAll());
  }
  return groups;
}

}  // namespace dsi::internal
