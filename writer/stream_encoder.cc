#include "dsi/writer/stream_encoder_internal.h"

#include <algorithm>
#include <cstring>

namespace dsi::internal {
namespace {

const std::byte* At(const ArrayView& values, size_t i) {
  return static_cast<const std::byte*>(values.values) + i * static_cast<size_t>(values.width);
}

// All values equal the first: comparing the array with itself shifted by one value says so at
// memory speed.
bool IsConstant(const ArrayView& values) {
  return std::memcmp(At(values, 0), At(values, 1),
                     (values.count - 1) * static_cast<size_t>(values.width)) == 0;
}

ArrayView Page(const ArrayView& values, size_t first, size_t count) {
  ArrayView page = values;
  page.values = At(values, first);
  page.count = count;
  return page;
}

// Whether a page is so unlike the one that the plan was chosen on that another may do better.
bool HasDrifted(double bytes_per_value, double when_chosen) {
  constexpr double kMostGrowth = 1.1;
  constexpr double kMostShrinkage = 0.7;
  return bytes_per_value > when_chosen * kMostGrowth ||
         bytes_per_value < when_chosen * kMostShrinkage;
}

}  // namespace

std::vector<std::byte> EncodePage(const ArrayView& page, const EncodeTuning& tuning,
                                  RememberedPlan* remembered) {
  std::vector<std::byte> by_memory;
  const auto count = static_cast<double>(page.count);
  if (remembered->is_known) {
    EncodeNode(page, remembered->plan, tuning, &by_memory);
    if (!HasDrifted(static_cast<double>(by_memory.size()) / count, remembered->bytes_per_value))
      return by_memory;
  }
  EncodePlan plan = ChoosePlan(page, tuning);
  std::vector<std::byte> by_choice;
  EncodeNode(page, plan, tuning, &by_choice);
  *remembered = {true, std::move(plan), static_cast<double>(by_choice.size()) / count};
  return by_choice;
}

EncodedStream EncodeStream(const ArrayView& values, uint32_t page_values,
                           const EncodeTuning& tuning, RememberedPlan* remembered) {
  EncodedStream stream;
  stream.record.num_values = values.count;
  stream.record.width = static_cast<uint8_t>(values.width);
  if (values.count == 0) return stream;
  if (IsConstant(values)) {
    stream.record.form = StreamForm::kConstant;
    std::memcpy(&stream.record.constant, values.values, static_cast<size_t>(values.width));
    return stream;
  }
  stream.record.form = StreamForm::kPaged;
  RememberedPlan own;
  if (remembered == nullptr) remembered = &own;
  for (size_t first = 0; first < values.count; first += page_values) {
    const size_t count = std::min<size_t>(values.count - first, page_values);
    EncodedStream::Node& node = stream.nodes.emplace_back();
    node.num_values = static_cast<uint32_t>(count);
    node.bytes = EncodePage(Page(values, first, count), tuning, remembered);
  }
  return stream;
}

EncodedStream EncodeCodeStream(std::span<const uint32_t> codes, int value_width,
                               uint32_t page_values, const EncodePlan& plan,
                               const EncodeTuning& tuning) {
  EncodedStream stream;
  stream.record.num_values = codes.size();
  stream.record.width = static_cast<uint8_t>(value_width);
  if (codes.empty()) return stream;
  stream.record.form = StreamForm::kPaged;
  for (size_t first = 0; first < codes.size(); first += page_values) {
    const size_t count = std::min<size_t>(codes.size() - first, page_values);
    EncodedStream::Node& node = stream.nodes.emplace_back();
    node.num_values = static_cast<uint32_t>(count);
    EncodeSharedCodes(codes.subspan(first, count), value_width, plan, tuning, &node.bytes);
  }
  return stream;
}

}  // namespace dsi::internal
