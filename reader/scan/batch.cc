#include "dsi/reader/batch.h"

#include <algorithm>
#include <utility>

#include "dsi/base/block_memory_internal.h"
#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/reader/scan/batch_internal.h"

namespace dsi {
namespace internal {

void BatchState::FreeSlab() {
  if (slab == nullptr) return;
  if (allocator == nullptr) {
    FreeBlock(slab, capacity);
  } else {
    try {
      allocator->Free(slab, capacity);
    } catch (...) {  // Nobody could do anything about it, least of all a destructor.
    }
  }
  slab = nullptr;
  capacity = 0;
}

Status BatchState::ReserveSlab(uint64_t size, uint64_t max_size) {
  used = size;
  if (size <= capacity) return Status::Ok();
  const uint64_t grown = AlignUp(std::max(size, std::min(capacity + capacity / 2, max_size)), 64);
  // The old content is void, so that both slabs never stand side by side.
  FreeSlab();
  size_t available = grown;
  void* fresh = nullptr;
  if (allocator == nullptr) {
    fresh = AllocateBlock(grown, &available);
  } else {
    try {
      fresh = allocator->Allocate(grown);
    } catch (...) {
      return Error(StatusCode::kResourceExhausted,
                   "the caller's allocator threw when asked for {} bytes", grown);
    }
  }
  if (fresh == nullptr)
    return Error(StatusCode::kResourceExhausted, "no memory for a batch of {} bytes", grown);
  slab = static_cast<std::byte*>(fresh);
  capacity = available;
  if (reinterpret_cast<uintptr_t>(fresh) % 64 == 0) return Status::Ok();
  FreeSlab();
  return InvalidArgument("the caller's allocator gave memory that is not aligned to 64 bytes");
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
  bool other_layout = false;
  const uint32_t at = state.projection->Find(column, layout, &other_layout);
  if (at != kNone32) return at;
  if (other_layout) return InvalidArgument("column {} is in the batch in another layout", column);
  return Error(StatusCode::kNotFound, "column {} is not in the batch", column);
}

Result<uint32_t> FindOutput(const BatchState& state, size_t ordinal, Layout layout) {
  const std::vector<ScanOutput>& outputs = state.projection->outputs;
  if (ordinal >= outputs.size())
    return Error(StatusCode::kNotFound, "column {} of the {} in the batch", ordinal,
                 outputs.size());
  if (outputs[ordinal].layout == layout) return static_cast<uint32_t>(ordinal);
  return InvalidArgument("column {} is in the batch in another layout", outputs[ordinal].name);
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

void SetView(const BatchState& state, const ScanSet& set, const SetPlace& place, DenseView* view) {
  view->values = state.At(place.values);
  view->dtype = set.dtype;
  view->rows = state.num_rows;
  view->columns = set.outputs.size();
  view->present = reinterpret_cast<const uint8_t*>(state.At(place.present));
}

// What both forms of a KeyedJaggedTensor have.
template <typename View>
void SetKeyed(const BatchState& state, const ScanSet& set, const SetPlace& place, View* view) {
  view->keys = set.keys;
  view->rows = state.num_rows;
  view->values = state.At(place.values);
  view->dtype = set.dtype;
  view->num_values = static_cast<size_t>(place.offset_per_key.back());
  view->lengths = state.At(place.lengths);
  view->offsets = state.At(place.offsets);
  view->lengths_dtype = state.projection->kjt_lengths;
  view->length_per_key = place.length_per_key;
  view->offset_per_key = place.offset_per_key;
}
void SetView(const BatchState& state, const ScanSet& set, const SetPlace& place, KjtView* view) {
  SetKeyed(state, set, place, view);
}
void SetView(const BatchState& state, const ScanSet& set, const SetPlace& place, VbeView* view) {
  SetKeyed(state, set, place, view);
  view->num_unique = place.num_rows;
  view->inverse_indices = reinterpret_cast<const int64_t*>(state.At(place.inverse));
  view->stride_per_key = place.stride_per_key;
}

// A view of a batch that Scan::Next has filled.
template <typename View, typename Make>
Result<View> Filled(const BatchState* state, const Make& make) noexcept {
  return NoThrow([&]() -> Result<View> {
    if (state == nullptr || state->projection == nullptr)
      return InvalidArgument("the batch is empty: no Scan::Next has filled it");
    return make();
  });
}

// Of batch rows, or of the unique rows that they refer to.
void Make(const BatchState& state, uint32_t output, PaddedView* view) {
  *view = PaddedOf(state, output, state.num_rows);
}
void Make(const BatchState& state, uint32_t output, JaggedView* view) {
  *view = JaggedOf(state, output, state.num_rows);
}
void Make(const BatchState& state, uint32_t output, PaddedIkjtView* view) {
  const uint32_t group = state.projection->outputs[output].group;
  view->unique = PaddedOf(state, output, state.num_unique[group]);
  view->inverse = reinterpret_cast<const int32_t*>(state.At(state.inverse[group]));
}
void Make(const BatchState& state, uint32_t output, IkjtView* view) {
  const uint32_t group = state.projection->outputs[output].group;
  view->unique = JaggedOf(state, output, state.num_unique[group]);
  view->inverse = reinterpret_cast<const int32_t*>(state.At(state.inverse[group]));
}

// `column`: name or ordinal.
template <typename View, typename Column>
Result<View> ViewOf(const BatchState* state, Column column, Layout layout) noexcept {
  return Filled<View>(state, [&]() -> Result<View> {
    DSI_ASSIGN_OR_RETURN(const uint32_t output, FindOutput(*state, column, layout));
    View view;
    Make(*state, output, &view);
    return view;
  });
}

template <typename View>
Result<View> ViewOfSet(const BatchState* state, std::string_view name, Layout layout) noexcept {
  return Filled<View>(state, [&]() -> Result<View> {
    const uint32_t at = state->projection->FindSet(layout, name);
    if (at == kNone32) {
      const char* const layout_name = layout == Layout::kDense ? "kDense"
                                      : layout == Layout::kVbe ? "kVbe"
                                                               : "kKjt";
      return Error(StatusCode::kNotFound,
                   "no column was projected with Layout::{} in the set \"{}\"", layout_name, name);
    }
    View view;
    SetView(*state, state->projection->sets[at], state->sets[at], &view);
    return view;
  });
}

}  // namespace
}  // namespace internal

SlabAllocator::~SlabAllocator() = default;

Batch::Batch(SlabAllocator* allocator) noexcept : allocator_(allocator) {}
Batch::~Batch() = default;
Batch::Batch(Batch&& other) noexcept = default;
Batch& Batch::operator=(Batch&& other) noexcept = default;

size_t Batch::num_rows() const noexcept { return state_ != nullptr ? state_->num_rows : 0; }
uint64_t Batch::first_row() const noexcept { return state_ != nullptr ? state_->first_row : 0; }

std::span<const uint64_t> Batch::row_numbers() const noexcept {
  if (state_ == nullptr) return {};
  return state_->row_numbers;
}

Result<PaddedView> Batch::Padded(std::string_view column) const {
  return internal::ViewOf<PaddedView>(state_.get(), column, Layout::kPadded);
}
Result<PaddedView> Batch::Padded(size_t ordinal) const {
  return internal::ViewOf<PaddedView>(state_.get(), ordinal, Layout::kPadded);
}
Result<PaddedIkjtView> Batch::PaddedIkjt(std::string_view column) const {
  return internal::ViewOf<PaddedIkjtView>(state_.get(), column, Layout::kPaddedIkjt);
}
Result<PaddedIkjtView> Batch::PaddedIkjt(size_t ordinal) const {
  return internal::ViewOf<PaddedIkjtView>(state_.get(), ordinal, Layout::kPaddedIkjt);
}
Result<JaggedView> Batch::Jagged(std::string_view column) const {
  return internal::ViewOf<JaggedView>(state_.get(), column, Layout::kJagged);
}
Result<JaggedView> Batch::Jagged(size_t ordinal) const {
  return internal::ViewOf<JaggedView>(state_.get(), ordinal, Layout::kJagged);
}
Result<IkjtView> Batch::Ikjt(std::string_view column) const {
  return internal::ViewOf<IkjtView>(state_.get(), column, Layout::kIkjt);
}
Result<IkjtView> Batch::Ikjt(size_t ordinal) const {
  return internal::ViewOf<IkjtView>(state_.get(), ordinal, Layout::kIkjt);
}

Result<DenseView> Batch::Dense(std::string_view set) const {
  return internal::ViewOfSet<DenseView>(state_.get(), set, Layout::kDense);
}
Result<VbeView> Batch::Vbe(std::string_view set) const {
  return internal::ViewOfSet<VbeView>(state_.get(), set, Layout::kVbe);
}
Result<KjtView> Batch::Kjt(std::string_view set) const {
  return internal::ViewOfSet<KjtView>(state_.get(), set, Layout::kKjt);
}

std::span<const std::byte> Batch::slab() const noexcept {
  if (state_ == nullptr || state_->projection == nullptr) return {};
  return {state_->slab, state_->used};
}

}  // namespace dsi
