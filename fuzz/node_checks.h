// What must hold of any bytes taken as a node, and of any values encoded; a broken promise aborts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/codecs/choice/tuning_internal.h"

namespace dsi::internal::fuzz {

// Memory of exactly the size asked for, so that a sanitizer sees any access beyond it.
using Block = std::unique_ptr<std::byte[]>;

inline Block NewBlock(size_t size) { return Block(new std::byte[size]); }

inline Block CopyOf(std::span<const std::byte> bytes) {
  Block copy = NewBlock(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
  return copy;
}

inline void Require(bool holds) {
  if (!holds) std::abort();
}

// Something else of the same bytes, in another width.
class Turned final : public ValueMap {
 public:
  Turned(size_t from, size_t to) : ValueMap(to), from_(from) {}
  void Apply(const void* in, size_t n, void* out) const override {
    for (size_t i = 0; i < n; ++i) {
      uint64_t value = 0;
      std::memcpy(&value, static_cast<const std::byte*>(in) + i * from_, from_);
      value = ~value * 3;
      std::memcpy(static_cast<std::byte*>(out) + i * width(), &value, width());
    }
  }

 private:
  size_t from_;
};

// Bytes decode to what a map makes of these values, whether that of the dictionary is known or not;
// null: they do not decode.
inline void RequireMapped(std::span<const std::byte> node, int width, size_t count,
                          SharedDictionary dictionary, const std::byte* values) {
  const auto from = static_cast<size_t>(width);
  const Turned map(from, from == 4 ? 8 : 4);
  const Block expected = NewBlock(count * map.width());
  if (values != nullptr) map.Apply(values, count, expected.get());
  const Block entries = NewBlock(dictionary.count * map.width());
  if (dictionary.width == width) map.Apply(dictionary.values, dictionary.count, entries.get());
  for (const void* const mapped :
       {static_cast<const void*>(nullptr), static_cast<const void*>(entries.get())}) {
    dictionary.mapped = mapped;
    const Block found = NewBlock(count * map.width());
    DecodeScratch scratch;
    const Status status = DecodeNode(node, width, count, dictionary, &scratch, found.get(), &map);
    Require(status.ok() == (values != nullptr));
    Require(!status.ok() || std::memcmp(found.get(), expected.get(), count * map.width()) == 0);
  }
}

// Decodes bytes as every caller does, and as codes. Sound ones decode to the same values again and
// say what they are, and what they cost. Null where they are refused.
inline Block DecodeAnyBytes(std::span<const std::byte> bytes, int width, size_t count,
                            const SharedDictionary& dictionary) {
  const Block source = CopyOf(bytes);
  const std::span<const std::byte> node(source.get(), bytes.size());
  const size_t size = count * static_cast<size_t>(width);
  Block values = NewBlock(size);
  DecodeScratch scratch;
  const bool decodes = DecodeNode(node, width, count, dictionary, &scratch, values.get()).ok();
  const bool is_described = DescribeNode(node, count).ok();
  if (is_described) {
    const auto ns = DecodeNs(node, count);
    Require(ns.ok() ? *ns > 0 : !decodes);
  }
  const Block codes = NewBlock(count * sizeof(uint32_t));
  const bool has_codes = DecodeSharedCodes(node, width, count, dictionary.count, &scratch,
                                           reinterpret_cast<uint32_t*>(codes.get()))
                             .ok();
  // Codes are sound where the values are, but for who knows no dictionary.
  Require(!has_codes || decodes || dictionary.width != width);
  RequireMapped(node, width, count, dictionary, decodes ? values.get() : nullptr);
  if (!decodes) return nullptr;
  const Block again = NewBlock(size);
  Require(DecodeNode(node, width, count, dictionary, &scratch, again.get()).ok());
  Require(std::memcmp(values.get(), again.get(), size) == 0);
  Require(is_described && *NodeSize(node) == node.size());
  Require(has_codes == (node[0] == static_cast<std::byte>(Encoding::kSharedDictionary)));
  return values;
}

// The node decodes to these values.
inline void RequireValues(std::span<const std::byte> node, const ArrayView& array,
                          const SharedDictionary& dictionary = {}) {
  const Block values = DecodeAnyBytes(node, array.width, array.count, dictionary);
  const size_t size = array.count * static_cast<size_t>(array.width);
  Require(values != nullptr && std::memcmp(values.get(), array.values, size) == 0);
}

// The tuning that a number from the input stands for; 0 is the default.
inline EncodeTuning AnyTuning(unsigned number) {
  return TuningOf(static_cast<Tuning>(number % 3 + 1));
}

// Whatever the plan and the tuning say, what is encoded comes back.
inline void RequireComesBack(const ArrayView& array, const EncodePlan& plan,
                             const EncodeTuning& tuning) {
  std::vector<std::byte> node;
  EncodeNode(array, plan, tuning, &node);
  RequireValues(node, array);
}

}  // namespace dsi::internal::fuzz
