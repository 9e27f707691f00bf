#include "dsi/text/example/example_rows_internal.h"

#include <simdjson.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/number_fit_internal.h"
#include "dsi/text/example/example_message_internal.h"

namespace dsi::internal {
namespace {

using Form = ExampleFeature::Form;

class ExampleRowParser : public RowParser {
 public:
  ExampleRowParser(std::shared_ptr<const Schema> rows_schema, const TextInputOptions& options,
                   TimeForms times)
      : RowParser(std::make_unique<TfRecordSource>(options.max_line_bytes), std::move(rows_schema)),
        ignore_unknown_(options.ignore_unknown),
        times_(std::move(times)) {
    for (uint32_t f = 0; f < schema().features.size(); ++f) {
      const FeatureSpec& feature = schema().features[f];
      for (uint32_t c = 0; c < feature.columns.size(); ++c)
        targets_.emplace(ColumnName(feature, c), Target{f, c});
    }
  }

 protected:
  Result<bool> NextRow() override { return lines().Next(&record_); }
  std::string_view row_text() const override { return record_; }
  void ForgetIgnored() override { ignored_places_.clear(); }

  Status SetRow(RowBatch* batch) override {
    DSI_RETURN_IF_ERROR(static_cast<const TfRecordSource&>(lines()).CheckRecord());
    const Status parsed = parser_.Parse(record_);
    if (!parsed.ok()) return AtLine(parsed);
    for (const ExampleFeature& feature : parser_.features()) {
      if (feature.form == Form::kNone) continue;
      const auto target = targets_.find(std::string(feature.name));
      const Status set = target != targets_.end() ? SetFeature(target->second, feature, batch)
                         : feature.size() != 0    ? Ignore(feature)
                                                  : Status();
      if (!set.ok()) return AtLine(set);
    }
    return {};
  }

 private:
  struct Target {
    uint32_t feature;
    uint32_t column;
  };

  Status Ignore(const ExampleFeature& feature) {
    if (!ignore_unknown_)
      return BadInput("{} is no feature of the schema", QuoteForMessage(feature.name));
    if (ignored().is_full()) {
      ignored().AddBeyond();
    } else {
      ignored().Add(&ignored_places_[std::string(feature.name)], feature.name, lines_done());
    }
    return {};
  }

  Status SetFeature(Target target, const ExampleFeature& feature, RowBatch* batch) {
    const FeatureSpec& spec = schema().features[target.feature];
    if (IsListKind(spec.kind) || spec.kind == Kind::kEmbedding)
      return SetList(target, feature, batch);
    // How a row without the feature is written where a list of values must be.
    if (feature.size() == 0) return {};
    if (feature.size() != 1) {
      return BadInput("feature {}: found {} {}, expected one", QuoteForMessage(spec.name),
                      feature.size(), feature.form == Form::kBytes ? "texts" : "values");
    }
    const Type type = spec.columns[0].type;
    if (feature.form == Form::kBytes) {
      if (type != Type::kBytes && spec.columns[0].time_unit == TimeUnit::kNone)
        return Unexpected(target, "bytes");
      return SetText(target, parser_.Texts(feature)[0], batch);
    }
    if (type == Type::kBytes) return Unexpected(target, "a number");
    if (feature.form == Form::kFloats)
      return batch->SetDouble(target.feature, parser_.Floats(feature)[0]);
    int64_t value = parser_.Ints(feature)[0];
    if (const TimeUnit unit = spec.columns[0].time_unit; unit != TimeUnit::kNone)
      DSI_RETURN_IF_ERROR(ConvertTime(value, times_.UnitOfNumbers(unit), unit, &value));
    return batch->SetInt(target.feature, value);
  }

  Status SetText(Target target, std::string_view text, RowBatch* batch) {
    const FeatureSpec& spec = schema().features[target.feature];
    if (const TimeUnit unit = spec.columns[0].time_unit; unit != TimeUnit::kNone) {
      int64_t value = 0;
      DSI_RETURN_IF_ERROR(ReadTime(spec, text, unit, &value));
      return batch->SetInt(target.feature, value);
    }
    if (simdjson::validate_utf8(text.data(), text.size()))
      return batch->SetBytes(target.feature, text);
    return BadInput("feature {}: bytes that are not valid UTF-8, expected text",
                    QuoteForMessage(spec.name));
  }

  Status SetTimes(Target target, const ExampleFeature& feature, RowBatch* batch) {
    const FeatureSpec& spec = schema().features[target.feature];
    const TimeUnit unit = spec.columns[target.column].time_unit;
    const TimeUnit from = times_.UnitOfNumbers(unit);
    ints_.clear();
    if (feature.form == Form::kBytes) {
      for (const std::string_view text : parser_.Texts(feature))
        DSI_RETURN_IF_ERROR(ReadTime(spec, text, unit, &ints_.emplace_back()));
    } else {
      for (const int64_t value : parser_.Ints(feature))
        DSI_RETURN_IF_ERROR(ConvertTime(value, from, unit, &ints_.emplace_back()));
    }
    return batch->SetInts(target.feature, target.column, ints_);
  }

  Status ReadTime(const FeatureSpec& spec, std::string_view text, TimeUnit unit,
                  int64_t* time) const {
    IsoTime parsed;
    if (times_.Parse(text, &parsed)) return IsoToUnit(parsed, unit, time);
    return BadInput("feature {}: found {}, expected {}", QuoteForMessage(spec.name),
                    QuoteForMessage(text), times_.Expected(unit));
  }

  Status SetList(Target target, const ExampleFeature& feature, RowBatch* batch) {
    const ColumnSpec& column = schema().features[target.feature].columns[target.column];
    const Type type = column.type;
    if (column.time_unit != TimeUnit::kNone && feature.form != Form::kFloats)
      return SetTimes(target, feature, batch);
    if (feature.form == Form::kBytes) {
      if (column.hashed)
        return batch->SetTexts(target.feature, target.column, parser_.Texts(feature));
      const std::string found = fmt::format("{} texts", feature.size());
      return Unexpected(target, found, " (\"hashed\" in the schema makes ids of texts)");
    }
    if (feature.form == Form::kFloats)
      return batch->SetFloats(target.feature, target.column, parser_.Floats(feature));
    if (!IsFloat(type)) return batch->SetInts(target.feature, target.column, parser_.Ints(feature));
    doubles_.clear();
    for (const int64_t value : parser_.Ints(feature)) {
      double exact = 0;
      float narrow = 0;
      const bool fits =
          type == Type::kFloat64 ? ConvertWhole(value, &exact) : ConvertWhole(value, &narrow);
      if (!fits) {
        return BadInput(
            "feature {}: found the entry {}, {}",
            QuoteForMessage(ColumnName(schema().features[target.feature], target.column)), value,
            AdviceOnWhole(type));
      }
      doubles_.push_back(type == Type::kFloat64 ? exact : narrow);
    }
    return batch->SetDoubles(target.feature, target.column, doubles_);
  }

  Status Unexpected(Target target, std::string_view found, std::string_view why = {}) const {
    const FeatureSpec& spec = schema().features[target.feature];
    const Type type = spec.columns[target.column].type;
    return BadInput(
        "feature {}: found {}, expected {}{}", QuoteForMessage(ColumnName(spec, target.column)),
        found, type == Type::kBytes ? "bytes" : fmt::format("numbers of type {}", TypeName(type)),
        why);
  }

  const bool ignore_unknown_;
  const TimeForms times_;
  std::unordered_map<std::string, Target> targets_;
  std::unordered_map<std::string, uint32_t> ignored_places_;
  ExampleParser parser_;
  std::string_view record_;
  std::vector<int64_t> ints_;
  std::vector<double> doubles_;
};

}  // namespace

std::unique_ptr<RowParser> MakeExampleRowParser(std::shared_ptr<const Schema> schema,
                                                const TextInputOptions& options, TimeForms times) {
  return std::make_unique<ExampleRowParser>(std::move(schema), options, std::move(times));
}

}  // namespace dsi::internal
