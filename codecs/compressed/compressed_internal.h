// Frames of Zstandard and LZ4 around one node (spec E-100 … E-102).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dsi/codecs/decode_internal.h"
#include "dsi/codecs/node_internal.h"

struct ZSTD_CCtx_s;

namespace dsi::internal {

class Chooser;

inline constexpr uint8_t kZstdCodec = 1;
inline constexpr uint8_t kLz4Codec = 2;

// Decompresses a compressed node into `buffer` and returns the frame-checked node inside, which is
// not compressed and has this node's width and count. Takes no memory before the sizes and what the
// frame says of itself have been checked.
Result<NodeView> Decompress(const NodeView& node, const DecodeContext& context,
                            BorrowedBuffer* buffer);

// E-101: what a frame says of itself, down to the heads of its blocks. Takes no memory.
Status CheckZstdFrame(std::span<const std::byte> frame, uint64_t raw_size);

// E-102: fills `out` exactly, or kCorrupt.
Status DecodeLz4Block(std::span<const std::byte> block, std::span<std::byte> out);

// Compresses; keeps its working memory from call to call.
class FrameEncoder {
 public:
  FrameEncoder() = default;
  ~FrameEncoder();
  FrameEncoder(const FrameEncoder&) = delete;
  FrameEncoder& operator=(const FrameEncoder&) = delete;

  // Appends one frame; false where the codec fails, as on input beyond its limits. `level` and
  // `literals_only` matter to Zstandard only: chance matches in bytes that merely have an uneven
  // distribution cost more than they save (a fifth of the frame on exponents of floats).
  bool Append(uint8_t codec, int level, bool literals_only, std::span<const std::byte> raw,
              std::vector<std::byte>* out);

 private:
  bool AppendLz4(std::span<const std::byte> raw, std::vector<std::byte>* out);
  bool AppendZstd(int level, bool literals_only, std::span<const std::byte> raw,
                  std::vector<std::byte>* out);

  ZSTD_CCtx_s* zstd_ = nullptr;  // Made by the first use.
};

// Appends bytes as a compressed node of width 1 (E-100) around a raw one; false, and nothing is
// appended, where that is no smaller than the raw node alone.
bool CompressBytes(std::span<const std::byte> bytes, uint8_t codec, int level, FrameEncoder* frames,
                   std::vector<std::byte>* out);

// Back, from such a node or a raw one of 16 bytes or more (F-042, F-065): fills `out`, whose size
// is what it must hold. Anything else is kCorrupt.
Status DecompressBytes(std::span<const std::byte> node, DecodeScratch* scratch,
                       std::span<std::byte> out);

// Whether a frame is enough smaller than what is in it to be worth decompressing.
bool IsAccepted(size_t frame, size_t inner, const EncodeTuning& tuning);

// Offers codecs for an array to a choice.
void ConsiderCodecs(Chooser* chooser);

}  // namespace dsi::internal
