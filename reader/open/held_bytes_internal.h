// Ranges of a file that are in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

namespace dsi::internal {

// Thread safety: const calls from many threads.
class HeldBytes {
 public:
  // Bytes [offset, offset + size) of the file.
  void Add(uint64_t offset, uint64_t size, std::shared_ptr<const std::byte> bytes) {
    Piece& piece = pieces_[offset];
    if (piece.bytes == nullptr || piece.size < size) piece = {size, std::move(bytes)};
    longest_ = std::max(longest_, size);
  }
  void Add(HeldBytes more) {
    for (auto& [offset, piece] : more.pieces_) Add(offset, piece.size, std::move(piece.bytes));
  }
  void Clear() {
    pieces_.clear();
    longest_ = 0;
  }

  // Where bytes [offset, offset + size) are; null: no piece has all of them.
  std::shared_ptr<const std::byte> Find(uint64_t offset, uint64_t size) const {
    const auto at = FindPiece(offset, size);
    if (at == pieces_.end()) return nullptr;
    return {at->second.bytes, at->second.bytes.get() + (offset - at->first)};
  }
  // The same for who only looks.
  const std::byte* At(uint64_t offset, uint64_t size) const {
    const auto at = FindPiece(offset, size);
    return at == pieces_.end() ? nullptr : at->second.bytes.get() + (offset - at->first);
  }

 private:
  struct Piece {
    uint64_t size = 0;
    std::shared_ptr<const std::byte> bytes;
  };
  using Pieces = std::map<uint64_t, Piece>;

  // Pieces may overlap: one that starts further before than the longest is long ends before.
  Pieces::const_iterator FindPiece(uint64_t offset, uint64_t size) const {
    for (auto at = pieces_.upper_bound(offset); at != pieces_.begin();) {
      --at;
      const uint64_t before = offset - at->first;
      if (before > longest_) break;
      if (before <= at->second.size && size <= at->second.size - before) return at;
    }
    return pieces_.end();
  }

  Pieces pieces_;  // By where they start.
  uint64_t longest_ = 0;
};

}  // namespace dsi::internal
