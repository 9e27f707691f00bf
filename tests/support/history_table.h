// Rows of users and items that come back with lists that shift: what makes the writer choose
// versions of owners (D-005), groups via a parent, and windows into pools (D-013).
#pragma once

#include <cstddef>
#include <cstdint>

#include "dsi/tests/support/scan_model.h"

namespace dsi::test {

// Columns: session_id, time, label (int8, 0 or 1), weight (float32, missing now and then, NaN with
// payload), big (uint64), user_id, user.profile, user.history.item / .time, topics.ids / .weights,
// item_id, item.words, item.views (int32), item.viewers, noise (float64).
ModelTable HistoryTable(uint64_t seed, size_t num_rows);

}  // namespace dsi::test
