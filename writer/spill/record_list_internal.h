// Records of fixed size in the order in which they were added, in memory where they fit into a
// budget, else in a spill file.
//
// Thread safety: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/writer/spill/spill_file_internal.h"

namespace dsi::internal {

class RecordList {
 public:
  // `memory_bytes`: of records held, about.
  RecordList(uint32_t width, uint64_t memory_bytes, std::string folder);

  Status Append(const std::byte* record);
  uint64_t size() const { return size_; }
  // A record, valid until the next call. Cost: that of reading 4,096 of them, unless one of these
  // was asked for last.
  Result<const std::byte*> At(uint64_t i) const;
  uint64_t spilled_bytes() const { return file_.size(); }

 private:
  Status SpillBlocks();

  uint32_t width_;
  uint64_t memory_bytes_;
  SpillFile file_;
  uint64_t size_ = 0;
  std::vector<uint64_t> blocks_;
  std::vector<std::byte> held_;  // Those after the blocks.
  mutable std::vector<std::byte> block_;
  mutable uint64_t loaded_ = UINT64_MAX;
};

}  // namespace dsi::internal
