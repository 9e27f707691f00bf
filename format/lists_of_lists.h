// Lists of lists: the entries of all inner lists stand side by side in one feature, how many each
// has in another, as in a JaggedTensor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/format/schema.h"

namespace dsi {

// A column that holds the lengths of inner lists.
struct LengthsColumn {
  uint32_t feature = 0;
  uint32_t column = 0;
};

// What the lengths of the lists `name` are called: "name_lengths".
DSI_EXPORT std::string LengthsName(std::string_view name);

// A list of int32 for the lengths of the lists in `list`. Throws std::bad_alloc where there is no
// memory.
DSI_EXPORT FeatureSpec LengthsFeature(const FeatureSpec& list);

// By feature: where the lengths of its inner lists go. A list "tags" takes lists of lists where
// there is a list "tags_lengths" of int32 or int64; a list "history.tags" also where the sequence
// "history" has such a column "tags_lengths": an entry of the sequence has a list of tags then.
// Throws std::bad_alloc where there is no memory.
DSI_EXPORT std::vector<std::optional<LengthsColumn>> FindLengths(const Schema& schema);

}  // namespace dsi
