// Lists of a batch, cut into parts that threads count and fill apart.
#include <algorithm>
#include <atomic>

#include "dsi/reader/scan/fill_batch_internal.h"

namespace dsi::internal {
namespace {

// Fewer rows are not worth a part.
constexpr size_t kLeastRows = 512;
constexpr size_t kStepsPerThread = 8;
constexpr size_t kMostAtATime = 64;

bool IsOfUniqueRows(Layout layout) {
  return layout == Layout::kIkjt || layout == Layout::kVbe || layout == Layout::kPaddedIkjt;
}

uint64_t CountEntriesOf(const ShapeView& shape, std::span<const uint32_t> slots) {
  uint64_t entries = 0;
  if (const uint64_t* const places = shape.places();
      places != nullptr) {  // They are looked up there next.
    for (const uint32_t slot : slots) entries += LengthOfPlace(places[slot]);
  } else {
    for (const uint32_t slot : slots) entries += shape.lengths[slot];
  }
  return entries;
}

// Entries of unique rows [begin, end) of a view that is not plain.
uint64_t CountRange(const ShapeView& shape, size_t begin, size_t end) {
  if (begin == 0 && end == shape.count && !shape.windows)
    return shape.end_value - shape.first_value;
  uint64_t entries = 0;
  for (size_t i = begin; i < end; ++i) entries += shape.lengths[i];
  return entries;
}

// Entries of unique rows [begin, end) that a piece touches.
uint64_t CountUnique(const ShapeView& shape, const GroupRows& rows, size_t begin, size_t end) {
  if (shape.plain) return uint64_t{end - begin} * shape.entries;
  if (!rows.scattered) return CountRange(shape, begin, end);
  return CountEntriesOf(shape, rows.touched.subspan(begin, end - begin));
}

// Entries of rows [begin, end) of a piece, as if nothing were deduplicated.
uint64_t CountRows(const ShapeView& shape, const GroupRows& rows, size_t begin, size_t end) {
  if (shape.plain) return uint64_t{end - begin} * shape.entries;
  if (rows.identity && !shape.windows) return CountRange(shape, begin, end);
  const bool is_whole = end - begin == rows.num_rows;
  // All unique rows are touched once.
  if (is_whole && rows.scattered && rows.touched.size() == rows.num_rows)
    return CountUnique(shape, rows, 0, rows.num_touched());
  if (!is_whole || rows.scattered || rows.identity)
    return CountEntriesOf(shape, rows.slots.subspan(begin, end - begin));
  uint64_t entries = 0;
  uint32_t first = 0;
  for (uint32_t i = 0; i < rows.num_unique; ++i) {
    entries += uint64_t{shape.lengths[i]} * (rows.run_ends[i] - first);
    first = rows.run_ends[i];
  }
  return entries;
}

void CountPart(const ScanOutput& output, const ShapeView& shape, const GroupRows& rows,
               ListPart* part) {
  if (output.layout == Layout::kPaddedIkjt) return;  // Its rows are of one length.
  part->entries = IsOfUniqueRows(output.layout) ? CountUnique(shape, rows, part->begin, part->end)
                                                : CountRows(shape, rows, part->begin, part->end);
}

// With one thread rows stay together, and are counted at once.
void CutOutput(const ScanProjection& projection, uint32_t at, std::span<const BatchPiece> pieces,
               size_t num_threads, std::vector<ListPart>* parts) {
  const ScanOutput& output = projection.outputs[at];
  uint64_t row = 0;
  for (uint32_t p = 0; p < pieces.size(); ++p) {
    const GroupRows& rows = pieces[p].group(output.group);
    const ShapeView& shape = pieces[p].shape(output.shape);
    const size_t count = IsOfUniqueRows(output.layout) ? rows.num_touched() : rows.num_rows;
    size_t step = count;
    if (num_threads > 1 && !shape.sparse)
      step = std::max<size_t>(kLeastRows, RowsOfPart(count, num_threads));
    size_t begin = 0;
    do {
      const size_t end = std::min(count, begin + step);
      parts->push_back({.output = at,
                        .piece = p,
                        .begin = static_cast<uint32_t>(begin),
                        .end = static_cast<uint32_t>(end),
                        .first_row = row + begin,
                        .is_last = p + 1 == pieces.size() && end == count});
      if (num_threads == 1) CountPart(output, shape, rows, &parts->back());
      begin = end;
    } while (begin < count);
    row += count;
  }
}

}  // namespace

Status CutLists(const ScanProjection& projection, std::span<const BatchPiece> pieces,
                WorkerTeam* team, std::vector<ListPart>* parts, ScanStats* stats) {
  parts->clear();
  for (uint32_t i = 0; i < projection.outputs.size(); ++i) {
    const Layout layout = projection.outputs[i].layout;
    if (layout != Layout::kDense && layout != Layout::kPadded)
      CutOutput(projection, i, pieces, team->size(), parts);
  }
  std::atomic<uint64_t> expanded = 0;
  // Shapes whose rows nobody goes through.
  const auto count_shape = [&](uint32_t at) {
    const ScanShape& shape = projection.shapes[at];
    if (shape.is_counted) return;
    uint64_t entries = 0;
    for (const BatchPiece& piece : pieces) {
      const GroupRows& rows = piece.group(shape.group);
      entries += CountRows(piece.shape(at), rows, 0, rows.num_rows);
    }
    expanded.fetch_add(entries * shape.num_values, std::memory_order_relaxed);
  };
  const size_t num_parts = team->size() == 1 ? 0 : parts->size();
  const size_t count = num_parts + projection.shapes.size();
  // Thousands of columns are taken some at a time.
  const size_t step = std::clamp<size_t>(count / (kStepsPerThread * team->size()), 1, kMostAtATime);
  DSI_RETURN_IF_ERROR(team->Run((count + step - 1) / step, [&](size_t run) {
    for (size_t i = run * step; i < std::min(count, (run + 1) * step); ++i) {
      if (i >= num_parts) {
        count_shape(static_cast<uint32_t>(i - num_parts));
        continue;
      }
      ListPart& part = (*parts)[i];
      const ScanOutput& output = projection.outputs[part.output];
      const BatchPiece& piece = pieces[part.piece];
      CountPart(output, piece.shape(output.shape), piece.group(output.group), &part);
    }
    return Status::Ok();
  }));
  stats->values_expanded += expanded;
  return Status::Ok();
}

}  // namespace dsi::internal
