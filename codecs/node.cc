#include "dsi/codecs/node_internal.h"

#include "dsi/base/error_internal.h"

namespace dsi::internal {

Result<NodeView> ParseNode(std::span<const std::byte> bytes) {
  if (bytes.size() < kNodeHeaderSize) {
    return Corrupt("node: {} bytes left, expected a header of {} (E-001)", bytes.size(),
                   kNodeHeaderSize);
  }
  NodeView node;
  node.encoding = LoadLE<uint8_t>(&bytes[0]);
  node.width = LoadLE<uint8_t>(&bytes[1]);
  node.param = LoadLE<uint8_t>(&bytes[2]);
  node.flags = LoadLE<uint8_t>(&bytes[3]);
  node.count = LoadLE<uint32_t>(&bytes[4]);
  const size_t payload_size = LoadLE<uint32_t>(&bytes[8]);
  node.aux = LoadLE<uint32_t>(&bytes[12]);
  if (!IsWidth(node.width)) {
    return Corrupt("node: width {}, expected 1, 2, 4 or 8 (E-001)", node.width);
  }
  if (node.count == 0) return Corrupt("node: count 0, expected at least 1 (E-001)");
  const std::span<const std::byte> rest = bytes.subspan(kNodeHeaderSize);
  const size_t padded = AlignUp(payload_size, 8);
  if (padded > rest.size()) {
    return Corrupt("node: payload of {} bytes, expected at most {} (E-001)", payload_size,
                   rest.size());
  }
  if (!AllZero(rest.subspan(payload_size, padded - payload_size))) {
    return Corrupt("node: padding after the payload is not zero (E-001)");
  }
  node.payload = rest.first(payload_size);
  node.size = kNodeHeaderSize + padded;
  return node;
}

Result<NodeView> ParseExpectedNode(std::span<const std::byte> bytes, int width, size_t count) {
  Result<NodeView> node = ParseNode(bytes);
  if (!node.ok()) return node;
  if (node->width != width || node->count != count) {
    return Corrupt("node: {} values of width {}, expected {} of width {} (E-002)", node->count,
                   node->width, count, width);
  }
  return node;
}

Result<NodeView> ChildWalk::Next(int width, size_t count) {
  Result<NodeView> node = ParseExpectedNode(left_, width, count);
  if (node.ok()) left_ = left_.subspan(node->size);
  return node;
}

Result<NodeView> ChildWalk::NextOfWidthUpTo(int max_width, size_t count) {
  Result<NodeView> node = ParseNode(left_);
  if (!node.ok()) return node;
  if (node->width > max_width || node->count != count) {
    return Corrupt("node: {} values of width {}, expected {} of width at most {} (E-002)",
                   node->count, node->width, count, max_width);
  }
  left_ = left_.subspan(node->size);
  return node;
}

Status ChildWalk::End() const {
  if (left_.empty()) return Status::Ok();
  return Corrupt("node: {} bytes after the last child, expected none (E-001)", left_.size());
}

NodeWriter::NodeWriter(std::vector<std::byte>* out, Encoding encoding, int width, size_t count)
    : out_(out), start_(out->size()) {
  out->resize(start_ + kNodeHeaderSize);
  At(0) = static_cast<std::byte>(encoding);
  At(1) = static_cast<std::byte>(width);
  StoreLE(&At(4), static_cast<uint32_t>(count));
}

void NodeWriter::Finish() {
  const size_t payload_size = out_->size() - start_ - kNodeHeaderSize;
  StoreLE(&At(8), static_cast<uint32_t>(payload_size));
  // Relative to this node, so that nodes may stand anywhere in the vector.
  out_->resize(start_ + kNodeHeaderSize + AlignUp(payload_size, 8));
}

}  // namespace dsi::internal
