#include "dsi/text/infer/infer_feature_internal.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/lists_of_lists.h"
#include "dsi/format/number_fit_internal.h"
#include "dsi/text/infer/keep_most_internal.h"
#include "dsi/text/json/json_line_internal.h"
#include "dsi/format/name_words_internal.h"
#include "dsi/text/lines/cell_value_internal.h"

namespace dsi::internal {
namespace {

void See(uint64_t line, uint64_t* first) {
  if (*first == 0) *first = line;
}

void Count(uint64_t line, uint64_t* first, uint64_t* count) {
  See(line, first);
  ++*count;
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
  AddNumber(static_cast<double>(value));
  See(line, &whole_line);
  if (value < 0) Count(line, &negative_line, &num_negative);
  double exact = 0;
  if (!ConvertWhole(value, &exact)) Count(line, &inexact_line, &num_inexact);
  least = std::min(least, value);
  greatest = std::max(greatest, value);
}

void SeenValues::AddUint(uint64_t value, uint64_t line) {
  AddNumber(static_cast<double>(value));
  See(line, &whole_line);
  Count(line, &big_line, &num_big);
  least_big = std::min(least_big, value);
  greatest_big = std::max(greatest_big, value);
  double exact = 0;
  if (!ConvertWhole(value, &exact)) Count(line, &inexact_line, &num_inexact);
}

void SeenFeature::OfferExample(std::string_view text) {
  std::string example = ExampleOf(text);
  if (std::find(examples.begin(), examples.end(), example) == examples.end())
    examples.push_back(std::move(example));
}

void SeenValues::AddNumber(double value) {
  ++num_numbers;
  least_number = std::min(least_number, value);
  greatest_number = std::max(greatest_number, value);
}

void SeenValues::AddDouble(double value, uint64_t line) {
  AddNumber(value);
  Count(line, &fraction_line, &num_fractions);
}

void SeenValues::AddBool(uint64_t line) { Count(line, &bool_line, &num_bools); }

void SeenValues::AddCell(std::string_view text, uint64_t line, const TimeForms& times) {
  int64_t whole = 0;
  uint64_t big = 0;
  double number = 0;
  if (bool truth = false; ParseTruth(text, &truth)) return AddBool(line);
  // Leading zeros mark a code, which a number would lose.
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9')
    return AddText(text, line, times);
  switch (ParseNumber(text, &whole, &big, &number)) {
    case NumberText::kInt:
      return AddInt(whole, line);
    case NumberText::kUint:
      return AddUint(big, line);
    case NumberText::kDouble:
      return AddDouble(number, line);
    case NumberText::kNone:
      return AddText(text, line, times);
  }
}

void SeenValues::AddText(std::string_view text, uint64_t line, const TimeForms& times) {
  double number = 0;
  ++num_texts;
  longest_text = std::max<uint64_t>(longest_text, text.size());
  // Once one is no time, none needs to be; no unit has finer fractions than nanoseconds.
  if (IsoTime time; text_line == 0 && times.Parse(text, &time) && !time.beyond_nanos) {
    time_digits = std::max(time_digits, time.digits);
    if (time.seconds < first_seconds) {
      first_seconds = time.seconds;
      first_time = text;
      first_time_line = line;
    }
    if (time.seconds > last_seconds) {
      last_seconds = time.seconds;
      last_time = text;
      last_time_line = line;
    }
    return See(line, &time_line);
  }
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
  time_line = Earlier(time_line, other.time_line);
  time_digits = std::max(time_digits, other.time_digits);
  bool_line = Earlier(bool_line, other.bool_line);
  null_line = Earlier(null_line, other.null_line);
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
  least_big = std::min(least_big, other.least_big);
  greatest_big = std::max(greatest_big, other.greatest_big);
  longest_text = std::max(longest_text, other.longest_text);
  least_number = std::min(least_number, other.least_number);
  greatest_number = std::max(greatest_number, other.greatest_number);
  num_numbers += other.num_numbers;
  num_inexact += other.num_inexact;
  num_negative += other.num_negative;
  num_big += other.num_big;
  num_fractions += other.num_fractions;
  num_texts += other.num_texts;
  num_bools += other.num_bools;
}

void SeenValues::MergeTimes(const SeenValues& other) {
  // Of equal ones the earlier line is told.
  if (std::pair(other.first_seconds, other.first_time_line) <
      std::pair(first_seconds, first_time_line)) {
    first_seconds = other.first_seconds;
    first_time = other.first_time;
    first_time_line = other.first_time_line;
  }
  if (std::pair(~other.last_seconds, other.last_time_line) <
      std::pair(~last_seconds, last_time_line)) {
    last_seconds = other.last_seconds;
    last_time = other.last_time;
    last_time_line = other.last_time_line;
  }
  // Behind a text that is none, times are texts, too.
  if (text_line != 0 && time_line > text_line) time_line = 0;
}

uint64_t SeenValues::FirstLine() const {
  uint64_t first = 0;
  for (const uint64_t line :
       {whole_line, fraction_line, word_line, text_line, time_line, bool_line}) {
    first = Earlier(first, line);
  }
  return first;
}

uint64_t SeenValues::NumberLine() const {
  return Earlier(whole_line, Earlier(fraction_line, big_line));
}

uint64_t SeenValues::OtherLine() const {
  return Earlier(Earlier(text_line, time_line), Earlier(word_line, bool_line));
}

Result<FeatureSpec> InferFeature(const SeenFeature& seen, const InferRules& rules) {
  const bool typed_text = rules.typed_text;
  const MixtureCheck check(seen.name, rules.places);
  const uint64_t list_line = Earlier(seen.many.FirstLine(), seen.empty_list_line);
  const uint64_t one_line = seen.one.FirstLine();
  bool is_list = list_line != 0;
  if (typed_text && !rules.lists_of_one && is_list && one_line != 0) {
    return check.Mixed("a list", list_line, "a single value", one_line);
  }
  if (seen.inner_line != 0 && seen.flat_line != 0) {
    return check.Mixed("a list of lists", seen.inner_line, "a list of values", seen.flat_line);
  }
  SeenValues values = seen.one;
  values.Merge(seen.many);
  const bool only_times = values.time_line != 0 && values.text_line == 0 && values.word_line == 0 &&
                          values.NumberLine() == 0 && values.bool_line == 0;
  const bool is_sure_list =
      typed_text || (seen.num_ones == 0 && seen.num_sure_lists == seen.num_lists);
  const bool is_time =
      only_times && (is_list ? is_sure_list : KindByName(seen.name, Type::kBytes, 0) != Kind::kKey);
  if (!is_time) values.text_line = Earlier(values.text_line, values.time_line);
  Status mixture = check.Check(values);
  // In untyped text, what is no number in common is text.
  if (!mixture.ok()) {
    if (typed_text) return mixture;
    values.text_line = values.FirstLine();
  }
  if (values.text_line != 0 && !is_sure_list) is_list = false;

  if (is_list && values.null_line != 0 && rules.refuse_nulls) {
    return BadInput("feature {}: a list with a null on {} (lists hold neither null nor lists)",
                    QuoteForMessage(seen.name), rules.places.Text(values.null_line));
  }

  FeatureSpec feature;
  feature.name = seen.name;
  feature.nested = seen.nested;
  if (is_time) {
    feature.columns = {{"", Type::kInt64, ""}};
    feature.kind = is_list ? Kind::kList : Kind::kTimestamp;
    feature.columns[0].time_unit = UnitOfDigits(values.time_digits);
    return feature;
  }
  const bool hashed = is_list && values.text_line != 0;
  const Type type = hashed ? Type::kInt64 : TypeOf(values, is_list);
  const bool narrow = type == Type::kFloat64 && values.whole_line == 0;
  feature.columns = {{"", narrow ? rules.float_type : type, ""}};
  feature.columns[0].hashed = hashed;
  feature.kind = is_list ? Kind::kList : KindByName(seen.name, type, values.greatest);
  if (feature.kind == Kind::kTimestamp) {
    feature.columns[0].time_unit = rules.times.UnitOfNumbers(UnitBySize(values.greatest));
  }
  // Only with a stated unit can a fraction be a time: else it may be a duration.
  const bool has_fraction =
      rules.times.has_epoch_unit() && type == Type::kFloat64 && !is_list && values.word_line == 0;
  const double greatest = std::clamp(values.greatest_number, 0.0, 1e18);
  if (has_fraction &&
      KindByName(seen.name, Type::kInt64, static_cast<int64_t>(greatest)) == Kind::kTimestamp) {
    feature.columns[0].type = Type::kInt64;
    feature.kind = Kind::kTimestamp;
    feature.columns[0].time_unit = TimeUnit::kNanos;
  }
  return feature;
}

Result<FeatureSpec> InferSequence(const SeenFeature& list,
                                  std::span<const SeenFeature* const> members,
                                  const InferRules& rules, std::vector<FeatureSpec>* inner) {
  const MixtureCheck check(list.name, rules.places);
  if (const uint64_t line = list.one.FirstLine(); line != 0)
    return check.Mixed("a list of objects", list.objects_line, "a single value", line);
  if (const uint64_t line = Earlier(list.many.FirstLine(), list.inner_line); line != 0)
    return check.Mixed("a list of objects", list.objects_line, "a list of values", line);
  if (members.empty()) {
    return BadInput("feature {}: objects in a list on {}, none of which has a value",
                    QuoteForMessage(list.name), rules.places.Text(list.objects_line));
  }
  FeatureSpec feature;
  feature.name = list.name;
  feature.nested = list.nested;
  for (const SeenFeature* member : members) {
    if (member->num_objects != list.num_objects && !rules.keep_most && !rules.fill_nulls) {
      return BadInput(
          "feature {}: {} stands in {} of {} objects, expected all of them, or an object of arrays",
          QuoteForMessage(list.name), QuoteForMessage(member->name), member->num_objects,
          list.num_objects);
    }
    // Rows of one form are whole where each object is; those of the other need not be.
    if (member->num_ones + member->num_lists != 0 && !rules.keep_most) {
      return BadInput("feature {}: a list of objects on {}, and {} alone, expected one form",
                      QuoteForMessage(list.name), rules.places.Text(list.objects_line),
                      QuoteForMessage(member->name));
    }
    SeenFeature known = *member;
    if (rules.keep_most) KeepMostOfMember(&known);
    DSI_ASSIGN_OR_RETURN(FeatureSpec of, InferFeature(known, rules));
    const std::string name = member->name.substr(list.name.size() + 1);
    if (known.inner_line != 0) {
      of.nested = false;  // It would stand in the list as one of its columns.
      feature.columns.push_back({LengthsName(name), Type::kInt32, ""});
      inner->push_back(std::move(of));
      continue;
    }
    of.columns[0].name = name;
    feature.columns.push_back(std::move(of.columns[0]));
  }
  feature.kind = KindOfColumns(feature.columns);
  return feature;
}

}  // namespace dsi::internal
