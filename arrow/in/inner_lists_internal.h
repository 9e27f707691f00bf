// Lists of lists in Arrow: the lists in entries of lists, one for each entry.
#pragma once

#include <cstdint>
#include <span>

#include "dsi/arrow/in/read_lists_internal.h"
#include "dsi/format/null_entries.h"
#include "dsi/format/types.h"

namespace dsi::internal {

// By entry of `outer`, or by its member where there is a path to one: the list in it, of no entries
// where no row looks, or where it is null and nulls are filled. Nulls in the inner lists are left
// out where they are dropped. Errors: as ReadLists (rows are entries); kBadInput: a null that is
// not filled.
Result<ListRows> ReadInner(const ListRows& outer, std::span<const uint32_t> member,
                           NullEntries null_entries, const ColumnPlace& place,
                           ArrowScratch* scratch);

// The entries of all inner lists of a row as its list. kOutOfRange: 2^31 entries or more.
Result<ListRows> Flatten(const ListRows& outer, const ListRows& inner, const ColumnPlace& place,
                         ArrowScratch* scratch);

// How many entries each inner list has, as int32 or int64.
const std::byte* LengthsOf(const ListRows& inner, Type type, ArrowScratch* scratch);

}  // namespace dsi::internal
