// Rows of one feature, held so that any two can be compared: what the analysis of repeats looks at.
//
// Thread safety: const use from many threads is safe, but for Overlap, which needs scratch memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/base/status.h"
#include "dsi/reader/reader.h"

namespace dsi::tools {

// Rows of a batch, as RecD has them and as trainers often ask for.
inline constexpr uint32_t kDedupBatchRows = 4096;
inline constexpr uint32_t kNoCode = UINT32_MAX;

// A feature with lengths of numbers. Memory: 8 bytes for each entry of the unique rows of each
// batch, which are what the file stores of it, or little more.
class FeatureRows {
 public:
  // Rows [0, num_rows) of the file.
  static Result<FeatureRows> Load(const Reader& reader, const FeatureSpec& feature,
                                  uint64_t num_rows);

  size_t num_rows() const { return slots_.size(); }
  bool present(size_t row) const { return slots_[row] != kNoCode; }
  uint32_t length(size_t row) const { return present(row) ? lengths_[slots_[row]] : 0; }
  // Both rows have the feature.
  bool Equal(size_t a, size_t b) const;
  // Entries of row `row` that lie in the longest overlap with row `before` at any shift: its end
  // with the other's front, its front with the other's end, or one inside the other.
  uint32_t Overlap(size_t before, size_t row);

  uint64_t num_present() const { return num_present_; }
  uint64_t num_entries() const { return num_entries_; }
  // Sum over batches of kDedupBatchRows of the entries of the unique rows that a batch touches:
  // what an IKJT of this file hands over.
  uint64_t batch_entries() const { return batch_entries_; }

 private:
  using Words = std::span<const uint64_t>;
  Words EntriesOf(size_t row) const {
    return Words(words_).subspan(starts_[slots_[row]], lengths_[slots_[row]]);
  }
  uint32_t LongestMatch(Words pattern, Words text);

  std::vector<uint32_t> slots_;    // Per row; kNoCode: missing.
  std::vector<uint64_t> starts_;   // Per slot.
  std::vector<uint32_t> lengths_;  // Per slot.
  std::vector<uint64_t> words_;    // Per entry: its bits, or a mix of those of several columns.
  std::vector<uint32_t> borders_;
  uint64_t num_present_ = 0;
  uint64_t num_entries_ = 0;
  uint64_t batch_entries_ = 0;
};

// Which of its values a key has in each row.
struct RowCodes {
  std::string name;
  bool is_list = false;         // A list of ids whose rows all have one, and no key feature.
  std::vector<uint32_t> codes;  // Per row; kNoCode: missing.
  uint32_t num_values = 0;
  uint64_t num_present = 0;
  bool repeats() const { return num_values != 0 && num_values < num_present; }
};

// Codes of a key feature, or of a list of ids; `names` empty values where a list has other than one
// entry (num_values is then 0).
Result<RowCodes> LoadCodes(const Reader& reader, const FeatureSpec& feature, uint64_t num_rows);

// Codes of pairs of values.
RowCodes Combine(const RowCodes& a, const RowCodes& b);

// Rows by the values of a timestamp, equal ones by place; by place alone when `time` is null.
Result<std::vector<uint32_t>> RowsByTime(const Reader& reader, const FeatureSpec* time,
                                         uint64_t num_rows);

}  // namespace dsi::tools
