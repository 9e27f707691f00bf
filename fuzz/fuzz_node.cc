// Decodes any bytes as a node, as every caller does: into memory of exactly the size asked for,
// with and without a shared dictionary, as codes, and as words. Or takes the bytes as values: by
// every encoding, and by the plan that a choice makes, they come back.
//
// Input: u8 width selector, u8 flags (1: with a dictionary, 2: values), u16 count - 1 (of values:
// the parameter of the plan), then the node, or the values.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/format/bytes_internal.h"

namespace {

using namespace dsi::internal;

void CheckComesBack(const ArrayView& array, const EncodePlan& plan) {
  std::vector<std::byte> node;
  EncodeNode(array, plan, {}, &node);
  const std::size_t size = array.count * static_cast<std::size_t>(array.width);
  const std::unique_ptr<std::byte[]> out(new std::byte[size]);
  DecodeScratch scratch;
  if (!DecodeNode(node, array.width, array.count, {}, &scratch, out.get()).ok()) std::abort();
  if (std::memcmp(out.get(), array.values, size) != 0) std::abort();
}

void EncodeEveryWay(std::span<const std::byte> bytes, int width, std::uint16_t parameter) {
  const std::size_t count = bytes.size() / static_cast<std::size_t>(width);
  if (count == 0) return;
  std::vector<std::uint64_t> aligned(bytes.size() / 8 + 1);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  const ArrayView array{aligned.data(), count, width, false, true};
  CheckComesBack(array, ChoosePlan(array, {}));
  for (const EncodingRow* row : EncodingTable()) {
    if (row->id == Encoding::kSharedDictionary) continue;
    EncodePlan plan;
    plan.encoding = row->id;
    plan.param = static_cast<std::uint8_t>(parameter);
    plan.shift = static_cast<std::uint8_t>(parameter >> 8);
    // Codecs are 1 and 2; no plan has others.
    if (row->id == Encoding::kCompressed) plan.param = static_cast<std::uint8_t>(1 + parameter % 2);
    CheckComesBack(array, plan);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kHead = 4;
  if (size < kHead) return 0;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const int width = 1 << (data[0] % 4);
  if ((data[1] & 2) != 0) {
    EncodeEveryWay({bytes + kHead, bytes + size}, width, LoadLE<std::uint16_t>(bytes + 2));
    return 0;
  }
  const bool has_dictionary = (data[1] & 1) != 0;
  const std::size_t count = std::size_t{LoadLE<std::uint16_t>(bytes + 2)} + 1;
  const std::vector<std::byte> node(bytes + kHead, bytes + size);

  const std::vector<std::uint64_t> entries(100, 42);
  SharedDictionary dictionary;
  if (has_dictionary) dictionary = {entries.data(), entries.size(), width};
  const std::size_t out_size = count * static_cast<std::size_t>(width);
  const std::unique_ptr<std::byte[]> out(new std::byte[out_size]);
  DecodeScratch scratch;
  const bool decodes = DecodeNode(node, width, count, dictionary, &scratch, out.get()).ok();
  if (decodes) {
    // Sound bytes decode to the same values again, and say what they are.
    const std::unique_ptr<std::byte[]> again(new std::byte[out_size]);
    if (!DecodeNode(node, width, count, dictionary, &scratch, again.get()).ok()) std::abort();
    if (std::memcmp(out.get(), again.get(), out_size) != 0) std::abort();
    if (!DescribeNode(node).ok() || *NodeSize(node) != node.size()) std::abort();
  } else {
    (void)DescribeNode(node);
  }
  const std::unique_ptr<std::uint32_t[]> codes(new std::uint32_t[count]);
  (void)DecodeSharedCodes(node, width, count, entries.size(), &scratch, codes.get());
  return 0;
}
