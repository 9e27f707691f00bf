// Reading codes and following them, block by block: unpack, compare with the number of entries,
// gather.
#include <cstring>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/dictionary/gather_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

// Checks a block of codes before any of them is followed.
Status CheckCodes(const std::byte* codes, size_t width, size_t count, size_t limit) {
  const uint32_t largest = LargestCode(codes, width, count);
  if (largest < limit) return Status::Ok();
  return Corrupt("dictionary: code {}, expected below {} (E-050, E-051)", largest, limit);
}

Status WrongLiterals(size_t literals) {
  return Corrupt("shared dictionary: codes do not stand for {} literals (E-051)", literals);
}

}  // namespace

Status DecodeCodes(const NodeView& codes, size_t limit, const DecodeContext& context,
                   uint32_t* dst) {
  BlockReader reader(context.scratch);
  DSI_RETURN_IF_ERROR(reader.Open(codes, context));
  for (size_t left = codes.count; left != 0;) {
    size_t n = 0;
    const std::byte* block = reader.Next(&n);
    DSI_RETURN_IF_ERROR(CheckCodes(block, codes.width, n, limit));
    VisitWidth(codes.width, [&](auto zero) {
      const auto* narrow = reinterpret_cast<const decltype(zero)*>(block);
      for (size_t i = 0; i < n; ++i) dst[i] = static_cast<uint32_t>(narrow[i]);
    });
    dst += n;
    left -= n;
  }
  return Status::Ok();
}

Status DecodeThroughDictionary(const NodeView& codes, const DecodeContext& context,
                               const CodedValues& values, std::byte* dst) {
  const bool has_literals = values.num_literals != 0;
  const size_t limit = values.count + (has_literals ? 1 : 0);
  BlockReader reader(context.scratch);
  DSI_RETURN_IF_ERROR(reader.Open(codes, context));
  const auto* literals = static_cast<const std::byte*>(values.literals);
  size_t literals_left = values.num_literals;
  for (size_t left = codes.count; left != 0;) {
    size_t n = 0;
    const std::byte* block = reader.Next(&n);
    DSI_RETURN_IF_ERROR(CheckCodes(block, codes.width, n, limit));
    const auto literal = static_cast<uint32_t>(values.count);
    const size_t used = has_literals ? CountCode(block, codes.width, n, literal) : 0;
    if (used > literals_left) return WrongLiterals(values.num_literals);
    if (used == n) {
      std::memcpy(dst, literals, n * values.width);
    } else if (used != 0) {
      GatherOrNext(values.entries, literals, literals_left, values.width, block, codes.width,
                   literal, n, dst);
    } else {
      Gather(values.entries, values.width, block, codes.width, n, dst);
    }
    literals += used * values.width;
    literals_left -= used;
    dst += n * values.width;
    left -= n;
  }
  return literals_left == 0 ? Status::Ok() : WrongLiterals(values.num_literals);
}

}  // namespace dsi::internal
