// Rows that are said to come clustered by their keys: finds which of them begin a session, and
// checks that none comes where it should not.
//
// Thread safety: one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "dsi/base/status.h"
#include "dsi/writer/cluster/clustering_internal.h"
#include "dsi/writer/cluster/key_record_internal.h"
#include "dsi/writer/cluster/sessions_seen_internal.h"

namespace dsi::internal {

class SessionOrder {
 public:
  // All must outlive this. `memory`: see SessionsSeen.
  SessionOrder(const Schema& schema, const ClusterKeys& keys, const ClusterMemory& memory)
      : schema_(schema), keys_(keys), seen_(memory.bytes, memory.spill_folder) {}

  // The next rows, by their key records: hands out each, counted from the first row of all.
  // kBadInput: a time that goes back; a session that comes again, where that shows already.
  Status Add(std::span<const std::byte> records,
             const std::function<Status(const ListedRow&)>& visit);
  // After the last row. kBadInput: a session that came again.
  Status Finish();

 private:
  Status TimeGoesBack(const ListedRow& row) const;
  Status ComesAgain(const SessionAgain& again) const;

  const Schema& schema_;
  const ClusterKeys& keys_;
  SessionsSeen seen_;
  uint32_t num_rows_ = 0;
  // Of the row before.
  std::array<std::byte, kKeyHashBytes> session_{};
  int64_t time_ = 0;
};

// All rows of a file that come so, in their order. Errors: those of SessionOrder.
Result<RowList> ClusteredInput(const Schema& schema, const ClusterKeys& keys,
                               const ForEachRecords& records, const ClusterMemory& memory,
                               const std::function<Status()>& poll);

}  // namespace dsi::internal
