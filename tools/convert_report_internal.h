// What convert tells once it is done: text for people or, with --json, one JSON document.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/tools/console_internal.h"
#include "dsi/tools/job_reads_internal.h"
#include "dsi/tools/text_report_internal.h"
#include "dsi/writer/writer.h"

namespace dsi::tools {

struct Conversion {
  std::string out;
  uint64_t bytes_in = 0;
  double seconds = 0;
  // What the jobs of --layout-from read of the files in and of those out.
  std::vector<JobReads> jobs_before = {};
  std::vector<JobReads> jobs_after = {};
};

// As JSON: before and after of each. Text: a table.
nlohmann::ordered_json JobsJson(const Conversion& done);
std::string JobsTable(const Conversion& done, const Console& console);

// Runs from its making.
class Timer {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// `fit` is null where rows come from a .dsi file.
Status ReportToDsi(const Conversion& done, const WriteReport& written, const TextFit* fit,
                   Console* console);
Status ReportToText(const Conversion& done, uint64_t rows, uint64_t bytes_out, Console* console);

}  // namespace dsi::tools
