// Whether a session comes a second time: sessions are held by hash while they are few, and sorted
// through a spill file where they are many.
//
// Sessions whose hashes are equal are taken for equal. Thread safety: one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/spill/record_sorter_internal.h"

namespace dsi::internal {

// A row that begins a session which an earlier row began.
struct SessionAgain {
  uint32_t first_row = 0;  // The earlier one.
  uint32_t row = 0;
};

class SessionsSeen {
 public:
  // `memory_bytes`: of which a small share is taken, and 32 MiB at most.
  SessionsSeen(uint64_t memory_bytes, std::string folder);

  // The next session, by its key hash (kKeyHashBytes) and first row; rows ascend. What is found
  // right away is found; after the last one Finish knows all.
  Result<std::optional<SessionAgain>> Add(const std::byte* hash, uint32_t row);
  // The first row that begins a session again, of those that Add did not find.
  Result<std::optional<SessionAgain>> Finish();

 private:
  struct Session {
    std::array<uint64_t, 2> hash;
    uint32_t row;
  };

  Status MoveToSorter();
  void Grow();

  uint64_t most_bytes_;
  std::string folder_;
  std::vector<Session> held_;
  std::vector<uint32_t> slots_;  // Places in held_, plus one; 0: free.
  std::optional<RecordSorter> sorter_;
};

}  // namespace dsi::internal
