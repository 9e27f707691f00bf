// Which row comes when: session lengths, times within the partition, and the two row orders.
#pragma once

#include <cstdint>
#include <vector>

#include "dsi/tools/generate/generate_internal.h"

namespace dsi::tools {

struct RowPlace {
  uint64_t session = 0;      // Running number of the session.
  uint32_t step = 0;         // Row within the session, in order of time.
  int64_t timestamp_ms = 0;  // Milliseconds since 1970.
};

// Walks all rows of a table. In session order it holds one session; in time order it holds and
// sorts the places of all rows (16 bytes a row), since the times are spread over the partition.
class SessionOrder {
 public:
  SessionOrder(uint64_t seed, uint64_t rows, RowOrder order, SessionLaw law, double mean_length);

  // Returns false after the last row.
  bool Next(RowPlace* place);

 private:
  struct TimedRow {
    uint32_t offset_ms;
    uint32_t step;
    uint64_t session;
  };

  uint64_t Length(uint64_t session) const;
  bool LoadNextSession();
  void LoadAllRows();

  uint64_t length_key_;
  uint64_t time_key_;
  uint64_t rows_;
  RowOrder order_;
  SessionLaw law_;
  double mean_length_;
  uint64_t next_session_ = 0;
  uint64_t rows_planned_ = 0;
  std::vector<TimedRow> loaded_;  // The rows of the session at hand, or of the whole table.
  size_t at_ = 0;
};

}  // namespace dsi::tools
