#include "dsi/writer/stream_encoder_internal.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

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

// Whether a page is so unlike the one that the plan was chosen on that another may do better by
// more than a choice is worth.
bool HasDrifted(const ProvenPlan& proven, size_t bytes, size_t count) {
  constexpr double kMostGrowth = 1.1;
  constexpr double kMostShrinkage = 0.7;
  constexpr double kWorth = 512;  // Bytes.
  const auto found = static_cast<double>(bytes);
  const double expected = proven.bytes_per_value * static_cast<double>(count);
  return found > expected * kMostGrowth + kWorth || found < expected * kMostShrinkage - kWorth;
}

class AddSeconds {
 public:
  explicit AddSeconds(double* sum) : sum_(*sum) {}
  AddSeconds(const AddSeconds&) = delete;
  AddSeconds& operator=(const AddSeconds&) = delete;
  ~AddSeconds() { sum_ += std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point start_ = Clock::now();
};

// Encodes a page by the plan of a stream that looks alike, which is then remembered; false where
// there is none, or where the page does not come to the same size.
bool EncodeAsAlike(const ArrayView& page, const PageProfile& profile, const EncodeTuning& tuning,
                   RememberedPlan* remembered, std::vector<std::byte>* node) {
  constexpr double kMostDifference = 0.03;
  const ProvenPlan* const alike = remembered->memory->FindAlike(profile);
  if (alike == nullptr) return false;
  EncodeNode(page, alike->plan, tuning, node);
  const double expected = alike->bytes_per_value * static_cast<double>(page.count);
  const double difference = std::abs(static_cast<double>(node->size()) - expected);
  if (difference > expected * kMostDifference) {
    node->clear();
    return false;
  }
  remembered->proven = *alike;
  return true;
}

void Choose(const ArrayView& page, const EncodeTuning& tuning, RememberedPlan* remembered,
            std::vector<std::byte>* node) {
  ProvenPlan& proven = remembered->proven;
  {
    const AddSeconds timed(&remembered->choose_seconds);
    proven.plan = ChoosePlan(page, tuning);
  }
  EncodeNode(page, proven.plan, tuning, node);
  const auto count = static_cast<double>(page.count);
  proven.bytes_per_value = static_cast<double>(node->size()) / count;
  proven.ns_per_value = proven.plan.estimated_ns / count;
}

// Encodes a page by what is remembered, by what an alike stream has, or by a new choice.
std::vector<std::byte> EncodePage(const ArrayView& page, const EncodeTuning& tuning,
                                  RememberedPlan* remembered) {
  std::vector<std::byte> node;
  if (remembered->is_known) {
    EncodeNode(page, remembered->proven.plan, tuning, &node);
    if (!HasDrifted(remembered->proven, node.size(), page.count)) return node;
    node.clear();
  }
  remembered->is_known = true;
  remembered->profile.reset();
  std::unique_ptr<PageProfile> profile;
  if (remembered->memory != nullptr) {
    const AddSeconds timed(&remembered->choose_seconds);
    profile = std::make_unique<PageProfile>(ProfileOf(page, tuning));
  }
  if (profile != nullptr && EncodeAsAlike(page, *profile, tuning, remembered, &node)) return node;
  Choose(page, tuning, remembered, &node);
  remembered->profile = std::move(profile);
  return node;
}

}  // namespace

double PricePage(const ArrayView& page, const EncodeTuning& tuning, RememberedPlan* remembered) {
  const std::vector<std::byte> node = EncodePage(page, tuning, remembered);
  return static_cast<double>(node.size()) * tuning.ns_per_byte +
         remembered->proven.ns_per_value * static_cast<double>(page.count);
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
