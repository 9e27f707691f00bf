// Delta: the first value, and a child with the zigzag differences (E-030).
#include "dsi/codecs/delta/delta_internal.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "dsi/codecs/block_reader_internal.h"
#include "dsi/codecs/packed/packed_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/stored_value_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

Status Decode(const NodeView& node, const DecodeContext& context, std::byte* dst) {
  if (node.count < 2) return Corrupt("delta: count {}, expected at least 2 (E-030)", node.count);
  uint64_t last = 0;
  DSI_RETURN_IF_ERROR(LoadStoredValue(node, "delta", "E-030", &last));
  ChildWalk children(node.payload.subspan(kStoredValueSize));
  DSI_ASSIGN_OR_RETURN(const NodeView differences, children.Next(node.width, node.count - 1));
  DSI_RETURN_IF_ERROR(children.End());
  BlockReader reader(context.scratch);
  DSI_RETURN_IF_ERROR(reader.Open(differences, Deeper(context)));
  std::memcpy(dst, &last, node.width);
  dst += node.width;
  // Block by block: the differences are summed while they are in the first-level cache.
  for (size_t left = differences.count; left != 0;) {
    size_t n = 0;
    const std::byte* coded = reader.Next(&n);
    last = SumZigZag(coded, n, node.width, last, dst);
    dst += n * node.width;
    left -= n;
  }
  return Status::Ok();
}

bool Encode(const ArrayView& array, const EncodePlan& plan, EncodeContext* context,
            std::vector<std::byte>* out) {
  if (array.count < 2) return false;
  NodeWriter writer(out, Encoding::kDelta, array.width, array.count);
  VisitWidth(array.width, [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> values = Values<T>(array);
    AppendLE<uint64_t>(out, values[0]);
    std::vector<T> differences(values.size() - 1);
    ZigZagDifferences(static_cast<const std::byte*>(array.values), values.size(), sizeof(T),
                      reinterpret_cast<std::byte*>(differences.data()));
    EncodeChild(ViewOf<T>(differences), plan, 0, context, out);
  });
  writer.Finish();
  return true;
}

// Differences inside each piece of the sample; between pieces they mean nothing.
template <typename T>
std::vector<T> SampleDifferences(std::span<const T> values, size_t chunk) {
  std::vector<T> differences;
  differences.reserve(values.size());
  for (size_t at = 0; at < values.size(); at += chunk) {
    const size_t n = std::min(chunk, values.size() - at);
    if (n < 2) continue;
    const size_t size = differences.size();
    differences.resize(size + n - 1);
    ZigZagDifferences(reinterpret_cast<const std::byte*>(values.data() + at), n, sizeof(T),
                      reinterpret_cast<std::byte*>(differences.data() + size));
  }
  return differences;
}

// Bits of all numbers above the least of them.
template <typename T>
double SumOfBits(std::span<const T> values) {
  const T least = *std::min_element(values.begin(), values.end());
  uint64_t sum = 0;
  for (const T value : values) sum += static_cast<uint64_t>(std::bit_width<T>(value - least));
  return static_cast<double>(sum);
}

// Differences that are hardly smaller than the values are noise; nothing would make sense of them.
// Floats need more, as differences of their bit patterns lose some bits by chance. Of integers a
// few large steps among small ones may spoil every packed block, and yet something other than
// packing takes them.
template <typename T>
bool Promises(Chooser* chooser, std::span<const T> differences, double scale) {
  const ArrayView& sample = chooser->sample();
  const double fewest_saved = sample.is_float ? 1.0 / 8 : 1.0 / 16;
  const size_t packed = PackedPayload(differences.data(), differences.size(), sample.width);
  const double plain = static_cast<double>(chooser->packed_payload()) * chooser->scale();
  if (static_cast<double>(packed) * scale < (1 - fewest_saved) * plain) return true;
  constexpr double kMostOfBits = 0.75;
  return !sample.is_float && SumOfBits(differences) < kMostOfBits * SumOfBits(Values<T>(sample));
}

void Consider(Chooser* chooser) {
  const ArrayView& sample = chooser->sample();
  if (sample.count < 4 || !chooser->HasRoomBelow(1)) return;
  VisitWidth(sample.width, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<T> differences = SampleDifferences(Values<T>(sample), chooser->chunk());
    if (differences.empty()) return;
    const double scale = chooser->total_count() / static_cast<double>(differences.size());
    if (!Promises<T>(chooser, differences, scale)) return;
    // Differences of differences are for clocks whose pace drifts, dictionaries of differences for
    // steps of few sizes; of the bits of floats neither says anything.
    const EncodingSet allowed =
        sample.is_float ? ~SetOf(Encoding::kDelta, Encoding::kDictionary) : kAllEncodings;
    EncodePlan plan;
    plan.encoding = Encoding::kDelta;
    plan.children.push_back(
        chooser->ChooseChild(ViewOf<T>(differences), scale, differences.size(), allowed));
    chooser->Offer(std::move(plan), kStoredValueSize, sample.width);
  });
}

}  // namespace

const EncodingRow kDeltaEncoding = {
    Encoding::kDelta, "delta", 0, static_cast<int>(kStoredValueSize), Decode, Encode, Consider,
};

}  // namespace dsi::internal
