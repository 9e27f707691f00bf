// What diff says of two datasets, as text and as JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dsi/dataset/comparison.h"
#include "dsi/tools/console_internal.h"

namespace dsi::tools {

struct DiffReport {
  std::string a, b;  // As the command line names them.
  Comparison found;
  bool any_order = false;  // The same rows in another order are no difference.
  bool by_key = false;
  bool all = false;  // All columns that differ are shown, not the first few.
  // By column: as JSON what its first rows that differ have, empty where it is missing.
  std::vector<std::string> value_a = {}, value_b = {};

  bool IsSame() const { return found.is_same() || (IsOtherOrder() && any_order); }
  bool IsOtherOrder() const {
    return found.has_same_columns() && found.has_same_rows && !found.is_same();
  }
  // Columns whose values differ and are shown, those that differ most first.
  std::vector<size_t> ShownColumns() const;
};

std::string DiffText(const DiffReport& report, const Console& console);
nlohmann::ordered_json DiffJson(const DiffReport& report);

}  // namespace dsi::tools
