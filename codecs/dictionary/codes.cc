// Reading codes and following them, block by block: unpack, compare with the number of entries,
// gather.
#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/dictionary/gather_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/format/error_internal.h"

namespace dsi::internal {
namespace {

// Vector gathers take signed indexes.
constexpr size_t kMaxEntries = size_t{1} << 31;

Status CheckLimit(size_t limit) {
  if (limit <= kMaxEntries) return Status::Ok();
  return Corrupt("dictionary: {} entries, at most {} can be addressed (E-050)", limit, kMaxEntries);
}

// Checks a block of codes before any of them is followed.
Status CheckCodes(const std::byte* codes, size_t width, size_t count, size_t limit) {
  const uint32_t largest = LargestCode(codes, width, count);
  if (largest < limit) return Status::Ok();
  return Corrupt("dictionary: code {}, expected below {} (E-050, E-051)", largest, limit);
}

}  // namespace

Status DecodeCodes(const NodeView& codes, size_t limit, const DecodeContext& context,
                   uint32_t* dst) {
  DSI_RETURN_IF_ERROR(CheckLimit(limit));
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
                               const void* entries, size_t entry_count, int width, std::byte* dst) {
  DSI_RETURN_IF_ERROR(CheckLimit(entry_count));
  BlockReader reader(context.scratch);
  DSI_RETURN_IF_ERROR(reader.Open(codes, context));
  for (size_t left = codes.count; left != 0;) {
    size_t n = 0;
    const std::byte* block = reader.Next(&n);
    DSI_RETURN_IF_ERROR(CheckCodes(block, codes.width, n, entry_count));
    Gather(entries, static_cast<size_t>(width), block, codes.width, n, dst);
    dst += n * static_cast<size_t>(width);
    left -= n;
  }
  return Status::Ok();
}

}  // namespace dsi::internal
