// Schemas of files, each kept once however many files have it, and what statistics say of a file.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/files/file_facts_internal.h"
#include "dsi/reader/reader.h"

namespace dsi::internal {

// Puts columns that this build cannot read beside the others, and leaves out what is of one file
// alone; names it.
FileSchema MakeFileSchema(std::vector<ColumnInfo> columns);

// Thread safety: Add from many threads.
class SchemaCollector {
 public:
  // Begins with schemas that are known, at their places.
  explicit SchemaCollector(std::vector<FileSchema> known);
  // The place of the schema of these columns.
  uint32_t Add(std::vector<ColumnInfo> columns);
  std::vector<FileSchema> Take() { return std::move(schemas_); }
  // Those that a file has, in the order of their first files; sets the places of the files in it,
  // so that which thread came first does not show.
  std::vector<FileSchema> TakeInOrder(std::vector<uint32_t>* of_file);

 private:
  std::mutex mutex_;
  std::vector<FileSchema> schemas_;
  std::unordered_map<std::string, uint32_t> places_;  // By what ManifestColumns makes of them.
};

// What the statistics of all stripes say of the file's columns (DS-014), which has this schema.
Result<std::vector<FileStatistics>> CollectStatistics(const Reader& reader,
                                                      const FileSchema& schema);

}  // namespace dsi::internal
