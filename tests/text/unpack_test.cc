// Packed text that comes through a pipe, from who packs some, sends it on and then waits.
#include <functional>
#include <utility>

#include "dsi/tests/text/text_fixture.h"
#include "dsi/text/lines/byte_source_internal.h"

namespace dsi::internal {
namespace {

// Gives its bytes in one go. Who asks for more would wait.
class SilentSource final : public ByteSource {
 public:
  explicit SilentSource(std::string bytes) : bytes_(std::move(bytes)) {}

  Result<size_t> Read(std::span<char> dst) override {
    if (done_ != 0) return Status(StatusCode::kIo, "more is wanted");
    EXPECT_GE(dst.size(), bytes_.size());
    done_ = bytes_.copy(dst.data(), dst.size());
    return done_;
  }
  uint64_t bytes_done() const override { return done_; }
  uint64_t bytes_total() const override { return 0; }
  bool is_ready() const override { return done_ == 0; }

 private:
  std::string bytes_;
  size_t done_ = 0;
};

// Packed so far that all of the text is in it, and not ended.
std::string ZstdFlushed(std::string_view text) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  std::string out(2 * ZSTD_compressBound(text.size()), '\0');
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  EXPECT_EQ(ZSTD_compressStream2(context, &to, &in, ZSTD_e_flush), 0U);
  ZSTD_freeCCtx(context);
  out.resize(to.pos);
  return out;
}

std::string Lz4Flushed(std::string_view text) {
  LZ4F_cctx* context = nullptr;
  EXPECT_EQ(LZ4F_isError(LZ4F_createCompressionContext(&context, LZ4F_VERSION)), 0U);
  std::string out(LZ4F_compressBound(text.size(), nullptr) + 64, '\0');
  size_t size = LZ4F_compressBegin(context, out.data(), out.size(), nullptr);
  const auto add = [&](size_t more) {
    ASSERT_EQ(LZ4F_isError(more), 0U);
    size += more;
  };
  add(LZ4F_compressUpdate(context, out.data() + size, out.size() - size, text.data(), text.size(),
                          nullptr));
  add(LZ4F_flush(context, out.data() + size, out.size() - size, nullptr));
  LZ4F_freeCompressionContext(context);
  out.resize(size);
  return out;
}

TEST(UnpackTest, WhatWasSentIsThereBeforeMoreIsRead) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "{\"x\":" + std::to_string(i % 100) + "}\n";
  const std::pair<Packing, std::string> all[] = {{Packing::kGzip, test::Gzip(text, Z_SYNC_FLUSH)},
                                                 {Packing::kZstd, ZstdFlushed(text)},
                                                 {Packing::kLz4, Lz4Flushed(text)}};
  for (const auto& [packing, packed] : all) {
    for (const size_t at_once : {1, 1000, 65'537}) {
      const auto source =
          MakeUnpacker(packing, std::make_unique<SilentSource>(packed), "packed text");
      std::string found;
      std::vector<char> some(at_once);
      while (found.size() < text.size()) {
        const Result<size_t> count = source->Read(some);
        ASSERT_TRUE(count.ok()) << EndingOf(packing) << ", " << at_once << " at once, "
                                << found.size() << " of " << text.size();
        found.append(some.data(), *count);
      }
      EXPECT_EQ(found, text);
      EXPECT_EQ(source->Read(some).status().code(), StatusCode::kIo) << EndingOf(packing);
    }
  }
}

}  // namespace
}  // namespace dsi::internal
