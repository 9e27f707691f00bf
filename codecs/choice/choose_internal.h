// One choice of a plan for one array: bindings look at the sample and offer plans, the cheapest
// stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "dsi/codecs/encode_internal.h"
#include "dsi/codecs/encoded_array_internal.h"

namespace dsi::internal {

// A set of encodings that may stand at a place of a plan.
using EncodingSet = uint32_t;

constexpr EncodingSet SetOf() { return 0; }
template <typename... Rest>
constexpr EncodingSet SetOf(Encoding first, Rest... rest) {
  return (EncodingSet{1} << static_cast<unsigned>(first)) | SetOf(rest...);
}

inline constexpr EncodingSet kAllEncodings = ~EncodingSet{0};
// Encodings without children of their own, and compression of plain values.
inline constexpr EncodingSet kLeafEncodings =
    SetOf(Encoding::kRaw, Encoding::kConstant, Encoding::kPacked, Encoding::kCompressed);

// What one pass over the values tells.
struct ScanResult {
  uint64_t any_bits = 0;  // All values OR-ed.
  size_t runs = 0;        // Of equal neighbours.
};
ScanResult Scan(const ArrayView& array);

// The value of more than half of an array, if there is one; what else, if not.
struct Majority {
  uint64_t value = 0;
  size_t count = 0;  // How often it occurs.
};
Majority FindMajority(const ArrayView& array);

// Estimated decode time of a node by itself: `count` values of `width` bytes from `payload` bytes
// beside its children.
double OwnNs(const EncodePlan& plan, double payload, double count, int width);

// Four pieces spread over an array, one after another, so that most neighbours stay neighbours; the
// array itself, as one piece, where it is not larger. It must outlive this.
class PiecesOf {
 public:
  PiecesOf(const ArrayView& array, size_t piece);
  PiecesOf(const PiecesOf&) = delete;
  PiecesOf& operator=(const PiecesOf&) = delete;
  const ArrayView& view() const { return view_; }
  size_t piece() const { return piece_; }

  static constexpr size_t kPieces = 4;

 private:
  ArrayView view_;
  size_t piece_;
  std::vector<uint64_t> words_;
};

// Where a choice stands in the tree of a plan.
struct ChoicePlace {
  double scale = 1.0;  // Values of the whole array for one of the sample.
  size_t chunk =
      0;          // The sample is made of pieces of this size; neighbours across them mean nothing.
  int depth = 1;  // Of the node to choose (E-003).
  EncodingSet allowed = kAllEncodings;
  // A plan that costs as much is of no use: its parent would lose.
  double limit = std::numeric_limits<double>::infinity();
};

class Chooser {
 public:
  // `whole` is what the sample was taken from, or the sample itself. All must outlive the chooser.
  Chooser(const ArrayView& sample, const ArrayView& whole, const ChoicePlace& place,
          EncodeContext* context);

  // Asks every allowed encoding and returns the cheapest plan. `offers` receives all plans offered.
  EncodePlan Choose(std::vector<EncodePlan>* offers = nullptr);

  const ArrayView& sample() const { return sample_; }
  const ArrayView& whole() const { return whole_; }
  bool has_whole() const { return whole_.count != sample_.count; }
  double scale() const { return place_.scale; }
  size_t chunk() const { return place_.chunk; }
  double total_count() const { return static_cast<double>(sample_.count) * place_.scale; }
  const EncodeTuning& tuning() const { return context_->tuning; }
  EncodeContext* context() const { return context_; }

  const ScanResult& scan();
  size_t packed_payload();

  // Bytes of the cheapest plan so far.
  double best_bytes() const { return best_.estimated_bytes; }

  // True when nodes may still nest this many levels below the one that is chosen.
  bool HasRoomBelow(int levels) const;

  // Offers a plan whose node has `payload` bytes beside its children, for the whole array. The
  // plan's children carry their own estimates. Bytes and decode time are weighed by the tuning.
  void Offer(EncodePlan plan, double payload, int width);

  // Whether such an offer would become the cheapest. Also of a plan whose children are not all
  // chosen yet: false once the others can only lose.
  bool WouldWin(EncodePlan plan, double payload, int width) const;

  // As WouldWin of an unfinished plan. Children that are chosen from now on have to cost less than
  // what it leaves; those that cannot are not looked at in full.
  bool LimitChildren(const EncodePlan& plan, double payload, int width);

  // Chooses a plan for a child made from the sample. `scale` is that of the child's values.
  EncodePlan ChooseChild(const ArrayView& child, double scale, size_t chunk,
                         EncodingSet allowed) const;
  // As above, where the child can be had for the whole array too.
  EncodePlan ChooseChild(const ArrayView& child, const ArrayView& whole, double scale, size_t chunk,
                         EncodingSet allowed) const;

 private:
  double Cost(const EncodePlan& plan) const;
  double MostCost() const;
  void Estimate(double payload, int width, EncodePlan* plan) const;

  ArrayView sample_;
  ArrayView whole_;
  ChoicePlace place_;
  EncodeContext* context_;
  std::optional<ScanResult> scan_;
  std::optional<size_t> packed_payload_;
  std::vector<EncodePlan>* offers_ = nullptr;
  EncodePlan best_;
  bool has_best_ = false;
  double child_limit_ = std::numeric_limits<double>::infinity();
};

// Chooses for an array of any size, sampling it, for a node at this depth.
EncodePlan ChooseAtDepth(const ArrayView& array, int depth, EncodeContext* context,
                         std::vector<EncodePlan>* offers = nullptr);

}  // namespace dsi::internal
