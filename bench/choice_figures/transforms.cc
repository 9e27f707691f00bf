// Which transforms of an array a search looks at.
#include <algorithm>
#include <bit>
#include <cmath>

#include "dsi/bench/choice_figures/search.h"
#include "dsi/codecs/choice/choose_internal.h"
#include "dsi/codecs/choice/entropy_internal.h"
#include "dsi/codecs/packed/packed_internal.h"
#include "dsi/codecs/width_internal.h"

namespace dsi::bench {
namespace {

using namespace internal;

EncodePlan PlanOf(Encoding encoding) {
  EncodePlan plan;
  plan.encoding = encoding;
  return plan;
}

double PackedBytes(const Values& values) {
  return static_cast<double>(
      PackedPayload(values.bytes.data(), values.count, static_cast<int>(values.width)));
}

}  // namespace

// What a high part will take, roughly, to tell which of the splits are worth a search.
double Search::HighPartBytes(const Values& high, int levels) {
  constexpr int kTop = 5;
  double bytes = PackedBytes(high);
  if (tuning_.zstd_level == 0) return bytes;
  if (levels >= kTop) {
    const size_t frame = FrameBytes(kZstdCodec, 1, false, high.bytes);
    bytes = std::min(bytes, static_cast<double>(frame));
  }
  if (high.width <= 2) {
    const std::vector<uint16_t> symbols = VisitWidth(high.width, [&](auto zero) {
      const auto values = internal::Values<decltype(zero)>(high.view());
      return std::vector<uint16_t>(values.begin(), values.end());
    });
    const double entropy = EntropyBits(symbols, 8 * high.width);
    bytes = std::min(bytes, entropy * static_cast<double>(high.count) / 8);
  }
  return bytes;
}

void Search::AddSplits(const ArrayView& array, int levels, std::vector<Parts>* out) {
  constexpr std::array<size_t, 7> kKept = {0, 0, 1, 1, 2, 3, 10};
  if (array.width == 1 && levels < 5) return;
  const uint64_t any = Scan(array).any_bits;
  const int shift = std::countr_zero(any);
  const int bits = BitsFor(any) - shift;
  const bool has_signs = BitsFor(any) == 8 * array.width;
  std::vector<std::pair<double, Parts>> cuts;
  for (int sign = 0; sign <= (has_signs && array.is_float ? 1 : 0); ++sign) {
    for (int low = sign; low < bits; ++low) {
      const bool narrows = WidthForBits(bits) < array.width;
      if (low == 0 && shift == 0 && !narrows) continue;
      EncodePlan plan = PlanOf(Encoding::kSplit);
      plan.param = static_cast<uint8_t>(low);
      plan.shift = static_cast<uint8_t>(shift);
      plan.sign_low = sign != 0;
      Parts parts;
      if (!Apply(array, plan, &parts)) continue;
      // Encoding moves the cut where the plan's does not suit; such a cut comes up by itself.
      double bytes = HighPartBytes(parts.children[0], levels);
      if (parts.children.size() > 1) bytes += PackedBytes(parts.children[1]);
      cuts.emplace_back(bytes, std::move(parts));
    }
  }
  std::stable_sort(cuts.begin(), cuts.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  cuts.resize(std::min(cuts.size(), kKept[static_cast<size_t>(levels)]));
  for (auto& [bytes, parts] : cuts) out->push_back(std::move(parts));
}

void Search::AddDecimals(const ArrayView& array, std::vector<Parts>* out) {
  constexpr size_t kKept = 3;
  constexpr std::array<int, 2> kMostExponent = {10, 22};  // E-120.
  if (array.width < 4 || !array.is_float) return;
  std::vector<std::pair<double, Parts>> found;
  for (int exponent = 0; exponent <= kMostExponent[array.width / 8]; ++exponent) {
    EncodePlan plan = PlanOf(Encoding::kDecimal);
    plan.param = static_cast<uint8_t>(exponent);
    Parts parts;
    if (!Apply(array, plan, &parts)) continue;
    double bytes = 0;
    for (const Values& child : parts.children) bytes += PackedBytes(child);
    found.emplace_back(bytes, std::move(parts));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  found.resize(std::min(found.size(), kKept));
  for (auto& [bytes, parts] : found) out->push_back(std::move(parts));
}

std::vector<Search::Parts> Search::Transforms(const ArrayView& array, int levels) {
  const ScanResult scan = Scan(array);
  std::vector<Parts> all;
  const auto add = [&](Encoding encoding) {
    Parts parts;
    if (Apply(array, PlanOf(encoding), &parts)) all.push_back(std::move(parts));
  };
  add(Encoding::kDelta);
  if (2 * scan.runs <= array.count) add(Encoding::kRuns);
  add(Encoding::kDictionary);
  if (2 * FindMajority(array).count > array.count) add(Encoding::kSparse);
  add(Encoding::kSkewed);
  AddDecimals(array, &all);
  AddSplits(array, levels, &all);
  for (Parts& parts : all) {
    std::array<Tree, 2> trees = {Tree{parts.plan, parts.own}, Tree{parts.plan, parts.own}};
    for (const Values& child : parts.children) {
      const BestTrees& leaves = Leaves(child.view());
      trees[0].cost += leaves.by_cost.cost;
      trees[1].cost += leaves.by_bytes.cost;
    }
    parts.shallow.by_cost = trees[0];
    parts.shallow.by_bytes = trees[1];
  }
  return all;
}

}  // namespace dsi::bench
