// How the rows read so far and the schema fit.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dsi/text/text_input.h"

namespace dsi::internal {

class CoverageOfRows {
 public:
  explicit CoverageOfRows(std::shared_ptr<const Schema> schema);

  // Names of a file, in order of first appearance; those without values only take their place.
  void AddIgnored(const std::vector<IgnoredName>& names, const std::string& file);
  void AddMoreIgnored(uint64_t values) { more_ignored_ += values; }
  // Rows of a batch, from one on. Cost: linear in the features that no row had.
  void AddRows(const RowBatch& rows) { AddRowsSince({}, rows); }
  // Entries of the features that no row had, to be handed to AddRowsSince once more rows are there.
  std::vector<size_t> Mark(const RowBatch& rows) const;
  void AddRowsSince(const std::vector<size_t>& mark, const RowBatch& rows);

  TextCoverage Get() const;

 private:
  std::shared_ptr<const Schema> schema_;
  std::vector<IgnoredName> ignored_;
  std::map<std::string, size_t, std::less<>> place_of_;  // In `ignored_`.
  uint64_t more_ignored_ = 0;
  std::vector<uint32_t> absent_;  // Features that no row had.
};

}  // namespace dsi::internal
