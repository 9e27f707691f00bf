#include "dsi/reader/scan/stripe_decoder_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::internal {

StripeDecoder::StripeDecoder(ScanShared* shared)
    : shared_(shared),
      file_(shared->file),
      objects_(shared->budget),
      pages_(shared->file, shared->budget),
      time_(shared->budget),
      kept_by_stream_(shared->budget) {
  const ScanProjection& projection = *shared->projection;
  MemoryBudget* const budget = shared->budget;
  const uint64_t bytes = projection.groups.size() * sizeof(GroupIndexDecoder) +
                         projection.shapes.size() * sizeof(ShapeDecoder) +
                         projection.values.size() * sizeof(PoolDecoder);
  if (!objects_.Add(bytes).ok()) throw OverBudget(bytes, *budget);
  groups_.Make(projection.groups.size(), budget);
  shapes_.Make(projection.shapes.size(), budget);
  values_.Make(projection.values.size(), budget);
  values_end_.resize(projection.shapes.size());
  for (const ScanValues& values : projection.values) ++values_end_[values.shape];
  uint32_t before = 0;
  for (uint32_t& end : values_end_) before += std::exchange(end, before);
  values_by_shape_.resize(projection.values.size());
  for (uint32_t i = 0; i < projection.values.size(); ++i)
    values_by_shape_[values_end_[projection.values[i].shape]++] = i;
}

void StripeDecoder::LookAlone() {
  if (own_looks_ != nullptr) return;
  own_looks_ =
      std::make_unique<Looks>(*shared_->stored_file, *shared_->reader_options, shared_->budget);
  file_ = &own_looks_->file;
}

Status StripeDecoder::Plan(size_t stripe, uint32_t first, uint32_t num_rows,
                           const VisitKey* visit) {
  const ScanProjection& projection = *shared_->projection;
  const Core& core = file_->core();
  pages_.Stop();
  plan_.reset();
  stripe_row_ = core.stripes[stripe].first_row;
  first_ = passed_ = 0;
  LookAhead* const ahead = file_->ahead();
  const StripeRows rows{first, first + num_rows, core.stripes[stripe].num_rows};
  StripeFetcher* const fetcher = visit != nullptr ? shared_->fetcher : nullptr;
  FetchedStripe fetched;
  if (fetcher != nullptr) fetched = fetcher->Take(*visit);
  const bool is_planned = fetched.plan != nullptr;
  if (is_planned) {
    plan_ = std::move(fetched.plan);
  } else {
    DSI_ASSIGN_OR_RETURN(StripePlan plan, PlanTogether(*file_, projection.columns, stripe,
                                                       *shared_->reader_options, shared_->budget));
    plan_ = std::make_unique<StripePlan>(std::move(plan));
    if (fetcher != nullptr) fetched.ranges = std::make_shared<FetchedRanges>(plan_->ranges.size());
  }
  // Of what was fetched that which nobody has come to.
  const std::vector<uint32_t> noted =
      NotePages(*plan_, rows, shared_->budget, ahead, fetched.ranges.get());
  DSI_RETURN_IF_ERROR(ahead->ReadNoted().status());
  pages_.Start(plan_.get(), ahead, fetched.ranges);
  for (const uint32_t i : noted) {
    const PlannedRange& range = plan_->ranges[i];
    if (fetched.ranges != nullptr && ahead->Find(range.offset, range.size) == nullptr)
      fetched.ranges->Put(i, nullptr);
  }
  if (fetcher != nullptr && !is_planned)
    fetcher->Follow(*visit, shared_->Visited(stripe), *plan_, first, fetched.ranges);
  context_ = {&pages_,        plan_.get(), projection.columns, core.page_values,
              shared_->rooms, &lending_,   &shared_->team,     &any_ahead_};
  return Status::Ok();
}

// Entries are 8 bytes or less; what batches pass over is there in part.
uint64_t StripeDecoder::bytes_expected() const {
  const Core& core = file_->core();
  uint64_t values = 0;
  VisitNeeds(*plan_, [&](const PlannedStream& stream, bool all) {
    const uint64_t count = stream.record.num_values;
    values += all ? count : std::min<uint64_t>(count, 2 * core.page_values);
  });
  // What a column is decoded to beside its first form, and dictionaries as they are mapped.
  std::vector<uint8_t> is_counted(plan_->columns.size());
  for (const ScanValues& of : shared_->projection->values) {
    const ColumnPlan& column = plan_->columns[of.column];
    if (std::exchange(is_counted[of.column], uint8_t{1}) != 0) {
      const bool all = plan_->groups[column.group].is_general();
      values +=
          all ? column.pool_values : std::min<uint64_t>(column.pool_values, 2 * core.page_values);
    }
    if (of.conversion.map == nullptr || column.looked_up() == kNone32) continue;
    values += plan_->streams[column.looked_up()].record.num_values;
  }
  const uint64_t num_rows = core.stripes[plan_->stripe].num_rows;
  return plan_->bytes + sizeof(uint64_t) * (values + num_rows * plan_->groups.size());
}

Status StripeDecoder::Begin() {
  const uint32_t num_rows = file_->core().stripes[plan_->stripe].num_rows;
  num_kept_ = 0;
  kept_pages_.clear();
  kept_by_stream_.assign(plan_->streams.size(), kNone32);
  DSI_RETURN_IF_ERROR(StartColumns());
  if (shared_->team.size() > 1) DecodeKept();
  DSI_RETURN_IF_ERROR(StartGroups(num_rows));
  for (size_t i = num_kept_; i < kept_.size(); ++i) kept_[i]->Release();
  pages_.LetGo();
  return Status::Ok();
}

Status StripeDecoder::StartColumns() {
  const ScanProjection& projection = *shared_->projection;
  const auto stream = [&](uint32_t at) { return at == kNone32 ? nullptr : &plan_->streams[at]; };
  for (size_t i = 0; i < shapes_.size(); ++i) {
    const ScanShape& shape = projection.shapes[i];
    const OpenColumn& column = projection.columns[shape.column];
    const ColumnPlan& planned = plan_->columns[shape.column];
    const PlannedGroup& group = plan_->groups[planned.group];
    DSI_RETURN_IF_ERROR(
        shapes_[i].Start(&context_, stream(planned.shape), stream(planned.windows), column.leader,
                         group.record.num_unique, planned.pool_values, group.is_general(),
                         shape.may_be_sparse && group.record.form == IndexForm::kIdentity));
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    const ScanValues& values = projection.values[i];
    const ColumnPlan& planned = plan_->columns[values.column];
    DSI_ASSIGN_OR_RETURN(StreamWindow* const dictionary, DictionaryOf(planned));
    DSI_RETURN_IF_ERROR(values_[i].Start(
        &context_, planned, values.conversion.is_none() ? nullptr : &values.conversion, dictionary,
        &shapes_[values.shape], plan_->groups[planned.group].is_general(), values.may_be_narrow));
    if (values_[i].num_values() != shapes_[values.shape].num_values()) {
      return Corrupt("{}: {} values, another column of the feature has {} ({})",
                     values_[i].Describe(), values_[i].num_values(),
                     shapes_[values.shape].num_values(),
                     planned.windows == kNone32 ? "D-011" : "D-013");
    }
  }
  return Status::Ok();
}

StripeDecoder::~StripeDecoder() { Park(); }

void StripeDecoder::Park() {
  if (any_ahead_.exchange(false)) {
    for (GroupIndexDecoder& group : groups_) group.StopAhead();
    for (const auto& group : ancestors_) group->StopAhead();
    for (ShapeDecoder& shape : shapes_) shape.StopAhead();
    for (PoolDecoder& values : values_) values.StopAhead();
  }
  pages_.Stop();
  past_ += work();
}

PageWork StripeDecoder::work() const {
  return {pages_.bytes_read() - past_.bytes, pages_.reads() - past_.reads,
          pages_.seconds_waited() - past_.seconds_waited};
}

// What others look up in is decoded now, other pages beside the last groups.
void StripeDecoder::DecodeKept() {
  const auto add = [&](auto& of) {
    if (!of.AddKeptPages(&kept_pages_).ok()) kept_pages_.clear();
  };
  // Dictionaries, then sources, which may have one.
  for (const bool looks_up : {false, true}) {
    for (uint32_t i = 0; i < num_kept_; ++i) {
      if (kept_[i]->looks_up() == looks_up) add(*kept_[i]);
    }
    (void)RunWithPages(0, {});
  }
  for (ShapeDecoder& shape : shapes_) add(shape);
  for (PoolDecoder& values : values_) add(values);
}

// Does `count` pieces of work and then kept_pages_, so that who is done early has something to do.
// The first error of the work; a page that cannot be decoded is told of where it is required.
Status StripeDecoder::RunWithPages(size_t count, const std::function<Status(size_t)>& work) {
  std::atomic<bool> is_sound = true;
  Status status = shared_->team.Run(count + kept_pages_.size(), [&](size_t i) -> Status {
    if (i < count) return work(i);
    const StreamWindow::KeptPage& kept = kept_pages_[i - count];
    if (is_sound && !kept.window->DecodeKept(kept.page).ok()) is_sound = false;
    return Status::Ok();
  });
  for (const StreamWindow::KeptPage& kept : kept_pages_)
    kept.window->FinishKept(status.ok() && is_sound);
  kept_pages_.clear();
  return status;
}

// What the codes of a column refer to (E-051): its source, which may have a dictionary itself, or
// the dictionary of its id space; null: nothing.
Result<StreamWindow*> StripeDecoder::DictionaryOf(const ColumnPlan& column) {
  DSI_ASSIGN_OR_RETURN(
      StreamWindow* const dictionary,
      KeptStream(column.source == kNone32 ? column.dictionary : column.source_dictionary, nullptr));
  return column.source == kNone32 ? dictionary : KeptStream(column.source, dictionary);
}

// A stream that columns look up in, which is decoded once for all of them.
Result<StreamWindow*> StripeDecoder::KeptStream(uint32_t stream, StreamWindow* dictionary) {
  if (stream == kNone32) return nullptr;
  uint32_t& at = kept_by_stream_[stream];
  if (at != kNone32) return kept_[at].get();
  if (num_kept_ == kept_.size()) {
    DSI_RETURN_IF_ERROR(objects_.Add(sizeof(StreamWindow)));
    kept_.push_back(std::make_unique<StreamWindow>(shared_->budget));
  }
  at = num_kept_++;
  kept_[at]->Start(&context_, &plan_->streams[stream], nullptr, dictionary, true);
  return kept_[at].get();
}

// Groups of the projection, and those that their indexes refer to: parents before those that refer
// to them, and all that wait for the same at once.
Status StripeDecoder::StartGroups(uint32_t num_rows) {
  FindGroups();
  for (uint32_t level = 0, left = static_cast<uint32_t>(plan_groups_.size()); left != 0; ++level) {
    level_.clear();
    for (uint32_t g = 0; g < plan_groups_.size(); ++g) {
      if (plan_groups_[g].level == level) level_.push_back(g);
    }
    left -= static_cast<uint32_t>(level_.size());
    if (level == time_level_)
      DSI_RETURN_IF_ERROR(time_.Start(&context_, *plan_groups_[plan_->time.group].decoder));
    const auto start = [&](size_t i) { return StartGroup(level_[i], num_rows); };
    DSI_RETURN_IF_ERROR(left != 0 ? shared_->team.Run(level_.size(), start)
                                  : RunWithPages(level_.size(), start));
  }
  time_.Reset();
  return Status::Ok();
}

// Finds a decoder for each group of the plan, and how many others it must wait for.
void StripeDecoder::FindGroups() {
  const ScanProjection& projection = *shared_->projection;
  plan_groups_.clear();
  time_level_ = kNone32;
  size_t num_ancestors = 0;
  for (const PlannedGroup& planned : plan_->groups) {
    PlanGroup group;
    const auto known = projection.group_position.find(planned.ordinal);
    if (known != projection.group_position.end()) {
      group.decoder = &groups_[known->second];
      group.want_touched = projection.groups[known->second].want_touched;
    } else {
      if (num_ancestors == ancestors_.size())
        ancestors_.push_back(std::make_unique<GroupIndexDecoder>(shared_->budget));
      group.decoder = ancestors_[num_ancestors++].get();
    }
    const auto wait_for = [&](uint32_t other) {
      plan_groups_[other].is_needed = true;
      group.level = std::max(group.level, plan_groups_[other].level + 1);
    };
    if (planned.parent != kNone32) wait_for(planned.parent);
    if (planned.record.form == IndexForm::kAsOf) {
      wait_for(plan_->time.group);
      time_level_ = std::min(time_level_, group.level);
    }
    plan_groups_.push_back(group);
  }
}

Status StripeDecoder::StartGroup(uint32_t g, uint32_t num_rows) {
  const PlannedGroup& planned = plan_->groups[g];
  const PlanGroup& group = plan_groups_[g];
  const GroupIndexDecoder* const parent =
      planned.parent == kNone32 ? nullptr : plan_groups_[planned.parent].decoder;
  const PlannedStream* const index =
      planned.index == kNone32 ? nullptr : &plan_->streams[planned.index];
  DSI_RETURN_IF_ERROR(group.decoder->Start(&context_, planned.record, index, parent, time_.rows(),
                                           num_rows, group.want_touched));
  return group.is_needed ? group.decoder->KeepAll() : Status::Ok();
}

Status StripeDecoder::Advance(uint32_t first, uint32_t num_rows, std::span<const uint32_t> chosen,
                              bool may_touch) {
  WorkerTeam& team = shared_->team;
  const auto advance_group = [&](size_t i) -> Status {
    if (first != passed_) DSI_RETURN_IF_ERROR(groups_[i].Skip(first - passed_));
    return groups_[i].Next(num_rows, chosen, may_touch);
  };
  DSI_RETURN_IF_ERROR(team.Run(groups_.size(), advance_group));
  first_ = first;
  passed_ = first + num_rows;
  chosen_ = chosen;
  return team.Run(shapes_.size(), [&](size_t i) { return AdvanceShape(i, may_touch); });
}

// The lists of the current rows, and the values that they are of.
Status StripeDecoder::AdvanceShape(size_t shape, bool may_be_sparse) {
  // Thousands of columns do not stay in cache from batch to batch.
  if (const size_t later = shape + 2 * kPrefetchAhead; later < shapes_.size()) PrefetchShape(later);
  // Another thread may be at work there, if there is one.
  if (const size_t soon = shape + kPrefetchAhead;
      soon < shapes_.size() && shared_->team.size() == 1)
    shapes_[soon].PrefetchNext();
  const GroupRows& rows = groups_[shared_->projection->shapes[shape].group].rows();
  DSI_RETURN_IF_ERROR(shapes_[shape].Require(rows.first_unique, rows.num_unique));
  if (!may_be_sparse || !rows.identity) DSI_RETURN_IF_ERROR(shapes_[shape].Unlist());
  for (uint32_t i = shape == 0 ? 0 : values_end_[shape - 1]; i < values_end_[shape]; ++i)
    DSI_RETURN_IF_ERROR(values_[values_by_shape_[i]].Require());
  return Status::Ok();
}

Status StripeDecoder::CheckFit(uint32_t i, std::span<const uint32_t> only) {
  if (!values_[i].any_unfit()) return Status::Ok();
  const ScanValues& values = shared_->projection->values[i];
  DSI_ASSIGN_OR_RETURN(const ShapeView view, shapes_[values.shape].Arrays());
  const GroupRows& rows = groups_[shared_->projection->shapes[values.shape].group].rows();
  const size_t count = only.empty() ? rows.num_rows : only.size();
  for (size_t k = 0; k < count; ++k) {
    const uint32_t row = only.empty() ? static_cast<uint32_t>(k) : only[k];
    if (values_[i].Fits(rows.slots[row], view)) continue;
    const OpenColumn& column = shared_->projection->columns[values.column];
    return Error(StatusCode::kOutOfRange, "row {}, column {}: a value of type {} does not fit {}",
                 stripe_row_ + first_ + (chosen_.empty() ? row : chosen_[row]), column.name,
                 TypeName(column.entry_type()), TypeName(values.type));
  }
  return Status::Ok();
}

}  // namespace dsi::internal
