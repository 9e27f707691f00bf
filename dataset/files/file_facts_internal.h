// What is known of a file without opening it: a manifest says it, or its footer did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/format/overlay.h"
#include "dsi/format/statistics_internal.h"
#include "dsi/reader/file_info.h"

namespace dsi {
class Reader;
}

namespace dsi::internal {

// Of one column, over all rows of a file.
struct FileStatistics {
  uint32_t column = 0;  // Of the FileSchema.
  ColumnStatistics all = {};
};

struct FileFacts {
  static constexpr uint32_t kNoSchema = UINT32_MAX;

  uint64_t bytes = 0;
  uint64_t fingerprint = 0;
  uint64_t num_rows = 0;
  std::vector<uint32_t> stripe_rows;
  uint32_t schema = kNoSchema;             // Position among the schemas; kNoSchema: not known.
  std::vector<FileStatistics> statistics;  // By ascending column; columns without: not known.
  // Of the rows (F-086); none: no footer was read for it.
  std::optional<uint64_t> rows_fingerprint;
  std::optional<OverlayBinding> overlay;  // None: it is none.
  std::string base_path;                  // As a manifest tells; empty: it is to be looked for.
  bool is_of_manifest = false;
  bool is_of_table = false;  // Of a snapshot's manifest.
};

struct FactDifference {
  std::string_view what;
  std::string found;
  std::string told;
};
// In what the file is another one than these facts tell of (DS-016): bytes, fingerprint and rows,
// and where these agree, the first of what else there is.
std::vector<FactDifference> DifferencesOf(const Reader& reader, const FileFacts& facts);

// What files of one schema have in common: of each column that this build can read everything but
// its group and what depends on its values.
struct FileSchema {
  std::string id;  // 16 hex digits.
  std::vector<ColumnInfo> columns;
  // Those that it cannot read (DS-027), of which no manifest tells: names, feature_id and support.
  std::vector<ColumnInfo> unsupported = {};
};

}  // namespace dsi::internal
