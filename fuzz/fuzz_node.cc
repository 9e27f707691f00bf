// Decodes any bytes as a node, as every caller does: into memory of exactly the size asked for,
// with and without a shared dictionary, as codes, and as words.
//
// Input: u8 width selector, u8 flags, u16 count - 1, then the node.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/format/bytes_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dsi::internal;
  constexpr std::size_t kHead = 4;
  if (size < kHead) return 0;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const int width = 1 << (data[0] % 4);
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
