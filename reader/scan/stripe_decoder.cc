#include "dsi/reader/scan/stripe_decoder_internal.h"

#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::internal {

StripeDecoder::StripeDecoder(ScanShared* shared)
    : shared_(shared),
      objects_(shared->budget),
      pages_(shared->file, shared->budget),
      time_(shared->budget),
      kept_by_stream_(shared->budget) {
  const ScanProjection& projection = *shared->projection;
  MemoryBudget* const budget = shared->budget;
  const uint64_t bytes = projection.groups.size() * sizeof(GroupIndexDecoder) +
                         projection.shapes.size() * sizeof(ShapeDecoder) +
                         projection.values.size() * (sizeof(PoolDecoder) + sizeof(StreamWindow));
  if (!objects_.Add(bytes).ok()) throw OverBudget(bytes, *budget);
  for (size_t i = 0; i < projection.groups.size(); ++i)
    groups_.push_back(std::make_unique<GroupIndexDecoder>(budget));
  for (size_t i = 0; i < projection.shapes.size(); ++i)
    shapes_.push_back(std::make_unique<ShapeDecoder>(budget));
  for (size_t i = 0; i < projection.values.size(); ++i)
    values_.push_back(std::make_unique<PoolDecoder>(budget));
}

Status StripeDecoder::Start(size_t stripe, uint32_t first, uint32_t num_rows) {
  const ScanProjection& projection = *shared_->projection;
  const Core& core = shared_->file->core();
  Park();
  plan_.reset();
  DSI_ASSIGN_OR_RETURN(StripePlan plan, PlanTogether(*shared_->file, projection.columns, stripe,
                                                     shared_->reader_options, shared_->budget));
  stripe_row_ = core.stripes[stripe].first_row;
  first_ = passed_ = 0;
  plan_ = std::make_unique<StripePlan>(std::move(plan));
  LookAhead* const ahead = shared_->file->ahead();
  NotePages(*plan_, {first, first + num_rows, core.stripes[stripe].num_rows}, shared_->budget,
            ahead);
  DSI_RETURN_IF_ERROR(ahead->ReadNoted().status());
  pages_.Start(plan_.get(), ahead);
  context_ = {&pages_,
              plan_.get(),
              projection.columns,
              core.page_values,
              &shared_->scratch,
              &shared_->staging,
              &shared_->stats.values_decoded};

  num_kept_ = 0;
  kept_by_stream_.assign(plan_->streams.size(), kNone32);
  const auto stream = [&](uint32_t at) { return at == kNone32 ? nullptr : &plan_->streams[at]; };
  DSI_RETURN_IF_ERROR(StartGroups(core.stripes[stripe].num_rows));
  for (size_t i = 0; i < shapes_.size(); ++i) {
    const ScanShape& shape = projection.shapes[i];
    const OpenColumn& column = projection.columns[shape.column];
    const ColumnPlan& planned = plan_->columns[shape.column];
    DSI_RETURN_IF_ERROR(shapes_[i]->Start(&context_, stream(planned.shape), stream(planned.windows),
                                          column.leader,
                                          plan_->groups[planned.group].record.num_unique,
                                          planned.pool_values, groups_[shape.group]->general()));
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    const ScanValues& values = projection.values[i];
    const ColumnPlan& planned = plan_->columns[values.column];
    DSI_ASSIGN_OR_RETURN(StreamWindow* const dictionary, DictionaryOf(planned));
    DSI_RETURN_IF_ERROR(values_[i]->Start(
        &context_, planned, values.conversion.run != nullptr ? &values.conversion : nullptr,
        dictionary, shapes_[values.shape].get(),
        groups_[projection.shapes[values.shape].group]->general()));
    if (values_[i]->num_values() != shapes_[values.shape]->num_values()) {
      return Corrupt("{}: {} values, another column of the feature has {} ({})",
                     values_[i]->Describe(), values_[i]->num_values(),
                     shapes_[values.shape]->num_values(),
                     planned.windows == kNone32 ? "D-011" : "D-013");
    }
  }
  for (size_t i = num_kept_; i < kept_.size(); ++i) kept_[i]->Release();
  pages_.LetGo();
  return Status::Ok();
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

// Groups of the projection, and those that their indexes refer to.
Status StripeDecoder::StartGroups(uint32_t num_rows) {
  const ScanProjection& projection = *shared_->projection;
  std::vector<GroupIndexDecoder*>& decoders = plan_groups_;
  decoders.clear();
  size_t num_ancestors = 0;
  for (const PlannedGroup& planned : plan_->groups) {
    GroupIndexDecoder* decoder = nullptr;
    bool want_touched = false;
    const auto known = projection.group_position.find(planned.ordinal);
    if (known != projection.group_position.end()) {
      decoder = groups_[known->second].get();
      want_touched = projection.groups[known->second].want_touched;
    } else {
      if (num_ancestors == ancestors_.size())
        ancestors_.push_back(std::make_unique<GroupIndexDecoder>(shared_->budget));
      decoder = ancestors_[num_ancestors++].get();
    }
    GroupIndexDecoder* const parent =
        planned.parent == kNone32 ? nullptr : decoders[planned.parent];
    if (parent != nullptr) DSI_RETURN_IF_ERROR(parent->KeepAll());
    const PlannedStream* const index =
        planned.index == kNone32 ? nullptr : &plan_->streams[planned.index];
    if (planned.record.form == IndexForm::kAsOf) {
      GroupIndexDecoder* const of_time = decoders[plan_->time.group];
      DSI_RETURN_IF_ERROR(of_time->KeepAll());
      DSI_RETURN_IF_ERROR(time_.Start(&context_, *of_time));
    }
    DSI_RETURN_IF_ERROR(decoder->Start(&context_, planned.record, index, parent, time_.rows(),
                                       num_rows, want_touched));
    decoders.push_back(decoder);
  }
  time_.Reset();
  return Status::Ok();
}

Status StripeDecoder::Advance(uint32_t first, uint32_t num_rows, std::span<const uint32_t> chosen,
                              bool may_touch) {
  const ScanProjection& projection = *shared_->projection;
  for (auto& group : groups_) {
    if (first != passed_) DSI_RETURN_IF_ERROR(group->Skip(first - passed_));
    DSI_RETURN_IF_ERROR(group->Next(num_rows, chosen, may_touch));
  }
  first_ = first;
  passed_ = first + num_rows;
  chosen_ = chosen;
  for (size_t i = 0; i < shapes_.size(); ++i) {
    const GroupRows& rows = groups_[projection.shapes[i].group]->rows();
    DSI_RETURN_IF_ERROR(shapes_[i]->Require(rows.first_unique, rows.num_unique));
  }
  for (auto& values : values_) DSI_RETURN_IF_ERROR(values->Require());
  return Status::Ok();
}

Status StripeDecoder::CheckFit(uint32_t i) const {
  if (!values_[i]->any_unfit()) return Status::Ok();
  const ScanValues& values = shared_->projection->values[i];
  DSI_ASSIGN_OR_RETURN(const ShapeView view, shapes_[values.shape]->Arrays());
  const GroupRows& rows = groups_[shared_->projection->shapes[values.shape].group]->rows();
  for (uint32_t row = 0; row < rows.num_rows; ++row) {
    if (values_[i]->Fits(rows.slots[row], view)) continue;
    const OpenColumn& column = shared_->projection->columns[values.column];
    return Error(StatusCode::kOutOfRange, "row {}, column {}: a value of type {} does not fit {}",
                 stripe_row_ + first_ + (chosen_.empty() ? row : chosen_[row]), column.name,
                 TypeName(column.record.type), TypeName(values.type));
  }
  return Status::Ok();
}

}  // namespace dsi::internal
