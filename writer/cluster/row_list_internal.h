// All rows of a file in its order, by what is to be known of each before it is read.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "dsi/base/status.h"
#include "dsi/writer/spill/record_list_internal.h"

namespace dsi::internal {

struct ListedRow {
  int64_t time = 0;
  uint32_t input_row = 0;
  uint32_t bytes = 0;           // In memory; of more than 32 bits the most that they hold.
  uint32_t fresh_bytes = 0;     // Of these, what its session has not had yet, as far as known.
  bool starts_session = false;  // Never without session keys.
};

// What several rows, such as those of a stripe, have at most.
struct RowLimits {
  uint32_t rows = UINT32_MAX;
  uint64_t bytes = UINT64_MAX;
  uint64_t fresh_bytes = UINT64_MAX;
};

class RowList {
 public:
  // Of a spill file where rows do not fit into `memory_bytes`.
  RowList(bool has_sessions, uint64_t memory_bytes, std::string folder)
      : has_sessions_(has_sessions), rows_(kWidth, memory_bytes, std::move(folder)) {}

  Status Append(const ListedRow& row);
  Result<ListedRow> At(uint32_t position) const;
  uint32_t size() const { return static_cast<uint32_t>(rows_.size()); }
  bool has_sessions() const { return has_sessions_; }
  uint64_t spilled_bytes() const { return rows_.spilled_bytes(); }

 private:
  static constexpr uint32_t kWidth = 21;

  bool has_sessions_;
  RecordList rows_;
};

}  // namespace dsi::internal
