// Looks at the rows of a text and remembers what each name held; one kind for each format.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/text/infer/infer_feature_internal.h"
#include "dsi/text/infer/key_sample_internal.h"
#include "dsi/text/infer/line_place_internal.h"
#include "dsi/text/lines/line_source_internal.h"

namespace dsi::internal {

// Looks at the rows of one file after another and gives what was seen of each name, in order of
// first appearance.
class RowLooker {
 public:
  RowLooker() = default;
  virtual ~RowLooker() = default;
  RowLooker(const RowLooker&) = delete;
  RowLooker& operator=(const RowLooker&) = delete;
  // Goes on with the lines of a file, whose number among all is `file`. `may_be_empty`: a file
  // without a line is none at all, and needs no header.
  Status StartFile(LineSource* lines, uint32_t file, bool may_be_empty) {
    lines_ = lines;
    file_ = file;
    return ReadStart(may_be_empty);
  }
  // False at the end.
  virtual Result<bool> LookAtRow() = 0;

  std::deque<SeenFeature>& seen() { return seen_; }
  const std::deque<SeenFeature>& seen() const { return seen_; }
  KeySample& sample() { return sample_; }
  // Once all rows were looked at.
  virtual void Finish() {}
  // Names that stood in rows and never had a value.
  virtual std::vector<std::string> Valueless() const = 0;

 protected:
  LineSource& lines() { return *lines_; }
  // The place of the line read last.
  uint64_t line() const { return PlaceOf(file_, lines_->lines_done()); }
  // Reads what stands in front of a file's rows.
  virtual Status ReadStart(bool may_be_empty) = 0;
  // The ordinal of a new name.
  Result<uint32_t> Add(std::string_view name);

 private:
  LineSource* lines_ = nullptr;
  uint32_t file_ = 0;
  std::deque<SeenFeature> seen_;
  KeySample sample_;
  uint64_t name_bytes_ = 0;
};

std::unique_ptr<RowLooker> MakeJsonLooker();
std::unique_ptr<RowLooker> MakeExampleLooker();
std::unique_ptr<RowLooker> MakeDelimitedLooker(char delimiter, char list_separator);

}  // namespace dsi::internal
