#include "dsi/reader/scan/gathered_rows_internal.h"

#include <algorithm>
#include <cstring>

#include "dsi/dedup/expand_internal.h"

namespace dsi::internal {

GatheredRows::GatheredRows(const ScanShared* shared) : projection_(*shared->projection) {
  MemoryBudget* const budget = shared->budget;
  for (size_t i = 0; i < projection_.groups.size(); ++i) groups_.emplace_back(budget);
  for (size_t i = 0; i < projection_.shapes.size(); ++i) shapes_.emplace_back(budget);
  for (size_t i = 0; i < projection_.values.size(); ++i)
    values_.push_back(std::make_unique<Values>(budget));
}

void GatheredRows::Start(StripeDecoder* decoder) {
  decoder_ = decoder;
  for (uint32_t i = 0; i < groups_.size(); ++i) {
    groups_[i].whole = decoder->is_general(i);
    groups_[i].num_unique = 0;
    groups_[i].slots.clear();
  }
  for (uint32_t i = 0; i < shapes_.size(); ++i) {
    shapes_[i].starts.clear();
    shapes_[i].lengths.clear();
    shapes_[i].present.clear();
    shapes_[i].view = {};
  }
  for (auto& values : values_) {
    values->count = 0;
    values->is_cut = false;
    values->starts.clear();
    values->lengths.clear();
  }
}

Status GatheredRows::Add() {
  for (uint32_t i = 0; i < groups_.size(); ++i) AddIndex(i);
  // Values before shapes: their places end where those of the blocks before do.
  for (uint32_t i = 0; i < values_.size(); ++i) {
    if (!IsWhole(projection_.values[i].shape)) DSI_RETURN_IF_ERROR(AddValues(i));
  }
  for (uint32_t i = 0; i < shapes_.size(); ++i) {
    if (!IsWhole(i)) AddShape(i);
  }
  return Status::Ok();
}

void GatheredRows::AddIndex(uint32_t group) {
  Group& g = groups_[group];
  const GroupRows& rows = decoder_->group(group);
  if (g.whole) {
    g.slots.insert(g.slots.end(), rows.slots.begin(), rows.slots.end());
    return;
  }
  g.fresh.clear();
  for (const uint32_t slot : rows.slots) {
    // Unique rows are numbered in row order: one that repeats is the last.
    const uint32_t unique = rows.first_unique + slot;
    if (g.num_unique == 0 || unique != g.last) {
      g.fresh.push_back(slot);
      g.last = unique;
      ++g.num_unique;
    }
    g.slots.push_back(g.num_unique - 1);
  }
}

Status GatheredRows::AddValues(uint32_t values) {
  const ScanValues& wanted = projection_.values[values];
  const std::span<const uint32_t> fresh = groups_[projection_.shapes[wanted.shape].group].fresh;
  const ValuesView from = decoder_->values(values);
  const ShapeView& shape = decoder_->shape(wanted.shape);
  const auto width = static_cast<size_t>(TypeWidth(wanted.type));
  Values& to = *values_[values];
  const uint32_t* const lengths = from.lengths != nullptr ? from.lengths : shape.lengths;
  uint64_t count = 0;
  if (shape.plain) {
    count = uint64_t{fresh.size()} * shape.entries;
  } else {
    for (const uint32_t slot : fresh) count += lengths[slot];
  }
  if (from.lengths != nullptr) {
    to.is_cut = true;
    // Blocks before may have had no entries at all.
    to.starts.resize(groups_[projection_.shapes[wanted.shape].group].num_unique - fresh.size());
    to.lengths.resize(to.starts.size());
    uint64_t place = to.count;
    for (const uint32_t slot : fresh) {
      to.starts.push_back(place);
      to.lengths.push_back(lengths[slot]);
      place += lengths[slot];
    }
  }
  if (count == 0) return Status::Ok();
  DSI_RETURN_IF_ERROR(to.bytes.Reserve((to.count + count) * width, to.count * width));
  std::byte* out = to.bytes.data() + to.count * width;
  to.count += count;
  if (!shape.plain) {
    GatherRows({.values = from.values,
                .num_values = from.num_values,
                .width = static_cast<int>(width),
                .starts = from.starts != nullptr ? from.starts : shape.starts,
                .lengths = lengths},
               fresh, {.values = out, .room = count});
  } else if (shape.entries == 1) {
    ExpandScalars(from.values, from.num_values, static_cast<int>(width), fresh, out);
  } else {
    const size_t row_bytes = shape.entries * width;
    for (const uint32_t slot : fresh) {
      std::memcpy(out, from.values + slot * row_bytes, row_bytes);
      out += row_bytes;
    }
  }
  return Status::Ok();
}

void GatheredRows::AddShape(uint32_t shape) {
  Shape& to = shapes_[shape];
  const std::span<const uint32_t> fresh = groups_[projection_.shapes[shape].group].fresh;
  const ShapeView& from = decoder_->shape(shape);
  to.view.plain = from.plain;
  to.view.entries = from.entries;
  if (from.plain) {
    to.view.end_value += uint64_t{fresh.size()} * from.entries;
    return;
  }
  for (const uint32_t slot : fresh) {
    to.starts.push_back(to.view.end_value);
    to.lengths.push_back(from.lengths[slot]);
    to.present.push_back(from.present[slot]);
    to.view.end_value += from.lengths[slot];
  }
}

Status GatheredRows::Finish() {
  for (uint32_t i = 0; i < groups_.size(); ++i) FinishGroup(i);
  for (uint32_t i = 0; i < shapes_.size(); ++i) {
    Shape& shape = shapes_[i];
    shape.view.count = groups_[projection_.shapes[i].group].num_unique;
    shape.view.starts = shape.starts.data();
    shape.view.lengths = shape.lengths.data();
    shape.view.present = shape.present.data();
  }
  return Status::Ok();
}

void GatheredRows::FinishGroup(uint32_t group) {
  Group& g = groups_[group];
  g.rows = {};
  g.rows.num_rows = static_cast<uint32_t>(g.slots.size());
  g.rows.slots = g.slots;
  if (!g.whole) {
    g.rows.num_unique = g.num_unique;
    g.rows.identity = g.num_unique == g.slots.size();
    g.run_ends.resize(g.num_unique);
    for (uint32_t i = 0; i < g.slots.size(); ++i) g.run_ends[g.slots[i]] = i + 1;
    g.rows.run_ends = g.run_ends;
    return;
  }
  g.rows.scattered = true;
  g.rows.num_unique = decoder_->group(group).num_unique;
  if (!projection_.groups[group].want_touched) return;
  g.touched.resize(g.slots.size());
  g.inverse.resize(g.slots.size());
  g.renumber.Reset(g.rows.num_unique);
  const size_t count = g.renumber.Renumber(g.slots, g.inverse.data(), g.touched.data());
  g.rows.touched = std::span(g.touched).first(count);
  g.rows.inverse = g.inverse;
}

Result<ShapeView> GatheredRows::ShapeArrays(uint32_t i) {
  if (IsWhole(i)) return decoder_->ShapeArrays(i);
  Shape& shape = shapes_[i];
  if (!shape.view.plain || shape.lengths.size() == shape.view.count) {
    ShapeView view = shape.view;
    view.starts = shape.starts.data();
    view.lengths = shape.lengths.data();
    view.present = shape.present.data();
    return view;
  }
  shape.starts.resize(shape.view.count);
  for (uint32_t u = 0; u < shape.view.count; ++u)
    shape.starts[u] = uint64_t{u} * shape.view.entries;
  shape.lengths.assign(shape.view.count, shape.view.entries);
  shape.present.assign(shape.view.count, 1);
  return ShapeArrays(i);
}

ValuesView GatheredRows::values(uint32_t i) const {
  if (IsWhole(projection_.values[i].shape)) return decoder_->values(i);
  const Values& values = *values_[i];
  if (!values.is_cut) return {values.bytes.data(), values.count};
  return {values.bytes.data(), values.count, values.starts.data(), values.lengths.data()};
}

}  // namespace dsi::internal
