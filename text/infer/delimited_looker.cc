// What names hold in CSV and TSV, where everything is text that may look like something else.
#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/name_words_internal.h"
#include "dsi/text/delimited/delimited_record_internal.h"
#include "dsi/text/infer/row_looker_internal.h"
#include "dsi/text/lines/cell_value_internal.h"

namespace dsi::internal {
namespace {

class DelimitedLooker : public RowLooker {
 public:
  DelimitedLooker(TextFormat format, const TextInputOptions& options)
      : format_(format), options_(options) {}

  Result<bool> LookAtRow() override {
    DSI_ASSIGN_OR_RETURN(const bool more, records_->Next());
    if (!more) return false;
    const std::vector<Cell>& cells = records_->cells();
    if (cells.size() != columns_.size()) {
      return BadInput("{}: found {} cells, expected the {} of the header", lines().Where(),
                      cells.size(), columns_.size());
    }
    const bool in_sample = sample().StartRow();
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool is_missing = cells[i].text == options_.missing && !cells[i].quoted;
      if (cells[i].text.empty() || is_missing) continue;
      LookAtCell(cells[i].text, &seen()[columns_[i]]);
      if (in_sample) Sample(cells[i].text, columns_[i]);
    }
    return true;
  }

  void Finish() override {
    std::unordered_set<std::string_view> names;
    for (const SeenFeature& feature : seen()) names.insert(feature.name);
    for (SeenFeature& feature : seen()) feature.nested = MayNest(feature.name, names);
  }

  // A column without a value is a feature all the same: of strings.
  std::vector<std::string> Valueless() const override { return {}; }
  std::vector<std::string> NumbersInHeader() const override { return numbers_in_header_; }

 protected:
  Status ReadStart(bool may_be_empty) override {
    records_.emplace(&lines(), format_, options_);
    columns_.clear();
    DSI_ASSIGN_OR_RETURN(const std::vector<std::string_view> names,
                         records_->ReadHeader(options_.header));
    if (names.empty() && may_be_empty) return {};
    if (names.empty()) return BadInput("{}: found no line, expected a header", lines().Where());
    header_.assign(names.begin(), names.end());
    records_->KeepHeader(&header_);
    for (const std::string_view name : names) {
      const auto [at, is_new] = ordinals_.try_emplace(std::string(name), 0);
      if (is_new) {
        DSI_ASSIGN_OR_RETURN(at->second, Add(name));
        NoteIfNumber(name);
      }
      columns_.push_back(at->second);
    }
    return {};
  }

 private:
  // Names that are given are meant so.
  void NoteIfNumber(std::string_view name) {
    int64_t whole = 0;
    uint64_t big = 0;
    double number = 0;
    if (options_.header.empty() && ParseNumber(name, &whole, &big, &number) != NumberText::kNone)
      numbers_in_header_.emplace_back(name);
  }

  void Sample(std::string_view text, uint32_t feature) {
    ValueHash hash;
    uint64_t length = 0;
    std::string_view entry;
    for (size_t at = 0; NextEntry(text, options_.list_separator, &at, &entry); ++length)
      hash.AddText(entry);
    sample().Add(feature, hash, length > 1);
  }

  void LookAtCell(std::string_view text, SeenFeature* feature) {
    if (feature->wants_example()) feature->OfferExample(text);
    if (text.find(options_.list_separator) == std::string_view::npos) {
      ++feature->num_ones;
      feature->one.AddCell(text, line());
      return;
    }
    SeenValues parts;
    uint64_t length = 0;
    std::string_view entry;
    for (size_t at = 0; NextEntry(text, options_.list_separator, &at, &entry); ++length)
      parts.AddCell(entry, line());
    // A separator in a text makes no list.
    if (parts.text_line + parts.iso_line != 0) {
      ++feature->num_ones;
      feature->one.AddText(text, line());
    } else {
      ++feature->num_lists;
      feature->longest_list = std::max(feature->longest_list, length);
      feature->many.Merge(parts);
    }
  }

  const TextFormat format_;
  const TextInputOptions options_;
  std::vector<std::string> header_;
  std::vector<std::string> numbers_in_header_;
  std::optional<RecordReader> records_;                 // Of the file being read.
  std::vector<uint32_t> columns_;                       // The feature of each of its cells.
  std::unordered_map<std::string, uint32_t> ordinals_;  // Of all files.
};

}  // namespace

std::unique_ptr<RowLooker> MakeDelimitedLooker(TextFormat format, const TextInputOptions& options) {
  return std::make_unique<DelimitedLooker>(format, options);
}

}  // namespace dsi::internal
