// Rows of a text that cannot be read: whether they end the conversion or are left out, how many may
// be, and the file that keeps them.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/io/file.h"
#include "dsi/text/text_input.h"

namespace dsi::tools {

struct BadRowOptions {
  std::string on_error = "fail";  // Or "skip".
  uint64_t max_errors = UINT64_MAX;
  std::string rejects;  // A file; empty: none.
  bool skips() const { return on_error == "skip"; }
};

// --on-error, --max-errors and --rejects.
std::vector<CLI::Option*> AddBadRowOptions(CLI::App* app, BadRowOptions* options);
CLI::Option* AddOnError(CLI::App* app, BadRowOptions* options);

// What was left out.
struct RejectedRows {
  uint64_t rows = 0;
  std::string first;  // Its reason, which names file and line.
};

class BadRows {
 public:
  // Creates the file of rejects, under a name of its own until Finish. kInvalidArgument: options
  // that need --on-error skip.
  static Result<BadRows> Create(const BadRowOptions& options, bool overwrite);

  // Counts and keeps a row; kBadInput once there are too many.
  Status Add(const BadRow& row);
  // Publishes the file of rejects. Once.
  Status Finish();
  const RejectedRows& rejected() const { return rejected_; }

 private:
  explicit BadRows(uint64_t max_errors) : max_errors_(max_errors) {}

  uint64_t max_errors_;
  RejectedRows rejected_;
  std::unique_ptr<WritableFile> file_;
};

}  // namespace dsi::tools
