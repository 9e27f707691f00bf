#include "dsi/writer/encode/verify_stream_internal.h"

#include <cstring>
#include <numeric>
#include <vector>

namespace dsi::internal {
namespace {

// Decodes node after node of a stream.
class NodeReader {
 public:
  NodeReader(const EncodedStream& stream, uint32_t page_values)
      : width_(stream.record.width), page_((uint64_t{page_values} * width_ + 7) / 8) {}

  // Null: it cannot be decoded.
  const void* Read(const EncodedStream::Node& node, const SharedDictionary& dictionary) {
    const Status status =
        DecodeNode(node.bytes, width_, node.num_values, dictionary, &scratch_, page_.data());
    return status.ok() ? page_.data() : nullptr;
  }

 private:
  int width_;
  std::vector<uint64_t> page_;
  DecodeScratch scratch_;
};

// Numbers of entries in the place of entries, so that decoding gives codes, and literals as they
// are.
template <typename T>
bool CodesDecode(const EncodedStream& stream, const CodedIds& ids, uint32_t page_values) {
  std::vector<T> numbers(ids.literal);
  std::iota(numbers.begin(), numbers.end(), T{0});
  const SharedDictionary dictionary{numbers.data(), numbers.size(), sizeof(T)};
  NodeReader reader(stream, page_values);
  const T* literal = static_cast<const T*>(ids.literals.values);
  const T* const end = literal + ids.literals.count;
  size_t at = 0;
  for (const EncodedStream::Node& node : stream.nodes) {
    const auto* const values = static_cast<const T*>(reader.Read(node, dictionary));
    if (values == nullptr || node.num_values > ids.codes.size() - at) return false;
    for (size_t i = 0; i < node.num_values; ++i, ++at) {
      const bool is_literal = ids.codes[at] == ids.literal;
      if (is_literal && literal == end) return false;
      if (values[i] != (is_literal ? *literal : static_cast<T>(ids.codes[at]))) return false;
      if (is_literal) ++literal;
    }
  }
  return at == ids.codes.size() && literal == end;
}

}  // namespace

bool DecodesTo(const EncodedStream& stream, const ArrayView& values, uint32_t page_values) {
  NodeReader reader(stream, stream.record.PageValues(page_values));
  const auto* bytes = static_cast<const std::byte*>(values.values);
  const std::byte* const end = bytes + values.count * static_cast<size_t>(values.width);
  for (const EncodedStream::Node& node : stream.nodes) {
    const void* const page = reader.Read(node, {});
    const size_t size = size_t{node.num_values} * static_cast<size_t>(values.width);
    if (page == nullptr || size > static_cast<size_t>(end - bytes) ||
        std::memcmp(page, bytes, size) != 0)
      return false;
    bytes += size;
  }
  return bytes == end;
}

bool DecodesTo(const EncodedStream& stream, const CodedIds& ids, uint32_t page_values) {
  return ids.literals.width == 4 ? CodesDecode<uint32_t>(stream, ids, page_values)
                                 : CodesDecode<uint64_t>(stream, ids, page_values);
}

}  // namespace dsi::internal
