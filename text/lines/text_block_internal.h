// A stretch of a text that one thread parses: whole lines or records, as far as one can tell from
// their bytes alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/text/lines/path_keys_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

// Bytes behind every text that may be read (not written), whatever they hold.
inline constexpr size_t kTextPadding = 64;

// What stands in front of the rows of a file and tells how they are read, as a header does.
struct FileStart {
  virtual ~FileStart() = default;
  std::vector<IgnoredName> ignored;  // Names without values yet.
};

struct TextBlock {
  std::vector<char> bytes;  // `size` of them, and kTextPadding at least.
  size_t size = 0;
  size_t file = 0;            // Position among the files.
  uint64_t offset = 0;        // Of the first byte, in the unpacked file.
  uint64_t lines_before = 0;  // Of the file: lines, or records.
  uint64_t files_lines = 0;   // Of the files before.
  uint64_t bytes_done = 0;    // Of all files, packed as they are, when this was read.
  bool ends_file = false;     // Nothing of the file follows.
  std::shared_ptr<const FileStart> start;
  std::shared_ptr<const PathValues> path_values;  // Null: none.
  Status end;                                     // Not Ok: why nothing follows at all.
};

}  // namespace dsi::internal
