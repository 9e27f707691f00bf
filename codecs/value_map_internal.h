// What becomes of each value while it is decoded: something that depends on the value alone, so
// that the entries of a dictionary stand for all values that refer to them.
#pragma once

#include <cstddef>

namespace dsi::internal {

// Thread safety: const use from many threads.
class ValueMap {
 public:
  explicit ValueMap(size_t width) : width_(width) {}
  virtual ~ValueMap() = default;
  // Bytes of what is made of a value: 1, 2, 4 or 8.
  size_t width() const { return width_; }
  // `out` has room for n values and does not overlap `in`, which has values as they are stored.
  virtual void Apply(const void* in, size_t n, void* out) const = 0;

 private:
  size_t width_;
};

}  // namespace dsi::internal
