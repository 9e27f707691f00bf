// Nodes that break a rule, and what decoding them must say.
#pragma once

#include <gtest/gtest.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "dsi/tests/codecs/node_arrays.h"

namespace dsi::internal::test {

constexpr StatusCode kCorrupt = StatusCode::kCorrupt;

inline Bytes ZstdFrame(const Bytes& raw, bool state_size = true, int window_log = 0,
                       bool checksum = true) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, state_size ? 1 : 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum ? 1 : 0);
  if (window_log != 0) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  Bytes frame(ZSTD_compressBound(raw.size()) + 64);
  ZSTD_outBuffer out{frame.data(), frame.size(), 0};
  ZSTD_inBuffer in{raw.data(), raw.size(), 0};
  // Streaming without a pledged size writes no content size, as hostile frames may.
  if (state_size) ZSTD_CCtx_setPledgedSrcSize(context, raw.size());
  EXPECT_EQ(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0U);
  frame.resize(out.pos);
  ZSTD_freeCCtx(context);
  return frame;
}

inline Bytes Ones(int width, size_t count) {
  return RawNode(width, std::vector<uint64_t>(count, 1));
}

// A constant node of u8 that stands for any child of `count` small values.
inline Bytes Same(int width, size_t count, uint64_t value) {
  return HandMadeNode{.encoding = 1, .width = width, .count = count, .payload = Number(value)}
      .bytes();
}

struct Case {
  std::string what;
  Bytes node;
  int width;
  size_t count;
  std::string rule;
  StatusCode code = kCorrupt;
};

inline void Check(const std::vector<Case>& cases, const SharedDictionary& dictionary = {}) {
  for (const Case& c : cases) {
    std::vector<uint8_t> values;
    const Status status = Decode(c.node, c.width, c.count, &values, dictionary);
    EXPECT_EQ(status.code(), c.code) << c.what << ": " << status.ToString();
    EXPECT_NE(status.message().find(c.rule), std::string::npos)
        << c.what << ": " << status.ToString();
  }
}

inline void CheckSound(const Bytes& node, int width, size_t count,
                       const SharedDictionary& dictionary = {}) {
  std::vector<uint8_t> values;
  const Status status = Decode(node, width, count, &values, dictionary);
  EXPECT_TRUE(status.ok()) << status.ToString();
}

}  // namespace dsi::internal::test
