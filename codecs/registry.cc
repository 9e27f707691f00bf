#include "dsi/codecs/registry_internal.h"

#include <array>

#include "dsi/codecs/costs_internal.h"

namespace dsi::internal {
namespace {

// Indexed by id.
constexpr std::array kRows = {
    &kRawEncoding,    &kConstantEncoding,   &kPackedEncoding,           &kDeltaEncoding,
    &kRunsEncoding,   &kDictionaryEncoding, &kSharedDictionaryEncoding, &kBitmapEncoding,
    &kSparseEncoding, &kSplitEncoding,      &kBytePlanesEncoding,       &kCompressedEncoding,
    &kSkewedEncoding, &kDecimalEncoding,    &kSymbolsEncoding,
};
static_assert(kRows.size() == static_cast<size_t>(Encoding::kSymbols) + 1);
static_assert(kRows.size() == kDecodeRates.size());

}  // namespace

const EncodingRow* FindEncoding(uint8_t id) { return id < kRows.size() ? kRows[id] : nullptr; }

std::span<const EncodingRow* const> EncodingTable() { return kRows; }

}  // namespace dsi::internal
