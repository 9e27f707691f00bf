// CSV and TSV to rows. The header names columns ("age", "hist.item"); an empty cell is missing;
// list cells hold numbers between separators, and "" in quotes is the empty list or the empty
// string.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/iso_time_internal.h"
#include "dsi/format/number_fit_internal.h"
#include "dsi/text/delimited/delimited_record_internal.h"
#include "dsi/text/lines/text_rows_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kIgnored = UINT32_MAX;

class DelimitedInput : public RowTextInput {
 public:
  DelimitedInput(std::unique_ptr<LineSource> source, std::shared_ptr<const Schema> rows_schema,
                 const TextInputOptions& options, char delimiter)
      : RowTextInput(std::move(source), std::move(rows_schema), options),
        list_separator_(options.list_separator),
        epoch_unit_(options.epoch_unit),
        records_(&lines(), delimiter) {}

  Status ReadHeader(bool ignore_unknown, bool may_be_empty) {
    has_value_.assign(schema().features.size(), 0);
    DSI_ASSIGN_OR_RETURN(const bool more, records_.Next());
    if (!more && may_be_empty) return {};
    if (!more) return BadInput("{}: found no line, expected a header", lines().Where());
    std::unordered_map<std::string, Target> by_name;
    for (uint32_t f = 0; f < schema().features.size(); ++f) {
      for (uint32_t c = 0; c < schema().features[f].columns.size(); ++c) {
        by_name.emplace(ColumnName(schema().features[f], c), Target{f, c});
      }
    }
    records_.KeepHeader();
    std::vector<uint32_t> found(schema().features.size());
    std::unordered_map<std::string, size_t> seen;
    for (const Cell& cell : records_.cells()) {
      const std::string name(cell.text);
      if (!seen.emplace(name, seen.size()).second) {
        return BadInput("{}: {} stands twice in the header", lines().Where(),
                        QuoteForMessage(name));
      }
      const auto at = by_name.find(name);
      if (at == by_name.end() && !ignore_unknown) {
        return BadInput("{}: {} of the header is no feature of the schema", lines().Where(),
                        QuoteForMessage(name));
      }
      if (at != by_name.end()) {
        targets_.push_back(at->second);
        ++found[at->second.feature];
        continue;
      }
      targets_.push_back({kIgnored, static_cast<uint32_t>(ignored_.size())});
      ignored_.push_back({.name = name});
    }
    for (size_t f = 0; f < found.size(); ++f) {
      const FeatureSpec& feature = schema().features[f];
      if (found[f] == 0 || found[f] == feature.columns.size()) continue;
      return BadInput("{}: the header has {} columns of feature {}, expected all {} or none",
                      lines().Where(), found[f], QuoteForMessage(feature.name),
                      feature.columns.size());
    }
    return {};
  }

  TextCoverage coverage() const override {
    TextCoverage coverage{.ignored = ignored_, .more_ignored = 0, .absent = {}};
    AddAbsent(has_value_, &coverage);
    return coverage;
  }

 protected:
  Result<bool> NextRow() override { return records_.NextLine(); }
  std::string_view row_text() const override { return records_.text(); }
  uint64_t row_line() const override { return records_.first_line(); }

  Status SetRow(RowBatch* batch) override {
    DSI_RETURN_IF_ERROR(records_.Cut());
    const std::vector<Cell>& cells = records_.cells();
    if (cells.size() != targets_.size()) {
      return BadInput("{}: found {} cells, expected the {} of the header", lines().Where(),
                      cells.size(), targets_.size());
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].text.empty() && !cells[i].quoted) continue;
      if (targets_[i].feature == kIgnored) {
        IgnoredName& ignored = ignored_[targets_[i].column];
        if (ignored.values++ == 0) ignored.first_line = lines_done();
        continue;
      }
      has_value_[targets_[i].feature] = 1;
      const Status status = SetCell(targets_[i], cells[i].text, batch);
      if (!status.ok()) return AtLine(status);
    }
    return {};
  }

 private:
  struct Target {
    uint32_t feature;
    uint32_t column;  // Of the feature; kIgnored: position in ignored_.
  };

  Status SetCell(Target target, std::string_view text, RowBatch* batch) {
    const FeatureSpec& feature = schema().features[target.feature];
    if (IsListKind(feature.kind) || feature.kind == Kind::kEmbedding) {
      return SetList(target, text, batch);
    }
    const Type type = feature.columns[0].type;
    if (type == Type::kBytes) return batch->SetBytes(target.feature, text);
    // Some programs quote every cell; an empty number is then missing as well.
    if (text.empty()) return {};
    if (feature.time_unit != TimeUnit::kNone) return SetTime(target, text, batch);
    if (type == Type::kBool && (text == "true" || text == "false")) {
      return batch->SetInt(target.feature, text == "true" ? 1 : 0);
    }
    int64_t whole = 0;
    uint64_t big = 0;
    double number = 0;
    switch (ParseNumber(text, &whole, &big, &number)) {
      case NumberText::kInt:
        return batch->SetInt(target.feature, whole);
      case NumberText::kUint:
        return batch->SetUint(target.feature, big);
      case NumberText::kDouble:
        if (!IsFloat(type)) break;
        return batch->SetDouble(target.feature, number);
      case NumberText::kNone:
        break;
    }
    return BadInput("feature {}: found {}, expected a number of type {}",
                    QuoteForMessage(feature.name), QuoteForMessage(text), TypeName(type));
  }

  Status SetTime(Target target, std::string_view text, RowBatch* batch) {
    const FeatureSpec& feature = schema().features[target.feature];
    const TimeUnit unit = feature.time_unit;
    int64_t time = 0;
    IsoTime iso;
    Status status;
    if (ParseIsoTime(text, &iso)) {
      status = IsoToUnit(iso, unit, &time);
    } else {
      status =
          ConvertTimeText(text, epoch_unit_ == TimeUnit::kNone ? unit : epoch_unit_, unit, &time);
      if (status.code() == StatusCode::kBadInput) {
        status = BadInput("found {}, expected {}", QuoteForMessage(text), ExpectedTime(unit));
      }
    }
    if (!status.ok())
      return BadInput("feature {}: {}", QuoteForMessage(feature.name), status.message());
    return batch->SetInt(target.feature, time);
  }

  Status SetList(Target target, std::string_view text, RowBatch* batch) {
    const FeatureSpec& feature = schema().features[target.feature];
    const Type type = feature.columns[target.column].type;
    ints_.clear();
    uints_.clear();
    doubles_.clear();
    bool any_big = false;
    bool any_negative = false;
    for (size_t at = 0; !text.empty() && at <= text.size();) {
      const size_t end = std::min(text.find(list_separator_, at), text.size());
      const std::string_view part = text.substr(at, end - at);
      int64_t whole = 0;
      uint64_t big = 0;
      double number = 0;
      NumberText form = ParseNumber(part, &whole, &big, &number);
      if (type == Type::kBool && (part == "true" || part == "false")) {
        whole = part == "true" ? 1 : 0;
        form = NumberText::kInt;
      }
      bool fits = form != NumberText::kNone;
      if (IsFloat(type)) {
        if (form == NumberText::kInt) fits = WholeToDouble(whole, type, &number);
        if (form == NumberText::kUint) fits = WholeToDouble(big, type, &number);
        doubles_.push_back(number);
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
        return BadInput("feature {}: found the entry {}, expected a number of type {}",
                        QuoteForMessage(ColumnName(feature, target.column)), QuoteForMessage(part),
                        TypeName(type));
      }
      at = end + 1;
    }
    if (IsFloat(type)) return batch->SetDoubles(target.feature, target.column, doubles_);
    if (any_big) return batch->SetUints(target.feature, target.column, uints_);
    return batch->SetInts(target.feature, target.column, ints_);
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
  const TimeUnit epoch_unit_;
  RecordReader records_;
  std::vector<Target> targets_;     // Per cell of a record.
  std::vector<uint8_t> has_value_;  // Per feature: some row had it.
  std::vector<IgnoredName> ignored_;
  std::vector<int64_t> ints_;
  std::vector<uint64_t> uints_;
  std::vector<double> doubles_;
};

}  // namespace

Result<std::unique_ptr<TextInput>> MakeDelimitedInput(std::unique_ptr<LineSource> lines,
                                                      std::shared_ptr<const Schema> schema,
                                                      const TextInputOptions& options,
                                                      char delimiter, bool may_be_empty) {
  auto input =
      std::make_unique<DelimitedInput>(std::move(lines), std::move(schema), options, delimiter);
  DSI_RETURN_IF_ERROR(input->ReadHeader(options.ignore_unknown, may_be_empty));
  return std::unique_ptr<TextInput>(std::move(input));
}

}  // namespace dsi::internal
