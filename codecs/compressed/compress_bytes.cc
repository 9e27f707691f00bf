#include "dsi/base/error_internal.h"
#include "dsi/codecs/compressed/compressed_internal.h"

namespace dsi::internal {

bool CompressBytes(std::span<const std::byte> bytes, uint8_t codec, int level, FrameEncoder* frames,
                   std::vector<std::byte>* out) {
  const ArrayView array{.values = bytes.data(), .count = bytes.size(), .width = 1};
  std::vector<std::byte> inner;
  EncodeNode(array, EncodePlan{}, EncodeTuning{}, &inner);
  const size_t start = out->size();
  NodeWriter writer(out, Encoding::kCompressed, array.width, array.count);
  writer.SetParam(codec);
  writer.SetAux(static_cast<uint32_t>(inner.size()));
  if (frames->Append(codec, level, /*literals_only=*/false, inner, out)) {
    writer.Finish();
    if (out->size() - start < inner.size()) return true;
  }
  out->resize(start);
  return false;
}

Status DecompressBytes(std::span<const std::byte> node, DecodeScratch* scratch,
                       std::span<std::byte> out) {
  const auto encoding = static_cast<Encoding>(node[0]);
  if (encoding != Encoding::kRaw && encoding != Encoding::kCompressed) {
    return Corrupt("a node of encoding {}, expected raw or compressed (F-042, F-065)",
                   static_cast<int>(encoding));
  }
  Status status = DecodeNode(node, 1, out.size(), {}, scratch, out.data());
  if (status.code() != StatusCode::kUnsupported) return status;
  return Corrupt("{} (F-042, F-065)", status.message());
}

}  // namespace dsi::internal
