#include "dsi/codecs/registry_internal.h"

#include <array>

namespace dsi::internal {
namespace {

// Indexed by id; format version 1 knows them all.
constexpr std::array<const EncodingRow*, 15> kRows = {
    &kRawEncoding,    &kConstantEncoding,   &kPackedEncoding,           &kDeltaEncoding,
    &kRunsEncoding,   &kDictionaryEncoding, &kSharedDictionaryEncoding, &kBitmapEncoding,
    &kSparseEncoding, &kSplitEncoding,      &kBytePlanesEncoding,       &kCompressedEncoding,
    &kSkewedEncoding, &kDecimalEncoding,    &kSymbolsEncoding,
};

}  // namespace

const EncodingRow* FindEncoding(uint8_t id) { return id < kRows.size() ? kRows[id] : nullptr; }

std::span<const EncodingRow* const> EncodingTable() { return kRows; }

}  // namespace dsi::internal
