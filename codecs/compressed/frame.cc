// The two codecs: one frame each way, with every limit of E-100.
#include <lz4.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <limits>
#include <new>

#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/format/error_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kZstdMagic = 0xFD2FB528;

// Window size of a Zstandard frame header (RFC 8878, 3.1.1.1), or 0 where the header is cut short.
// Read here because the library checks it only when it streams, and tells it only through an
// interface that is not stable.
uint64_t ZstdWindow(std::span<const std::byte> frame, uint64_t content_size) {
  if (frame.size() < 6) return 0;
  const bool single_segment = (frame[4] & std::byte{0x20}) != std::byte{0};
  if (single_segment) return content_size;
  const auto descriptor = LoadLE<uint8_t>(&frame[5]);
  const uint64_t base = uint64_t{1} << (10 + (descriptor >> 3));
  return base + base / 8 * (descriptor & 7);
}

// What a frame says of itself.
Status CheckZstdFrame(std::span<const std::byte> frame, uint64_t raw_size) {
  if (frame.size() < 4 || LoadLE<uint32_t>(frame.data()) != kZstdMagic) {
    return Corrupt("compressed: no Zstandard frame (E-100)");
  }
  const unsigned long long content = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR) {
    return Corrupt("compressed: frame states no content size, expected {} (E-100)", raw_size);
  }
  if (content != raw_size) {
    return Corrupt("compressed: frame states {} bytes of content, expected {} (E-100)", content,
                   raw_size);
  }
  const unsigned dictionary = ZSTD_getDictID_fromFrame(frame.data(), frame.size());
  if (dictionary != 0) {
    return Corrupt("compressed: frame names dictionary {}, expected none (E-100)", dictionary);
  }
  const uint64_t window = ZstdWindow(frame, content);
  if (window == 0 || window > uint64_t{1} << kMaxZstdWindowLog) {
    return Corrupt("compressed: frame with a window of {} bytes, expected 1 to 2^{} (E-100)",
                   window, kMaxZstdWindowLog);
  }
  const size_t frame_size = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(frame_size) != 0 || frame_size != frame.size()) {
    return Corrupt("compressed: payload of {} bytes is not exactly one frame (E-100)",
                   frame.size());
  }
  return Status::Ok();
}

Status CheckLz4Block(std::span<const std::byte> block, uint64_t raw_size) {
  constexpr size_t kMost = std::numeric_limits<int>::max();
  if (block.size() <= kMost && raw_size <= kMost) return Status::Ok();
  return Corrupt("compressed: LZ4 block of {} bytes for {}, expected both at most {} (E-100)",
                 block.size(), raw_size, kMost);
}

// All that can be told before memory is taken for what is in the frame.
Status CheckFrame(const NodeView& node) {
  const uint64_t limit = 4096 + 32 * uint64_t{node.count};
  if (node.aux > limit) {
    return Corrupt("compressed: raw size of {} bytes, expected at most {} (E-100)", node.aux,
                   limit);
  }
  if (node.param == kZstdCodec) return CheckZstdFrame(node.payload, node.aux);
  if (node.param == kLz4Codec) return CheckLz4Block(node.payload, node.aux);
  return Corrupt("compressed: codec {}, expected 1 or 2 (E-100)", node.param);
}

Status DecompressZstd(std::span<const std::byte> frame, size_t raw_size,
                      DecodeScratch::State* scratch, std::byte* dst) {
  if (scratch->decompressor == nullptr) scratch->decompressor = ZSTD_createDCtx();
  if (scratch->decompressor == nullptr) {
    return Error(StatusCode::kResourceExhausted, "compressed: no memory for a decompressor");
  }
  const size_t size =
      ZSTD_decompressDCtx(scratch->decompressor, dst, raw_size, frame.data(), frame.size());
  if (ZSTD_isError(size) != 0)
    return Corrupt("compressed: Zstandard: {} (E-100)", ZSTD_getErrorName(size));
  if (size != raw_size)
    return Corrupt("compressed: {} bytes came out, expected {} (E-100)", size, raw_size);
  return Status::Ok();
}

Status DecompressLz4(std::span<const std::byte> block, size_t raw_size, std::byte* dst) {
  const int size =
      LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()), reinterpret_cast<char*>(dst),
                          static_cast<int>(block.size()), static_cast<int>(raw_size));
  if (size < 0 || static_cast<size_t>(size) != raw_size) {
    return Corrupt("compressed: LZ4 block does not hold the {} bytes stated (E-100)", raw_size);
  }
  return Status::Ok();
}

}  // namespace

Result<NodeView> Decompress(const NodeView& node, const DecodeContext& context,
                            BorrowedBuffer* buffer) {
  DSI_RETURN_IF_ERROR(CheckFrame(node));
  const size_t raw_size = node.aux;
  std::byte* raw = buffer->Reserve(raw_size);
  if (node.param == kZstdCodec) {
    DSI_RETURN_IF_ERROR(DecompressZstd(node.payload, raw_size, context.scratch, raw));
  } else {
    DSI_RETURN_IF_ERROR(DecompressLz4(node.payload, raw_size, raw));
  }
  Result<NodeView> inner = ParseExpectedNode({raw, raw_size}, node.width, node.count);
  if (!inner.ok()) return inner;
  if (inner->size != raw_size) {
    return Corrupt("compressed: {} bytes came out, its node has {} (E-100)", raw_size, inner->size);
  }
  if (inner->encoding == static_cast<uint8_t>(Encoding::kCompressed)) {
    return Corrupt("compressed: the node inside is compressed too (E-100)");
  }
  return inner;
}

FrameEncoder::~FrameEncoder() { ZSTD_freeCCtx(zstd_); }

bool FrameEncoder::Append(uint8_t codec, int level, bool literals_only,
                          std::span<const std::byte> raw, std::vector<std::byte>* out) {
  return codec == kLz4Codec ? AppendLz4(raw, out) : AppendZstd(level, literals_only, raw, out);
}

bool FrameEncoder::AppendLz4(std::span<const std::byte> raw, std::vector<std::byte>* out) {
  if (raw.size() > LZ4_MAX_INPUT_SIZE) return false;
  const size_t start = out->size();
  const int bound = LZ4_compressBound(static_cast<int>(raw.size()));
  out->resize(start + static_cast<size_t>(bound));
  const int size = LZ4_compress_default(reinterpret_cast<const char*>(raw.data()),
                                        reinterpret_cast<char*>(out->data() + start),
                                        static_cast<int>(raw.size()), bound);
  out->resize(start + static_cast<size_t>(std::max(size, 0)));
  return size > 0;
}

bool FrameEncoder::AppendZstd(int level, bool literals_only, std::span<const std::byte> raw,
                              std::vector<std::byte>* out) {
  if (zstd_ == nullptr) zstd_ = ZSTD_createCCtx();
  if (zstd_ == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_reset(zstd_, ZSTD_reset_session_and_parameters);
  const auto set = [this](ZSTD_cParameter parameter, int value) {
    ZSTD_CCtx_setParameter(zstd_, parameter, value);
  };
  if (literals_only) {
    // The library has no stable switch for this; the smallest table and the longest shortest match
    // come within two percent of it.
    constexpr int kSmallestHashLog = 6;
    constexpr int kLongestMinMatch = 7;
    set(ZSTD_c_compressionLevel, 1);
    set(ZSTD_c_strategy, ZSTD_fast);
    set(ZSTD_c_hashLog, kSmallestHashLog);
    set(ZSTD_c_minMatch, kLongestMinMatch);
  } else {
    // The strongest levels would take a larger window than readers accept; no page is longer than
    // this one.
    constexpr int kFirstWideLevel = 18;
    constexpr int kPageWindowLog = 23;
    static_assert(kPageWindowLog <= kMaxZstdWindowLog);
    set(ZSTD_c_compressionLevel, level);
    if (level >= kFirstWideLevel) set(ZSTD_c_windowLog, kPageWindowLog);
  }
  const size_t start = out->size();
  const size_t bound = ZSTD_compressBound(raw.size());
  out->resize(start + bound);
  const size_t size = ZSTD_compress2(zstd_, out->data() + start, bound, raw.data(), raw.size());
  // What fails for want of memory must not look like a page that does not compress.
  if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) throw std::bad_alloc();
  const bool done = ZSTD_isError(size) == 0;
  out->resize(start + (done ? size : 0));
  return done;
}

}  // namespace dsi::internal
