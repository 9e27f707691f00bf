// Rows of .dsi files written as other ones: what rewrite does, and convert of one .dsi file to
// another.
#pragma once

#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/rewrite/rewrite.h"
#include "dsi/tools/console_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/writer_choice_internal.h"

namespace dsi::tools {

struct RewriteChoice {
  std::vector<std::string> in;  // What Dataset::Open takes.
  std::string out;              // A file, or with a size of shards a folder.
  RowChoice rows;
  WriterChoice writer;
  std::vector<std::string> only;
  std::vector<std::string> drop;
  std::vector<std::string> rename;  // "old=new"
  std::string schema_file;
  ShardSize shards;
};

// Shows progress, and tells what was written. Types and bits of values stay. The places that
// --keep-position stored are left out with a warning; with it the places are those in the files
// read.
Status RewriteFiles(const RewriteChoice& choice, Console* console);

// How such a call failed: the library speaks of its option, the user knows that of the command
// line.
Status OfOption(const Status& status);

// False once a signal asks to stop.
bool ShowRewriteProgress(const RewriteProgress& now, Progress* progress);

}  // namespace dsi::tools
