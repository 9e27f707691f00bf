// Streaming gzip, zstd and LZ4: memory stays bounded whatever the sizes that the data state.
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/text/lines/byte_source_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kCompressedChunk = 1 << 18;

// Holds what was read of the compressed source and not yet used, and knows whether the unpacker may
// have more output than there was room for: that is had without waiting for who writes into a pipe.
class CompressedInput {
 public:
  explicit CompressedInput(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), bytes_(kCompressedChunk) {}

  // Reads more when all is used and nothing is held back; else is_over at the end of the source.
  Status Refill() {
    if (at_ < size_ || holds_back_) return {};
    DSI_ASSIGN_OR_RETURN(size_, source_->Read(bytes_));
    at_ = 0;
    return {};
  }
  std::span<char> rest() { return std::span(bytes_).subspan(at_, size_ - at_); }
  bool is_over() const { return at_ == size_ && !holds_back_; }
  void Use(size_t count, bool holds_back) {
    at_ += count;
    holds_back_ = holds_back;
  }
  const ByteSource& source() const { return *source_; }
  bool is_ready() const { return at_ < size_ || source_->is_ready(); }

  // The source ended inside what is packed.
  Status EndsEarly(const std::string& name, std::string_view format) const {
    return Error(StatusCode::kTruncated, "{}: the {} data end early, at byte {}", name, format,
                 position());
  }
  // What comes next cannot be unpacked.
  Status Damaged(const std::string& name, std::string_view format, std::string_view why) const {
    return BadInput("{}: damaged {} data near byte {}: {}", name, format, position(), why);
  }

 private:
  // Of the first byte not yet used.
  uint64_t position() const { return source_->bytes_done() - (size_ - at_); }

  std::unique_ptr<ByteSource> source_;
  std::vector<char> bytes_;
  size_t at_ = 0;
  size_t size_ = 0;
  bool holds_back_ = false;
};

class GzipSource : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : input_(std::move(compressed)), name_(std::move(name)) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<size_t> Read(std::span<char> dst) override {
    const size_t capacity = std::min<size_t>(dst.size(), std::numeric_limits<uInt>::max());
    while (true) {
      DSI_RETURN_IF_ERROR(input_.Refill());
      const std::span<char> rest = input_.rest();
      if (input_.is_over()) {
        if (inside_) return input_.EndsEarly(name_, "gzip");
        return size_t{0};
      }
      // Members may follow one another, as parallel compressors write them.
      if (!inside_ && inflateReset(&stream_) != Z_OK) return BadInput("{}: zlib failed", name_);
      inside_ = true;
      stream_.next_in = reinterpret_cast<Bytef*>(rest.data());
      stream_.avail_in = static_cast<uInt>(rest.size());
      stream_.next_out = reinterpret_cast<Bytef*>(dst.data());
      stream_.avail_out = static_cast<uInt>(capacity);
      const int code = inflate(&stream_, Z_NO_FLUSH);
      if (code == Z_MEM_ERROR) return OutOfMemory();
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        input_.Use(rest.size() - stream_.avail_in, false);
        return input_.Damaged(name_, "gzip", stream_.msg != nullptr ? stream_.msg : "unknown");
      }
      if (code == Z_STREAM_END) inside_ = false;
      input_.Use(rest.size() - stream_.avail_in, inside_ && stream_.avail_out == 0);
      const size_t count = capacity - stream_.avail_out;
      if (count > 0) return count;
    }
  }

  uint64_t bytes_done() const override { return input_.source().bytes_done(); }
  uint64_t bytes_total() const override { return input_.source().bytes_total(); }
  bool is_ready() const override { return input_.is_ready(); }

 private:
  CompressedInput input_;
  std::string name_;
  z_stream stream_{};
  bool inside_ = false;  // A member has begun and not ended.
};

class ZstdSource : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : input_(std::move(compressed)), name_(std::move(name)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  Result<size_t> Read(std::span<char> dst) override {
    while (true) {
      DSI_RETURN_IF_ERROR(input_.Refill());
      const std::span<char> rest = input_.rest();
      ZSTD_outBuffer out{dst.data(), dst.size(), 0};
      ZSTD_inBuffer in{rest.data(), rest.size(), 0};
      const bool is_over = input_.is_over();
      if (is_over && !inside_) return size_t{0};
      const size_t code = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) return OutOfMemory();
      if (ZSTD_isError(code) != 0) {
        input_.Use(in.pos, false);
        return input_.Damaged(name_, "zstd", ZSTD_getErrorName(code));
      }
      inside_ = code != 0;
      input_.Use(in.pos, inside_ && out.pos == out.size);
      if (out.pos > 0) return out.pos;
      // With no input left, a frame that gives nothing more was cut off.
      if (is_over) return input_.EndsEarly(name_, "zstd");
    }
  }

  uint64_t bytes_done() const override { return input_.source().bytes_done(); }
  uint64_t bytes_total() const override { return input_.source().bytes_total(); }
  bool is_ready() const override { return input_.is_ready(); }

 private:
  CompressedInput input_;
  std::string name_;
  ZSTD_DStream* stream_;
  bool inside_ = false;  // A frame has begun and not ended.
};

class Lz4Source : public ByteSource {
 public:
  Lz4Source(std::unique_ptr<ByteSource> compressed, std::string name)
      : input_(std::move(compressed)), name_(std::move(name)) {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&stream_, LZ4F_VERSION)) != 0)
      throw std::bad_alloc();
  }
  ~Lz4Source() override { LZ4F_freeDecompressionContext(stream_); }
  Lz4Source(const Lz4Source&) = delete;
  Lz4Source& operator=(const Lz4Source&) = delete;

  Result<size_t> Read(std::span<char> dst) override {
    while (true) {
      DSI_RETURN_IF_ERROR(input_.Refill());
      const std::span<char> rest = input_.rest();
      // Frames may follow one another.
      const bool is_over = input_.is_over();
      if (is_over && !inside_) return size_t{0};
      size_t taken = rest.size();
      size_t made = dst.size();
      const size_t code = LZ4F_decompress(stream_, dst.data(), &made, rest.data(), &taken, nullptr);
      if (LZ4F_isError(code) != 0) {
        const std::string_view why = LZ4F_getErrorName(code);
        if (why == "ERROR_allocation_failed") return OutOfMemory();
        return input_.Damaged(name_, "LZ4", why);
      }
      inside_ = code != 0;
      input_.Use(taken, inside_ && made == dst.size());
      if (made > 0) return made;
      if (is_over) return input_.EndsEarly(name_, "LZ4");
    }
  }

  uint64_t bytes_done() const override { return input_.source().bytes_done(); }
  uint64_t bytes_total() const override { return input_.source().bytes_total(); }
  bool is_ready() const override { return input_.is_ready(); }

 private:
  CompressedInput input_;
  std::string name_;
  LZ4F_dctx* stream_ = nullptr;
  bool inside_ = false;  // A frame has begun and not ended.
};

}  // namespace

std::unique_ptr<ByteSource> MakeUnpacker(Packing packing, std::unique_ptr<ByteSource> packed,
                                         std::string name) {
  switch (packing) {
    case Packing::kNone:
      return packed;
    case Packing::kGzip:
      return std::make_unique<GzipSource>(std::move(packed), std::move(name));
    case Packing::kZstd:
      return std::make_unique<ZstdSource>(std::move(packed), std::move(name));
    case Packing::kLz4:
      return std::make_unique<Lz4Source>(std::move(packed), std::move(name));
  }
  return packed;
}

}  // namespace dsi::internal
