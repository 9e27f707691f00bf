#include "dsi/dataset/scan/deriver_internal.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace dsi::internal {

Deriver::Deriver(const TransformPlan* plan, const FileTransforms* transforms,
                 const ScanProjection* projection, bool all_rows_come, MemoryBudget* budget)
    : plan_(plan),
      transforms_(transforms),
      projection_(projection),
      memory_(budget),
      groups_(transforms->groups.size()),
      built_(plan->stages().size()),
      made_(plan->stages().size()),
      inputs_(plan->stages().size()) {
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
    FindTuples(piece, transforms_->groups[g], &groups_[g], &rows_.groups[g]);
  for (size_t stage = 0; stage < built_.size(); ++stage) {
    DSI_RETURN_IF_ERROR(RunStage(piece, stage));
    DSI_RETURN_IF_ERROR(Charge());
  }
  size_t num_rows = 0;
  for (const Made& made : made_) num_rows = std::max(num_rows, made.view.num_rows);
  for (size_t i = starts_.size(); i < num_rows; ++i) starts_.push_back(i);
  for (size_t stage = 0; stage < built_.size(); ++stage) SetStage(stage);
  return Charge();
}

// Counts what is held; it is kept for the next piece.
Status Deriver::Charge() {
  const auto size_of = [](const auto& items) { return items.capacity() * sizeof(items[0]); };
  uint64_t bytes = size_of(starts_) + size_of(table_) + size_of(before_) + size_of(fresh_);
  for (const Group& group : groups_) {
    bytes += size_of(group.own_slots) + size_of(group.touched);
    for (const std::vector<uint32_t>& member : group.members) bytes += size_of(member);
  }
  for (size_t stage = 0; stage < built_.size(); ++stage) {
    const RowsBuilder& built = built_[stage];
    const auto width = static_cast<uint64_t>(TypeWidth(built.type().type));
    bytes +=
        built.num_values() * (width + sizeof(float)) + built.num_rows() * (sizeof(int64_t) + 1);
    const Made& made = made_[stage];
    bytes += size_of(made.begins) + size_of(made.ends) + size_of(made.lengths);
    for (const Input& input : inputs_[stage]) {
      bytes += size_of(input.begins) + size_of(input.ends) + size_of(input.present) +
               size_of(input.numbers) + size_of(input.rows);
    }
  }
  return bytes > memory_.bytes() ? memory_.Add(bytes - memory_.bytes()) : Status::Ok();
}

void Deriver::FindTuples(const BatchPiece& piece, const std::vector<uint32_t>& of, Group* group,
                         GroupRows* rows) {
  group->members.resize(of.size());
  group->is_whole = false;
  if (of.size() == 1 && !piece.own_group(of[0]).scattered) {
    // The unique rows of one group, all of them and in order.
    *rows = piece.own_group(of[0]);
    rows->first_unique = 0;
    group->is_whole = true;
    group->num_unique = rows->num_unique;
    group->slots = rows->slots;
    return;
  }
  group->num_unique = 1;
  group->own_slots.assign(piece.num_rows, 0);
  for (size_t i = 0; i < of.size(); ++i) {
    const GroupRows& own = piece.own_group(of[i]);
    if (i != 0) {
      AddMember(i, own.slots, group);
    } else if (own.scattered) {
      group->num_unique = static_cast<uint32_t>(own.touched.size());
      group->own_slots.assign(own.inverse.begin(), own.inverse.end());
      group->members[0].assign(own.touched.begin(), own.touched.end());
    } else {
      group->num_unique = own.num_unique;
      group->own_slots.assign(own.slots.begin(), own.slots.end());
      group->members[0].resize(own.num_unique);
      std::iota(group->members[0].begin(), group->members[0].end(), 0U);
    }
  }
  group->touched.resize(group->num_unique);
  std::iota(group->touched.begin(), group->touched.end(), 0U);
  group->slots = group->own_slots;
  *rows = {};
  rows->num_rows = piece.num_rows;
  rows->num_unique = group->num_unique;
  rows->scattered = true;
  rows->slots = group->slots;
  rows->touched = group->touched;
  rows->inverse = group->slots;
}

// Splits tuples by one more group, whose unique row of each row is `slots`; tuples are numbered by
// first use.
void Deriver::AddMember(size_t at, std::span<const uint32_t> slots, Group* group) {
  // Open addressing; a place holds the number of a tuple, plus one.
  const size_t size = std::bit_ceil(2 * slots.size() + 1);
  table_.assign(size, 0);
  before_.clear();
  fresh_.clear();
  for (size_t row = 0; row < slots.size(); ++row) {
    const uint32_t old = group->own_slots[row];
    uint64_t hash = (uint64_t{old} << 32 | slots[row]) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
    size_t place = hash & (size - 1);
    for (;; place = (place + 1) & (size - 1)) {
      const uint32_t known = table_[place];
      if (known == 0) {
        before_.push_back(old);
        fresh_.push_back(slots[row]);
        table_[place] = static_cast<uint32_t>(before_.size());
        break;
      }
      if (before_[known - 1] == old && fresh_[known - 1] == slots[row]) break;
    }
    group->own_slots[row] = table_[place] - 1;
  }
  group->members[at].swap(fresh_);
  for (size_t m = 0; m < at; ++m) {
    fresh_.clear();
    for (const uint32_t old : before_) fresh_.push_back(group->members[m][old]);
    group->members[m].swap(fresh_);
  }
  group->num_unique = static_cast<uint32_t>(before_.size());
}

Status Deriver::RunStage(const BatchPiece& piece, size_t stage) {
  const std::span<const TransformSource> sources = plan_->stages()[stage].sources;
  const uint32_t g = transforms_->group_of_stage[stage];
  const Group& group = groups_[g];
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
  const Group& tuples = groups_[group];
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
  DSI_ASSIGN_OR_RETURN(shape, piece.own_arrays(output.shape));
  const std::vector<uint32_t>& groups = transforms_->groups[group];
  const auto member =
      static_cast<size_t>(std::find(groups.begin(), groups.end(), output.group) - groups.begin());
  const uint32_t* const slots = tuples.is_whole ? nullptr : tuples.members[member].data();
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
  for (uint32_t i = 0; i < view.num_rows; ++i) {
    const uint32_t slot = slots == nullptr ? i : slots[i];
    input->begins[i] = static_cast<int64_t>(is_cut ? values.starts[slot] : shape.Start(slot));
    input->ends[i] = input->begins[i] +
                     static_cast<int64_t>(is_cut ? values.lengths[slot] : shape.lengths[slot]);
    input->present[i] = shape.present[slot];
  }
  return view;
}

// Numbers have a place in every row, also where they are missing.
void Deriver::TakeNumbers(const ValuesView& values, const ShapeView& shape, const uint32_t* slots,
                          Input* input, RowsView* view) {
  const auto width = static_cast<size_t>(TypeWidth(view->type.type));
  // Decoding may have made what stands in them, and then batches are filled from here.
  input->numbers.assign(view->num_rows * width + ScanBuffer::kSlack, std::byte{0});
  input->present.resize(view->num_rows);
  view->values = input->numbers.data();
  view->present = input->present.data();
  for (uint32_t i = 0; i < view->num_rows; ++i) {
    const uint32_t slot = slots == nullptr ? i : slots[i];
    input->present[i] = shape.present[slot];
    if (shape.lengths[slot] == 0) continue;
    std::memcpy(input->numbers.data() + i * width, values.values + shape.Start(slot) * width,
                width);
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
