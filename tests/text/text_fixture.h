// Texts on disk, plain or compressed, and rows read from them.
#pragma once

#include <gtest/gtest.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/tests/support/temp_folder.h"
#include "dsi/text/text_input.h"

namespace dsi::test {

// Z_SYNC_FLUSH: all of the text is in it, but it is not ended.
inline std::string Gzip(std::string_view text, int flush = Z_FINISH) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, flush), flush == Z_FINISH ? Z_STREAM_END : Z_OK);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string Zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

inline std::string Lz4(std::string_view text) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  std::string out(LZ4F_compressFrameBound(text.size(), &preferences), '\0');
  out.resize(LZ4F_compressFrame(out.data(), out.size(), text.data(), text.size(), &preferences));
  return out;
}

class TextTest : public ::testing::Test {
 protected:
  static std::shared_ptr<const Schema> MakeSchema(const std::string& features) {
    Result<Schema> schema = Schema::FromJson("{\"features\": [" + features + "]}");
    EXPECT_TRUE(schema.ok()) << schema.status().ToString();
    return std::make_shared<const Schema>(*std::move(schema));
  }

  std::string Write(const std::string& name, std::string_view text) {
    const std::string path = folder_.File(name);
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // Reads all rows into batch_, 3 at a time; the first error, or ok.
  Status Read(const std::string& path, std::shared_ptr<const Schema> schema,
              const TextInputOptions& options = {}) {
    batch_ = std::make_unique<RowBatch>(schema);
    DSI_ASSIGN_OR_RETURN(const std::unique_ptr<TextInput> input,
                         TextInput::Open(path, schema, options));
    while (true) {
      DSI_ASSIGN_OR_RETURN(const bool more, input->Next(3, batch_.get()));
      if (!more) break;
    }
    bytes_done_ = input->bytes_done();
    bytes_total_ = input->bytes_total();
    lines_done_ = input->lines_done();
    coverage_ = input->coverage();
    return {};
  }
  Status ReadText(const std::string& name, std::string_view text, const std::string& features,
                  const TextInputOptions& options = {}) {
    return Read(Write(name, text), MakeSchema(features), options);
  }

  // The values of one column, one after another.
  template <typename T>
  std::vector<T> Values(size_t feature, size_t column = 0) const {
    const GrowingBytes& bytes = batch_->feature(feature).values[column];
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::string Text(size_t feature) const {
    const std::vector<char> text = Values<char>(feature);
    return {text.begin(), text.end()};
  }

  TempFolder folder_;
  std::unique_ptr<RowBatch> batch_;
  uint64_t bytes_done_ = 0;
  uint64_t bytes_total_ = 0;
  uint64_t lines_done_ = 0;
  TextCoverage coverage_;
};

}  // namespace dsi::test

#define EXPECT_REFUSED(status_expression, expected_code, part)                        \
  do {                                                                                \
    const ::dsi::Status refused = (status_expression);                                \
    EXPECT_EQ(refused.code(), expected_code) << refused.ToString();                   \
    EXPECT_NE(refused.message().find(part), std::string::npos) << refused.ToString(); \
  } while (false)
