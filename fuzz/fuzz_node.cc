// Decodes any bytes as a node of any encoding; or takes the bytes as values, which come back by the
// plan that a choice makes. One encoding after another is the business of fuzz_encoding.cc.
//
// Input: u8 width selector, u8 flags (1: with a dictionary, 2: values, and their tuning by 4 and
// 8), u16 count - 1 (of values: unused), then the node, or the values.

#include "dsi/base/bytes_internal.h"
#include "dsi/fuzz/node_checks.h"

namespace {

using namespace dsi::internal;
using namespace dsi::internal::fuzz;

void EncodeByChoice(std::span<const std::byte> bytes, int width, const EncodeTuning& tuning) {
  const size_t count = bytes.size() / static_cast<size_t>(width);
  if (count == 0) return;
  const Block values = CopyOf(bytes);
  const ArrayView array{values.get(), count, width, true};
  RequireComesBack(array, ChoosePlan(array, tuning), tuning);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr size_t kHead = 4;
  if (size < kHead) return 0;
  const auto input = std::as_bytes(std::span(data, size));
  const int width = 1 << (data[0] % 4);
  if ((data[1] & 2) != 0) {
    EncodeByChoice(input.subspan(kHead), width, AnyTuning(data[1] / 4U));
    return 0;
  }
  const std::vector<uint64_t> entries(100, 42);
  SharedDictionary dictionary;
  if ((data[1] & 1) != 0) dictionary = {entries.data(), entries.size(), width};
  const size_t count = size_t{LoadLE<uint16_t>(&input[2])} + 1;
  DecodeAnyBytes(input.subspan(kHead), width, count, dictionary);
  return 0;
}
