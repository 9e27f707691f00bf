#include "dsi/codecs/block_reader_internal.h"

#include <algorithm>

#include "dsi/codecs/compressed/compressed_internal.h"

namespace dsi::internal {
namespace {

bool IsEncoding(const NodeView& node, Encoding encoding) {
  return node.encoding == static_cast<uint8_t>(encoding);
}

// Replaces a compressed node by the node inside it, decompressed into `buffer`.
Status OpenCompressed(NodeView* node, DecodeContext* context, BorrowedBuffer* buffer) {
  DSI_RETURN_IF_ERROR(CheckKnown(*node, context->depth));
  if (!IsEncoding(*node, Encoding::kCompressed)) return Status::Ok();
  DSI_ASSIGN_OR_RETURN(*node, Decompress(*node, *context, buffer));
  *context = Deeper(*context);
  return CheckKnown(*node, context->depth);
}

// Raw values in place, where the bytes are sound and happen to be aligned; else null.
const std::byte* InPlace(const NodeView& node) {
  if (!IsEncoding(node, Encoding::kRaw)) return nullptr;
  if (node.payload.size() != size_t{node.count} * node.width)
    return nullptr;  // Its binding says what is wrong.
  const std::byte* values = node.payload.data();
  return reinterpret_cast<uintptr_t>(values) % node.width == 0 ? values : nullptr;
}

}  // namespace

Status BlockReader::Open(const NodeView& outer, const DecodeContext& outer_context) {
  NodeView node = outer;
  DecodeContext context = outer_context;
  DSI_RETURN_IF_ERROR(OpenCompressed(&node, &context, &decompressed_));
  width_ = node.width;
  count_ = node.count;
  whole_ = InPlace(node);
  if (whole_ != nullptr) return Status::Ok();
  if (IsEncoding(node, Encoding::kPacked)) {
    DSI_RETURN_IF_ERROR(packed_.Open(node));
    block_ = decoded_.Reserve(kPackedBlock * static_cast<size_t>(width_));
    return Status::Ok();
  }
  std::byte* decoded = decoded_.Reserve(count_ * static_cast<size_t>(width_));
  DSI_RETURN_IF_ERROR(DecodeParsedNode(node, context, decoded));
  whole_ = decoded;
  return Status::Ok();
}

const std::byte* BlockReader::Next(size_t* count) {
  *count = std::min(kPackedBlock, count_ - done_);
  const size_t at = done_;
  done_ += *count;
  if (whole_ != nullptr) return whole_ + at * static_cast<size_t>(width_);
  packed_.Unpack(block_);
  return block_;
}

Status ArrayReader::Open(const NodeView& outer, const DecodeContext& outer_context) {
  NodeView node = outer;
  DecodeContext context = outer_context;
  DSI_RETURN_IF_ERROR(OpenCompressed(&node, &context, &decompressed_));
  count_ = node.count;
  values_ = InPlace(node);
  if (values_ != nullptr) return Status::Ok();
  std::byte* decoded = decoded_.Reserve(size_t{node.count} * node.width);
  DSI_RETURN_IF_ERROR(DecodeParsedNode(node, context, decoded));
  values_ = decoded;
  return Status::Ok();
}

void ArrayReader::Map(const ValueMap* map) {
  if (map == nullptr) return;
  std::byte* const mapped = mapped_.Reserve(count_ * map->width());
  map->Apply(values_, count_, mapped);
  values_ = mapped;
}

}  // namespace dsi::internal
