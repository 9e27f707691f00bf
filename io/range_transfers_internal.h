// Requests for ranges of one remote file, many in flight, over connections that are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/io/http_judge_internal.h"
#include "dsi/io/remote_target_internal.h"

namespace dsi::internal {

// A range that is wanted, and what came of it.
struct RangeFetch {
  uint64_t offset = 0;
  uint64_t size = 0;
  // As many bytes as `size` together.
  std::vector<std::span<std::byte>> parts = {};
  bool from_end = false;  // See RangeAsked.
  bool is_whole = false;  // See RangeAsked.
  // Asked for once, and not waited for when all others are there.
  bool is_optional = false;

  // Of the last answer whose body was taken, complete where the status is ok.
  ContentRange range = {};
  HttpAnswer answer = {};
  bool ignores_ranges = false;
  Status status = {};
};

// Thread safety: one thread at a time. Belongs to the process that made it.
class RangeTransfers {
 public:
  // `target` outlives it.
  static Result<std::unique_ptr<RangeTransfers>> Make(const RemoteTarget* target);
  ~RangeTransfers();
  RangeTransfers(const RangeTransfers&) = delete;
  RangeTransfers& operator=(const RangeTransfers&) = delete;

  // Of the version that was opened: fills all, or fails with the first error, which names the file,
  // and asks for no more; kCancelled soon after what the thread does was. Null: the file is being
  // opened; each range has a status of its own.
  Status Run(const RemoteIdentity* identity, std::span<RangeFetch> fetches);

  // Where the last range came from.
  const RemotePlace& place() const;
  // Where the next ones are asked for.
  void GoTo(RemotePlace place);
  int process() const { return process_; }

 private:
  class Impl;
  RangeTransfers(std::unique_ptr<Impl> impl, int process);

  std::unique_ptr<Impl> impl_;
  int process_;
};

}  // namespace dsi::internal
