#include "dsi/bench/choice_figures/search.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <utility>

#include "dsi/codecs/choice/choose_internal.h"
#include "dsi/codecs/registry_internal.h"

namespace dsi::bench {
namespace {

using namespace internal;

constexpr int kMostLevels = 6;  // E-003.

std::string KeyOf(const ArrayView& array, int levels) {
  const std::string_view bytes(static_cast<const char*>(array.values),
                               array.count * static_cast<size_t>(array.width));
  // Two hashes, from either end of the alphabet of salts: 128 bits do not collide.
  const size_t first = std::hash<std::string_view>()(bytes);
  const size_t second = std::hash<std::string_view>()(bytes.substr(bytes.size() / 3));
  return std::to_string(first) + "," + std::to_string(second) + "," + std::to_string(array.count) +
         "," + std::to_string(8 * levels + array.width) + (array.is_float ? "f" : "");
}

double RawBytes(const ArrayView& array) {
  const size_t size = array.count * static_cast<size_t>(array.width);
  return static_cast<double>(kNodeHeaderSize + AlignUp(size, 8));
}

int Height(const EncodePlan& plan) {
  int below = 0;
  for (const EncodePlan& child : plan.children) below = std::max(below, Height(child));
  return below + 1;
}

// A transform over the best trees of its children, as `pick` says which is best.
template <typename Pick>
Tree Join(const EncodePlan& plan, const NodeCost& own, const std::vector<BestTrees>& children,
          const Pick& pick) {
  Tree tree{plan, own};
  for (size_t i = 0; i < children.size(); ++i) {
    tree.plan.children[i] = pick(children[i]).plan;
    tree.cost += pick(children[i]).cost;
  }
  return tree;
}

}  // namespace

void Search::Offer(const ArrayView& array, const Tree& tree, bool is_plain, BestTrees* best) const {
  if (tree.cost.bytes > RawBytes(array)) return;  // A writer stores raw values then.
  const auto less_cost = [&](const Tree& other) {
    return tree.cost.At(tuning_.ns_per_byte) < other.cost.At(tuning_.ns_per_byte);
  };
  const auto fewer_bytes = [&](const Tree& other) {
    return tree.cost.bytes < other.cost.bytes ||
           (tree.cost.bytes == other.cost.bytes && tree.cost.ns < other.cost.ns);
  };
  if (less_cost(best->by_cost)) best->by_cost = tree;
  if (fewer_bytes(best->by_bytes)) best->by_bytes = tree;
  if (is_plain && fewer_bytes(best->plain)) best->plain = tree;
}

bool Search::Apply(const ArrayView& array, const EncodePlan& plan, Parts* parts) {
  const EncodingRow& row = *FindEncoding(static_cast<uint8_t>(plan.encoding));
  parts->plan = plan;
  parts->plan.children.assign(8, EncodePlan());
  std::vector<std::byte> bytes;
  EncodeContext context(tuning_, 1);
  if (!row.encode(array, parts->plan, &context, &bytes)) return false;
  const auto node = ParseNode(bytes);
  if (!node.ok()) std::abort();
  parts->plan.param = node->param;
  double own = static_cast<double>(node->payload.size());
  auto left = node->payload.subspan(static_cast<size_t>(row.children_at));
  while (!left.empty()) {
    const auto child = ParseNode(left);
    if (!child.ok()) std::abort();
    Values& values = parts->children.emplace_back();
    values.bytes.assign(child->payload.begin(), child->payload.end());
    values.count = child->count;
    values.width = child->width;
    const bool holds_values = plan.encoding == Encoding::kRuns ||
                              plan.encoding == Encoding::kDictionary ||
                              plan.encoding == Encoding::kSparse;
    values.is_float = array.is_float && holds_values && child->width == array.width;
    own -= static_cast<double>(child->size);
    left = left.subspan(child->size);
  }
  parts->plan.children.resize(parts->children.size());
  parts->own = {static_cast<double>(kNodeHeaderSize) + own,
                OwnNs(plan, own, static_cast<double>(array.count), array.width)};
  return true;
}

size_t Search::FrameBytes(uint8_t codec, int level, bool literals_only,
                          const std::vector<std::byte>& bytes) {
  frame_.clear();
  if (!frames_.Append(codec, level, literals_only, bytes, &frame_)) return SIZE_MAX / 2;
  return frame_.size();
}

void Search::OfferFrames(const ArrayView& array, const Tree& inner, BestTrees* best) {
  // Strong levels have not been seen to take less than this share of what level 3 takes.
  constexpr int kQuickLevel = 3;
  constexpr double kMostGain = 0.7;
  constexpr double kFewestBytes = 64;
  if (inner.cost.bytes < kFewestBytes || Height(inner.plan) >= kMostLevels) return;
  std::vector<std::byte> bytes;
  EncodeContext context(tuning_, 1);
  EncodeArray(array, inner.plan, &context, &bytes);
  if (bytes.size() > 4096 + 32 * array.count) return;
  const auto offer = [&](uint8_t codec, bool literals_only, size_t frame) {
    const auto size = static_cast<double>(frame);
    if (size > tuning_.accept_ratio * static_cast<double>(bytes.size())) return;
    Tree tree;
    tree.plan.encoding = Encoding::kCompressed;
    tree.plan.param = codec;
    tree.plan.literals_only = literals_only;
    tree.plan.children.push_back(inner.plan);
    tree.cost = {
        static_cast<double>(kNodeHeaderSize + AlignUp(frame, 8)),
        inner.cost.ns + OwnNs(tree.plan, size, static_cast<double>(array.count), array.width)};
    Offer(array, tree, false, best);
  };
  if (tuning_.lz4) offer(kLz4Codec, false, FrameBytes(kLz4Codec, 0, false, bytes));
  if (tuning_.zstd_level == 0) return;
  if (array.width <= 2) offer(kZstdCodec, true, FrameBytes(kZstdCodec, 0, true, bytes));
  if (tuning_.zstd_level > kQuickLevel) {
    const double hope =
        kMostGain * static_cast<double>(FrameBytes(kZstdCodec, kQuickLevel, false, bytes));
    if (hope > best->by_bytes.cost.bytes &&
        hope * tuning_.ns_per_byte > best->by_cost.cost.At(tuning_.ns_per_byte))
      return;
  }
  offer(kZstdCodec, false, FrameBytes(kZstdCodec, tuning_.zstd_level, false, bytes));
}

BestTrees Search::FindLeaves(const ArrayView& array) {
  BestTrees best;
  for (const Encoding encoding : {Encoding::kRaw, Encoding::kConstant, Encoding::kPacked}) {
    Tree tree;
    tree.plan.encoding = encoding;
    std::vector<std::byte> bytes;
    EncodeContext context(tuning_, 1);
    const EncodingRow& row = *FindEncoding(static_cast<uint8_t>(encoding));
    if (!row.encode(array, tree.plan, &context, &bytes)) continue;
    tree.cost = CostOfNode(bytes);
    Offer(array, tree, true, &best);
    if (encoding == Encoding::kConstant) return best;
    if (encoding == Encoding::kRaw) OfferFrames(array, tree, &best);
  }
  return best;
}

const BestTrees& Search::Leaves(const ArrayView& array) {
  const auto [at, is_new] = leaves_.try_emplace(KeyOf(array, 0));
  if (is_new) at->second = FindLeaves(array);
  return at->second;
}

BestTrees Search::Find(const ArrayView& array, int levels) {
  constexpr std::array<double, kMostLevels + 1> kSlack = {0, 0, 1.05, 1.05, 1.1, 1.3, 2.0};
  constexpr size_t kFewest = 8;
  BestTrees best = Leaves(array);
  if (levels < 2 || array.count < kFewest || best.by_cost.plan.encoding == Encoding::kConstant)
    return best;
  const std::string key = KeyOf(array, levels);
  if (const auto at = found_.find(key); at != found_.end()) return at->second;
  std::vector<Parts> transforms = Transforms(array, levels);
  const auto ratio = [&](const Parts& parts) {
    return std::min(parts.shallow.by_cost.cost.At(tuning_.ns_per_byte) /
                        best.by_cost.cost.At(tuning_.ns_per_byte),
                    parts.shallow.by_bytes.cost.bytes / best.by_bytes.cost.bytes);
  };
  std::sort(transforms.begin(), transforms.end(), [&](const Parts& a, const Parts& b) {
    return a.shallow.by_cost.cost.At(tuning_.ns_per_byte) <
           b.shallow.by_cost.cost.At(tuning_.ns_per_byte);
  });
  std::vector<Tree> plain;
  for (const Parts& parts : transforms) {
    if (ratio(parts) > kSlack[static_cast<size_t>(levels)]) continue;
    std::vector<BestTrees> children;
    for (const Values& child : parts.children) children.push_back(Find(child.view(), levels - 1));
    const auto join = [&](auto pick) { return Join(parts.plan, parts.own, children, pick); };
    Offer(array, join([](const BestTrees& t) -> const Tree& { return t.by_cost; }), false, &best);
    Offer(array, join([](const BestTrees& t) -> const Tree& { return t.by_bytes; }), false, &best);
    plain.push_back(join([](const BestTrees& t) -> const Tree& { return t.plain; }));
    Offer(array, plain.back(), true, &best);
  }
  if (best.plain.plan.encoding != Encoding::kRaw && plain.empty()) plain.push_back(best.plain);
  // At the top a codec is tried around every tree, below around the smallest.
  constexpr size_t kFramesBelow = 1;
  std::sort(plain.begin(), plain.end(),
            [](const Tree& a, const Tree& b) { return a.cost.bytes < b.cost.bytes; });
  if (levels < kMostLevels - 1 && plain.size() > kFramesBelow) plain.resize(kFramesBelow);
  for (const Tree& tree : plain) {
    if (Height(tree.plan) < levels) OfferFrames(array, tree, &best);
  }
  return found_.emplace(key, best).first->second;
}

}  // namespace dsi::bench
