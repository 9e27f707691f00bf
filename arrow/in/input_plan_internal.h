// Which columns of a table each feature of a schema is read from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsi/arrow/in/arrow_field_internal.h"
#include "dsi/base/status.h"
#include "dsi/format/null_entries.h"
#include "dsi/format/schema.h"

namespace dsi::internal {

// A column of a table that is no struct: what structs hold stands under dotted names.
struct TableColumn {
  std::string name;
  std::vector<uint32_t> path;  // Children from the table on.
  const ArrowField* field = nullptr;
};

// What the structs of a list hold, likewise: what structs in them hold stands under dotted names.
std::vector<TableColumn> ListMembers(const ArrowField& structs);

// All of a table, in its order. kBadInput: one name stands twice.
Result<std::vector<TableColumn>> ListTableColumns(const ArrowField& table);

// What a column takes of the lists in a list: nothing, for its entries are values, their entries,
// or how many each has.
enum class InnerPart : uint8_t { kNone, kEntries, kLengths };

struct ArrowColumnPlan {
  std::string name;
  std::vector<uint32_t> path;
  // Lists of structs: the member, by children from the struct on; else empty.
  std::vector<uint32_t> member = {};
  InnerPart inner = InnerPart::kNone;
};

struct FeaturePlan {
  uint32_t feature = 0;
  // One per column of the feature. Those of a list of structs have one path.
  std::vector<ArrowColumnPlan> columns;
};

struct InputPlan {
  std::vector<FeaturePlan> features;
  std::vector<std::string> ignored;  // Columns that the schema lacks.
  std::vector<std::string> absent;   // Features without a column.
  NullEntries null_entries = NullEntries::kFail;
};

// kBadInput: a column that the schema lacks and that must not be ignored, one whose type cannot
// become the feature's, a feature of several columns of which some are missing.
Result<InputPlan> PlanInput(const ArrowField& table, const Schema& schema, bool ignore_unknown);

}  // namespace dsi::internal
