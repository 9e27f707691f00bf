#include <algorithm>
#include <cstring>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/decode_internal.h"
#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/shared_dictionary/shared_dictionary_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

// The outermost node must occupy its bytes exactly.
Result<NodeView> ParseWhole(std::span<const std::byte> bytes, int width, size_t count) {
  if (!IsWidth(width) || count == 0) {
    return InvalidArgument("decode: {} values of width {}, expected at least 1 of 1, 2, 4 or 8",
                           count, width);
  }
  Result<NodeView> node = ParseExpectedNode(bytes, width, count);
  if (node.ok() && node->size != bytes.size()) {
    return Corrupt("node: {} bytes, expected {} to fill its place (E-001)", node->size,
                   bytes.size());
  }
  return node;
}

Status CheckUnused(const EncodingRow& row, uint8_t field, std::string_view name, uint32_t value) {
  if (value == 0 || (row.used_fields & field) != 0) return Status::Ok();
  return Corrupt("{}: {} {}, expected 0 (E-001)", row.name, name, value);
}

}  // namespace

Status CheckKnown(const NodeView& node, int depth) {
  if (depth > static_cast<int>(kMaxNodeDepth)) {
    return Corrupt("node: nested more than {} deep (E-003)", kMaxNodeDepth);
  }
  const EncodingRow* row = FindEncoding(node.encoding);
  if (row == nullptr) {
    return Error(StatusCode::kUnsupported, "node: encoding {}, this build does not know it (E-005)",
                 node.encoding);
  }
  const int known_flags = (row->used_fields & kUsesFlag) != 0 ? 1 : 0;
  if ((node.flags & ~known_flags) != 0) {
    return Error(StatusCode::kUnsupported, "{}: flags {:#x}, this build knows {} (E-005)",
                 row->name, node.flags, known_flags == 0 ? "none" : "bit 0");
  }
  DSI_RETURN_IF_ERROR(CheckUnused(*row, kUsesParam, "param", node.param));
  return CheckUnused(*row, kUsesAux, "aux", node.aux);
}

Status DecodeParsedNode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  DSI_RETURN_IF_ERROR(CheckKnown(node, context.depth));
  const EncodingRow& row = *FindEncoding(node.encoding);
  const bool maps = context.map != nullptr && !row.knows_maps;
  return maps ? DecodeThenMap(node, context, dst) : row.decode(node, context, dst);
}

Status DecodeThenMap(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  DecodeContext unmapped = context;
  unmapped.map = nullptr;
  BlockReader reader(context.scratch);
  DSI_RETURN_IF_ERROR(reader.Open(node, unmapped));
  for (size_t left = node.count; left != 0;) {
    size_t n = 0;
    const std::byte* const block = reader.Next(&n);
    context.map->Apply(block, n, dst);
    dst += n * context.map->width();
    left -= n;
  }
  return Status::Ok();
}

Status DecodeNode(std::span<const std::byte> bytes, int width, size_t count,
                  const SharedDictionary& dictionary, DecodeScratch* scratch, void* dst,
                  const ValueMap* map) {
  DSI_ASSIGN_OR_RETURN(const NodeView node, ParseWhole(bytes, width, count));
  const DecodeContext context{scratch->state(), &dictionary, 1, map};
  return DecodeParsedNode(node, context, static_cast<std::byte*>(dst));
}

Status DecodeSharedCodes(std::span<const std::byte> bytes, int width, size_t count,
                         size_t dictionary_count, DecodeScratch* scratch, uint32_t* dst) {
  DSI_ASSIGN_OR_RETURN(const NodeView node, ParseWhole(bytes, width, count));
  DSI_RETURN_IF_ERROR(CheckKnown(node, 1));
  if (node.encoding != static_cast<uint8_t>(Encoding::kSharedDictionary)) {
    return InvalidArgument("decode codes: the node is {}, not a shared dictionary",
                           FindEncoding(node.encoding)->name);
  }
  DSI_ASSIGN_OR_RETURN(const SharedChildren children, FindSharedChildren(node, dictionary_count));
  const SharedDictionary none;
  const DecodeContext context{scratch->state(), &none, 2};
  // In the order of who decodes the values, so that both tell of the same damage.
  ArrayReader literals(context.scratch);
  if (node.aux != 0) DSI_RETURN_IF_ERROR(literals.Open(children.literals, context));
  DSI_RETURN_IF_ERROR(
      DecodeCodes(children.codes, dictionary_count + (node.aux != 0 ? 1 : 0), context, dst));
  if (node.aux == 0) return Status::Ok();
  const auto used = std::count(dst, dst + count, static_cast<uint32_t>(dictionary_count));
  if (static_cast<size_t>(used) == node.aux) return Status::Ok();
  return Corrupt("shared dictionary: {} codes stand for {} literals (E-051)", used, node.aux);
}

Result<size_t> NodeSize(std::span<const std::byte> bytes) {
  DSI_ASSIGN_OR_RETURN(const NodeView node, ParseNode(bytes));
  return node.size;
}

}  // namespace dsi::internal
