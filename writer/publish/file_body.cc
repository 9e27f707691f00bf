#include "dsi/writer/publish/file_body_internal.h"

#include <algorithm>

#include "dsi/base/error_internal.h"
#include "dsi/codecs/choice/tuning_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/reserved_names_internal.h"
#include "dsi/writer/publish/check_stripe_internal.h"

namespace dsi::internal {

Status FileBody::Begin(const PlannedRows& planned, RowLoader* loader) {
  const size_t num_features = in_.schema->features.size();
  // Groups are found on as many rows as a stripe has.
  uint32_t most_rows = 0;
  for (const StripeCut& cut : planned.cuts) most_rows = std::max(most_rows, cut.num_rows);
  const RowLimits limits{
      .rows = std::min({most_rows, MostSampleRows(num_features), planned.most.rows}),
      .bytes = planned.most.bytes,
      .fresh_bytes = planned.most.fresh_bytes};
  DSI_ASSIGN_OR_RETURN(const std::vector<RowInterval> ranges,
                       SampleRows(*planned.rows, limits, num_features,
                                  [&](auto intervals) { return loader->CountEntries(intervals); }));
  DSI_ASSIGN_OR_RETURN(const LoadedRows sample, loader->Load(ranges));
  DSI_ASSIGN_OR_RETURN(
      layout_, PlanFileLayout(*in_.schema, sample.features, sample.sample,
                              {.dedup = in_.options->dedup,
                               .find_groups = in_.options->find_groups,
                               .most_shared_bytes = kMostSharedBytes / std::max(most_rows, 1U) *
                                                    planned.totals->num_rows,
                               .uses = in_.options->uses,
                               .for_each = in_.for_each}));
  // Features of narrow tables are seldom alike, and to compare them costs, too.
  constexpr size_t kWide = 64;
  plans_.emplace(layout_.num_slots, layout_.features.size() >= kWide);
  totals_.resize(layout_.columns.size());
  statistics_.Start(in_.schema, &layout_);
  return sink_.AppendHeader();
}

Status FileBody::Write(std::span<const StripeCut> cuts, uint64_t first_row,
                       const StripesAtHand& at_hand, RowLoader* loader, RowShelves* shelves) {
  if (cuts.size() > kMaxStripes - placed_.size()) {
    return Error(StatusCode::kResourceExhausted,
                 "{} stripes, expected at most {}: use larger stripes (F-090)",
                 placed_.size() + cuts.size(), kMaxStripes);
  }
  const size_t at_once = plans_->shares() ? 1 : at_hand.encoded;
  const auto end_of = [&](size_t first) { return std::min(cuts.size(), first + at_once); };
  const auto read = [&](size_t first, std::vector<LoadedRows>* rows) -> Status {
    for (size_t i = first; i < end_of(first); ++i) {
      const SpilledRows::Shelf* shelf = nullptr;
      if (shelves != nullptr) {
        DSI_ASSIGN_OR_RETURN(shelf, shelves->Of(i));
      }
      const RowInterval interval{cuts[i].first_row, cuts[i].num_rows};
      DSI_ASSIGN_OR_RETURN(rows->emplace_back(), loader->Read({&interval, 1}, shelf));
    }
    return Status::Ok();
  };
  std::vector<LoadedRows> rows;
  for (size_t first = 0; first < cuts.size(); first = end_of(first)) {
    if (rows.empty()) DSI_RETURN_IF_ERROR(read(first, &rows));
    for (LoadedRows& stripe : rows) DSI_RETURN_IF_ERROR(loader->PutInPlace(&stripe));
    const size_t end = end_of(first);
    std::vector<LoadedRows> next;
    std::function<Status()> read_next;
    if (at_hand.reads_ahead && end < cuts.size() &&
        (shelves == nullptr || shelves->IsSettled(end_of(end) - 1)))
      read_next = [&] { return read(end, &next); };
    DSI_RETURN_IF_ERROR(WriteStripes(cuts.subspan(first, end - first), first_row, rows, read_next));
    rows = std::move(next);
  }
  return Status::Ok();
}

Status FileBody::WriteStripes(std::span<const StripeCut> cuts, uint64_t first_row,
                              std::span<const LoadedRows> loaded,
                              const std::function<Status()>& beside) {
  const StripeOptions options{
      .page_values = in_.options->page_values,
      .threads = in_.options->threads,
      .dedup = in_.options->dedup,
      .time_feature = in_.keys->time,
      .tuning = {TuningOf(in_.options->tuning), in_.options->verify_after_encode},
      .plans = &*plans_,
      .is_first = placed_.empty()};
  std::vector<StripeInput> rows;
  for (const LoadedRows& one : loaded)
    rows.push_back({one.features, one.sample.rows_in_time, one.sample.ranges[0]});
  const auto poll = [&] { return in_.progress(first_row + cuts[0].first_row, sink_.offset()); };
  DSI_ASSIGN_OR_RETURN(const EncodedStripes encoded,
                       EncodeStripes(layout_, rows, options, poll, beside));
  report_.encode_seconds += encoded.encode_seconds;
  for (size_t i = 0; i < cuts.size(); ++i) {
    const StripeCut& cut = cuts[i];
    DSI_RETURN_IF_ERROR(in_.progress(first_row + cut.first_row, sink_.offset()));
    PlacedStripe& stripe = placed_.emplace_back();
    stripe.first_row = first_row + cut.first_row;
    stripe.num_rows = cut.num_rows;
    stripe.num_sessions = cut.num_sessions;
    stripe.continues_session = cut.continues_session;
    DSI_RETURN_IF_ERROR(PlaceStripe(encoded.stripes[i], layout_.storage_order, &sink_, &stripe));
    const Status sound =
        CheckPlacedStripe(layout_, loaded[i].features, in_.options->page_values, stripe);
    if (!sound.ok()) return sound.At("the stripe just written");
    DSI_RETURN_IF_ERROR(tables_.Keep(&stripe, loaded[i].read != nullptr));
    statistics_.Add(encoded.stripes[i].statistics);
    report_.num_sessions += cut.num_sessions;
    Count(encoded.stripes[i]);
  }
  return Status::Ok();
}

void FileBody::Count(const EncodedStripe& encoded) {
  for (uint32_t c = 0; c < layout_.columns.size(); ++c) {
    const ColumnLayout& column = layout_.columns[c];
    for (uint32_t tier = 0; tier < column.num_tiers; ++tier) {
      const EncodedStream& values = encoded.streams[column.slot_of_tier(tier)];
      totals_[c].stored_bytes += values.bytes();
      totals_[c].num_values += values.record.num_values;
      if (in_.schema->features[column.feature].name != kPositionName)
        report_.values_stored += values.record.num_values;
    }
    if (column.column == 0) totals_[c].stored_bytes += encoded.streams[column.shape_slot].bytes();
    if (column.column == 0 && column.windows_slot != kNone32)
      totals_[c].stored_bytes += encoded.streams[column.windows_slot].bytes();
  }
  for (const IdSpaceLayout& space : layout_.id_spaces)
    totals_[space.columns[0]].stored_bytes += encoded.streams[space.dictionary_slot].bytes();
  for (size_t g = 1; g < layout_.groups.size(); ++g)
    report_.index_bytes += encoded.streams[layout_.groups[g].index_slot].bytes();
}

Status FileBody::End(uint64_t num_rows, WriteReport* report) {
  DirectoryInput directory;
  directory.schema = in_.schema;
  directory.layout = &layout_;
  directory.cluster_features = in_.keys->keys;
  if (in_.keys->time >= 0)
    directory.cluster_features.push_back(static_cast<size_t>(in_.keys->time));
  directory.totals = totals_;
  directory.statistics = &statistics_;
  directory.stripes = &placed_;
  directory.tables = &tables_;
  directory.num_rows = num_rows;
  directory.page_values = in_.options->page_values;
  directory.tuning = in_.options->tuning;
  directory.overlay = in_.options->overlay ? &*in_.options->overlay : nullptr;
  DSI_RETURN_IF_ERROR(WriteDirectory(directory, &sink_));
  *report = report_;
  report->num_rows = num_rows;
  report->num_stripes = placed_.size();
  report->num_groups = layout_.groups.size() - 1;
  report->choose_seconds = plans_->choose_seconds();
  report->file_bytes = sink_.offset();
  return Status::Ok();
}

}  // namespace dsi::internal
