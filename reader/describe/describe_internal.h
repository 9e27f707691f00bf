// What a file says about itself, for people and for copying: everything behind Reader but rows.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/reader/dedup_info.h"
#include "dsi/reader/file_info.h"
#include "dsi/reader/read_plan.h"
#include "dsi/reader/scan_options.h"

namespace dsi::internal {

// Of pages, indexes and shapes held at once by what is told here: more than any file has that a
// writer made.
inline constexpr uint64_t kDescribeMemory = 1ULL << 30;

// `precisions` are those of the file.
Result<ColumnInfo> DescribeColumn(const OpenFile& file, const OpenColumn& column,
                                  const std::vector<PrecisionRecord>& precisions);
Result<std::vector<ColumnInfo>> DescribeColumns(const OpenFile& file);
Result<std::vector<GroupInfo>> DescribeGroups(const OpenFile& file);
Result<std::vector<LayoutPart>> DescribeLayout(const OpenFile& file);
Result<std::vector<FeatureDedup>> DescribeDedup(const OpenFile& file);
Result<std::vector<StreamInfo>> DescribeStreams(const OpenFile& file, const ReaderOptions& options,
                                                std::string_view column);

// All columns of the file in order, those included whose values this build cannot read.
Result<std::vector<OpenColumn>> LoadAllColumns(const OpenFile& file);
// Without those.
Result<std::vector<OpenColumn>> LoadReadableColumns(const OpenFile& file);

// Streams that columns share belong to what they stand for, not to the first column that needs it.
Result<std::string> OwnerName(const OpenFile& file, const OpenColumn& column,
                              const PlannedStream& stream);

// Name of the column whose values serve the stream as dictionary (spec F-066); empty: none does.
Result<std::string> SourceName(const OpenFile& file, const StreamRecord& stream);

// Name of a dedup group or id space, empty where it has none.
Result<std::string> LoadOptionalName(const OpenFile& file, uint32_t offset, uint32_t size);

// The schema that the file was written with, as far as the format keeps it: features, order, ids,
// hints, declared groups. Groups that the writer found are not part of a schema, nor are features
// of which this build cannot read every column (S-010, S-011).
Result<Schema> RebuildSchema(const OpenFile& file);

// The user's metadata (spec F-080); empty without a section. `budget`: of what is needed meanwhile;
// null: none. Throws OverBudget.
Result<std::map<std::string, std::string>> LoadUserMetadata(const OpenFile& file,
                                                            MemoryBudget* budget = nullptr);

// Columns whose values were rounded, ascending (spec F-081).
Result<std::vector<PrecisionRecord>> LoadPrecisions(const OpenFile& file);

// The record of one column; exact where it has none.
Result<PrecisionRecord> PrecisionOf(const std::vector<PrecisionRecord>& precisions,
                                    const OpenColumn& column);

// Columns of a projection in its order; when empty all that this build can read.
Result<std::vector<OpenColumn>> OpenProjection(const OpenFile& file, const ScanOptions& options);

}  // namespace dsi::internal
