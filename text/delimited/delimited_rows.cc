// CSV and TSV to rows. The header names columns ("age", "hist.item"); an empty cell is missing;
// list cells hold entries between separators or in brackets, and "" in quotes is the empty list or
// the empty string.
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/number_fit_internal.h"
#include "dsi/text/delimited/delimited_record_internal.h"
#include "dsi/text/delimited/delimited_rows_internal.h"
#include "dsi/text/delimited/list_cell_internal.h"
#include "dsi/text/lines/cell_value_internal.h"
#include "dsi/text/lines/number_of_text_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kIgnored = UINT32_MAX;
constexpr std::string_view kNoNulls = " (lists hold neither null nor lists)";

// What a cell of a record is.
struct Target {
  uint32_t feature;
  uint32_t column;  // Of the feature; kIgnored: position in FileStart::ignored.
};

struct Header : public FileStart {
  std::vector<std::string> names;  // As they stand there.
  std::vector<Target> targets;     // Per cell of a record.
};

class DelimitedParser : public RowParser {
 public:
  DelimitedParser(std::shared_ptr<const Schema> rows_schema, TextFormat format,
                  const TextInputOptions& options, TimeForms times)
      : RowParser(std::make_unique<LineSource>(options.max_line_bytes), std::move(rows_schema)),
        list_separator_(options.list_separator),
        missing_(options.missing),
        null_entries_(options.null_entries),
        times_(std::move(times)),
        records_(&lines(), format, options) {}

 protected:
  void StartBlock(const FileStart* start) override {
    header_ = static_cast<const Header*>(start);
    records_.KeepHeader(&header_->names);
    ignored_places_.assign(header_->ignored.size(), 0);
  }
  Result<bool> NextRow() override { return records_.NextLine(); }
  std::string_view row_text() const override { return records_.text(); }
  uint64_t row_line() const override { return records_.first_line(); }

  Status SetRow(RowBatch* batch) override {
    DSI_RETURN_IF_ERROR(records_.Cut());
    const std::vector<Cell>& cells = records_.cells();
    const std::vector<Target>& targets = header_->targets;
    if (cells.size() != targets.size()) {
      return BadInput("{}: found {} cells, expected the {} of the header", lines().Where(),
                      cells.size(), targets.size());
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].quoted && (cells[i].text.empty() || cells[i].text == missing_)) continue;
      if (targets[i].feature == kIgnored) {
        const size_t name = targets[i].column;
        ignored().Add(&ignored_places_[name], header_->ignored[name].name, lines_done());
        continue;
      }
      const Status status = SetCell(targets[i], cells[i].text, batch);
      if (!status.ok()) return AtLine(status);
    }
    return {};
  }

 private:
  Status SetCell(Target target, std::string_view text, RowBatch* batch) {
    const FeatureSpec& feature = schema().features[target.feature];
    if (IsListKind(feature.kind) || feature.kind == Kind::kEmbedding) {
      return SetList(target, text, batch);
    }
    return SetCellValue(schema(), target.feature, text, times_, batch);
  }

  Status SetList(Target target, std::string_view text, RowBatch* batch) {
    const FeatureSpec& feature = schema().features[target.feature];
    const Type type = feature.columns[target.column].type;
    const TimeUnit unit = feature.columns[target.column].time_unit;
    cell_.Cut(text, list_separator_);
    if (feature.columns[target.column].hashed) return SetTexts(target, batch);
    ints_.clear();
    uints_.clear();
    doubles_.clear();
    bool any_big = false;
    bool any_negative = false;
    for (const ListEntry& entry : cell_.entries()) {
      const std::string_view part = entry.text;
      if (entry.form == ListEntry::Form::kNull && null_entries_ != NullEntries::kFail) {
        DSI_RETURN_IF_ERROR(CheckDrop(target));
        if (null_entries_ == NullEntries::kDrop) continue;
        ints_.push_back(0);
        uints_.push_back(0);
        doubles_.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      int64_t whole = 0;
      uint64_t big = 0;
      double number = 0;
      if (unit != TimeUnit::kNone) {
        const Status status = ReadCellTime(part, unit, times_, &whole);
        if (!status.ok()) {
          return BadInput("feature {}: {}", QuoteForMessage(ColumnName(feature, target.column)),
                          status.message());
        }
        ints_.push_back(whole);
        continue;
      }
      NumberText form = ParseNumber(part, &whole, &big, &number);
      if (bool truth = false; type == Type::kBool && ParseTruth(part, &truth)) {
        whole = truth ? 1 : 0;
        form = NumberText::kInt;
      }
      bool fits = form != NumberText::kNone;
      if (IsFloat(type)) {
        if (form == NumberText::kInt) fits = WholeToDouble(whole, type, &number);
        if (form == NumberText::kUint) fits = WholeToDouble(big, type, &number);
        doubles_.push_back(NumberOfText(number, type));
      } else {
        fits &= form != NumberText::kDouble;
        any_big |= form == NumberText::kUint;
        any_negative |= form == NumberText::kInt && whole < 0;
        ints_.push_back(whole);
        uints_.push_back(form == NumberText::kUint ? big : static_cast<uint64_t>(whole));
      }
      if (!fits && IsFloat(type) && form != NumberText::kNone) {
        return BadInput("feature {}: found the entry {}, {}",
                        QuoteForMessage(ColumnName(feature, target.column)), QuoteForMessage(part),
                        AdviceOnWhole(type));
      }
      if (!fits || (any_big && any_negative)) {
        return BadInput("feature {}: found the entry {}, expected a number of type {}{}",
                        QuoteForMessage(ColumnName(feature, target.column)), QuoteForMessage(part),
                        TypeName(type), entry.form == ListEntry::Form::kNull ? kNoNulls : "");
      }
    }
    if (IsFloat(type)) return batch->SetDoubles(target.feature, target.column, doubles_);
    if (any_big) return batch->SetUints(target.feature, target.column, uints_);
    return batch->SetInts(target.feature, target.column, ints_);
  }

  // Of a hashed column every entry is text, a number as well.
  Status SetTexts(Target target, RowBatch* batch) {
    texts_.clear();
    for (const ListEntry& entry : cell_.entries()) {
      if (entry.form != ListEntry::Form::kNull) {
        texts_.push_back(entry.text);
        continue;
      }
      if (null_entries_ == NullEntries::kFail && cell_.in_brackets()) {
        const FeatureSpec& feature = schema().features[target.feature];
        return BadInput("feature {}: entry {}: found null, expected a text{}",
                        QuoteForMessage(ColumnName(feature, target.column)), texts_.size(),
                        kNoNulls);
      }
      DSI_RETURN_IF_ERROR(CheckDrop(target));
      if (null_entries_ != NullEntries::kDrop) texts_.emplace_back();
    }
    return batch->SetTexts(target.feature, target.column, texts_);
  }

  // Entries that stand side by side in columns are not dropped one by one.
  Status CheckDrop(Target target) const {
    const FeatureSpec& feature = schema().features[target.feature];
    if (null_entries_ != NullEntries::kDrop || feature.columns.size() == 1) return {};
    return BadInput("feature {}: found null, which cannot be dropped from one column alone",
                    QuoteForMessage(ColumnName(feature, target.column)));
  }

  template <typename Whole>
  static bool WholeToDouble(Whole whole, Type type, double* number) {
    if (type == Type::kFloat64) return ConvertWhole(whole, number);
    float exact = 0;
    const bool fits = ConvertWhole(whole, &exact);
    *number = exact;
    return fits;
  }

  const char list_separator_;
  const std::string missing_;
  const NullEntries null_entries_;
  const TimeForms times_;
  ListCell cell_;
  RecordReader records_;
  const Header* header_ = nullptr;
  std::vector<uint32_t> ignored_places_;  // Per name ignored.
  std::vector<int64_t> ints_;
  std::vector<uint64_t> uints_;
  std::vector<double> doubles_;
  std::vector<std::string_view> texts_;
};

}  // namespace

Result<std::shared_ptr<const FileStart>> ReadHeader(LineSource* lines, const Schema& schema,
                                                    TextFormat format,
                                                    const TextInputOptions& options,
                                                    bool may_be_empty) {
  auto header = std::make_shared<Header>();
  RecordReader records(lines, format, options);
  DSI_ASSIGN_OR_RETURN(const std::vector<std::string_view> names,
                       records.ReadHeader(options.header));
  if (names.empty() && may_be_empty) return std::shared_ptr<const FileStart>(std::move(header));
  if (names.empty()) return BadInput("{}: found no line, expected a header", lines->Where());
  std::unordered_map<std::string, Target> by_name;
  for (uint32_t f = 0; f < schema.features.size(); ++f) {
    for (uint32_t c = 0; c < schema.features[f].columns.size(); ++c) {
      by_name.emplace(ColumnName(schema.features[f], c), Target{f, c});
    }
  }
  std::vector<uint32_t> found(schema.features.size());
  for (const std::string_view text : names) {
    const std::string& name = header->names.emplace_back(text);
    const auto at = by_name.find(name);
    if (at == by_name.end() && !options.ignore_unknown && !name.empty()) {
      return BadInput("{}: {} of the header is no feature of the schema", lines->Where(),
                      QuoteForMessage(name));
    }
    if (at != by_name.end()) {
      header->targets.push_back(at->second);
      ++found[at->second.feature];
      continue;
    }
    header->targets.push_back({kIgnored, static_cast<uint32_t>(header->ignored.size())});
    header->ignored.push_back({.name = name});
  }
  for (size_t f = 0; f < found.size(); ++f) {
    const FeatureSpec& feature = schema.features[f];
    if (found[f] == 0 || found[f] == feature.columns.size()) continue;
    return BadInput("{}: the header has {} columns of feature {}, expected all {} or none",
                    lines->Where(), found[f], QuoteForMessage(feature.name),
                    feature.columns.size());
  }
  return std::shared_ptr<const FileStart>(std::move(header));
}

std::unique_ptr<RowParser> MakeDelimitedParser(std::shared_ptr<const Schema> schema,
                                               TextFormat format, const TextInputOptions& options,
                                               TimeForms times) {
  return std::make_unique<DelimitedParser>(std::move(schema), format, options, std::move(times));
}

}  // namespace dsi::internal
