#include "dsi/dataset/scan/deriver_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/dedup/expand_internal.h"

namespace dsi::internal {
namespace {

template <typename T>
uint64_t SizeOf(const std::vector<T>& items) {
  return items.capacity() * sizeof(T);
}

}  // namespace

Deriver::Deriver(const TransformPlan* plan, const FileTransforms* transforms,
                 const ScanProjection* projection, bool all_rows_come, MemoryBudget* budget)
    : plan_(plan),
      transforms_(transforms),
      projection_(projection),
      memory_(budget),
      groups_(transforms->groups.size()),
      built_(plan->stages().size()),
      made_(plan->stages().size()),
      inputs_(plan->stages().size()),
      stage_bytes_(plan->stages().size()) {
  for (size_t stage = 0; stage < built_.size(); ++stage) {
    pools_.emplace_back(all_rows_come, budget);
    inputs_[stage].resize(plan->stages()[stage].sources.size());
  }
  rows_.groups.resize(groups_.size());
  rows_.shapes.resize(built_.size());
  rows_.values.resize(2 * built_.size());
}

void Deriver::ForgetRows() {
  for (StagePool& pool : pools_) pool.ForgetRows();
}
void Deriver::ForgetStripe() {
  for (StagePool& pool : pools_) pool.ForgetStripe();
}

Status Deriver::Run(const BatchPiece& piece) {
  for (size_t g = 0; g < groups_.size(); ++g)
    finder_.Find(piece, transforms_->groups[g], &groups_[g], &rows_.groups[g]);
  size_t num_rows = 0;
  for (size_t stage = 0; stage < built_.size(); ++stage) {
    DSI_RETURN_IF_ERROR(RunStage(piece, stage));
    DSI_RETURN_IF_ERROR(ChargeStage(stage));
    num_rows = std::max(num_rows, made_[stage].view.num_rows);
  }
  for (size_t i = starts_.size(); i < num_rows; ++i) starts_.push_back(i);
  DSI_RETURN_IF_ERROR(ChargeTuples());
  for (size_t stage = 0; stage < built_.size(); ++stage) {
    SetStage(stage);
    DSI_RETURN_IF_ERROR(ChargeStage(stage));
  }
  return Status::Ok();
}

// Counts what is held in place of `counted`, which was before; it is kept for the next piece.
Status Deriver::Charge(uint64_t bytes, uint64_t* counted) {
  held_ += bytes - *counted;
  *counted = bytes;
  return held_ > memory_.bytes() ? memory_.Add(held_ - memory_.bytes()) : Status::Ok();
}

Status Deriver::ChargeTuples() {
  uint64_t bytes = SizeOf(starts_) + finder_.bytes();
  for (const TupleGroup& group : groups_) bytes += group.bytes();
  return Charge(bytes, &tuple_bytes_);
}

Status Deriver::ChargeStage(size_t stage) {
  const RowsBuilder& built = built_[stage];
  const auto width = static_cast<uint64_t>(TypeWidth(built.type().type));
  uint64_t bytes =
      built.num_values() * (width + sizeof(float)) + built.num_rows() * (sizeof(int64_t) + 1);
  const Made& made = made_[stage];
  bytes += SizeOf(made.begins) + SizeOf(made.ends) + SizeOf(made.lengths);
  for (const Input& input : inputs_[stage]) {
    bytes += SizeOf(input.begins) + SizeOf(input.ends) + SizeOf(input.present) +
             SizeOf(input.numbers) + SizeOf(input.rows);
  }
  return Charge(bytes, &stage_bytes_[stage]);
}

Status Deriver::RunStage(const BatchPiece& piece, size_t stage) {
  const std::span<const TransformSource> sources = plan_->stages()[stage].sources;
  const uint32_t g = transforms_->group_of_stage[stage];
  const TupleGroup& group = groups_[g];
  if (transforms_->mapped[stage].values != kNone32) return TakeMapped(piece, stage);
  views_.assign(sources.size(), {});
  for (size_t i = 0; i < sources.size(); ++i) {
    const TransformSource& source = sources[i];
    if (!source.is_stage) {
      DSI_ASSIGN_OR_RETURN(views_[i].view,
                           ViewOf(piece, transforms_->inputs[source.index],
                                  plan_->features()[source.index].type, g, &inputs_[stage][i]));
      continue;
    }
    views_[i].view = made_[source.index].view;
    const uint32_t other = transforms_->group_of_stage[source.index];
    if (other == g) continue;
    // Which of its tuples each of ours has.
    std::vector<uint32_t>& rows = inputs_[stage][i].rows;
    rows.resize(group.num_unique);
    for (size_t row = 0; row < group.slots.size(); ++row)
      rows[group.slots[row]] = groups_[other].slots[row];
    views_[i].rows = rows.data();
  }
  if (MakeWindows(piece, stage)) return Status::Ok();
  DSI_RETURN_IF_ERROR(plan_->RunStage(stage, views_, group.num_unique, &built_[stage]));
  Made& made = made_[stage];
  made.view = built_[stage].View();
  made.num_values = built_[stage].num_values();
  made.pool = {};
  made.is_own = true;
  return Status::Ok();
}

// What decoding made already.
Status Deriver::TakeMapped(const BatchPiece& piece, size_t stage) {
  const TransformInput& of = transforms_->mapped[stage];
  Input& input = inputs_[stage][0];
  Made& made = made_[stage];
  DSI_ASSIGN_OR_RETURN(made.view, ViewOf(piece, of, plan_->stages()[stage].type,
                                         transforms_->group_of_stage[stage], &input));
  made.is_own = made.view.begins == nullptr;
  made.pool = made.is_own ? RowsPool{} : PoolOf(piece, of);
  made.num_values = made.is_own ? made.view.num_rows : NumReadable(piece, of);
  if (made.view.present == nullptr) {
    input.present.assign(made.view.num_rows, 1);
    made.view.present = input.present.data();
  }
  return Status::Ok();
}

// Lists that are cut are windows of what they were cut from, and values one by one are made once
// for all lists that share them. False: the stage is to make rows of its own.
bool Deriver::MakeWindows(const BatchPiece& piece, size_t stage) {
  const TransformStage& what = plan_->stages()[stage];
  const TransformSource& source = what.sources[0];
  const RowsView& view = views_[0].view;
  if (views_.size() != 1 || views_[0].rows != nullptr || view.begins == nullptr) return false;
  const bool is_cut = what.cut != 0;
  if (!is_cut && !what.elementwise) return false;
  Made& made = made_[stage];
  made.pool =
      source.is_stage ? made_[source.index].pool : PoolOf(piece, transforms_->inputs[source.index]);
  if (is_cut) {
    CutRows(what, view, &made);
    made.num_values = source.is_stage ? made_[source.index].num_values
                                      : NumReadable(piece, transforms_->inputs[source.index]);
  } else {
    made.view = view;
    const bool whole = !source.is_stage;
    if (!pools_[stage].Take(*plan_, stage, made.pool, whole, &made.view)) return false;
    made.num_values = made.pool.num_values;
  }
  made.is_own = false;
  return true;
}

// None of a feature that the file lacks.
ValuesView Deriver::ValuesOf(const BatchPiece& piece, const TransformInput& of) const {
  return of.values == kNone32 ? ValuesView{}
                              : piece.own_values(projection_->outputs[of.values].values);
}

// Values of a feature that may be read, and scores beside them.
uint64_t Deriver::NumReadable(const BatchPiece& piece, const TransformInput& of) const {
  const uint64_t num_values = ValuesOf(piece, of).num_values;
  if (of.scores == kNone32) return num_values;
  return std::min(num_values, piece.own_values(projection_->outputs[of.scores].values).num_values);
}

// The values that lists of a feature are windows of; cut lists have places of their own.
RowsPool Deriver::PoolOf(const BatchPiece& piece, const TransformInput& of) const {
  const ValuesView values = ValuesOf(piece, of);
  if (values.values == nullptr || values.starts != nullptr) return {};
  const ScanOutput& output = projection_->outputs[of.values];
  const ShapeView& shape = piece.own_shape(output.shape);
  return {shape.end_value - shape.first_value, piece.own_is_general(output.group)};
}

// T-040.
void Deriver::CutRows(const TransformStage& stage, const RowsView& view, Made* made) {
  made->view = view;
  made->begins.assign(view.begins, view.begins + view.num_rows);
  made->ends.assign(view.ends, view.ends + view.num_rows);
  for (size_t i = 0; i < view.num_rows; ++i) {
    const int64_t kept = std::min<int64_t>(made->ends[i] - made->begins[i], stage.cut);
    if (stage.op == TransformOp::kFirstX) {
      made->ends[i] = made->begins[i] + kept;
    } else {
      made->begins[i] = made->ends[i] - kept;
    }
  }
  made->view.begins = made->begins.data();
  made->view.ends = made->ends.data();
}

// A feature of the file, one row for each tuple.
Result<RowsView> Deriver::ViewOf(const BatchPiece& piece, const TransformInput& of,
                                 const TransformType& type, uint32_t group, Input* input) {
  const TupleGroup& tuples = groups_[group];
  RowsView view;
  view.type = type;
  view.num_rows = tuples.num_unique;
  if (of.values == kNone32) {
    MakeMissing(input, &view);
    return view;
  }
  const ScanOutput& output = projection_->outputs[of.values];
  const ValuesView values = piece.own_values(output.values);
  ShapeView shape = piece.own_shape(output.shape);
  const bool is_number = view.type.shape == RowShape::kNumber;
  if (tuples.is_whole && is_number && shape.plain) {
    view.values = values.values;
    return view;
  }
  const std::vector<uint32_t>& groups = transforms_->groups[group];
  const auto member =
      static_cast<size_t>(std::find(groups.begin(), groups.end(), output.group) - groups.begin());
  const uint32_t* const slots = tuples.is_whole ? nullptr : tuples.members[member].data();
  if (!is_number || !shape.plain) {
    DSI_ASSIGN_OR_RETURN(shape, piece.own_arrays(output.shape));
  }
  if (is_number) {
    TakeNumbers(values, shape, slots, input, &view);
    return view;
  }
  input->ends.resize(view.num_rows);
  view.values = values.values;
  view.ends = input->ends.data();
  if (view.type.shape == RowShape::kScored) {
    const ScanOutput& scores = projection_->outputs[of.scores];
    view.scores = reinterpret_cast<const float*>(piece.own_values(scores.values).values);
  }
  const bool is_cut = values.starts != nullptr;  // To the entries that the stages look at.
  if (slots == nullptr && !shape.packed && !is_cut) {
    view.begins = reinterpret_cast<const int64_t*>(shape.starts);
    view.present = shape.present;
    for (size_t i = 0; i < view.num_rows; ++i)
      input->ends[i] = view.begins[i] + static_cast<int64_t>(shape.lengths[i]);
    return view;
  }
  input->begins.resize(view.num_rows);
  input->present.resize(view.num_rows);
  view.begins = input->begins.data();
  view.present = input->present.data();
  const uint64_t* const places = is_cut ? nullptr : shape.places();
  const uint64_t* const starts = is_cut ? values.starts : shape.starts;
  const uint32_t* const lengths = is_cut ? values.lengths : shape.lengths;
  for (uint32_t i = 0; i < view.num_rows; ++i) {
    const uint32_t slot = slots == nullptr ? i : slots[i];
    const uint64_t start = places != nullptr ? StartOfPlace(places[slot]) : starts[slot];
    const uint32_t length = places != nullptr ? LengthOfPlace(places[slot]) : lengths[slot];
    input->begins[i] = static_cast<int64_t>(start);
    input->ends[i] = static_cast<int64_t>(start + length);
    // A row with entries is there: its mark, another line of the cache, is looked at for no others.
    input->present[i] = length != 0 ? 1 : shape.present[slot];
  }
  return view;
}

// Numbers have a place in every row, also where they are missing. `slots` null: of all rows in
// order, of which some may be missing.
void Deriver::TakeNumbers(const ValuesView& values, const ShapeView& shape, const uint32_t* slots,
                          Input* input, RowsView* view) {
  const auto width = static_cast<size_t>(TypeWidth(view->type.type));
  const size_t num_rows = view->num_rows;
  // Decoding may have made what stands in them, and then batches are filled from here.
  input->numbers.resize(num_rows * width + ScanBuffer::kSlack);
  view->values = input->numbers.data();
  if (shape.plain) {
    ExpandScalars(values.values, values.num_values, static_cast<int>(width), {slots, num_rows},
                  input->numbers.data());
    return;
  }
  input->present.resize(num_rows);
  view->present = input->present.data();
  const ValuePool pool = ValuePoolOf(values, shape, width);
  const PaddedRows out{.values = input->numbers.data(), .present = input->present.data()};
  if (slots == nullptr) {
    PadRowRange(pool, 0, num_rows, {.row_length = 1}, out);
  } else {
    PadRows(pool, {slots, num_rows}, {.row_length = 1}, out);
  }
}

// Of a feature that the file lacks.
void Deriver::MakeMissing(Input* input, RowsView* view) {
  input->present.assign(view->num_rows, 0);
  view->present = input->present.data();
  if (view->type.shape == RowShape::kNumber) {
    input->numbers.assign(view->num_rows * sizeof(uint64_t), std::byte{0});
    view->values = input->numbers.data();
    return;
  }
  input->begins.assign(view->num_rows, 0);
  input->ends.assign(view->num_rows, 0);
  view->begins = input->begins.data();
  view->ends = input->ends.data();
}

// A finished stage as rows that batches are filled from.
void Deriver::SetStage(size_t stage) {
  Made& made = made_[stage];
  const RowsView& view = made.view;
  const bool is_number = view.begins == nullptr;
  ShapeView& shape = rows_.shapes[stage];
  shape = {};
  shape.count = static_cast<uint32_t>(view.num_rows);
  shape.end_value = made.num_values;
  // Missing numbers have a place, and no entry.
  const bool any_missing = is_number && view.present != nullptr &&
                           std::memchr(view.present, 0, view.num_rows) != nullptr;
  shape.plain = is_number && !any_missing;
  shape.windows = any_missing || !made.is_own;
  std::vector<uint32_t>& lengths = made.lengths;
  lengths.resize(view.num_rows);
  for (size_t i = 0; i < view.num_rows; ++i) {
    lengths[i] = is_number ? view.present[i] : static_cast<uint32_t>(view.ends[i] - view.begins[i]);
  }
  shape.starts = is_number ? starts_.data() : reinterpret_cast<const uint64_t*>(view.begins);
  shape.lengths = lengths.data();
  shape.present = view.present;
  rows_.values[ValuesOfStage(stage)] = {static_cast<const std::byte*>(view.values),
                                        made.num_values};
  rows_.values[ScoresOfStage(stage)] = {reinterpret_cast<const std::byte*>(view.scores),
                                        made.num_values};
}

}  // namespace dsi::internal
