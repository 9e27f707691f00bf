// What deduplication made of each feature: decodes indexes and shape streams, and no values.
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/reader/describe/describe_internal.h"
#include "dsi/reader/open/look_ahead_internal.h"
#include "dsi/reader/decode/index_decoder_internal.h"
#include "dsi/reader/decode/time_order_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/reader/decode/stream_window_internal.h"
#include "dsi/format/stream_rules_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kCodesAtOnce = 1 << 16;

uint64_t StreamBytes(const StripePlan& plan, const PlannedStream& stream) {
  if (stream.record.is_alias) return 0;
  if (stream.record.form == StreamForm::kPacked) return stream.record.size;
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < stream.record.num_pages; ++k)
    bytes += plan.pages[stream.first_planned_page + k].record.stored_size;
  return bytes;
}

// One stripe of all features, given by their leaders.
class StripeDedup {
 public:
  StripeDedup(const OpenFile& file, std::span<const OpenColumn> leaders, size_t stripe)
      : file_(file), leaders_(leaders), stripe_(stripe), pages_(&file, &budget_) {}

  Status AddTo(std::span<FeatureDedup> features) {
    // Page by page: neighbours are mostly values, which nobody wants.
    const ReaderOptions page_by_page{.coalesce_gap = 0, .max_read_bytes = 1};
    DSI_ASSIGN_OR_RETURN(plan_, PlanStripe(file_, leaders_, stripe_, page_by_page, &budget_));
    LookAhead ahead(&file_.file(), {}, &budget_);
    NoteStreams(&ahead);
    DSI_RETURN_IF_ERROR(ahead.ReadNoted().status());
    pages_.Start(&plan_, &ahead);
    context_ = {&pages_, &plan_, leaders_, file_.core().page_values, {&room_, 1}};
    std::vector<std::vector<uint32_t>> members(plan_.groups.size());
    for (uint32_t f = 0; f < leaders_.size(); ++f) members[plan_.columns[f].group].push_back(f);
    std::vector<bool> is_parent(plan_.groups.size(), false);
    for (const PlannedGroup& group : plan_.groups) {
      if (group.parent != kNone32) is_parent[group.parent] = true;
    }
    if (plan_.time.group != kNone32) is_parent[plan_.time.group] = true;
    std::vector<std::unique_ptr<GroupIndexDecoder>> groups(plan_.groups.size());
    for (size_t g = 0; g < groups.size(); ++g) {
      if (plan_.groups[g].index != kNone32 || is_parent[g])
        DSI_RETURN_IF_ERROR(StartGroup(g, &groups));
      const CountedVector<uint32_t> rows_of = CountRows(g, groups[g].get());
      for (const uint32_t f : members[g]) DSI_RETURN_IF_ERROR(AddFeature(f, rows_of, &features[f]));
      if (!is_parent[g]) groups[g].reset();
    }
    return Status::Ok();
  }

 private:
  uint32_t num_rows() const { return file_.core().stripes[stripe_].num_rows; }

  // All that is looked at.
  void NoteStreams(LookAhead* ahead) const {
    for (const PlannedStream& stream : plan_.streams) {
      const bool is_wanted = stream.role == StreamRole::kIndex ||
                             stream.role == StreamRole::kShape || stream.column == kNone32;
      for (uint32_t k = 0; is_wanted && k < stream.record.num_pages; ++k) {
        const PageRecord& page = plan_.pages[stream.first_planned_page + k].record;
        ahead->Note(page.offset, page.stored_size);
      }
    }
  }

  Status StartGroup(size_t g, std::vector<std::unique_ptr<GroupIndexDecoder>>* groups) {
    const PlannedGroup& planned = plan_.groups[g];
    (*groups)[g] = std::make_unique<GroupIndexDecoder>(&budget_);
    const GroupIndexDecoder* const parent =
        planned.parent == kNone32 ? nullptr : (*groups)[planned.parent].get();
    const PlannedStream* const index =
        planned.index == kNone32 ? nullptr : &plan_.streams[planned.index];
    if (planned.record.form == IndexForm::kAsOf)
      DSI_RETURN_IF_ERROR(time_.Start(&context_, *(*groups)[plan_.time.group]));
    DSI_RETURN_IF_ERROR((*groups)[g]->Start(&context_, planned.record, index, parent, time_.rows(),
                                            num_rows(), false));
    return (*groups)[g]->KeepAll();
  }

  // Per unique row: how many rows it is. Empty: one each.
  CountedVector<uint32_t> CountRows(size_t g, const GroupIndexDecoder* group) {
    CountedVector<uint32_t> rows_of(&budget_);
    if (plan_.groups[g].index == kNone32) return rows_of;
    rows_of.assign(group->num_unique(), 0);
    for (const uint32_t unique : group->all()) ++rows_of[unique];
    return rows_of;
  }

  Status AddFeature(uint32_t f, std::span<const uint32_t> rows_of, FeatureDedup* feature) {
    const ColumnPlan& column = plan_.columns[f];
    const PlannedStream& shape = plan_.streams[column.shape];
    const bool wide = HasLengths(leaders_[f].record.kind, leaders_[f].record.type);
    const auto num_unique = static_cast<uint32_t>(shape.record.num_values);
    StreamWindow codes(&budget_);
    codes.Start(&context_, &shape, nullptr, nullptr, false);
    uint64_t unique_entries = 0;
    for (uint32_t first = 0; first < num_unique; first += kCodesAtOnce) {
      const uint32_t count = std::min(kCodesAtOnce, num_unique - first);
      DSI_RETURN_IF_ERROR(codes.Require(first, uint64_t{first} + count));
      const std::byte* const at = codes.At(first);
      for (uint32_t i = 0; i < count; ++i) {
        const uint64_t code =
            wide ? LoadLE<uint32_t>(at + size_t{i} * 4) : static_cast<uint64_t>(at[i]);
        if (code == 0) continue;
        const uint64_t entries = EntriesOfCode(leaders_[f].record, code);
        const uint64_t rows = rows_of.empty() ? 1 : rows_of[first + i];
        unique_entries += entries;
        feature->row_entries += entries * rows;
        feature->rows_present += rows;
      }
    }
    feature->unique_entries += unique_entries;
    if (column.windows == kNone32) return Status::Ok();
    feature->windowed_entries += unique_entries;
    ++feature->windowed_stripes;
    feature->windows_bytes += StreamBytes(plan_, plan_.streams[column.windows]);
    return Status::Ok();
  }

  const OpenFile& file_;
  std::span<const OpenColumn> leaders_;
  size_t stripe_;
  MemoryBudget budget_{.limit = kDescribeMemory};
  StripePlan plan_;
  PageReader pages_;
  DecodeRoom room_{&budget_};
  StripeContext context_;
  TimeOrder time_{&budget_};
};

}  // namespace

Result<std::vector<FeatureDedup>> DescribeDedup(const OpenFile& file) {
  DSI_ASSIGN_OR_RETURN(std::vector<OpenColumn> leaders, LoadReadableColumns(file));
  std::erase_if(leaders, [](const OpenColumn& c) { return c.record.place != 0; });
  std::vector<FeatureDedup> features;
  for (const OpenColumn& leader : leaders) {
    FeatureDedup& feature = features.emplace_back();
    feature.feature = leader.name.substr(0, leader.record.feature_name_size);
    feature.kind = leader.record.kind;
    feature.group = leader.record.group;
    feature.num_columns = leader.record.num_columns;
    feature.pool_entries = leader.record.num_values;
  }
  for (size_t stripe = 0; stripe < file.core().stripes.size(); ++stripe)
    DSI_RETURN_IF_ERROR(StripeDedup(file, leaders, stripe).AddTo(features));
  return features;
}

}  // namespace dsi::internal
