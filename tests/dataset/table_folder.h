// A table in a temporary folder, and jobs that commit to it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dsi/dataset/table.h"
#include "dsi/tests/dataset/dataset_folder.h"

namespace dsi::test {

// Stages one file of rows first … first + num_rows - 1; its message, or the error.
inline Result<std::string> StageRows(const Table& table, const std::string& job, int64_t first,
                                     int64_t num_rows, const Schema& schema = SmallSchema(),
                                     const std::string& task = "t") {
  DSI_ASSIGN_OR_RETURN(const auto staged, table.Stage(job, task));
  DSI_ASSIGN_OR_RETURN(const auto file, CreateLocalFile(staged->path(), {}));
  const std::vector<std::byte> bytes = SmallFile(schema, first, num_rows);
  DSI_RETURN_IF_ERROR(file->Append(bytes));
  DSI_RETURN_IF_ERROR(file->Publish());
  return staged->Finish();
}

class TableFolder : public DatasetFolder {
 public:
  TableFolder() { EXPECT_TRUE(Table::Create(where()).ok()); }

  std::string where() const { return File("table"); }
  std::unique_ptr<Table> Open() const {
    auto table = Table::Open(where());
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ok() ? *std::move(table) : nullptr;
  }
  std::string Stage(const std::string& job, int64_t first, int64_t num_rows = 1) const {
    const auto message = StageRows(*Open(), job, first, num_rows);
    EXPECT_TRUE(message.ok()) << message.status().ToString();
    return message.ok() ? *message : "";
  }
  // One file of one row, committed by a job of that name.
  TableSnapshot Append(const std::string& job, int64_t first, int64_t num_rows = 1) const {
    const std::vector<std::string> messages = {Stage(job, first, num_rows)};
    const auto made = Open()->Commit(job, messages);
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made.ok() ? *made : TableSnapshot{};
  }

  // The first keys of the files of a snapshot ("table", "table@3"), in their order, by what stands
  // in the files; an error in their place.
  static std::string Keys(const std::string& where) {
    const auto files = OpenFiles(where);
    if (!files.ok()) return files.status().ToString();
    std::string keys;
    for (size_t i = 0; i < (*files)->files().size(); ++i) {
      const auto reader = (*files)->Acquire(i);
      if (!reader.ok()) return reader.status().ToString();
      const auto& bounds = (*files)->facts(i).statistics;
      keys += (i == 0 ? "" : " ") + std::to_string(bounds.empty() ? 0 : bounds[0].all.least);
    }
    return keys;
  }
  std::string Keys() const { return Keys(where()); }

  std::set<std::string> NamesBelow(const std::string& folder) const {
    std::set<std::string> names;
    const std::string root = where() + "/";
    if (!std::filesystem::exists(root + folder)) return names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root + folder)) {
      if (entry.is_regular_file()) names.insert(entry.path().string().substr(root.size()));
    }
    return names;
  }
};

inline std::string SnapshotFile(uint64_t number) {
  const std::string digits = std::to_string(number);
  return "_snapshots/" + std::string(20 - digits.size(), '0') + digits + ".json";
}

}  // namespace dsi::test
