// What can still be read of damaged files, written as a sound one. Each stripe is tried feature by
// feature, and within a feature by ranges of rows, so that a damaged page takes away no more than
// the rows and features that need it. What is lost is told; nothing is made up in its place.
//
// Thread safety: a call works by itself, with threads of its own. Nothing throws.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/dataset/dataset.h"
#include "dsi/rewrite/rewrite.h"
#include "dsi/writer/writer.h"

namespace dsi {

struct RecoverOptions {
  // Rows of which a feature cannot be read are left out. With this they stay, and miss it; not
  // where it is a key, a label or a timestamp: such rows are left out all the same.
  bool keep_rows = false;
  // Of the file. cluster_by: empty, those of the files. memory_bytes, where it is not 0, is shared:
  // a quarter to read, and more where stripes of the files take more. `progress` is not called.
  WriterOptions writer = {};
  // Phases kCheck, kRead and kWrite. Returns false to cancel (kCancelled, nothing left behind).
  std::function<bool(const RewriteProgress&)> progress = {};
};

// Rows of a file of which the same features cannot be read.
struct LostRows {
  uint32_t file = 0;   // Position in Dataset::files().
  uint64_t begin = 0;  // Rows [begin, end) of that file, deleted ones among them.
  uint64_t end = 0;
  std::vector<std::string> features;  // At least one; those that the dataset has.
  bool left_out = true;               // Whether the rows are; else they miss these features.
  Status why = Status::Ok();          // Of the first of them: kCorrupt, kTruncated or kIo.
};

struct RecoverReport {
  WriteReport written;
  std::vector<LostRows> lost;  // In the order of rows. Empty: all files are sound.

  // Deleted ones among them.
  uint64_t num_rows_left_out() const {
    uint64_t rows = 0;
    for (const LostRows& part : lost) rows += part.left_out ? part.end - part.begin : 0;
    return rows;
  }
};

// Reads every feature of every row twice, once to see what can be read. A range of rows is not cut
// finer than 1,024; what all rows of a stripe share, as its dictionaries, takes away the stripe.
//
// kCorrupt, kTruncated, kNotDsi: the end of a file, where it says what is where, is damaged, or no
// row can be read. kUnsupported: a feature that this build cannot read, which a copy would lose.
// kInvalidArgument: `to` is one of the files. Other errors: those of Rewrite.
DSI_EXPORT Result<RecoverReport> Recover(const Dataset& from, const std::string& to,
                                         const RecoverOptions& options = {});

}  // namespace dsi
