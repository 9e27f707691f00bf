// Second pass over a batch: its parts are filled by all threads of the team.
#include "dsi/reader/scan/fill_batch_internal.h"

namespace dsi::internal {
namespace {

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
      if (piece.shape(output.shape).plain)
        DSI_RETURN_IF_ERROR(piece.ShapeArrays(output.shape).status());
    }
  }
  return Status::Ok();
}

}  // namespace

Status FillBatch(const ScanProjection& projection, std::span<const BatchPiece> pieces,
                 WorkerTeam* team, DenseScratch* scratch, BatchState* batch) {
  DSI_RETURN_IF_ERROR(MakeArrays(projection, pieces));
  const auto num_outputs = static_cast<uint32_t>(projection.outputs.size());
  const auto num_groups = static_cast<uint32_t>(projection.groups.size());
  return team->Run(size_t{num_outputs} + num_groups + 1, [&](size_t i) -> Status {
    if (i == 0) {
      for (const BatchPiece& piece : pieces) {
        if (!projection.dense.empty()) FillDense(projection, piece, scratch, batch);
      }
    } else if (i <= num_outputs) {
      const ScanOutput& output = projection.outputs[i - 1];
      if (output.layout == Layout::kDense) return Status::Ok();
      if (output.layout == Layout::kVbe) {
        FillInverse(pieces, output.group,
                    reinterpret_cast<int64_t*>(batch->At(batch->outputs[i - 1].inverse)));
      }
      return FillOutput(projection, static_cast<uint32_t>(i - 1), pieces, batch);
    } else {
      const auto g = static_cast<uint32_t>(i - 1 - num_outputs);
      if (projection.groups[g].want_inverse)
        FillInverse(pieces, g, reinterpret_cast<int32_t*>(batch->At(batch->inverse[g])));
    }
    return Status::Ok();
  });
}

}  // namespace dsi::internal
