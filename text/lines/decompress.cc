// Streaming gzip and zstd: memory stays bounded whatever the sizes that the data state.
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/text/lines/byte_source_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kCompressedChunk = 1 << 18;

Status EndsEarly(const std::string& name, std::string_view format) {
  return Error(StatusCode::kTruncated, "{}: the {} data end early", name, format);
}

// Holds what was read of the compressed source and not yet used.
class CompressedInput {
 public:
  explicit CompressedInput(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), bytes_(kCompressedChunk) {}

  // Reads more when all is used; the rest stays empty at the end of the source.
  Status Refill() {
    if (at_ < size_) return {};
    DSI_ASSIGN_OR_RETURN(size_, source_->Read(bytes_));
    at_ = 0;
    return {};
  }
  std::span<char> rest() { return std::span(bytes_).subspan(at_, size_ - at_); }
  void Use(size_t count) { at_ += count; }
  const ByteSource& source() const { return *source_; }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<char> bytes_;
  size_t at_ = 0;
  size_t size_ = 0;
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
      if (rest.empty()) {
        if (inside_) return EndsEarly(name_, "gzip");
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
        return BadInput("{}: damaged gzip data near byte {}: {}", name_,
                        input_.source().bytes_done(),
                        stream_.msg != nullptr ? stream_.msg : "unknown");
      }
      input_.Use(rest.size() - stream_.avail_in);
      if (code == Z_STREAM_END) inside_ = false;
      const size_t count = capacity - stream_.avail_out;
      if (count > 0) return count;
    }
  }

  uint64_t bytes_done() const override { return input_.source().bytes_done(); }
  uint64_t bytes_total() const override { return input_.source().bytes_total(); }

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
      if (rest.empty() && !inside_) return size_t{0};
      const size_t code = ZSTD_decompressStream(stream_, &out, &in);
      if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) return OutOfMemory();
      if (ZSTD_isError(code) != 0) {
        return BadInput("{}: damaged zstd data near byte {}: {}", name_,
                        input_.source().bytes_done(), ZSTD_getErrorName(code));
      }
      input_.Use(in.pos);
      inside_ = code != 0;
      if (out.pos > 0) return out.pos;
      // With no input left, a frame that gives nothing more was cut off.
      if (rest.empty()) return EndsEarly(name_, "zstd");
    }
  }

  uint64_t bytes_done() const override { return input_.source().bytes_done(); }
  uint64_t bytes_total() const override { return input_.source().bytes_total(); }

 private:
  CompressedInput input_;
  std::string name_;
  ZSTD_DStream* stream_;
  bool inside_ = false;  // A frame has begun and not ended.
};

}  // namespace

std::unique_ptr<ByteSource> MakeGzipSource(std::unique_ptr<ByteSource> compressed,
                                           std::string name) {
  return std::make_unique<GzipSource>(std::move(compressed), std::move(name));
}

std::unique_ptr<ByteSource> MakeZstdSource(std::unique_ptr<ByteSource> compressed,
                                           std::string name) {
  return std::make_unique<ZstdSource>(std::move(compressed), std::move(name));
}

}  // namespace dsi::internal
