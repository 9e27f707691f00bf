// Features whose entries may stand in an object of JSON, or a dict, whose names are data.
#pragma once

#include <vector>

#include "dsi/base/export.h"
#include "dsi/format/schema.h"

namespace dsi {

// By feature: names may be the entries of its first column, and what stands behind them those of
// the second. Weighted features and sequences of two columns, where no other feature lies inside:
// there names are those of features.
DSI_EXPORT std::vector<bool> TakeNamesAsData(const Schema& schema);

}  // namespace dsi
