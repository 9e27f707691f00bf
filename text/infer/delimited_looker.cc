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
#include "dsi/text/delimited/list_cell_internal.h"
#include "dsi/text/infer/row_looker_internal.h"
#include "dsi/text/lines/cell_value_internal.h"

namespace dsi::internal {
namespace {

class DelimitedLooker : public RowLooker {
 public:
  DelimitedLooker(TextFormat format, const InferOptions& options, TimeForms times)
      : RowLooker(std::move(times)),
        format_(format),
        options_(options.text),
        lists_(options.lists) {}

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
      if (cells[i].text.empty() || is_missing || columns_[i] == kUnnamed) continue;
      LookAtCell(cells[i].text, is_list_[columns_[i]], &seen()[columns_[i]]);
      if (in_sample) Sample(columns_[i]);
    }
    return true;
  }

  Status Finish() override {
    std::unordered_set<std::string_view> names;
    for (const SeenFeature& feature : seen()) names.insert(feature.name);
    for (SeenFeature& feature : seen()) feature.nested = MayNest(feature.name, names);
    for (const std::string& list : lists_) {
      if (!names.contains(list))
        return BadInput("no column {}, which is said to hold lists", QuoteForMessage(list));
    }
    return {};
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
      if (name.empty()) {
        columns_.push_back(kUnnamed);
        continue;
      }
      const auto [at, is_new] = ordinals_.try_emplace(std::string(name), 0);
      if (is_new) {
        DSI_ASSIGN_OR_RETURN(at->second, Add(name));
        is_list_.push_back(std::find(lists_.begin(), lists_.end(), name) != lists_.end());
        NoteIfNumber(name);
      }
      columns_.push_back(at->second);
    }
    return {};
  }

 private:
  static constexpr uint32_t kUnnamed = UINT32_MAX;  // A column that is left out.

  // Names that are given are meant so.
  void NoteIfNumber(std::string_view name) {
    int64_t whole = 0;
    uint64_t big = 0;
    double number = 0;
    IsoTime time;
    if (options_.header.empty() && (ParseNumber(name, &whole, &big, &number) != NumberText::kNone ||
                                    times().Parse(name, &time)))
      numbers_in_header_.emplace_back(name);
  }

  // Of the cell cut last.
  void Sample(uint32_t feature) {
    ValueHash hash;
    for (const ListEntry& entry : cell_.entries()) hash.AddText(entry.text);
    sample().Add(feature, hash, cell_.in_brackets() || cell_.entries().size() > 1);
  }

  void LookAtCell(std::string_view text, bool is_list, SeenFeature* feature) {
    if (feature->wants_example()) feature->OfferExample(text);
    cell_.Cut(text, options_.list_separator);
    if (!is_list && !cell_.in_brackets() && cell_.entries().size() == 1)
      return LookAtOne(text, feature);
    SeenValues parts;
    bool has_word = false;  // A text without quotes.
    for (const ListEntry& entry : cell_.entries()) LookAtEntry(entry, &parts, &has_word);
    // A separator in a text makes no list.
    if (!is_list && has_word) return LookAtOne(text, feature);
    ++feature->num_lists;
    if (is_list || cell_.in_brackets()) ++feature->num_sure_lists;
    if (cell_.entries().empty() && feature->empty_list_line == 0) feature->empty_list_line = line();
    feature->longest_list = std::max<uint64_t>(feature->longest_list, cell_.entries().size());
    feature->many.Merge(parts);
    feature->many.MergeTimes(parts);
  }

  void LookAtOne(std::string_view text, SeenFeature* feature) {
    ++feature->num_ones;
    feature->one.AddCell(text, line(), times());
  }

  void LookAtEntry(const ListEntry& entry, SeenValues* parts, bool* has_word) {
    if (entry.form == ListEntry::Form::kNull &&
        (cell_.in_brackets() || options_.null_entries != NullEntries::kFail)) {
      if (parts->null_line == 0) parts->null_line = line();
      return;
    }
    SeenValues of;
    if (entry.form == ListEntry::Form::kQuoted) {
      of.AddText(entry.text, line(), times());
    } else {
      of.AddCell(entry.text, line(), times());
      *has_word |= of.text_line + of.time_line != 0;
    }
    parts->Merge(of);
    parts->MergeTimes(of);
  }

  const TextFormat format_;
  const TextInputOptions options_;
  const std::vector<std::string> lists_;  // Columns that are said to hold lists.
  std::vector<bool> is_list_;             // By feature.
  ListCell cell_;                         // Looked at last.
  std::vector<std::string> header_;
  std::vector<std::string> numbers_in_header_;
  std::optional<RecordReader> records_;                 // Of the file being read.
  std::vector<uint32_t> columns_;                       // Per cell its feature, or kUnnamed.
  std::unordered_map<std::string, uint32_t> ordinals_;  // Of all files.
};

}  // namespace

std::unique_ptr<RowLooker> MakeDelimitedLooker(TextFormat format, const InferOptions& options,
                                               TimeForms times) {
  return std::make_unique<DelimitedLooker>(format, options, std::move(times));
}

}  // namespace dsi::internal
