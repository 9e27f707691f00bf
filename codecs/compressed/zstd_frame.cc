// What a Zstandard frame may be (E-101), told by this code alone: releases of the library differ in
// what they let pass.
#include <algorithm>

#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kMagic = 0xFD2FB528;
constexpr size_t kChecksumBytes = 4;
constexpr uint64_t kMaxBlockBytes = 128 << 10;
constexpr size_t kBlockHeaderBytes = 3;
constexpr size_t kMinCompressedBlock = 3;

// `size` bytes, 1 to 8, as one number.
uint64_t LoadBytes(const std::byte* p, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value |= static_cast<uint64_t>(p[i]) << (8 * i);
  return value;
}

Status CutShort(const char* part) {
  return Corrupt("compressed: Zstandard frame: its {} does not end inside it (E-101)", part);
}

// The literals section of a block: sets *size to its bytes.
Status CheckLiterals(std::span<const std::byte> block, uint64_t max, size_t* size) {
  const auto first = static_cast<uint32_t>(block[0]);
  const uint32_t type = first & 3;
  const uint32_t format = first >> 2 & 3;
  const bool coded = type >= 2;  // By Huffman, with a tree of its own or that of a block before.
  size_t header = 1;
  if (coded) {
    header = format < 2 ? 3 : format + 2;
  } else if (format % 2 != 0) {
    header = format == 1 ? 2 : 3;
  }
  if (header > block.size()) return CutShort("literals");
  const uint64_t bits = LoadBytes(block.data(), header);
  uint64_t count = 0;
  uint64_t stored = 0;
  if (coded) {
    const int width = format < 2 ? 10 : format == 2 ? 14 : 18;
    count = bits >> 4 & ((1U << width) - 1);
    stored = bits >> (4 + width);
    // Four streams, or one where the format says so.
    const uint64_t least = format == 0 ? 1 : 6;
    if (count < least) {
      return Corrupt("compressed: Zstandard frame: {} coded literals, expected at least {} (E-101)",
                     count, least);
    }
  } else {
    count = header == 1 ? bits >> 3 : bits >> 4;
    stored = type == 0 ? count : 1;
  }
  if (count > max)
    return Corrupt("compressed: Zstandard frame: {} literals in a block of {} (E-101)", count, max);
  if (stored > block.size() - header) return CutShort("literals");
  *size = header + stored;
  return Status::Ok();
}

// The head of the sequences section, which is the rest of the block.
Status CheckSequences(std::span<const std::byte> rest) {
  if (rest.empty()) return CutShort("number of sequences");
  const auto first = static_cast<uint32_t>(rest[0]);
  size_t at = first < 128 ? 1 : first < 255 ? 2 : 3;
  if (at > rest.size()) return CutShort("number of sequences");
  uint32_t count = first;
  if (at == 2) count = (first - 128) << 8 | static_cast<uint32_t>(rest[1]);
  if (at == 3) count = 0x7F00 + LoadLE<uint16_t>(&rest[1]);
  if (at == 2 && count < 128)
    return Corrupt("compressed: Zstandard frame: {} sequences in two bytes (E-101)", count);
  if (count == 0) {
    if (rest.size() == 1) return Status::Ok();
    return Corrupt("compressed: Zstandard frame: {} bytes after no sequences (E-101)",
                   rest.size() - 1);
  }
  if (at == rest.size()) return CutShort("sequences");
  const auto modes = static_cast<uint32_t>(rest[at]);
  if ((modes & 3) == 0) return Status::Ok();
  return Corrupt("compressed: Zstandard frame: reserved bits of modes {:#x} (E-101)", modes);
}

Status CheckCompressedBlock(std::span<const std::byte> block, uint64_t max) {
  if (block.size() < kMinCompressedBlock) return CutShort("block");
  size_t literals = 0;
  DSI_RETURN_IF_ERROR(CheckLiterals(block, max, &literals));
  return CheckSequences(block.subspan(literals));
}

// Blocks up to the last one; `rest` is what follows the frame header.
Status CheckBlocks(std::span<const std::byte> rest, uint64_t max) {
  for (bool is_last = false; !is_last;) {
    if (rest.size() < kBlockHeaderBytes) return CutShort("block header");
    const uint64_t header = LoadBytes(rest.data(), kBlockHeaderBytes);
    rest = rest.subspan(kBlockHeaderBytes);
    is_last = (header & 1) != 0;
    const uint64_t type = header >> 1 & 3;
    const uint64_t size = header >> 3;
    if (type == 3) return Corrupt("compressed: Zstandard frame: block of type 3 (E-101)");
    if (size > max)
      return Corrupt("compressed: Zstandard frame: block of {} bytes, at most {} (E-101)", size,
                     max);
    const uint64_t stored = type == 1 ? 1 : size;
    if (stored > rest.size()) return CutShort("block");
    if (type == 2) DSI_RETURN_IF_ERROR(CheckCompressedBlock(rest.first(stored), max));
    rest = rest.subspan(stored);
  }
  if (rest.size() == kChecksumBytes) return Status::Ok();
  return Corrupt("compressed: Zstandard frame: {} bytes after the last block, expected {} (E-101)",
                 rest.size(), kChecksumBytes);
}

}  // namespace

Status CheckZstdFrame(std::span<const std::byte> frame, uint64_t raw_size) {
  constexpr size_t kFixedBytes = 5;
  if (frame.size() < kFixedBytes || LoadLE<uint32_t>(frame.data()) != kMagic)
    return Corrupt("compressed: no Zstandard frame (E-101)");
  const auto descriptor = static_cast<uint32_t>(frame[4]);
  const bool single_segment = (descriptor & 0x20) != 0;
  // Content size in 1 (of a single segment), 2, 4 or 8 bytes; no dictionary; two bits unused; a
  // checksum.
  const uint32_t size_code = descriptor >> 6;
  if ((size_code == 0 && !single_segment) || (descriptor & 0x1F) != 4) {
    return Corrupt(
        "compressed: Zstandard frame of descriptor {:#x}, expected content size and checksum, no "
        "dictionary (E-101)",
        descriptor);
  }
  const size_t size_bytes = size_t{1} << size_code;
  const size_t header = kFixedBytes + (single_segment ? 0 : 1) + size_bytes;
  if (frame.size() < header) return CutShort("header");
  uint64_t content = LoadBytes(&frame[header - size_bytes], size_bytes);
  if (size_code == 1) content += 256;
  if (content != raw_size) {
    return Corrupt("compressed: frame states {} bytes of content, expected {} (E-101)", content,
                   raw_size);
  }
  uint64_t window = content;
  if (!single_segment) {
    const auto stated = static_cast<uint32_t>(frame[kFixedBytes]);
    const uint64_t base = uint64_t{1} << (10 + (stated >> 3));
    window = base + base / 8 * (stated & 7);
  }
  if (window == 0 || window > kMaxZstdWindow) {
    return Corrupt("compressed: frame with a window of {} bytes, expected 1 to {} (E-101)", window,
                   kMaxZstdWindow);
  }
  return CheckBlocks(frame.subspan(header), std::min(window, kMaxBlockBytes));
}

}  // namespace dsi::internal
