// Second pass over a batch: its parts, spread over the team.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "dsi/reader/scan/fill_batch_internal.h"

namespace dsi::internal {
namespace {

// Bytes of a padded output that a thread fills before it looks for more: they stay in its cache;
// and so few that more threads are not worth it.
constexpr uint64_t kBytesAtATime = 256 << 10;
constexpr uint64_t kLeastBytes = 16 << 10;

// Which unique row of the batch each of its rows is.
template <typename Index>
void FillInverse(std::span<const BatchPiece> pieces, uint32_t group, Index* inverse) {
  size_t first_unique = 0;
  for (const BatchPiece& piece : pieces) {
    const GroupRows& rows = piece.group(group);
    const std::span<const uint32_t> places = rows.scattered ? rows.inverse : rows.slots;
    Index* const out = inverse + piece.first;
    for (size_t i = 0; i < places.size(); ++i)
      out[i] = static_cast<Index>(places[i] + first_unique);
    first_unique += rows.num_touched();
  }
}

// Outputs of one shape share its arrays, which are made before threads look at them.
Status MakeArrays(const ScanProjection& projection, std::span<const BatchPiece> pieces) {
  for (const ScanOutput& output : projection.outputs) {
    if (output.layout == Layout::kDense) continue;
    for (const BatchPiece& piece : pieces) {
      const ShapeView& shape = piece.shape(output.shape);
      if (shape.plain && !IsOneNumber(output, shape))
        DSI_RETURN_IF_ERROR(piece.ShapeArrays(output.shape).status());
    }
  }
  return Status::Ok();
}

// Cuts rows that are written one after another into parts for all threads, of no more than
// kBytesAtATime; in one, where nobody helps.
void AddRows(FillPart::What what, uint32_t at, uint64_t row_bytes, uint32_t num_rows,
             size_t num_threads, std::vector<FillPart>* parts) {
  uint64_t step = num_rows;
  if (num_threads > 1) {
    row_bytes = std::max<uint64_t>(row_bytes, 1);
    const uint64_t share = RowsOfPart(num_rows, num_threads);
    step = std::min(kBytesAtATime / row_bytes, std::max(share, kLeastBytes / row_bytes));
    step = std::max<uint64_t>(step, 64);
  }
  for (uint64_t row = 0; row < num_rows; row += step) {
    parts->push_back({what, at, static_cast<uint32_t>(row),
                      static_cast<uint32_t>(std::min<uint64_t>(num_rows, row + step))});
  }
}

// What must be done as a whole comes first, and what is cut fills the time behind it.
void FindParts(const ScanProjection& projection, std::span<const ListPart> lists, uint32_t num_rows,
               size_t num_threads, std::vector<FillPart>* parts) {
  parts->clear();
  for (uint32_t i = 0; i < lists.size(); ++i) {
    parts->push_back({FillPart::What::kList, i, 0, num_rows});
    const uint32_t output = lists[i].output;
    if (lists[i].is_last && projection.outputs[output].layout == Layout::kVbe)
      parts->push_back({FillPart::What::kVbeInverse, output, 0, num_rows});
  }
  for (uint32_t g = 0; g < projection.groups.size(); ++g) {
    if (projection.groups[g].want_inverse)
      parts->push_back({FillPart::What::kInverse, g, 0, num_rows});
  }
  for (uint32_t i = 0; i < projection.sets.size(); ++i) {
    const ScanSet& set = projection.sets[i];
    if (set.layout != Layout::kDense) continue;
    const auto item_size = static_cast<uint64_t>(TypeWidth(set.dtype));
    AddRows(FillPart::What::kDense, i, set.outputs.size() * item_size, num_rows, num_threads,
            parts);
  }
  for (uint32_t i = 0; i < projection.outputs.size(); ++i) {
    const ScanOutput& output = projection.outputs[i];
    if (output.layout != Layout::kPadded) continue;
    AddRows(FillPart::What::kPadded, i, uint64_t{output.width} * output.item_size, num_rows,
            num_threads, parts);
  }
}

// The columns of the parts to come will be looked at.
void PrefetchParts(const ScanProjection& projection, std::span<const ListPart> lists,
                   const BatchPiece& piece, std::span<const FillPart> parts) {
  constexpr size_t kAhead = StripeDecoder::kPrefetchAhead;
  // Elsewhere the decoder's columns have other places, or none.
  if (piece.gathered != nullptr || piece.map != nullptr || piece.beside != nullptr) return;
  const auto output_of = [&](size_t i) -> const ScanOutput* {
    if (i >= parts.size()) return nullptr;
    if (parts[i].what == FillPart::What::kPadded) return &projection.outputs[parts[i].at];
    if (parts[i].what != FillPart::What::kList) return nullptr;
    return &projection.outputs[lists[parts[i].at].output];
  };
  if (const ScanOutput* const later = output_of(2 * kAhead); later != nullptr)
    piece.decoder->Prefetch(later->shape, later->values);
  if (const ScanOutput* const soon = output_of(kAhead); soon != nullptr)
    piece.decoder->PrefetchView(soon->shape, soon->values);
}

}  // namespace

Status FillBatch(const ScanProjection& projection, std::span<const BatchPiece> pieces,
                 size_t num_rows, WorkerTeam* team, FillScratch* scratch, ScanStats* stats,
                 BatchState* batch) {
  DSI_RETURN_IF_ERROR(MakeArrays(projection, pieces));
  FindParts(projection, scratch->lists, static_cast<uint32_t>(num_rows), team->size(),
            &scratch->parts);
  scratch->dense.resize(team->size());
  std::atomic<uint64_t> expanded = 0;
  DSI_RETURN_IF_ERROR(team->Run(scratch->parts.size(), [&](size_t i) -> Status {
    const FillPart& part = scratch->parts[i];
    if (!pieces.empty())
      PrefetchParts(projection, scratch->lists, pieces.back(),
                    std::span(scratch->parts).subspan(i));
    const auto count = [&](const ScanOutput& output, uint64_t entries) {
      if (output.counts_entries) expanded += entries * projection.shapes[output.shape].num_values;
    };
    switch (part.what) {
      case FillPart::What::kPadded: {
        DSI_ASSIGN_OR_RETURN(const uint64_t entries, FillPaddedRows(projection, part.at, pieces,
                                                                    part.begin, part.end, batch));
        count(projection.outputs[part.at], entries);
        break;
      }
      case FillPart::What::kList: {
        const ListPart& list = scratch->lists[part.at];
        DSI_ASSIGN_OR_RETURN(const uint64_t entries,
                             FillList(projection, list, pieces, team->size() == 1, batch));
        count(projection.outputs[list.output], entries);
        break;
      }
      case FillPart::What::kVbeInverse:
        FillInverse(pieces, projection.outputs[part.at].group,
                    reinterpret_cast<int64_t*>(batch->At(batch->outputs[part.at].inverse)));
        break;
      case FillPart::What::kInverse:
        FillInverse(pieces, part.at,
                    reinterpret_cast<int32_t*>(batch->At(batch->inverse[part.at])));
        break;
      case FillPart::What::kDense:
        FillDense(projection, part.at, pieces, part.begin, part.end,
                  &scratch->dense[WorkerTeam::current()], batch);
        break;
    }
    return Status::Ok();
  }));
  stats->values_expanded += expanded;
  return Status::Ok();
}

Status BatchFiller::Fill(const std::shared_ptr<const ScanProjection>& projection,
                         std::span<const BatchPiece> pieces, size_t num_rows, WorkerTeam* team,
                         ScanStats* stats, BatchState* batch) {
  const std::byte* const before = batch->slab;
  const uint64_t room = budget_->left() + slab_.bytes();
  DSI_RETURN_IF_ERROR(CutLists(*projection, pieces, team, &scratch_.lists, stats));
  DSI_RETURN_IF_ERROR(LayOutBatch(*projection, pieces, num_rows, room, scratch_.lists, batch));
  const uint64_t asked = batch->slab != before ? batch->capacity : batch->used;
  slab_.Set(std::max(slab_.bytes(), std::min(asked, room)));
  // Without pieces nobody writes the offsets of no rows.
  if (num_rows == 0 && batch->used != 0) std::memset(batch->slab, 0, batch->used);
  DSI_RETURN_IF_ERROR(FillBatch(*projection, pieces, num_rows, team, &scratch_, stats, batch));
  batch->projection = projection;
  batch->num_rows = num_rows;
  stats->rows += num_rows;
  stats->output_bytes += batch->used;
  ++stats->batches;
  return Status::Ok();
}

}  // namespace dsi::internal
