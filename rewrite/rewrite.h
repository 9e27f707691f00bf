// Writes rows of .dsi files as other .dsi files: many files as one, one as shards, with fewer or
// other features, in another order. Values go from the reader's columns to the writer's; nothing
// becomes text. What is written is what a Writer makes of the same rows, byte for byte.
//
// Thread safety: a call works by itself, with threads of its own; the Dataset may serve others
// meanwhile. Nothing throws. Deleted rows (spec F-084) are not copied, so that what they held is
// gone from the new file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/format/schema.h"
#include "dsi/reader/row_filter.h"
#include "dsi/writer/writer.h"

namespace dsi {

struct RewriteProgress {
  enum class Phase : uint8_t {
    kKeys,   // Keys are read, to see where sessions end.
    kCheck,  // Rows are tried, to see which can be read (recover.h).
    kRead,   // Rows are read.
    kWrite,  // `write` says how far the writer of this shard is.
  };
  Phase phase = Phase::kRead;
  uint64_t rows_done = 0;  // Of this shard, where rows are read for one.
  uint64_t rows_total = 0;
  uint32_t shard = 0;
  uint32_t num_shards = 1;
  WriteProgress write = {};
};

// What the features of the new file are. The schema of the dataset, where nothing is said: that of
// the newest (last) file, with the features that only others have behind its own, and types wide
// enough for all.
struct FeatureChanges {
  // Names and patterns ('*', '?') of features, or of columns of sequences ("user.history.price"),
  // that stay; empty: all. Then those of `drop` go.
  std::vector<std::string> only = {};
  std::vector<std::string> drop = {};
  // Old name, new name; the id stays, so that datasets know the feature by it (DS-020).
  std::vector<std::pair<std::string, std::string>> rename = {};
  // In the place of all that: the schema to write. Its features are those of the dataset by id,
  // then by name; types may be wider (to int32, int64, float32, float64); features that the dataset
  // lacks are missing in every row; what it does not name is left out.
  std::optional<Schema> schema = {};
  // Added to the notes of the schema.
  std::map<std::string, std::string> metadata = {};
};

struct RewriteOptions {
  FeatureChanges features;
  // Rows that pass are copied; names are those of the dataset.
  RowFilter filter = {};
  // Of each file. cluster_by: names of the new schema. memory_bytes, where it is not 0, is shared:
  // a quarter to read, and more where stripes of the files take more. `progress` is not called.
  WriterOptions writer = {};
  // Returns false to cancel (kCancelled, nothing left behind).
  std::function<bool(const RewriteProgress&)> progress = {};
};

// The schema that a rewrite writes, but for keys that the options of the writer name.
// kInvalidArgument: names that nothing has, a schema that does not fit. kUnsupported: a feature
// that this build cannot read, which a copy would lose. kBadInput: files that cannot be reconciled.
// Reads the directories of the files.
DSI_EXPORT Result<Schema> RewrittenSchema(const Dataset& from, const FeatureChanges& changes);

// All rows into one file. Errors: those above, of scans and of Writer; kInvalidArgument: a feature
// is left out that rows are clustered by, and the options name no other keys.
DSI_EXPORT Result<WriteReport> Rewrite(const Dataset& from, const std::string& to,
                                       const RewriteOptions& options = {});

struct ShardSize {
  // At most so many rows, and at most about so many bytes by what rows take in the files read; 0:
  // not limited. A session that is larger is a shard of its own.
  uint64_t rows = 0;
  uint64_t bytes = 0;
};

struct RewrittenShard {
  std::string path;
  WriteReport report;
};

// Into files of a new folder: part-00000.dsi, part-00001.dsi, …, whose rows follow each other in
// the order of sessions, and no session is in two of them. Without session keys rows keep their
// order and are cut anywhere. The folder appears once all of them are there. Reads the keys first,
// then for each shard the rows from its first to its last in each run of them; holds 40 bytes for
// every row. kAlreadyExists: the folder.
DSI_EXPORT Result<std::vector<RewrittenShard>> RewriteShards(const Dataset& from,
                                                             const std::string& folder,
                                                             const ShardSize& size,
                                                             const RewriteOptions& options = {});

}  // namespace dsi
