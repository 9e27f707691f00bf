// What names hold in CSV and TSV, where everything is text that may look like something else.
#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/name_words_internal.h"
#include "dsi/text/delimited/delimited_record_internal.h"
#include "dsi/text/infer/row_looker_internal.h"

namespace dsi::internal {
namespace {

class DelimitedLooker : public RowLooker {
 public:
  DelimitedLooker(LineSource* source, char delimiter)
      : RowLooker(source), records_(source, delimiter) {}

  Status ReadHeader() {
    DSI_ASSIGN_OR_RETURN(const bool more, records_.Next());
    if (!more) return BadInput("{}: found no line, expected a header", lines().Where());
    records_.KeepHeader();
    std::unordered_set<std::string_view> names;
    for (const Cell& cell : records_.cells()) {
      if (!names.insert(cell.text).second) {
        return BadInput("{}: {} stands twice in the header", lines().Where(),
                        QuoteForMessage(cell.text));
      }
      DSI_RETURN_IF_ERROR(Add(cell.text).status());
    }
    for (SeenFeature& feature : seen()) feature.nested = MayNest(feature.name, names);
    return {};
  }

  Result<bool> LookAtRow() override {
    DSI_ASSIGN_OR_RETURN(const bool more, records_.Next());
    if (!more) return false;
    const std::vector<Cell>& cells = records_.cells();
    if (cells.size() != seen().size()) {
      return BadInput("{}: found {} cells, expected the {} of the header", lines().Where(),
                      cells.size(), seen().size());
    }
    const bool in_sample = sample().StartRow();
    for (uint32_t i = 0; i < cells.size(); ++i) {
      if (cells[i].text.empty()) continue;
      LookAtCell(cells[i].text, &seen()[i]);
      if (in_sample) Sample(cells[i].text, i);
    }
    return true;
  }

  // A column without a value is a feature all the same: of strings.
  std::vector<std::string> Valueless() const override { return {}; }

 private:
  void Sample(std::string_view text, uint32_t feature) {
    ValueHash hash;
    bool is_list = false;
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find('|', at), text.size());
      is_list |= end != text.size();
      hash.AddText(text.substr(at, end - at));
      at = end + 1;
    }
    sample().Add(feature, hash, is_list);
  }

  void LookAtCell(std::string_view text, SeenFeature* feature) {
    if (text.find('|') == std::string_view::npos) {
      LookAtPart(text, &feature->one);
      return;
    }
    SeenValues parts;
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find('|', at), text.size());
      LookAtPart(text.substr(at, end - at), &parts);
      at = end + 1;
    }
    // A bar in a text is no list.
    if (parts.text_line != 0) {
      feature->one.AddText(text, line());
    } else {
      feature->many.Merge(parts);
    }
  }

  void LookAtPart(std::string_view text, SeenValues* values) {
    int64_t whole = 0;
    uint64_t big = 0;
    double number = 0;
    if (text == "true" || text == "false") return values->AddBool(line());
    // Leading zeros mark a code, which a number would lose.
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') {
      return values->AddText(text, line());
    }
    switch (ParseNumber(text, &whole, &big, &number)) {
      case NumberText::kInt:
        return values->AddInt(whole, line());
      case NumberText::kUint:
        return values->AddUint(big, line());
      case NumberText::kDouble:
        return values->AddDouble(line());
      case NumberText::kNone:
        return values->AddText(text, line());
    }
  }

  RecordReader records_;
};

}  // namespace

Result<std::unique_ptr<RowLooker>> MakeDelimitedLooker(LineSource* lines, char delimiter) {
  auto looker = std::make_unique<DelimitedLooker>(lines, delimiter);
  DSI_RETURN_IF_ERROR(looker->ReadHeader());
  return std::unique_ptr<RowLooker>(std::move(looker));
}

}  // namespace dsi::internal
