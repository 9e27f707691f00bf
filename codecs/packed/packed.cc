// Packed: blocks of 1,024 numbers of one bit width each, with or without a base per block (E-020 to
// E-022).
#include "dsi/codecs/packed/packed_internal.h"

#include <algorithm>

#include "dsi/codecs/packed/kernels_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr uint8_t kHasBases = 1;

size_t BlockCount(size_t count) { return (count + kPackedBlock - 1) / kPackedBlock; }

size_t BlockBytes(size_t values, size_t bits) {
  return values == kPackedBlock ? 128 * bits : AlignUp(values * bits, 64) / 8;
}

// Zeros after `used` bits of a linear block (E-022).
bool UnusedBitsAreZero(const std::byte* block, size_t used, size_t bytes) {
  const size_t whole = used / 8;
  if (used % 8 != 0 && (block[whole] >> (used % 8)) != std::byte{0}) return false;
  const size_t from = (used + 7) / 8;
  return AllZero({block + from, bytes - from});
}

// What a block costs with and without its base; the smaller of the signed and the unsigned range is
// taken, as numbers wrap around (E-004).
struct BlockPlan {
  uint64_t base = 0;
  uint8_t bits = 0;
  uint8_t bits_without_base = 0;
};

BlockPlan PlanBlock(const std::byte* values, size_t count, size_t width) {
  const ValueRange range = MeasureRange(values, count, width);
  const uint64_t mask = LowMask(static_cast<int>(8 * width));
  const uint64_t unsigned_range = range.unsigned_max - range.unsigned_min;
  const uint64_t signed_range = (range.signed_max - range.signed_min) & mask;
  BlockPlan plan;
  plan.bits_without_base = static_cast<uint8_t>(BitsFor(range.unsigned_max));
  plan.bits = static_cast<uint8_t>(BitsFor(std::min(unsigned_range, signed_range)));
  if (plan.bits < plan.bits_without_base) {
    plan.base = unsigned_range <= signed_range ? range.unsigned_min : range.signed_min;
  }
  return plan;
}

struct ArrayPlan {
  std::vector<BlockPlan> blocks;
  bool has_bases = false;
  size_t payload = 0;
};

size_t SideBytes(size_t blocks, size_t width, bool has_bases) {
  return (has_bases ? AlignUp(blocks * width, 8) : 0) + AlignUp(blocks, 8);
}

ArrayPlan PlanArray(const std::byte* values, size_t count, size_t width) {
  ArrayPlan plan;
  plan.blocks.reserve(BlockCount(count));
  size_t with = 0;
  size_t without = 0;
  for (size_t at = 0; at < count; at += kPackedBlock) {
    const size_t n = std::min(kPackedBlock, count - at);
    const BlockPlan block = PlanBlock(values + at * width, n, width);
    with += BlockBytes(n, block.bits);
    without += BlockBytes(n, block.bits_without_base);
    plan.blocks.push_back(block);
  }
  with += SideBytes(plan.blocks.size(), width, true);
  without += SideBytes(plan.blocks.size(), width, false);
  plan.has_bases = with < without;
  plan.payload = std::min(with, without);
  return plan;
}

Status Decode(const NodeView& node, const DecodeContext&, std::byte* dst) {
  PackedBlocks blocks;
  DSI_RETURN_IF_ERROR(blocks.Open(node));
  for (size_t at = 0; at < node.count; at += kPackedBlock) blocks.Unpack(dst + at * node.width);
  return Status::Ok();
}

bool Encode(const ArrayView& array, const EncodePlan&, EncodeContext*,
            std::vector<std::byte>* out) {
  const auto* values = static_cast<const std::byte*>(array.values);
  const size_t width = static_cast<size_t>(array.width);
  ArrayPlan plan = PlanArray(values, array.count, width);
  NodeWriter writer(out, Encoding::kPacked, array.width, array.count);
  writer.SetFlags(plan.has_bases ? kHasBases : 0);
  size_t at = out->size();
  out->resize(at + plan.payload);
  if (plan.has_bases) {
    for (size_t i = 0; i < plan.blocks.size(); ++i) {
      std::memcpy(out->data() + at + i * width, &plan.blocks[i].base, width);
    }
    at += AlignUp(plan.blocks.size() * width, 8);
  }
  std::byte* bits = out->data() + at;
  std::byte* block_at = bits + AlignUp(plan.blocks.size(), 8);
  size_t done = 0;
  for (BlockPlan& block : plan.blocks) {
    if (!plan.has_bases) block = {0, block.bits_without_base, 0};
    const size_t n = std::min(kPackedBlock, array.count - done);
    *bits++ = std::byte{block.bits};
    const std::byte* source = values + done * width;
    if (n < kPackedBlock) {
      PackLinear(source, block.base, block.bits, n, width, block_at);
    } else if (block.bits != 0) {
      PackBlock(source, block.base, block.bits, width, block_at);
    }
    block_at += BlockBytes(n, block.bits);
    done += n;
  }
  writer.Finish();
  return true;
}

void Consider(Chooser* chooser) {
  const ArrayView& sample = chooser->sample();
  EncodePlan plan;
  plan.encoding = Encoding::kPacked;
  chooser->Offer(std::move(plan), static_cast<double>(chooser->packed_payload()) * chooser->scale(),
                 sample.width);
}

}  // namespace

Status PackedBlocks::Open(const NodeView& node) {
  width_ = node.width;
  left_ = node.count;
  const bool has_bases = node.flags == kHasBases;
  const size_t blocks = BlockCount(node.count);
  const size_t side = SideBytes(blocks, width_, has_bases);
  if (node.payload.size() < side) {
    return Corrupt("packed: payload of {} bytes, expected at least {} (E-020)", node.payload.size(),
                   side);
  }
  const std::byte* at = node.payload.data();
  bases_ = nullptr;
  if (has_bases) {
    bases_ = at;
    const size_t used = blocks * width_;
    if (!AllZero({at + used, AlignUp(used, 8) - used}))
      return Corrupt("packed: padding after the bases (E-020)");
    at += AlignUp(used, 8);
  }
  bits_ = at;
  if (!AllZero({at + blocks, AlignUp(blocks, 8) - blocks}))
    return Corrupt("packed: padding after the widths (E-020)");
  block_ = at + AlignUp(blocks, 8);
  // Sizes cannot wrap: at most 2^22 blocks of 8 KiB.
  size_t bytes = side;
  for (size_t i = 0; i < blocks; ++i) {
    const auto bits = static_cast<size_t>(bits_[i]);
    if (bits > 8 * width_) {
      return Corrupt("packed: block {} has numbers of {} bits, values have {} (E-020)", i, bits,
                     8 * width_);
    }
    bytes += BlockBytes(std::min(kPackedBlock, left_ - i * kPackedBlock), bits);
  }
  if (bytes != node.payload.size()) {
    return Corrupt("packed: payload of {} bytes, expected {} (E-020)", node.payload.size(), bytes);
  }
  const size_t tail = left_ % kPackedBlock;
  if (tail != 0) {
    const auto bits = static_cast<size_t>(bits_[blocks - 1]);
    const size_t size = BlockBytes(tail, bits);
    if (!UnusedBitsAreZero(node.payload.data() + node.payload.size() - size, tail * bits, size)) {
      return Corrupt("packed: unused bits of the last block are not zero (E-022)");
    }
  }
  return Status::Ok();
}

void PackedBlocks::Unpack(std::byte* dst) {
  uint64_t base = 0;
  if (bases_ != nullptr) {
    std::memcpy(&base, bases_, width_);
    bases_ += width_;
  }
  const auto bits = static_cast<size_t>(*bits_++);
  const size_t n = std::min(kPackedBlock, left_);
  if (n == kPackedBlock) {
    UnpackTable(width_)[bits](block_, base, dst);
  } else {
    UnpackLinear(block_, base, static_cast<int>(bits), n, width_, dst);
  }
  block_ += BlockBytes(n, bits);
  left_ -= n;
}

size_t PackedPayload(const void* values, size_t count, int width) {
  return PlanArray(static_cast<const std::byte*>(values), count, static_cast<size_t>(width))
      .payload;
}

const EncodingRow kPackedEncoding = {
    Encoding::kPacked, "packed", kUsesFlag, kNoChildren, Decode, Encode, Consider,
};

}  // namespace dsi::internal
