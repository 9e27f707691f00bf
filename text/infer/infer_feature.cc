#include "dsi/text/infer/infer_feature_internal.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/number_fit_internal.h"
#include "dsi/text/json/json_line_internal.h"
#include "dsi/format/name_words_internal.h"

namespace dsi::internal {
namespace {

void See(uint64_t line, uint64_t* first) {
  if (*first == 0) *first = line;
}

uint64_t Earlier(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return a + b;
  return std::min(a, b);
}

// Refuses what one feature cannot hold together.
class MixtureCheck {
 public:
  MixtureCheck(const std::string& name, const PlaceNames& places) : name_(name), places_(places) {}

  Status Mixed(std::string_view what, uint64_t line, std::string_view other,
               uint64_t other_line) const {
    return BadInput("feature {}: {} on {} and {} on {}, expected one kind of value",
                    QuoteForMessage(name_), what, places_.Text(line), other,
                    places_.Text(other_line));
  }

  Status Check(const SeenValues& values) const;

 private:
  const std::string& name_;
  const PlaceNames& places_;
};

Status MixtureCheck::Check(const SeenValues& values) const {
  const uint64_t number_line = values.NumberLine();
  if (values.text_line != 0 && number_line != 0) {
    return Mixed("a string", values.text_line, "a number", number_line);
  }
  if (values.text_line != 0 && values.bool_line != 0) {
    return Mixed("a string", values.text_line, "a truth value", values.bool_line);
  }
  const uint64_t float_line = Earlier(number_line, values.word_line);
  if (values.bool_line != 0 && float_line != 0) {
    return Mixed("a truth value", values.bool_line, "a number", float_line);
  }
  if (values.fraction_line != 0 && values.inexact_line != 0) {
    return BadInput(
        "feature {}: a fraction on {} and on {} a whole number that float64 cannot hold exactly",
        QuoteForMessage(name_), places_.Text(values.fraction_line),
        places_.Text(values.inexact_line));
  }
  if (values.big_line != 0 && values.negative_line != 0 && values.fraction_line == 0) {
    return Mixed("a number of 2^63 or more", values.big_line, "a negative number",
                 values.negative_line);
  }
  return {};
}

Type TypeOf(const SeenValues& values, bool is_list) {
  if (values.text_line != 0) return Type::kBytes;
  if (values.bool_line != 0) return Type::kBool;
  if (values.fraction_line != 0) return Type::kFloat64;
  const bool any_whole = values.whole_line != 0;
  // Words alone may be any text, unless they stand in a list, which holds numbers only.
  if (values.word_line != 0) return any_whole || is_list ? Type::kFloat64 : Type::kBytes;
  return values.big_line != 0 ? Type::kUint64 : Type::kInt64;
}

}  // namespace

void SeenValues::AddInt(int64_t value, uint64_t line) {
  See(line, &whole_line);
  if (value < 0) See(line, &negative_line);
  double exact = 0;
  if (!ConvertWhole(value, &exact)) See(line, &inexact_line);
  greatest = std::max(greatest, value);
}

void SeenValues::AddUint(uint64_t value, uint64_t line) {
  See(line, &whole_line);
  See(line, &big_line);
  double exact = 0;
  if (!ConvertWhole(value, &exact)) See(line, &inexact_line);
}

void SeenValues::AddDouble(uint64_t line) { See(line, &fraction_line); }
void SeenValues::AddBool(uint64_t line) { See(line, &bool_line); }

void SeenValues::AddText(std::string_view text, uint64_t line) {
  double number = 0;
  See(line, ParseFloatWord(text, &number) ? &word_line : &text_line);
}

void SeenValues::Merge(const SeenValues& other) {
  whole_line = Earlier(whole_line, other.whole_line);
  inexact_line = Earlier(inexact_line, other.inexact_line);
  negative_line = Earlier(negative_line, other.negative_line);
  big_line = Earlier(big_line, other.big_line);
  fraction_line = Earlier(fraction_line, other.fraction_line);
  word_line = Earlier(word_line, other.word_line);
  text_line = Earlier(text_line, other.text_line);
  bool_line = Earlier(bool_line, other.bool_line);
  greatest = std::max(greatest, other.greatest);
}

uint64_t SeenValues::FirstLine() const {
  uint64_t first = 0;
  for (const uint64_t line : {whole_line, fraction_line, word_line, text_line, bool_line}) {
    first = Earlier(first, line);
  }
  return first;
}

uint64_t SeenValues::NumberLine() const {
  return Earlier(whole_line, Earlier(fraction_line, big_line));
}

uint64_t SeenValues::OtherLine() const { return Earlier(text_line, Earlier(word_line, bool_line)); }

Result<FeatureSpec> InferFeature(const SeenFeature& seen, bool typed_text,
                                 const PlaceNames& places) {
  const MixtureCheck check(seen.name, places);
  const uint64_t list_line = Earlier(seen.many.FirstLine(), seen.empty_list_line);
  const uint64_t one_line = seen.one.FirstLine();
  bool is_list = list_line != 0;
  if (typed_text && is_list && one_line != 0) {
    return check.Mixed("a list", list_line, "a single value", one_line);
  }
  SeenValues values = seen.one;
  values.Merge(seen.many);
  Status mixture = check.Check(values);
  // In untyped text, what is no number in common is text.
  if (!mixture.ok()) {
    if (typed_text) return mixture;
    values.text_line = values.FirstLine();
  }
  if (!typed_text && values.text_line != 0) is_list = false;

  FeatureSpec feature;
  feature.name = seen.name;
  feature.nested = seen.nested;
  const Type type = TypeOf(values, is_list);
  feature.columns = {{"", type, ""}};
  feature.kind = is_list ? Kind::kList : KindByName(seen.name, type, values.greatest);
  if (feature.kind == Kind::kTimestamp) feature.time_unit = UnitBySize(values.greatest);
  return feature;
}

}  // namespace dsi::internal
