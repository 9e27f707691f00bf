// How a verb that writes .dsi files is told to write them: order of rows, form of the file, notes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/verbs_internal.h"
#include "dsi/writer/writer.h"

namespace dsi::tools {

struct WriterChoice {
  WriterOptions writer;  // cluster_by and progress are for the verb to fill in.
  std::vector<std::string> session_keys;
  std::string time_feature;
  std::vector<std::string> metadata;  // "key=value"
  std::string layout_from;            // An access log.
  bool no_dedup = false;
  bool no_groups = false;
  bool force = false;
};

// Adds --force.
void AddForce(CLI::App* app, WriterChoice* choice);
// Adds those that say how a file is encoded, and by what means, whatever its rows are.
std::vector<CLI::Option*> AddFileChoice(CLI::App* app, WriterChoice* choice,
                                        const std::string& group);
// Adds these and all others, in two groups of the help, which write to *choice.
std::vector<CLI::Option*> AddWriterChoice(CLI::App* app, WriterChoice* choice,
                                          const std::string& order_group,
                                          const std::string& file_group);

// The options of a writer, as they are but for cluster_by and progress. kInvalidArgument.
Result<WriterOptions> WriterOptionsOf(const WriterChoice& choice);
// "key=value" each. kInvalidArgument.
Result<std::map<std::string, std::string>> MetadataOf(const WriterChoice& choice);
// Keys or a time are named on the command line.
inline bool NamesKeys(const WriterChoice& choice) {
  return !choice.session_keys.empty() || !choice.time_feature.empty();
}
// The keys to cluster by, where the command line names any; what it leaves open comes from the
// schema. An inferred schema takes a key that it knew for a mere number for what it is.
Result<std::vector<std::string>> ClusterKeysOf(const WriterChoice& choice, bool inferred,
                                               Schema* schema);
// False once a signal asks to stop.
bool ShowWriteProgress(const WriteProgress& now, Progress* progress);

}  // namespace dsi::tools
