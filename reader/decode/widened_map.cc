#include "dsi/reader/decode/widened_map_internal.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "dsi/reader/decode/convert_values_internal.h"

namespace dsi::internal {
namespace {

class MapOfWidened final : public ValueMap {
 public:
  MapOfWidened(Type from, Type to, std::shared_ptr<const ValueMap> map)
      : ValueMap(map->width()),
        from_width_(static_cast<size_t>(TypeWidth(from))),
        widen_(FindConversion(from, to, Casting::kValue)),
        map_(std::move(map)) {}

  void Apply(const void* in, size_t n, void* out) const override {
    static constexpr size_t kBlock = 1024;
    alignas(64) std::byte wide[kBlock * sizeof(uint64_t)];
    CountedVector<uint64_t> unfit;  // Stays empty: all fit.
    for (size_t at = 0; at < n; at += kBlock) {
      const size_t count = std::min(n - at, kBlock);
      widen_.run(static_cast<const std::byte*>(in) + at * from_width_, count, 0, wide, &unfit);
      map_->Apply(wide, count, static_cast<std::byte*>(out) + at * width());
    }
  }

 private:
  size_t from_width_;
  Conversion widen_;
  std::shared_ptr<const ValueMap> map_;
};

}  // namespace

bool Widens(Type from, Type to) {
  const int narrow = TypeWidth(from);
  if (from == Type::kBool || from == Type::kBytes || narrow >= TypeWidth(to)) return false;
  if (IsFloat(from)) return IsFloat(to);
  // Floats count to more than half as many bits as they have.
  if (IsFloat(to)) return 2 * narrow <= TypeWidth(to);
  return IsSignedInteger(to) || !IsSignedInteger(from);
}

std::shared_ptr<const ValueMap> WidenedMap(Type from, Type to,
                                           std::shared_ptr<const ValueMap> map) {
  return std::make_shared<MapOfWidened>(from, to, std::move(map));
}

}  // namespace dsi::internal
