// Text to .dsi: one half of convert.
#pragma once

#include <string>
#include <vector>

#include "dsi/format/status.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/text_source_internal.h"
#include "dsi/writer/writer.h"

namespace dsi::tools {

struct TextToDsiOptions {
  TextSourceOptions source;
  std::string out;
  WriterOptions writer;  // cluster_by and progress are filled in here.
  bool ignore_unknown = false;
  std::vector<std::string> session_keys;
  std::string time_feature;
  std::vector<std::string> metadata;  // "key=value"
};

struct TextToDsiReport {
  WriteReport written;
  uint64_t bytes_in = 0;  // As they lie in the input, compressed or not.
};

Result<TextToDsiReport> TextToDsi(const TextToDsiOptions& options, Progress* progress);

}  // namespace dsi::tools
