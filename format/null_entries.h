// What an entry of a list does that is null: lists hold none.
#pragma once

#include <cstdint>

namespace dsi {

// kFail: the row cannot be read. kDrop: the entry is left out; a null in one of several columns,
// of a sequence or of weighted ids, still fails. kFill: NaN of floats, the empty text where texts
// become ids, else 0 stands there.
enum class NullEntries : uint8_t { kFail, kDrop, kFill };

}  // namespace dsi
