// LZ4 blocks (E-102): decoded here rather than by the library, whose releases differ in what they
// make of a block that breaks the rules.
#include <algorithm>
#include <cstring>

#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kLastLiterals = 5;    // The last bytes of a block are literals …
constexpr size_t kLastMatchRoom = 12;  // … and no match starts so near its end.
constexpr size_t kMinMatch = 4;
constexpr size_t kLongCode = 15;  // Bytes follow that are added, up to one below 255.
constexpr size_t kChunk = 16;
constexpr size_t kHalfChunk = 8;

Status Broken(const char* what, size_t at) {
  return Corrupt("compressed: LZ4 block: {} at byte {} (E-102)", what, at);
}

// What follows a code of 15; stops where it is more than `limit`.
bool AddLength(std::span<const std::byte> block, size_t* at, size_t limit, size_t* length) {
  for (;;) {
    if (*at == block.size() || *length > limit) return false;
    const auto more = static_cast<size_t>(block[(*at)++]);
    *length += more;
    if (more != 255) return true;
  }
}

// `length` bytes from `distance` before `to`, of which there may be fewer: they repeat. `room`:
// bytes that may be written.
void CopyMatch(std::byte* to, size_t distance, size_t length, size_t room) {
  const std::byte* const from = to - distance;
  if (distance >= kChunk && length + kChunk <= room) {
    for (size_t done = 0; done < length; done += kChunk)
      std::memcpy(to + done, from + done, kChunk);
    return;
  }
  if (distance >= kHalfChunk && length + kHalfChunk <= room) {
    for (size_t done = 0; done < length; done += kHalfChunk)
      std::memcpy(to + done, from + done, kHalfChunk);
    return;
  }
  // What is there doubles with every copy.
  for (size_t done = 0; done < length;) {
    const size_t n = std::min(distance + done, length - done);
    std::memcpy(to + done, from, n);
    done += n;
  }
}

// Sequences of few literals and a short match, as most are, while so much is left on both sides
// that they cannot be the last. Stops at another, which may also be a broken one.
void CopyShort(std::span<const std::byte> block, std::span<std::byte> out, size_t* in,
               size_t* done) {
  // A token, 14 literals, a distance; 14 literals, 18 bytes of a match, and chunks that reach over.
  constexpr size_t kIn = 2 * kChunk;
  constexpr size_t kOut = 5 * kChunk;
  const std::byte* from = block.data() + *in;
  std::byte* to = out.data() + *done;
  while (block.data() + block.size() - from >= ptrdiff_t{kIn} &&
         out.data() + out.size() - to >= ptrdiff_t{kOut}) {
    const auto token = static_cast<size_t>(*from);
    const size_t literals = token >> 4;
    const size_t length = token % 16;
    if (literals == kLongCode || length == kLongCode) break;
    const size_t distance = LoadLE<uint16_t>(from + 1 + literals);
    // Nearer ones repeat within a chunk.
    if (distance < kHalfChunk || distance > static_cast<size_t>(to - out.data()) + literals) break;
    std::memcpy(to, from + 1, kChunk);
    from += 3 + literals;
    to += literals;
    if (distance >= kChunk) {
      std::memcpy(to, to - distance, kChunk);
      std::memcpy(to + kChunk, to + kChunk - distance, kMinMatch);
    } else {
      std::memcpy(to, to - distance, kHalfChunk);
      std::memcpy(to + kHalfChunk, to + kHalfChunk - distance, kHalfChunk);
      std::memcpy(to + kChunk, to + kChunk - distance, kMinMatch);
    }
    to += length + kMinMatch;
  }
  *in = static_cast<size_t>(from - block.data());
  *done = static_cast<size_t>(to - out.data());
}

}  // namespace

Status DecodeLz4Block(std::span<const std::byte> block, std::span<std::byte> out) {
  size_t in = 0;
  size_t done = 0;
  for (;;) {
    CopyShort(block, out, &in, &done);
    if (in == block.size()) return Broken("no token", in);
    const auto token = static_cast<size_t>(block[in++]);
    size_t literals = token >> 4;
    if (literals == kLongCode && !AddLength(block, &in, out.size(), &literals))
      return Broken("number of literals", in);
    if (literals > block.size() - in || literals > out.size() - done) return Broken("literals", in);
    if (literals != 0) std::memcpy(out.data() + done, block.data() + in, literals);
    in += literals;
    done += literals;
    if (in == block.size()) {
      const bool is_all = literals == done;
      if (token % 16 != 0 || (!is_all && literals < kLastLiterals)) return Broken("the end", in);
      if (done == out.size()) return Status::Ok();
      return Corrupt("compressed: LZ4 block of {} bytes, expected {} (E-102)", done, out.size());
    }
    if (out.size() - done < kLastMatchRoom) return Broken("a match near the end", in);
    if (block.size() - in < 2) return Broken("distance", in);
    const size_t distance = LoadLE<uint16_t>(&block[in]);
    in += 2;
    if (distance == 0 || distance > done) return Broken("distance", in - 2);
    size_t length = token % 16;
    if (length == kLongCode && !AddLength(block, &in, out.size(), &length))
      return Broken("length of a match", in);
    length += kMinMatch;
    if (length > out.size() - done - kLastLiterals) return Broken("length of a match", in);
    CopyMatch(out.data() + done, distance, length, out.size() - done);
    done += length;
  }
}

}  // namespace dsi::internal
