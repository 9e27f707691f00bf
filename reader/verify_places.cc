// Indexes, windows and tiers, which mean something only together with other streams (spec D-005,
// D-013, D-014): decoded once more by the parts that scans use, which check them.
#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "dsi/format/error_internal.h"
#include "dsi/reader/column_decoder_internal.h"
#include "dsi/reader/group_index_internal.h"
#include "dsi/reader/verify_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kMemory = 1ULL << 30;  // More than 2^24 unique rows can need.

// D-014: every tier has the values that the chains give it.
Status CheckTiers(const StripePlan& plan, const ColumnPlan& column, const ShapeDecoder& shape) {
  for (uint32_t tier = 0; tier < column.num_tiers; ++tier) {
    const uint32_t at = tier == 0 ? column.values : column.tiers[tier - 1];
    uint64_t expected = 0;
    for (const PoolRange& chain : shape.chains())
      expected += TierOf(chain, tier, column.num_tiers, shape.newest_first()).size();
    if (plan.streams[at].record.num_values == expected) continue;
    return Corrupt("tier {} has {} values, the chains give it {} (D-014)", tier,
                   plan.streams[at].record.num_values, expected);
  }
  return Status::Ok();
}

// Index, windows and tiers of one feature, given by its columns.
Status CheckFeature(const OpenFile& file, std::span<const OpenColumn> columns, size_t stripe) {
  DSI_ASSIGN_OR_RETURN(const StripePlan plan, PlanStripe(file, columns, stripe, {}));
  PageReader pages(&file);
  pages.Start(&plan);
  MemoryBudget budget{.limit = kMemory};
  DecodeScratch scratch;
  ScanBuffer staging(&budget);
  uint64_t values_decoded = 0;
  const StripeContext context{&pages,   &plan,    columns,        file.core().page_values,
                              &scratch, &staging, &values_decoded};
  const auto stream = [&](uint32_t at) { return at == kNone32 ? nullptr : &plan.streams[at]; };
  const uint32_t num_rows = file.core().stripes[stripe].num_rows;
  std::vector<std::unique_ptr<GroupIndexDecoder>> groups;
  for (const PlannedGroup& group : plan.groups) {
    const GroupIndexDecoder* const parent =
        group.parent == kNone32 ? nullptr : groups[group.parent].get();
    groups.push_back(std::make_unique<GroupIndexDecoder>(&budget));
    DSI_RETURN_IF_ERROR(
        groups.back()->Start(&context, group.record, stream(group.index), parent, num_rows, false));
    DSI_RETURN_IF_ERROR(groups.back()->KeepAll());
  }
  const ColumnPlan& column = plan.columns[0];
  if (column.windows == kNone32) return Status::Ok();
  ShapeDecoder shape(&budget);
  const uint32_t num_unique = plan.groups[column.group].record.num_unique;
  DSI_RETURN_IF_ERROR(shape.Start(&context, stream(column.shape), stream(column.windows),
                                  columns[0].record, num_unique, column.pool_values, false));
  DSI_RETURN_IF_ERROR(shape.Require(0, num_unique));
  for (const ColumnPlan& c : plan.columns) DSI_RETURN_IF_ERROR(CheckTiers(plan, c, shape));
  return Status::Ok();
}

}  // namespace

Status VerifyPlaces(const OpenFile& file, const VerifiedDirectory& directory, size_t stripe,
                    DamageLog* log) {
  std::vector<bool> group_checked(file.core().groups.count, false);
  for (const OpenColumn& column : directory.columns) {
    if (column.name.empty() || column.record.leader != column.ordinal) continue;
    auto group = file.LoadStripeGroup(stripe, column.record.group);
    if (!group.ok()) continue;  // Reported already.
    bool wanted = group->form >= 4 && !group_checked[column.record.group];
    if (column.record.windows_slot != kNone32) {
      auto windows = file.LoadStream(stripe, column.record.windows_slot);
      wanted = wanted || (windows.ok() && windows->num_values != 0);
    }
    if (!wanted) continue;
    const std::span<const OpenColumn> feature =
        std::span(directory.columns).subspan(column.ordinal, column.record.num_columns);
    const bool whole = std::all_of(feature.begin(), feature.end(),
                                   [](const OpenColumn& c) { return !c.name.empty(); });
    if (!whole) continue;
    std::vector<OpenColumn> columns;
    std::copy_if(feature.begin(), feature.end(), std::back_inserter(columns),
                 [](const OpenColumn& c) { return c.record.Support().ok(); });
    if (columns.empty()) continue;
    group_checked[column.record.group] = true;
    Status status = CheckFeature(file, columns, stripe);
    if (status.ok()) continue;
    if (status.code() != StatusCode::kCorrupt && status.code() != StatusCode::kUnsupported)
      return status;
    // Forms and encodings of a newer version have been reported by stream.
    if (status.code() == StatusCode::kUnsupported) continue;
    log->Add(std::move(status), fmt::format("stripe {}, column {}", stripe, column.name));
  }
  return Status::Ok();
}

}  // namespace dsi::internal
