// Predicates of a filter as text, such as "label = 1" or "city in Bern,Oslo": what --where takes.
//
// Thread safety: calls from many threads are safe. Nothing throws.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/reader/file_info.h"
#include "dsi/reader/row_filter.h"

namespace dsi {

// "FEATURE OP VALUE", where OP is one of = != < <= > >=; "FEATURE in VALUE,VALUE…" or "not in";
// "FEATURE exists" or "missing". A list or string may stand as "length(FEATURE)", a number or
// string as "hash(FEATURE)" or "hash(FEATURE, SALT)" (Subject::kHash). Spaces around
// symbols may be left out. VALUE is a number, for a bool also true or false, for timestamps also a
// time (row_filter.h); for strings text, in quotes as JSON has it where it begins with one, is
// empty, or has commas in a list. Several of these may be joined by " or ": one must be true. In a
// string an " or " with an operator behind it stands in quotes. Where a name of the columns
// (Reader::Columns, Dataset::Columns) has an operator in it, the first operator after a name
// counts.
//
// kInvalidArgument names the part that is wrong, and the nearest names where there is no such
// feature. kUnsupported: a column of an unknown kind or type.
DSI_EXPORT Result<Predicate> ParsePredicate(std::string_view text,
                                            std::span<const ColumnInfo> columns);

// Rows that have one of the values, in a column of one whole number or string: numbers in decimal,
// strings as they are. kInvalidArgument: a value that is no whole number; errors as above.
DSI_EXPORT Result<Predicate> ParseKeyValues(std::string_view key,
                                            std::span<const std::string> values,
                                            std::span<const ColumnInfo> columns);

}  // namespace dsi
