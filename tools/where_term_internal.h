// One term of --where: "FEATURE OP VALUE", "FEATURE exists" or "FEATURE missing".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/reader/reader.h"

namespace dsi::tools {

struct WhereTerm {
  Predicate predicate;
  bool missing = false;  // The rows for which the predicate does not hold.
};

// OP is one of = != < <= > >=; spaces around it may be left out. VALUE is a number, or for a bool
// also true or false. Where a name of the file has an operator in it, the first operator after a
// name counts. kInvalidArgument quotes the term and names the part that is wrong; a name that the
// file lacks comes with the nearest ones. kUnsupported: a column of an unknown kind or type.
Result<WhereTerm> ParseWhereTerm(std::string_view text, std::span<const ColumnInfo> columns);

}  // namespace dsi::tools
