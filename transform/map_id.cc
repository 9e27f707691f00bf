// map_id (T-024): a table with open addressing, at most half full. Keys that a hash puts close
// together are hashed by another one; keys that several hashes put together are searched instead.
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "dsi/base/probe_internal.h"
#include "dsi/transform/elementwise_internal.h"
#include "dsi/transform/residue_internal.h"

namespace dsi::internal {
namespace {

// Odd numbers without a pattern.
constexpr std::array<uint64_t, 4> kMultipliers = {kHashMultiplier, 0x9E3779B97F4A7C15,
                                                  0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93};
// Slots that a look-up goes through at most. Of 2^20 keys that are hashed well about 70 stand in a
// row.
constexpr size_t kLongestRun = 128;

class MapIdOp : public ElementwiseOp {
 public:
  MapIdOp(Type input, const TransformStep& step)
      : ElementwiseOp(input, Type::kInt64), fallback_(step.fallback) {
    for (const uint64_t multiplier : kMultipliers) {
      if (Fill(step, multiplier)) return;
    }
    Sort(step);
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

  // False where too many used slots stand in a row.
  bool Fill(const TransformStep& step, uint64_t multiplier) {
    slots_.assign(std::bit_ceil(step.keys.size() * 2 + 2), {});
    hash_ = {multiplier, 64 - std::countr_zero(slots_.size())};
    for (size_t i = 0; i < step.keys.size(); ++i) {
      const int64_t key = step.keys[i];
      size_t passed = 0;
      Slot& slot = slots_[Probe(slots_, hash_.Of(key), [&](const Slot& at) {
        return !at.used || ++passed > kLongestRun;
      })];
      if (slot.used) return false;
      slot = {key, step.values[i], true};
    }
    // A run may go around the end.
    size_t run = 0;
    for (size_t i = 0; i < slots_.size() + kLongestRun; ++i) {
      run = slots_[i & (slots_.size() - 1)].used ? run + 1 : 0;
      if (run > kLongestRun) return false;
    }
    return true;
  }

  // One slot per key, ascending.
  void Sort(const TransformStep& step) {
    slots_ = std::vector<Slot>();  // Not so much room.
    for (size_t i = 0; i < step.keys.size(); ++i)
      slots_.push_back({step.keys[i], step.values[i], true});
    std::sort(slots_.begin(), slots_.end(),
              [](const Slot& a, const Slot& b) { return a.key < b.key; });
    is_sorted_ = true;
  }

  struct KeyHash {
    uint64_t multiplier = 0;
    int shift = 0;

    size_t Of(int64_t key) const {
      // Keys may differ in their upper bits alone.
      const auto bits = static_cast<uint64_t>(key);
      return static_cast<size_t>((bits ^ (bits >> 32)) * multiplier >> shift);
    }
  };

  template <typename T>
  void Of(const T* in, size_t n, void* to) const {
    auto* const out = static_cast<int64_t*>(to);
    if (is_sorted_) return Search(in, n, out);
    const KeyHash hash = hash_;  // A copy, which no output can be.
    for (size_t i = 0; i < n; ++i) {
      const int64_t key = in[i];
      const Slot& slot = slots_[Probe(slots_, hash.Of(key),
                                      [key](const Slot& at) { return !at.used || at.key == key; })];
      out[i] = slot.used ? slot.value : fallback_;
    }
  }

  template <typename T>
  void Search(const T* in, size_t n, int64_t* out) const {
    for (size_t i = 0; i < n; ++i) {
      const auto found = std::lower_bound(slots_.begin(), slots_.end(), int64_t{in[i]},
                                          [](const Slot& a, int64_t key) { return a.key < key; });
      out[i] = found != slots_.end() && found->key == in[i] ? found->value : fallback_;
    }
  }

  int64_t fallback_;
  std::vector<Slot> slots_;
  bool is_sorted_ = false;
  KeyHash hash_;
};

}  // namespace

ElementwisePtr MakeMapId(const TransformStep& step, Type input) {
  return std::make_shared<MapIdOp>(input, step);
}

}  // namespace dsi::internal
