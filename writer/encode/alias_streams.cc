#include "dsi/writer/encode/alias_streams_internal.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "dsi/base/xxh3_internal.h"
#include "dsi/format/slots_internal.h"

namespace dsi::internal {
namespace {

constexpr uint64_t kFewestBytes = 128;  // Smaller streams are not worth the look.

uint64_t HashOf(const EncodedStream& stream) {
  uint64_t hash = stream.record.num_values;
  for (const EncodedStream::Node& node : stream.nodes)
    hash = Xxh3(node.bytes.data(), node.bytes.size(), hash);
  return hash;
}

bool Equal(const EncodedStream& a, const EncodedStream& b) {
  const auto same_node = [](const EncodedStream::Node& x, const EncodedStream::Node& y) {
    return x.num_values == y.num_values && x.bytes == y.bytes;
  };
  return a.record.num_values == b.record.num_values && a.record.width == b.record.width &&
         a.record.max == b.record.max && a.record.constant == b.record.constant &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), same_node);
}

}  // namespace

void AliasEqualStreams(EncodedStripe* stripe) {
  std::unordered_multimap<uint64_t, uint32_t> known;
  std::vector<bool> is_source(stripe->streams.size(), false);
  for (const EncodedStream& stream : stripe->streams) {
    if (stream.record.has_source()) is_source[ValuesSlot(stream.record.source_column())] = true;
  }
  for (uint32_t slot = 0; slot < stripe->streams.size(); ++slot) {
    EncodedStream& stream = stripe->streams[slot];
    if (stream.bytes() < kFewestBytes) continue;
    const uint64_t hash = HashOf(stream);
    const auto [begin, end] = known.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto& entry) {
      return Equal(stripe->streams[entry.second], stream);
    });
    // A source has nodes of its own.
    if (same == end || is_source[slot]) {
      known.emplace(hash, slot);
      continue;
    }
    stream.record.form = StreamForm::kAlias;
    stream.record.first_page = same->second;
    stream.record.constant = 0;  // The source is that of the stream that it names.
    stream.nodes.clear();
  }
}

}  // namespace dsi::internal
