// First pass over a batch: sizes and places.
#include <limits>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/reader/scan/fill_batch_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

// Hands out places in the slab, each at a multiple of 64 bytes.
class SlabPlanner {
 public:
  explicit SlabPlanner(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  uint64_t Place(uint64_t count, uint64_t item_size) {
    const uint64_t place = size_;
    uint64_t bytes = 0;
    if (!CheckedMul(count, item_size, &bytes) || bytes > max_bytes_ || size_ > max_bytes_ - bytes) {
      fits_ = false;
      return 0;
    }
    size_ = AlignUp(size_ + bytes, 64);
    return place;
  }
  bool fits() const { return fits_; }
  uint64_t size() const { return size_; }

 private:
  uint64_t max_bytes_;
  uint64_t size_ = 0;
  bool fits_ = true;
};

void PlacePadded(const ScanOutput& output, uint64_t rows, SlabPlanner* planner,
                 OutputPlace* place) {
  uint64_t items = 0;
  if (!CheckedMul(rows, output.width, &items)) items = std::numeric_limits<uint64_t>::max();
  place->values = planner->Place(items, output.item_size);
  place->lengths = planner->Place(rows, sizeof(int32_t));
  place->present = planner->Place(rows, 1);
}

void PlaceJagged(const ScanOutput& output, uint64_t rows, SlabPlanner* planner,
                 OutputPlace* place) {
  place->values = planner->Place(place->num_values, output.item_size);
  place->offsets = planner->Place(rows + 1, sizeof(int64_t));
  place->present = planner->Place(rows, 1);
}

void PlaceDense(const ScanSet& set, uint64_t num_rows, SlabPlanner* planner, SetPlace* place) {
  const uint64_t cells = num_rows * set.outputs.size();
  place->values = planner->Place(cells, static_cast<uint64_t>(TypeWidth(set.dtype)));
  place->present = planner->Place(cells, 1);
}

// Tensors of a KeyedJaggedTensor, and where in them each output's part is.
Status PlaceKeyed(const ScanProjection& projection, const ScanSet& set, uint64_t num_rows,
                  SlabPlanner* planner, SetPlace* place, BatchState* batch) {
  const bool is_vbe = set.layout == Layout::kVbe;
  const auto rows_of = [&](uint32_t output) {
    return is_vbe ? batch->num_unique[projection.outputs[output].group] : num_rows;
  };
  place->stride_per_key.clear();
  place->length_per_key.clear();
  place->offset_per_key.assign(1, 0);
  place->num_rows = 0;
  uint64_t num_values = 0;
  for (const uint32_t output : set.outputs) {
    if (is_vbe) place->stride_per_key.push_back(static_cast<int32_t>(rows_of(output)));
    place->num_rows += rows_of(output);
    batch->outputs[output].first_value = num_values;
    num_values += batch->outputs[output].num_values;
    place->length_per_key.push_back(static_cast<int64_t>(batch->outputs[output].num_values));
    place->offset_per_key.push_back(static_cast<int64_t>(num_values));
  }
  if (projection.kjt_lengths == Type::kInt32 && num_values > kMaxInt32) {
    return Error(StatusCode::kOutOfRange,
                 "the KeyedJaggedTensor \"{}\" of {} rows has {} values, more than lengths and "
                 "offsets of int32 can tell; kjt_lengths of int64 can, or a smaller batch",
                 set.name, num_rows, num_values);
  }
  const auto item_size = static_cast<uint64_t>(TypeWidth(set.dtype));
  const auto length_size = static_cast<uint64_t>(TypeWidth(projection.kjt_lengths));
  place->values = planner->Place(num_values, item_size);
  place->lengths = planner->Place(place->num_rows, length_size);
  place->offsets = planner->Place(place->num_rows + 1, length_size);
  if (is_vbe) place->inverse = planner->Place(num_rows * set.outputs.size(), sizeof(int64_t));
  uint64_t row = 0;
  for (size_t key = 0; key < set.outputs.size(); ++key) {
    OutputPlace& part = batch->outputs[set.outputs[key]];
    part.values = place->values + part.first_value * item_size;
    part.lengths = place->lengths + row * length_size;
    part.offsets = place->offsets + row * length_size;
    part.inverse = place->inverse + key * num_rows * sizeof(int64_t);
    row += rows_of(set.outputs[key]);
  }
  return Status::Ok();
}

// Who fills a key writes where its rows start; where the last of all ends is nobody's.
void EndOffsets(const ScanProjection& projection, BatchState* batch) {
  for (size_t i = 0; i < projection.sets.size(); ++i) {
    if (!IsKeyed(projection.sets[i].layout)) continue;
    const SetPlace& place = batch->sets[i];
    std::byte* const offsets = batch->At(place.offsets);
    const int64_t end = place.offset_per_key.back();
    if (projection.kjt_lengths == Type::kInt64) {
      reinterpret_cast<int64_t*>(offsets)[place.num_rows] = end;
    } else {
      reinterpret_cast<int32_t*>(offsets)[place.num_rows] = static_cast<int32_t>(end);
    }
  }
}

Status TooBig(const std::string& column, size_t num_rows, uint64_t max_bytes) {
  return Error(StatusCode::kResourceExhausted,
               "column {}: a batch of {} rows needs more than the {} bytes that are left of "
               "memory_bytes; a smaller batch or width helps",
               column, num_rows, max_bytes);
}

}  // namespace

Status LayOutBatch(const ScanProjection& projection, std::span<const BatchPiece> pieces,
                   size_t num_rows, uint64_t max_bytes, std::span<ListPart> lists,
                   BatchState* batch) {
  SlabPlanner planner(max_bytes);
  batch->outputs.assign(projection.outputs.size(), {});
  for (ListPart& part : lists) {
    OutputPlace& place = batch->outputs[part.output];
    part.first_entry = place.num_values;
    place.num_values += part.entries;
  }
  batch->inverse.assign(projection.groups.size(), 0);
  batch->num_unique.assign(projection.groups.size(), 0);
  for (size_t g = 0; g < projection.groups.size(); ++g) {
    if (!projection.groups[g].want_touched) continue;
    for (const BatchPiece& piece : pieces)
      batch->num_unique[g] += piece.group(static_cast<uint32_t>(g)).num_touched();
    if (projection.groups[g].want_inverse)
      batch->inverse[g] = planner.Place(num_rows, sizeof(int32_t));
  }
  for (size_t i = 0; i < projection.outputs.size(); ++i) {
    const ScanOutput& output = projection.outputs[i];
    OutputPlace& place = batch->outputs[i];
    const uint64_t num_unique = batch->num_unique[output.group];
    switch (output.layout) {
      case Layout::kPadded:
        PlacePadded(output, num_rows, &planner, &place);
        break;
      case Layout::kPaddedIkjt:
        PlacePadded(output, num_unique, &planner, &place);
        break;
      case Layout::kJagged:
        PlaceJagged(output, num_rows, &planner, &place);
        break;
      case Layout::kIkjt:
        PlaceJagged(output, num_unique, &planner, &place);
        break;
      // These with their sets.
      case Layout::kVbe:
      case Layout::kKjt:
      case Layout::kDense:
        break;
    }
    if (!planner.fits()) return TooBig(output.name, num_rows, max_bytes);
  }
  batch->sets.resize(projection.sets.size());
  for (size_t i = 0; i < projection.sets.size(); ++i) {
    const ScanSet& set = projection.sets[i];
    if (set.layout == Layout::kDense) {
      PlaceDense(set, num_rows, &planner, &batch->sets[i]);
    } else {
      DSI_RETURN_IF_ERROR(PlaceKeyed(projection, set, num_rows, &planner, &batch->sets[i], batch));
    }
    if (!planner.fits())
      return TooBig(projection.outputs[set.outputs.front()].name, num_rows, max_bytes);
  }
  DSI_RETURN_IF_ERROR(batch->ReserveSlab(planner.size(), max_bytes));
  EndOffsets(projection, batch);
  return Status::Ok();
}

}  // namespace dsi::internal
