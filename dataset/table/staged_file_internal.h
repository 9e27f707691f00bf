// Files that tasks add to a table, and the messages that tell of them (DS-036, DS-037).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/dataset/table/table_store_internal.h"

namespace dsi::internal {

// Behind a StagedFile. The store is shared, since tasks may outlive the table object.
struct StagedPlace {
  std::shared_ptr<const TableStore> store;
  std::string job;
  std::string task;
  std::string name;  // "data/…"
  std::string path;  // Where it is written.

  ~StagedPlace() { store->Forget(path); }
};

struct StagedMessage {
  std::string job;
  std::string task;
  std::string name;
  uint64_t bytes = 0;
  uint64_t num_rows = 0;
  uint64_t fingerprint = 0;
};

Result<std::unique_ptr<StagedPlace>> NewStagedPlace(std::shared_ptr<const TableStore> store,
                                                    const std::string& job,
                                                    const std::string& task);
Result<std::string> FinishStaged(const StagedPlace& place);
// Of one that stands in the table.
Result<std::string> MessageOfStaged(const StagedPlace& place);

std::string MessageToJson(const StagedMessage& message);
Result<StagedMessage> ParseMessage(std::string_view json);

}  // namespace dsi::internal
