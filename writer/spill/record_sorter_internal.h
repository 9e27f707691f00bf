// Sorts records of fixed size by their bytes, in memory where they fit into a budget, else through
// a spill file.
//
// Thread safety: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/spill/spill_file_internal.h"

namespace dsi::internal {

class RecordSorter {
 public:
  // Records of `width` bytes, of which the first `key_bytes` (8 or more) are compared. Equal ones
  // come in no stated order. `memory_bytes`: of records held, about; `folder`: of the spill file.
  RecordSorter(uint32_t width, uint32_t key_bytes, uint64_t memory_bytes, std::string folder);
  ~RecordSorter();

  Status Add(const std::byte* record);
  // After the last Add. Sorts; Next then hands them out.
  Status Sort();
  // The next record in order, valid until the next call; null after the last.
  Result<const std::byte*> Next();
  // From the first again.
  Status Rewind();
  uint64_t spilled_bytes() const { return file_.size(); }

 private:
  struct Entry {
    uint64_t prefix;  // First 8 bytes of the key, as a number.
    uint32_t index;
  };
  // A sorted sequence of records in the file.
  struct Run {
    std::vector<uint64_t> blocks;
  };
  class RunReader;
  class Merge;

  bool Less(const Entry& a, const Entry& b) const;
  void SortHeld();
  Status SpillHeld();
  Status MergeRuns();
  const std::byte* Record(uint32_t index) const {
    return records_.data() + uint64_t{index} * width_;
  }

  uint32_t width_;
  uint32_t key_bytes_;
  size_t most_held_;
  SpillFile file_;
  std::vector<std::byte> records_;
  std::vector<Entry> entries_;
  std::vector<Run> runs_;
  std::unique_ptr<Merge> merge_;
  size_t next_ = 0;
};

}  // namespace dsi::internal
