// What a manifest says of itself that is a snapshot of a table (spec/dataset-tables.md), and how
// files of tables are called.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/table.h"

namespace dsi::internal {

// Commits that a snapshot remembers.
inline constexpr size_t kMaxHistory = 1000;
inline constexpr size_t kMaxIdBytes = 100;
inline constexpr size_t kMaxMessageBytes = 500;
inline constexpr std::string_view kSnapshotFolder = "_snapshots/";
inline constexpr std::string_view kDataFolder = "data/";

struct SnapshotHead {
  TableSnapshot self = {};
  // Files staged before are not committed any more (DS-038).
  uint64_t horizon_ms = 0;
  std::vector<TableSnapshot> history = {};  // Those before, newest first.
};

// DS-032. Out of a parsed manifest, and into the text of one.
Status ReadSnapshotHead(simdjson::dom::element value, SnapshotHead* out);
void AppendSnapshotHead(const SnapshotHead& head, std::string* out);

// Of jobs and tasks (DS-033).
bool IsTableId(std::string_view id);

// "_snapshots/00000000000000000007.json".
std::string SnapshotName(uint64_t number);
// The number of a file called so; nothing: it is none.
std::optional<uint64_t> SnapshotNumber(std::string_view name);

// "data/JOB/TIME-TASK-RANDOM.dsi" (DS-036).
struct DataName {
  std::string job;
  uint64_t time_ms = 0;
};
std::string MakeDataName(std::string_view job, std::string_view task, uint64_t time_ms);
// Also of a temporary file of that name; nothing: it is another.
std::optional<DataName> ParseDataName(std::string_view name);

uint64_t TableClockMs();
// 16 hexadecimal digits.
std::string RandomDigits();

}  // namespace dsi::internal
