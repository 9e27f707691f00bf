// Operations on one value at a time, as blocks of values. Every one gives the same bits on every
// Highway target, and for every division into blocks (T-005).
#pragma once

#include <cstddef>
#include <memory>

#include "dsi/format/types.h"
#include "dsi/transform/step.h"

namespace dsi::internal {

// Values of a block: two blocks of 8 bytes a value are a quarter of a 32 KiB cache.
inline constexpr size_t kTransformBlock = 512;

// Thread safety: const use from many threads.
class ElementwiseOp {
 public:
  ElementwiseOp(Type input, Type output) : input_(input), output_(output) {}
  virtual ~ElementwiseOp() = default;
  Type input() const { return input_; }
  Type output() const { return output_; }
  // n is at most kTransformBlock; arrays do not overlap.
  virtual void Run(const void* in, size_t n, void* out) const = 0;

 private:
  Type input_;
  Type output_;
};

using ElementwisePtr = std::shared_ptr<const ElementwiseOp>;

// Each for steps that CheckStepTypes has accepted.
ElementwisePtr MakeSigridHash(const TransformStep& step, Type input);
ElementwisePtr MakeModulus(const TransformStep& step, Type input);
ElementwisePtr MakeBucketize(const TransformStep& step, Type input);
ElementwisePtr MakeMapId(const TransformStep& step, Type input);
ElementwisePtr MakeLogit(const TransformStep& step, Type input);
ElementwisePtr MakeBoxCox(const TransformStep& step, Type input);
ElementwisePtr MakeLog1p(const TransformStep& step, Type input);
ElementwisePtr MakeClamp(const TransformStep& step, Type input);
ElementwisePtr MakeCast(const TransformStep& step, Type input);
ElementwisePtr MakeLocalHour(const TransformStep& step, Type input);
ElementwisePtr MakeScoreAdd(const TransformStep& step, Type input);
ElementwisePtr MakeScoreMultiply(const TransformStep& step, Type input);

// A parameter as the type of the values. Whole numbers for integers only.
inline double AsDouble(const TransformNumber& number) {
  return number.index() == 0 ? static_cast<double>(std::get<0>(number)) : std::get<1>(number);
}
template <typename T>
T NumberAs(const TransformNumber& number) {
  return number.index() == 0 ? static_cast<T>(std::get<0>(number))
                             : static_cast<T>(std::get<1>(number));
}

// Calls work(T()) with the C++ type.
template <typename Work>
auto OfTransformType(Type type, const Work& work) {
  switch (type) {
    case Type::kInt32:
      return work(int32_t{});
    case Type::kInt64:
      return work(int64_t{});
    case Type::kFloat32:
      return work(float{});
    default:
      return work(double{});
  }
}

// Results in [0, max) are int32 where that holds them (T-021).
inline Type TypeOfResidues(int64_t max) { return max <= INT32_MAX ? Type::kInt32 : Type::kInt64; }

}  // namespace dsi::internal
