#include "dsi/reader/batch.h"

#include <algorithm>
#include <utility>

#include "dsi/format/block_memory_internal.h"
#include "dsi/format/bytes_internal.h"
#include "dsi/format/error_internal.h"
#include "dsi/reader/batch_internal.h"

namespace dsi {
namespace internal {

BatchState::~BatchState() {
  if (slab == nullptr) return;
  if (allocator != nullptr) {
    allocator->Free(slab, capacity);
  } else {
    FreeBlock(slab, capacity);
  }
}

Status BatchState::ReserveSlab(uint64_t size) {
  used = size;
  if (size <= capacity) return Status::Ok();
  // The old content is void, so that both slabs never stand side by side.
  const uint64_t grown = AlignUp(std::max(size, capacity + capacity / 2), 64);
  if (slab != nullptr) {
    if (allocator != nullptr) {
      allocator->Free(slab, capacity);
    } else {
      FreeBlock(slab, capacity);
    }
  }
  capacity = 0;
  size_t available = grown;
  slab = allocator != nullptr ? static_cast<std::byte*>(allocator->Allocate(grown))
                              : AllocateBlock(grown, &available);
  if (slab == nullptr)
    return Error(StatusCode::kResourceExhausted, "no memory for a batch of {} bytes", grown);
  capacity = available;
  return Status::Ok();
}

void BatchState::Clear() {
  projection.reset();
  num_rows = 0;
  first_row = 0;
  used = 0;
  row_numbers.clear();
}

namespace {

Result<uint32_t> FindOutput(const BatchState& state, std::string_view column, Layout layout) {
  if (state.projection == nullptr)
    return InvalidArgument("the batch is empty: no Scan::Next has filled it");
  bool other_layout = false;
  const uint32_t at = state.projection->Find(column, layout, &other_layout);
  if (at != kNone32) return at;
  if (other_layout) return InvalidArgument("column {} is in the batch in another layout", column);
  return Error(StatusCode::kNotFound, "column {} is not in the batch", column);
}

JaggedView JaggedOf(const BatchState& state, uint32_t output, size_t rows) {
  const OutputPlace& place = state.outputs[output];
  JaggedView view;
  view.values = state.At(place.values);
  view.dtype = state.projection->outputs[output].dtype;
  view.rows = rows;
  view.num_values = place.num_values;
  view.offsets = reinterpret_cast<const int64_t*>(state.At(place.offsets));
  view.present = reinterpret_cast<const uint8_t*>(state.At(place.present));
  return view;
}

PaddedView PaddedOf(const BatchState& state, uint32_t output, size_t rows) {
  const OutputPlace& place = state.outputs[output];
  PaddedView view;
  view.values = state.At(place.values);
  view.dtype = state.projection->outputs[output].dtype;
  view.rows = rows;
  view.width = state.projection->outputs[output].width;
  view.lengths = reinterpret_cast<const int32_t*>(state.At(place.lengths));
  view.present = reinterpret_cast<const uint8_t*>(state.At(place.present));
  return view;
}

}  // namespace
}  // namespace internal

SlabAllocator::~SlabAllocator() = default;

Batch::Batch(SlabAllocator* allocator) : state_(std::make_unique<internal::BatchState>()) {
  state_->allocator = allocator;
}
Batch::~Batch() = default;
Batch::Batch(Batch&& other) noexcept = default;
Batch& Batch::operator=(Batch&& other) noexcept = default;

size_t Batch::num_rows() const { return state_ != nullptr ? state_->num_rows : 0; }
uint64_t Batch::first_row() const { return state_ != nullptr ? state_->first_row : 0; }

std::span<const uint64_t> Batch::row_numbers() const {
  if (state_ == nullptr) return {};
  return state_->row_numbers;
}

Result<PaddedView> Batch::Padded(std::string_view column) const {
  DSI_ASSIGN_OR_RETURN(const uint32_t at, internal::FindOutput(*state_, column, Layout::kPadded));
  return internal::PaddedOf(*state_, at, state_->num_rows);
}

Result<PaddedIkjtView> Batch::PaddedIkjt(std::string_view column) const {
  DSI_ASSIGN_OR_RETURN(const uint32_t at,
                       internal::FindOutput(*state_, column, Layout::kPaddedIkjt));
  const uint32_t group = state_->projection->outputs[at].group;
  PaddedIkjtView view;
  view.unique = internal::PaddedOf(*state_, at, state_->num_unique[group]);
  view.inverse = reinterpret_cast<const int32_t*>(state_->At(state_->inverse[group]));
  return view;
}

Result<JaggedView> Batch::Jagged(std::string_view column) const {
  DSI_ASSIGN_OR_RETURN(const uint32_t at, internal::FindOutput(*state_, column, Layout::kJagged));
  return internal::JaggedOf(*state_, at, state_->num_rows);
}

Result<IkjtView> Batch::Ikjt(std::string_view column) const {
  DSI_ASSIGN_OR_RETURN(const uint32_t at, internal::FindOutput(*state_, column, Layout::kIkjt));
  const uint32_t group = state_->projection->outputs[at].group;
  IkjtView view;
  view.unique = internal::JaggedOf(*state_, at, state_->num_unique[group]);
  view.inverse = reinterpret_cast<const int32_t*>(state_->At(state_->inverse[group]));
  return view;
}

Result<DenseView> Batch::Dense() const {
  if (state_->projection == nullptr)
    return internal::InvalidArgument("the batch is empty: no Scan::Next has filled it");
  const internal::ScanProjection& projection = *state_->projection;
  if (projection.dense.empty())
    return internal::Error(StatusCode::kNotFound, "no column was projected with Layout::kDense");
  DenseView view;
  view.values = state_->At(state_->dense_values);
  view.dtype = projection.dense_type;
  view.rows = state_->num_rows;
  view.columns = projection.dense.size();
  view.present = reinterpret_cast<const uint8_t*>(state_->At(state_->dense_present));
  return view;
}

Result<VbeView> Batch::Vbe(std::string_view set) const {
  if (state_->projection == nullptr)
    return internal::InvalidArgument("the batch is empty: no Scan::Next has filled it");
  const internal::ScanProjection& projection = *state_->projection;
  const auto& sets = projection.vbe_sets;
  const auto at = std::find_if(sets.begin(), sets.end(), [&](auto& s) { return s.name == set; });
  if (at == sets.end()) {
    return internal::Error(StatusCode::kNotFound,
                           "no column was projected with Layout::kVbe in the set \"{}\"", set);
  }
  const internal::VbePlace& place = state_->vbe[static_cast<size_t>(at - sets.begin())];
  VbeView view;
  view.keys = at->keys;
  view.rows = state_->num_rows;
  view.values = state_->At(place.values);
  view.dtype = at->dtype;
  view.num_values = static_cast<size_t>(place.offset_per_key.back());
  view.lengths = state_->At(place.lengths);
  view.lengths_dtype = projection.vbe_lengths;
  view.num_unique = place.num_unique;
  view.inverse_indices = reinterpret_cast<const int64_t*>(state_->At(place.inverse));
  view.stride_per_key = place.stride_per_key;
  view.length_per_key = place.length_per_key;
  view.offset_per_key = place.offset_per_key;
  return view;
}

std::span<const std::byte> Batch::slab() const {
  if (state_ == nullptr || state_->projection == nullptr) return {};
  return {state_->slab, state_->used};
}

}  // namespace dsi
