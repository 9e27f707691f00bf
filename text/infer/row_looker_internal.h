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
#include "dsi/text/lines/line_source_internal.h"

namespace dsi::internal {

// Looks at rows and gives what was seen of each name, in order of first appearance.
class RowLooker {
 public:
  explicit RowLooker(LineSource* lines) : lines_(lines) {}
  virtual ~RowLooker() = default;
  RowLooker(const RowLooker&) = delete;
  RowLooker& operator=(const RowLooker&) = delete;
  // False at the end.
  virtual Result<bool> LookAtRow() = 0;

  std::deque<SeenFeature>& seen() { return seen_; }
  KeySample& sample() { return sample_; }
  // Names that stood in rows and never had a value.
  virtual std::vector<std::string> Valueless() const = 0;

 protected:
  LineSource& lines() { return *lines_; }
  uint64_t line() const { return lines_->lines_done(); }
  // The ordinal of a new name.
  Result<uint32_t> Add(std::string_view name);

 private:
  LineSource* lines_;
  std::deque<SeenFeature> seen_;
  KeySample sample_;
  uint64_t name_bytes_ = 0;
};

std::unique_ptr<RowLooker> MakeJsonLooker(LineSource* lines);
// Reads the header.
Result<std::unique_ptr<RowLooker>> MakeDelimitedLooker(LineSource* lines, char delimiter);

}  // namespace dsi::internal
