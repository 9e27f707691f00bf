// Byte planes: byte k of every value in child k (E-090).
#include <algorithm>
#include <array>
#include <optional>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/byte_planes/planes_internal.h"
#include "dsi/codecs/entropy_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  if (node.width < 2)
    return Corrupt("byte planes: width {}, expected at least 2 (E-090)", node.width);
  ChildWalk children(node.payload);
  std::array<NodeView, 8> nodes;
  for (size_t k = 0; k < node.width; ++k) {
    DSI_ASSIGN_OR_RETURN(nodes[k], children.Next(1, node.count));
  }
  DSI_RETURN_IF_ERROR(children.End());
  std::array<std::optional<BlockReader>, 8> readers;
  for (size_t k = 0; k < node.width; ++k) {
    readers[k].emplace(context.scratch);
    DSI_RETURN_IF_ERROR(readers[k]->Open(nodes[k], Deeper(context)));
  }
  for (size_t left = node.count; left != 0;) {
    size_t n = 0;
    std::array<const uint8_t*, 8> planes = {};
    for (size_t k = 0; k < node.width; ++k)
      planes[k] = reinterpret_cast<const uint8_t*>(readers[k]->Next(&n));
    JoinPlanes(planes.data(), n, node.width, dst);
    dst += n * node.width;
    left -= n;
  }
  return Status::Ok();
}

template <typename T>
std::vector<uint8_t> TakePlane(std::span<const T> values, size_t plane) {
  std::vector<uint8_t> bytes(values.size());
  const auto shift = static_cast<int>(8 * plane);
  for (size_t i = 0; i < values.size(); ++i) bytes[i] = static_cast<uint8_t>(values[i] >> shift);
  return bytes;
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  if (array.width < 2) return false;
  NodeWriter writer(out, Encoding::kBytePlanes, array.width, array.count);
  VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    for (size_t k = 0; k < sizeof(T); ++k) {
      EncodeChild(ViewOf<uint8_t>(TakePlane(Values<T>(array), k)), plan, k, context, out);
    }
  });
  writer.Finish();
  return true;
}

// Bytes that planes would take were each coded at its entropy; judged on part of the sample.
template <typename T>
double HopedBytes(Chooser* chooser) {
  constexpr size_t kJudged = 4096;
  const std::span<const T> values = Values<T>(chooser->sample());
  const std::span<const T> judged = values.first(std::min(values.size(), kJudged));
  double bits = 0;
  std::vector<uint16_t> symbols(judged.size());
  for (size_t k = 0; k < sizeof(T); ++k) {
    for (size_t i = 0; i < judged.size(); ++i)
      symbols[i] = static_cast<uint8_t>(judged[i] >> (8 * k));
    bits += EntropyBits(symbols, 8);
  }
  return static_cast<double>(sizeof(T) + 1) * NodeBytes(0) + chooser->total_count() * bits / 8;
}

void Consider(Chooser* chooser) {
  constexpr size_t kFewest = 256;
  const ArrayView& sample = chooser->sample();
  const bool compresses = chooser->tuning().zstd_level != 0;
  if (sample.width == 1 || sample.count < kFewest || !compresses || !chooser->HasRoomBelow(2))
    return;
  VisitWidth(sample.width, [&](auto zero) {
    using T = decltype(zero);
    if (HopedBytes<T>(chooser) >= chooser->best_bytes()) return;
    EncodePlan plan;
    plan.encoding = Encoding::kBytePlanes;
    for (size_t k = 0; k < sizeof(T); ++k) {
      if (!chooser->LimitChildren(plan, 0, sample.width)) return;
      const std::vector<uint8_t> plane = TakePlane(Values<T>(sample), k);
      plan.children.push_back(chooser->ChooseChild(ViewOf<uint8_t>(plane), chooser->scale(),
                                                   chooser->chunk(), kLeafEncodings));
    }
    chooser->Offer(std::move(plan), 0, sample.width);
  });
}

}  // namespace

const EncodingRow kBytePlanesEncoding = {
    Encoding::kBytePlanes, "byte planes", 0, 0, Decode, Encode, Consider,
};

}  // namespace dsi::internal
