#include "dsi/codecs/choice/choose_internal.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dsi/codecs/choice/costs_internal.h"
#include "dsi/codecs/packed/packed_internal.h"
#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/format/limits.h"

namespace dsi::internal {
namespace {

constexpr size_t kSampleChunk = 2048;

// The order in which encodings are asked. Plain forms come first, so that the costly ones can be
// skipped when they have nothing left to win; runs before differences, which look long at runs.
constexpr std::array kAskOrder = {
    Encoding::kRaw,        Encoding::kConstant,   Encoding::kPacked,  Encoding::kRuns,
    Encoding::kDelta,      Encoding::kDictionary, Encoding::kSparse,  Encoding::kSplit,
    Encoding::kCompressed, Encoding::kSkewed,     Encoding::kDecimal,
};

double CostOf(const EncodePlan& plan, const EncodeTuning& tuning) {
  return plan.estimated_bytes * tuning.ns_per_byte + plan.estimated_ns;
}

template <typename T>
ScanResult ScanOf(std::span<const T> values) {
  T any = values[0];
  size_t breaks = 0;
  for (size_t i = 1; i < values.size(); ++i) {
    any |= values[i];
    breaks += values[i] != values[i - 1] ? 1 : 0;
  }
  return {any, breaks + 1};
}

// Boyer and Moore's vote finds the majority if there is one.
template <typename T>
T Vote(std::span<const T> values) {
  T candidate = values[0];
  size_t votes = 0;
  for (const T value : values) {
    if (votes == 0) candidate = value;
    votes = value == candidate ? votes + 1 : votes - 1;
  }
  return candidate;
}

// Counts in numbers as wide as the values, so that the compiler can use whole vectors.
template <typename T>
size_t CountOf(std::span<const T> values, T sought) {
  constexpr size_t kBlock = 128;
  size_t count = 0;
  for (size_t first = 0; first < values.size(); first += kBlock) {
    T in_block = 0;
    for (const T value : values.subspan(first, std::min(kBlock, values.size() - first)))
      in_block = static_cast<T>(in_block + (value == sought ? 1 : 0));
    count += static_cast<size_t>(in_block);
  }
  return count;
}

}  // namespace

PiecesOf::PiecesOf(const ArrayView& array, size_t piece) : view_(array), piece_(piece) {
  if (array.count <= kPieces * piece) {
    piece_ = array.count;
    return;
  }
  const size_t width = static_cast<size_t>(array.width);
  const auto* source = static_cast<const std::byte*>(array.values);
  words_.resize((kPieces * piece * width + 7) / 8);
  auto* target = reinterpret_cast<std::byte*>(words_.data());
  const size_t stride = (array.count - piece) / (kPieces - 1);
  for (size_t i = 0; i < kPieces; ++i)
    std::memcpy(target + i * piece * width, source + i * stride * width, piece * width);
  view_.values = words_.data();
  view_.count = kPieces * piece;
}

double OwnNs(const EncodePlan& plan, double payload, double count, int width) {
  if (plan.encoding == Encoding::kCompressed) {
    const DecompressRate rate = plan.param == kLz4Codec ? kLz4Rate : kZstdRate;
    return kNodeNs + payload * rate.ns_per_stored_byte + count * width * rate.ns_per_raw_byte;
  }
  const DecodeRate rate = kDecodeRates[static_cast<size_t>(plan.encoding)];
  return kNodeNs + count * (rate.ns_per_value + rate.ns_per_byte * width);
}

ScanResult Scan(const ArrayView& array) {
  return VisitWidth(array.width, [&](auto zero) { return ScanOf(Values<decltype(zero)>(array)); });
}

Majority FindMajority(const ArrayView& array) {
  return VisitWidth(array.width, [&](auto zero) {
    const auto values = Values<decltype(zero)>(array);
    const auto candidate = Vote(values);
    return Majority{candidate, CountOf(values, candidate)};
  });
}

Chooser::Chooser(const ArrayView& sample, const ArrayView& whole, const ChoicePlace& place,
                 EncodeContext* context)
    : sample_(sample), whole_(whole), place_(place), context_(context) {}

const ScanResult& Chooser::scan() {
  if (!scan_) scan_ = Scan(sample_);
  return *scan_;
}

size_t Chooser::packed_payload() {
  if (!packed_payload_)
    packed_payload_ = PackedPayload(sample_.values, sample_.count, sample_.width);
  return *packed_payload_;
}

bool Chooser::HasRoomBelow(int levels) const {
  return place_.depth + levels <= static_cast<int>(kMaxNodeDepth);
}

double Chooser::Cost(const EncodePlan& plan) const { return CostOf(plan, context_->tuning); }

void Chooser::Estimate(double payload, int width, EncodePlan* plan) const {
  plan->estimated_bytes = NodeBytes(payload);
  plan->estimated_ns = OwnNs(*plan, payload, total_count(), width);
  for (const EncodePlan& child : plan->children) {
    plan->estimated_bytes += child.estimated_bytes;
    plan->estimated_ns += child.estimated_ns;
  }
}

double Chooser::MostCost() const {
  return has_best_ ? std::min(Cost(best_), place_.limit) : place_.limit;
}

bool Chooser::WouldWin(EncodePlan plan, double payload, int width) const {
  Estimate(payload, width, &plan);
  return Cost(plan) < MostCost();
}

bool Chooser::LimitChildren(const EncodePlan& plan, double payload, int width) {
  // People who ask why want to see what loses, too.
  if (offers_ != nullptr) return true;
  EncodePlan unfinished = plan;
  Estimate(payload, width, &unfinished);
  child_limit_ = MostCost() - Cost(unfinished);
  return child_limit_ > 0;
}

void Chooser::Offer(EncodePlan plan, double payload, int width) {
  Estimate(payload, width, &plan);
  if (offers_ != nullptr) offers_->push_back(plan);
  if (has_best_ && Cost(plan) >= Cost(best_)) return;
  best_ = std::move(plan);
  has_best_ = true;
}

EncodePlan Chooser::ChooseChild(const ArrayView& child, double scale, size_t chunk,
                                EncodingSet allowed) const {
  return ChooseChild(child, child, scale, chunk, allowed);
}

EncodePlan Chooser::ChooseChild(const ArrayView& child, const ArrayView& whole, double scale,
                                size_t chunk, EncodingSet allowed) const {
  const ChoicePlace place{scale, chunk, place_.depth + 1, allowed & place_.allowed, child_limit_};
  return Chooser(child, whole, place, context_).Choose();
}

EncodePlan Chooser::Choose(std::vector<EncodePlan>* offers) {
  offers_ = offers;
  for (const Encoding encoding : kAskOrder) {
    if ((place_.allowed & SetOf(encoding)) == 0) continue;
    if (offers_ == nullptr) child_limit_ = MostCost();
    FindEncoding(static_cast<uint8_t>(encoding))->consider(this);
    // Nothing is smaller or faster than one value for all.
    if (best_.encoding == Encoding::kConstant) break;
  }
  return std::move(best_);
}

EncodePlan ChooseAtDepth(const ArrayView& array, int depth, EncodeContext* context,
                         std::vector<EncodePlan>* offers) {
  const PiecesOf pieces(array, kSampleChunk);
  // A sample of one value says nothing of the others, which are few.
  const bool is_blind = Scan(pieces.view()).runs == 1 && Scan(array).runs != 1;
  const PiecesOf sample(array, is_blind ? array.count : kSampleChunk);
  ChoicePlace place;
  place.depth = depth;
  place.scale = static_cast<double>(array.count) / static_cast<double>(sample.view().count);
  place.chunk = sample.piece();
  return Chooser(sample.view(), array, place, context).Choose(offers);
}

std::vector<EncodePlan> RankPlans(const ArrayView& array, const EncodeTuning& tuning) {
  EncodeContext context(tuning);
  std::vector<EncodePlan> plans;
  ChooseAtDepth(array, 2, &context, &plans);
  std::stable_sort(plans.begin(), plans.end(), [&](const EncodePlan& a, const EncodePlan& b) {
    return CostOf(a, tuning) < CostOf(b, tuning);
  });
  return plans;
}

}  // namespace dsi::internal
