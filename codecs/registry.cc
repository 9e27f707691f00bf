#include "dsi/codecs/registry_internal.h"

#include <array>
#include <vector>

#include "dsi/codecs/choice/costs_internal.h"

namespace dsi::internal {
namespace {

// Null: a reserved id (E-005).
constexpr std::array<const EncodingRow*, kDecodeRates.size()> kById = {
    &kRawEncoding,
    &kConstantEncoding,
    &kPackedEncoding,
    &kDeltaEncoding,
    &kRunsEncoding,
    &kDictionaryEncoding,
    &kSharedDictionaryEncoding,
    nullptr,
    &kSparseEncoding,
    &kSplitEncoding,
    nullptr,
    &kCompressedEncoding,
    &kSkewedEncoding,
    &kDecimalEncoding,
};

}  // namespace

const EncodingRow* FindEncoding(uint8_t id) { return id < kById.size() ? kById[id] : nullptr; }

std::span<const EncodingRow* const> EncodingTable() {
  static const std::vector<const EncodingRow*> kRows = [] {
    std::vector<const EncodingRow*> rows(kById.begin(), kById.end());
    std::erase(rows, nullptr);
    return rows;
  }();
  return kRows;
}

}  // namespace dsi::internal
