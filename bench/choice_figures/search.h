// The best plan for an array that a patient search finds: every encoding at every place of the
// tree, with every parameter that can make sense, tried on all values.
//
// A transform (an encoding with children) is encoded with raw children, which are then arrays to
// search themselves; a tree costs what its nodes cost. What is left out, and why:
//  - a transform is followed only where, with the best childless encoding for each child, it comes
//    within a factor of the best tree so far (2 at the top, less below): what nesting deeper gains
//    after that has not been seen to be more;
//  - of the splits of an array, those that look best by the packed low part and the packed,
//    entropy-coded or (at the top) really compressed high part: 10 at the top, 3 and 2 below;
//  - of the exponents of decimals, the three smallest by packed codes;
//  - a frame of a strong level is made only where one of level 3, less what stronger levels were
//    seen to gain at most, can win.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "dsi/bench/choice_figures/node_cost.h"
#include "dsi/bench/choice_figures/values.h"
#include "dsi/codecs/encode_internal.h"

namespace dsi::bench {

struct Tree {
  internal::EncodePlan plan;
  NodeCost cost{.bytes = 1e18, .ns = 1e18};
};

// Of the trees that were found for an array.
struct BestTrees {
  Tree by_cost;
  Tree by_bytes;
  Tree plain;  // By bytes, of those without any compression: what a codec may be put around.
};

class Search {
 public:
  explicit Search(const internal::EncodeTuning& tuning) : tuning_(tuning) {}

  // Trees of at most `levels` levels.
  BestTrees Find(const internal::ArrayView& array, int levels);

 private:
  // An array as one transform's own node and its children.
  struct Parts {
    internal::EncodePlan plan;
    NodeCost own;
    std::vector<Values> children;
    BestTrees shallow;  // With childless children.
  };

  bool Apply(const internal::ArrayView& array, const internal::EncodePlan& plan, Parts* parts);
  std::vector<Parts> Transforms(const internal::ArrayView& array, int levels);
  void AddSplits(const internal::ArrayView& array, int levels, std::vector<Parts>* out);
  void AddDecimals(const internal::ArrayView& array, std::vector<Parts>* out);
  double HighPartBytes(const Values& high, int levels);
  // Encodings without children, and frames around raw values.
  const BestTrees& Leaves(const internal::ArrayView& array);
  BestTrees FindLeaves(const internal::ArrayView& array);
  void OfferFrames(const internal::ArrayView& array, const Tree& inner, BestTrees* best);
  size_t FrameBytes(uint8_t codec, int level, bool literals_only,
                    const std::vector<std::byte>& bytes);
  void Offer(const internal::ArrayView& array, const Tree& tree, bool is_plain,
             BestTrees* best) const;

  const internal::EncodeTuning& tuning_;
  internal::FrameEncoder frames_;
  std::vector<std::byte> frame_;
  // By content; the last is by levels too.
  std::unordered_map<std::string, BestTrees> leaves_;
  std::unordered_map<std::string, BestTrees> found_;
};

}  // namespace dsi::bench
