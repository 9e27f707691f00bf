// The rows of files that are read one behind the other.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dsi/text/lines/text_files_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

class ManyFiles : public TextInput {
 public:
  ManyFiles(TextFiles files, std::shared_ptr<const Schema> schema, const TextInputOptions& options)
      : files_(std::move(files)),
        schema_(std::move(schema)),
        options_(options),
        bytes_total_(files_.CountBytes()) {}

  // Opens the next file; there is one.
  Status OpenNext();

  Result<bool> Next(size_t max_rows, RowBatch* batch) override;
  uint64_t bytes_done() const override { return ended_.bytes + input_->bytes_done(); }
  uint64_t bytes_total() const override { return bytes_total_; }
  uint64_t lines_done() const override { return ended_.lines + input_->lines_done(); }
  TextCoverage coverage() const override;

 private:
  // What was found in files that were read to their end.
  struct Ended {
    uint64_t files = 0;
    uint64_t bytes = 0;
    uint64_t lines = 0;
    std::vector<IgnoredName> ignored;
    std::map<std::string, size_t> place_of;  // In `ignored`.
    uint64_t more_ignored = 0;
    std::vector<std::string> absent;  // In all of them, in the order of the schema.

    void Add(const TextInput& input, const std::string& file);
  };

  TextFiles files_;
  std::shared_ptr<const Schema> schema_;
  TextInputOptions options_;
  uint64_t bytes_total_;
  std::unique_ptr<TextInput> input_;  // Of the file opened last.
  Ended ended_;
};

}  // namespace dsi::internal
