// The frame that all encodings share: a 16-byte header, a payload, zeros up to a multiple of 8
// (spec E-001).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/base/bytes_internal.h"
#include "dsi/base/status.h"

namespace dsi::internal {

// A node whose frame has been checked: the payload lies inside the bytes and the padding is zero.
// Width is 1, 2, 4 or 8 and count at least 1; whether the encoding is known and obeyed is not
// checked yet.
struct NodeView {
  uint8_t encoding = 0;
  uint8_t width = 0;
  uint8_t param = 0;
  uint8_t flags = 0;
  uint32_t count = 0;
  uint32_t aux = 0;
  std::span<const std::byte> payload;
  size_t size = 0;  // Header, payload and padding.
};

constexpr bool IsWidth(int width) { return width == 1 || width == 2 || width == 4 || width == 8; }

// Parses the node that starts at `bytes`; more bytes may follow it.
Result<NodeView> ParseNode(std::span<const std::byte> bytes);

// As ParseNode, and checks what is known from outside (E-002).
Result<NodeView> ParseExpectedNode(std::span<const std::byte> bytes, int width, size_t count);

// Walks the children of a node (E-001): they follow one another and end exactly at the end of the
// payload.
class ChildWalk {
 public:
  explicit ChildWalk(std::span<const std::byte> children) : left_(children) {}

  // The next child, which must have this width and count (E-002).
  Result<NodeView> Next(int width, size_t count);

  // As Next, for a child whose width is the encoder's choice among 1, 2, 4 and, if allowed, 8.
  Result<NodeView> NextOfWidthUpTo(int max_width, size_t count);

  // An error unless every byte has been walked.
  Status End() const;

 private:
  std::span<const std::byte> left_;
};

// Appends one node to a vector: the header at once, the payload by the caller, size and padding by
// Finish.
class NodeWriter {
 public:
  NodeWriter(std::vector<std::byte>* out, Encoding encoding, int width, size_t count);

  void SetParam(uint8_t param) { At(2) = std::byte{param}; }
  void SetFlags(uint8_t flags) { At(3) = std::byte{flags}; }
  void SetAux(uint32_t aux) { StoreLE(&At(12), aux); }
  void Finish();

 private:
  std::byte& At(size_t offset) { return (*out_)[start_ + offset]; }

  std::vector<std::byte>* out_;
  size_t start_;
};

// Size of a node with a payload of this many bytes.
constexpr double NodeBytes(double payload) {
  return static_cast<double>(kNodeHeaderSize) + payload;
}

}  // namespace dsi::internal
