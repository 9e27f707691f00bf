// The two codecs: one frame each way, within the limits of E-100.
#include <lz4.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>

#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

// All that can be told before memory is taken for what is in the frame.
Status CheckFrame(const NodeView& node) {
  const uint64_t limit = 4096 + 32 * uint64_t{node.count};
  if (node.aux > limit) {
    return Corrupt("compressed: raw size of {} bytes, expected at most {} (E-100)", node.aux,
                   limit);
  }
  if (node.param == kZstdCodec) return CheckZstdFrame(node.payload, node.aux);
  if (node.param == kLz4Codec) return Status::Ok();  // Decoded with every check.
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
    return Corrupt("compressed: Zstandard: {} (E-101)", ZSTD_getErrorName(size));
  if (size != raw_size)
    return Corrupt("compressed: {} bytes came out, expected {} (E-101)", size, raw_size);
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
    DSI_RETURN_IF_ERROR(DecodeLz4Block(node.payload, {raw, raw_size}));
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
  set(ZSTD_c_checksumFlag, 1);  // E-101.
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
    static_assert(1U << kPageWindowLog <= kMaxZstdWindow);
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
