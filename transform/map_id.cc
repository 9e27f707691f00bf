// map_id (T-024): a table with open addressing, at most half full.
#include <bit>
#include <vector>

#include "dsi/base/probe_internal.h"
#include "dsi/transform/elementwise_internal.h"
#include "dsi/transform/residue_internal.h"

namespace dsi::internal {
namespace {

class MapIdOp : public ElementwiseOp {
 public:
  MapIdOp(Type input, const TransformStep& step)
      : ElementwiseOp(input, Type::kInt64), fallback_(step.fallback) {
    slots_.resize(std::bit_ceil(step.keys.size() * 2 + 2));
    shift_ = 64 - std::countr_zero(slots_.size());
    for (size_t i = 0; i < step.keys.size(); ++i) {
      const int64_t key = step.keys[i];
      Slot& slot = slots_[Find(key)];
      slot = {key, step.values[i], true};
    }
  }

  void Run(const void* in, size_t n, void* out) const override {
    if (input() == Type::kInt32) return Of(static_cast<const int32_t*>(in), n, out);
    Of(static_cast<const int64_t*>(in), n, out);
  }

 private:
  struct Slot {
    int64_t key = 0;
    int64_t value = 0;
    bool used = false;
  };

  size_t Find(int64_t key) const {
    // Keys may differ in their upper bits alone.
    const auto bits = static_cast<uint64_t>(key);
    const uint64_t hash = (bits ^ (bits >> 32)) * kHashMultiplier;
    return Probe(slots_, static_cast<size_t>(hash >> shift_),
                 [key](const Slot& slot) { return !slot.used || slot.key == key; });
  }

  template <typename T>
  void Of(const T* in, size_t n, void* to) const {
    auto* const out = static_cast<int64_t*>(to);
    for (size_t i = 0; i < n; ++i) {
      const Slot& slot = slots_[Find(in[i])];
      out[i] = slot.used ? slot.value : fallback_;
    }
  }

  int64_t fallback_;
  std::vector<Slot> slots_;
  int shift_ = 0;
};

}  // namespace

ElementwisePtr MakeMapId(const TransformStep& step, Type input) {
  return std::make_shared<MapIdOp>(input, step);
}

}  // namespace dsi::internal
