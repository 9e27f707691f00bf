#include "dsi/codecs/registry_internal.h"

#include <array>

namespace dsi::internal {
namespace {

// Indexed by id; format version 1 knows them all. The order is also that of a choice: plain forms
// first, so that the costly ones can be skipped when they have nothing left to win.
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
