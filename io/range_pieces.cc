#include "dsi/io/range_pieces_internal.h"

#include <algorithm>
#include <utility>

namespace dsi::internal {
namespace {

// What is asked for at once at most, so that a slow connection is a matter of seconds.
constexpr uint64_t kMostBytes = 16 << 20;
// Lengths that are tried to find one that makes no more pieces than connections.
constexpr int kMostTrials = 16;

uint64_t PiecesOf(uint64_t size, uint64_t length) { return (size + length - 1) / length; }

// Requests that touch, as one.
std::vector<RangePiece> JoinNeighbours(std::span<const ReadRequest> requests) {
  std::vector<ReadRequest> sorted;
  for (const ReadRequest& request : requests) {
    if (!request.dst.empty()) sorted.push_back(request);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const ReadRequest& a, const ReadRequest& b) { return a.offset < b.offset; });
  std::vector<RangePiece> runs;
  for (const ReadRequest& request : sorted) {
    if (runs.empty() || runs.back().offset + runs.back().size != request.offset) {
      runs.push_back({.offset = request.offset, .size = 0, .parts = {}});
    }
    runs.back().size += request.dst.size();
    runs.back().parts.push_back(request.dst);
  }
  return runs;
}

// The shortest length, about, that gives no connection a second piece while another has none.
uint64_t PieceLength(const std::vector<RangePiece>& runs, uint32_t connections,
                     uint64_t least_bytes) {
  uint64_t sum = 0;
  for (const RangePiece& run : runs) sum += run.size;
  const uint64_t rounds = PiecesOf(sum, connections * kMostBytes);
  const uint64_t most_pieces = std::max<uint64_t>(1, rounds) * connections;
  uint64_t length = std::clamp(PiecesOf(sum, most_pieces), uint64_t{1}, kMostBytes);
  for (int i = 0; i < kMostTrials && length < kMostBytes; ++i) {
    uint64_t num_pieces = 0;
    for (const RangePiece& run : runs) num_pieces += PiecesOf(run.size, length);
    if (num_pieces <= most_pieces) break;
    length = std::min(kMostBytes, length + length / 8 + 1);
  }
  return std::max(length, least_bytes);
}

// Cuts a run into pieces as long as each other.
void Cut(const RangePiece& run, uint64_t length, std::vector<RangePiece>* pieces) {
  const uint64_t num_pieces = PiecesOf(run.size, length);
  size_t part = 0;
  size_t part_done = 0;
  for (uint64_t i = 0, begin = 0; i < num_pieces; ++i) {
    const uint64_t size = (run.size - begin) / (num_pieces - i);
    RangePiece piece{.offset = run.offset + begin, .size = size, .parts = {}};
    for (uint64_t left = size; left > 0;) {
      const std::span<std::byte> rest = run.parts[part].subspan(part_done);
      const size_t taken = std::min<uint64_t>(rest.size(), left);
      piece.parts.push_back(rest.first(taken));
      left -= taken;
      part_done += taken;
      if (part_done < run.parts[part].size()) continue;
      ++part;
      part_done = 0;
    }
    pieces->push_back(std::move(piece));
    begin += size;
  }
}

}  // namespace

std::vector<RangePiece> MakePieces(std::span<const ReadRequest> requests, uint32_t connections,
                                   uint64_t least_bytes) {
  const std::vector<RangePiece> runs = JoinNeighbours(requests);
  const uint64_t length = PieceLength(runs, connections, least_bytes);
  std::vector<RangePiece> pieces;
  for (const RangePiece& run : runs) Cut(run, length, &pieces);
  // What takes longest begins first, so that all end together.
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const RangePiece& a, const RangePiece& b) { return a.size > b.size; });
  return pieces;
}

}  // namespace dsi::internal
