// A map of values of one type applied to stored values of a narrower one.
#pragma once

#include <memory>

#include "dsi/codecs/value_map_internal.h"
#include "dsi/format/types.h"

namespace dsi::internal {

// Every value of `from` is one of `to`, so that converting cannot fail. Not of bools, which are
// checked (S-011).
bool Widens(Type from, Type to);

// What `map`, of values of type `to`, makes of those of type `from`, which widens to it.
std::shared_ptr<const ValueMap> WidenedMap(Type from, Type to, std::shared_ptr<const ValueMap> map);

}  // namespace dsi::internal
