// Bytes in a compressed node and back (spec E-100, F-042, F-065).
#include <gtest/gtest.h>

#include <vector>

#include "dsi/codecs/compressed/compressed_internal.h"

namespace dsi::internal {
namespace {

std::vector<std::byte> Bytes(size_t count, uint32_t period) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>((i % period) * 2654435761U >> 13);
  return bytes;
}

TEST(CompressBytes, ComeBack) {
  FrameEncoder frames;
  DecodeScratch scratch;
  for (const uint8_t codec : {kZstdCodec, kLz4Codec}) {
    for (const size_t count : {size_t{200}, size_t{4096}, size_t{16384}}) {
      const std::vector<std::byte> bytes = Bytes(count, 50);
      std::vector<std::byte> node(8);  // Appended to what is there.
      ASSERT_TRUE(CompressBytes(bytes, codec, 3, &frames, &node));
      const std::span<const std::byte> part = std::span(node).subspan(8);
      EXPECT_LT(part.size(), count);
      std::vector<std::byte> back(count);
      EXPECT_TRUE(DecompressBytes(part, &scratch, back).ok());
      EXPECT_EQ(back, bytes);
      back.pop_back();
      EXPECT_EQ(DecompressBytes(part, &scratch, back).code(), StatusCode::kCorrupt);
    }
  }
}

TEST(CompressBytes, WhatDoesNotGetSmallerIsLeft) {
  FrameEncoder frames;
  std::vector<std::byte> node(8);
  for (const uint8_t codec : {kZstdCodec, kLz4Codec}) {
    EXPECT_FALSE(CompressBytes(Bytes(100, 100), codec, 3, &frames, &node));
    EXPECT_EQ(node.size(), 8U);
  }
}

TEST(CompressBytes, OtherEncodingsAreRefused) {
  DecodeScratch scratch;
  const std::vector<std::byte> bytes(64);
  std::vector<std::byte> node;
  EncodePlan plan;
  plan.encoding = Encoding::kConstant;
  EncodeNode({.values = bytes.data(), .count = bytes.size(), .width = 1}, plan, {}, &node);
  std::vector<std::byte> back(64);
  EXPECT_EQ(DecompressBytes(node, &scratch, back).code(), StatusCode::kCorrupt);
  node[0] = std::byte{99};
  EXPECT_EQ(DecompressBytes(node, &scratch, back).code(), StatusCode::kCorrupt);
}

}  // namespace
}  // namespace dsi::internal
