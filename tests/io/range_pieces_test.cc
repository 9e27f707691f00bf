#include "dsi/io/range_pieces_internal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "dsi/io/read_ahead_internal.h"
#include "dsi/tests/io/file_bytes.h"

namespace dsi::internal {
namespace {

// What a server does with the pieces.
void Serve(const std::vector<std::byte>& file, const std::vector<RangePiece>& pieces) {
  for (const RangePiece& piece : pieces) {
    uint64_t at = piece.offset;
    for (const std::span<std::byte> part : piece.parts) {
      std::memcpy(part.data(), file.data() + at, part.size());
      at += part.size();
    }
    EXPECT_EQ(at, piece.offset + piece.size);
  }
}

TEST(RangePiecesTest, AnyRequestsAreFilled) {
  const std::vector<std::byte> file = test::PatternBytes(100'000);
  std::minstd_rand random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<std::byte>> memory;
    std::vector<ReadRequest> requests;
    uint64_t at = 0;
    for (auto i = random() % 20; i > 0; --i) {
      const uint64_t offset = random() % 3 == 0 ? at : random() % file.size();
      const uint64_t size = std::min<uint64_t>(random() % 9000, file.size() - offset);
      memory.emplace_back(size);
      requests.push_back({offset, memory.back()});
      at = offset + size;
    }
    const auto pieces =
        MakePieces(requests, 1 + static_cast<uint32_t>(random() % 40), 1 + random() % 3000);
    Serve(file, pieces);
    for (size_t i = 0; i < requests.size(); ++i) {
      EXPECT_TRUE(std::equal(memory[i].begin(), memory[i].end(),
                             file.begin() + static_cast<ptrdiff_t>(requests[i].offset)));
    }
  }
}

std::vector<RangePiece> PiecesOf(std::initializer_list<std::pair<uint64_t, uint64_t>> ranges,
                                 uint32_t connections, uint64_t least) {
  static std::vector<std::byte> memory(64 << 20);
  std::vector<ReadRequest> requests;
  for (const auto& [offset, size] : ranges)
    requests.push_back({offset, std::span(memory).first(size)});
  return MakePieces(requests, connections, least);
}

TEST(RangePiecesTest, NeighboursAreOneAndLongOnesAreShared) {
  EXPECT_EQ(PiecesOf({{10, 5}, {0, 10}, {16, 4}}, 8, 100).size(), 2u);
  EXPECT_TRUE(PiecesOf({{5, 0}}, 8, 1).empty());
  EXPECT_TRUE(PiecesOf({}, 8, 1).empty());
  EXPECT_EQ(PiecesOf({{0, 8000}}, 8, 1).size(), 8u);
  EXPECT_EQ(PiecesOf({{0, 8000}}, 8, 4000).size(), 2u);
  // Twelve equal ranges over sixteen connections stay whole: half of them twice would take longer.
  std::vector<RangePiece> pieces =
      PiecesOf({{0, 900}, {1000, 900}, {2000, 900}, {3000, 900}, {4000, 900}, {5000, 900}}, 8, 1);
  EXPECT_EQ(pieces.size(), 6u);
  // Rounds over all connections, none of them for a few.
  pieces = PiecesOf({{0, 40 << 20}}, 2, 1);
  EXPECT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[0].size, pieces[3].size);
  // The longest begins first.
  pieces = PiecesOf({{0, 10}, {100, 900}, {2000, 50}}, 8, 1000);
  EXPECT_EQ(pieces[0].size, 900u);
}

TEST(ReadAheadTest, RowsGrowAndTakeTurns) {
  ReadAhead ahead;
  const std::vector<std::byte> file = test::PatternBytes(4 << 20);
  uint64_t reads = 0;
  const auto read = [&](uint64_t offset, uint64_t size) {
    std::vector<std::byte> got(size);
    if (!ahead.Take(offset, got)) {
      ++reads;
      const uint64_t wanted = std::min(ahead.SizeFor(offset, size), file.size() - offset);
      const auto from = file.begin() + static_cast<ptrdiff_t>(offset);
      std::copy_n(from, size, got.begin());
      if (wanted > size) {
        ahead.Keep(offset, std::vector<std::byte>(from, from + static_cast<ptrdiff_t>(wanted)));
      }
    }
    EXPECT_TRUE(std::equal(got.begin(), got.end(), file.begin() + static_cast<ptrdiff_t>(offset)));
  };
  for (uint64_t i = 0; i < 2000; ++i) {
    read(i * 500, 480);
    if (i % 5 == 0) read((2 << 20) + i * 500, 2400);
  }
  EXPECT_LE(reads, 14u);
  // Reads here and there stay as they are.
  ReadAhead other;
  for (uint64_t i = 1; i < 20; ++i) EXPECT_EQ(other.SizeFor(i * 100'000, 100), 100u);
}

}  // namespace
}  // namespace dsi::internal
