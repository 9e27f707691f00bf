// Indexes, windows and tiers, which mean something only together with other streams (spec D-005,
// D-013, D-014): decoded once more by the parts that scans use, which check them.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/reader/decode/shape_decoder_internal.h"
#include "dsi/reader/verify/decode_groups_internal.h"
#include "dsi/reader/verify/verify_internal.h"

namespace dsi::internal {
namespace {

// D-014: every tier has the values that the chains give it.
Status CheckTiers(const StripePlan& plan, const ColumnPlan& column, const ShapeDecoder& shape) {
  for (uint32_t tier = 0; tier < column.num_tiers; ++tier) {
    const uint32_t at = tier == 0 ? column.values : column.tiers[tier - 1];
    uint64_t expected = 0;
    for (size_t i = 0; i < shape.chains().size(); ++i)
      expected += TierOf(shape.chains()[i], tier, column.num_tiers, shape.newest_first()).size();
    if (plan.streams[at].record.num_values == expected) continue;
    return Corrupt("tier {} has {} values, the chains give it {} (D-014)", tier,
                   plan.streams[at].record.num_values, expected);
  }
  return Status::Ok();
}

// D-002, forms 4 to 6: what the others tell while their stream is decoded takes the parent here.
Status CheckAllUsed(const GroupIndexDecoder& group) {
  std::vector<bool> used(group.num_unique(), false);
  for (const uint32_t unique : group.all()) used[unique] = true;
  const auto count = static_cast<uint64_t>(std::count(used.begin(), used.end(), true));
  if (count == used.size()) return Status::Ok();
  return Corrupt("{} unique rows are used, the group states {} (D-002)", count, used.size());
}

// What only several streams of one feature tell together; it is given by its columns.
class FeaturePlaces {
 public:
  FeaturePlaces(const OpenFile& file, std::span<const OpenColumn> columns, size_t stripe,
                MemoryBudget* budget)
      : file_(file),
        columns_(columns),
        stripe_(stripe),
        budget_(budget),
        pages_(&file, budget),
        room_(budget) {}

  Status Start() {
    DSI_ASSIGN_OR_RETURN(plan_, PlanStripe(file_, columns_, stripe_, {}, budget_));
    pages_.Start(&plan_, file_.ahead());
    context_ = {&pages_, &plan_, columns_, file_.core().page_values, {&room_, 1}};
    return Status::Ok();
  }

  Status CheckIndex() {
    DSI_ASSIGN_OR_RETURN(const DecodedGroups groups,
                         DecodeGroups(context_, file_.core().stripes[stripe_].num_rows, budget_));
    for (size_t i = 0; i < groups.size(); ++i) {
      if (NeedsParent(plan_.groups[i].record.form)) DSI_RETURN_IF_ERROR(CheckAllUsed(*groups[i]));
    }
    return Status::Ok();
  }

  Status CheckWindows() {
    const ColumnPlan& column = plan_.columns[0];
    if (column.windows == kNone32) return Status::Ok();
    ShapeDecoder shape(budget_);
    const uint32_t num_unique = plan_.groups[column.group].record.num_unique;
    DSI_RETURN_IF_ERROR(shape.Start(&context_, stream(column.shape), stream(column.windows),
                                    columns_[0].record, num_unique, column.pool_values, false));
    DSI_RETURN_IF_ERROR(shape.Require(0, num_unique));
    for (const ColumnPlan& c : plan_.columns) DSI_RETURN_IF_ERROR(CheckTiers(plan_, c, shape));
    return Status::Ok();
  }

 private:
  const PlannedStream* stream(uint32_t at) const {
    return at == kNone32 ? nullptr : &plan_.streams[at];
  }

  const OpenFile& file_;
  std::span<const OpenColumn> columns_;
  size_t stripe_;
  MemoryBudget* budget_;
  StripePlan plan_;
  PageReader pages_;
  DecodeRoom room_;
  StripeContext context_;
};

}  // namespace

Status VerifyPlaces(const OpenFile& file, const VerifiedDirectory& directory, size_t stripe,
                    MemoryBudget* budget, DamageLog* log) {
  std::vector<bool> group_checked(file.core().groups.count, false);
  for (const OpenColumn& column : directory.columns) {
    if (column.name.empty() || column.record.place != 0) continue;
    auto group = file.LoadStripeGroup(stripe, column.record.group);
    if (!group.ok()) continue;  // Reported already.
    const bool check_index = NeedsParent(group->form) && !group_checked[column.record.group];
    bool check_windows = false;
    if (column.record.MayHaveWindows()) {
      auto windows = file.LoadStream(stripe, column.windows_slot());
      check_windows = windows.ok() && windows->num_values != 0;
    }
    if (!check_index && !check_windows) continue;
    const std::span<const OpenColumn> feature =
        std::span(directory.columns).subspan(column.ordinal, column.record.num_columns);
    const bool whole = std::all_of(feature.begin(), feature.end(), [&](const OpenColumn& c) {
      return !c.name.empty() && c.first_column() == column.ordinal;
    });
    if (!whole) continue;
    std::vector<OpenColumn> columns;
    std::copy_if(feature.begin(), feature.end(), std::back_inserter(columns),
                 [](const OpenColumn& c) { return c.record.Support().ok(); });
    if (columns.empty()) continue;
    FeaturePlaces places(file, columns, stripe, budget);
    Status index = places.Start();
    Status windows;
    if (index.ok()) {
      if (check_windows) windows = places.CheckWindows();
      if (check_index) index = places.CheckIndex();
    }
    // Where the index could not be looked at, another feature of the group may tell.
    if (check_index) group_checked[column.record.group] = index.code() != StatusCode::kUnsupported;
    for (Status* status : {&windows, &index}) {
      // What is unsupported has been reported, by who met its record or its page.
      if (status->ok() || status->code() == StatusCode::kUnsupported) continue;
      if (status->code() != StatusCode::kCorrupt) return std::move(*status);
      log->Add(std::move(*status), fmt::format("stripe {}, column {}", stripe, column.name));
    }
  }
  return Status::Ok();
}

}  // namespace dsi::internal
