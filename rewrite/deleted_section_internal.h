// The file with another list of deleted rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/io/file.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {

// Section kind 4 (F-084) of the rows that `file` deletes already and those given, ascending.
Result<std::vector<std::byte>> EncodeDeleted(const OpenFile& file, std::span<const uint64_t> rows);

// Copies the file up to its core footer, or to the list that it has where that stands last, and
// ends it anew. Returns its size. kUnsupported: it has parts that only a newer version knows.
Result<uint64_t> WriteWithDeleted(const OpenFile& file, std::span<const std::byte> section,
                                  WritableFile* out);

}  // namespace dsi::internal
