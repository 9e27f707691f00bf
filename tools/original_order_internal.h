// Puts the lines of a clustered file back into the order of the rows they came from. The lines wait
// in a nameless temporary file; memory is 24 bytes a row.
//
// Thread safety: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/tools/scratch_file_internal.h"

namespace dsi::tools {

using LineSink = std::function<Status(std::string_view lines)>;

class OriginalOrder {
 public:
  static Result<OriginalOrder> Create(const std::string& folder);

  // Lines, each with its newline, and the position of each.
  Status Add(std::string_view lines, const std::vector<uint64_t>& positions);
  // Hands all lines to the sink by ascending position. Once.
  Status WriteTo(const LineSink& sink);

 private:
  struct Line {
    uint64_t position;
    uint64_t offset;
    uint64_t size;
  };

  explicit OriginalOrder(ScratchFile file) : file_(std::move(file)) {}

  ScratchFile file_;
  std::vector<Line> lines_;
};

}  // namespace dsi::tools
