// What the name of a feature says about it, however it is spelled: "session_id", "sessionId",
// "SESSION-ID" and "ctx.SessionID" are one to people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/format/types.h"

namespace dsi::internal {

// The last part of a dotted name in words of small letters joined by '_': "ctx.SessionID" is
// "session_id", and "user.id" "user_id".
std::string NameWords(std::string_view name);

// How well the name fits that of a session: 2 the name itself, 1 its end, 0 not at all.
int SessionRank(std::string_view name);

// Whether the name ends in a word for what tells one thing from others: id, key, uuid.
bool IsIdName(std::string_view name);

// Whether the name is that of a time or a day, whatever stands under it.
bool IsTimeName(std::string_view name);

// Whether a text has digits enough for a day and a year.
bool MayTellDay(std::string_view text);

// Whether dense whole numbers are ids by their name and beyond 2^24, codes or times as none is
// less, or ids by their size, beyond 2^53: as floats, which dense numbers are in batches, some are
// one. Counts have small values, too.
bool AreRoundedIds(std::string_view name, int64_t least, int64_t greatest);

// Key, timestamp, label, string or dense. `greatest`: of the whole numbers it held; one that only
// ends in "time" may be a duration, a point in time is large.
Kind KindByName(std::string_view name, Type type, int64_t greatest);

// Of lists side by side: weighted where they are whole numbers called "ids" and floats called
// "weights", else a sequence.
Kind KindOfColumns(const std::vector<ColumnSpec>& columns);

// Times since 1970 tell their unit by their size.
TimeUnit UnitBySize(int64_t greatest);

// What a schema that is found clusters by: the key whose name is most that of a session, then the
// first timestamp whose name is that of a time, else the first; nothing without a session.
std::vector<std::string> ClusterByNames(const std::vector<FeatureSpec>& features);

// The shortest part of a name before a dot that is one of the names: "a" of "a.b". None: nothing.
std::optional<std::string_view> NestedIn(std::string_view name,
                                         const std::unordered_set<std::string_view>& names);

// Whether the dots of a name can be nesting beside the other names: "a.b" beside "a" cannot.
bool MayNest(std::string_view name, const std::unordered_set<std::string_view>& names);

}  // namespace dsi::internal
