#include "dsi/text/infer/explain_feature_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "dsi/format/name_words_internal.h"

namespace dsi::internal {
namespace {

// What decided on the type.
std::string WhyType(const FeatureSpec& feature, const SeenValues& values,
                    const PlaceNames& places) {
  switch (feature.columns[0].type) {
    case Type::kBool:
      return "true and false";
    case Type::kUint64:
      return "2^63 or more on " + places.Text(values.big_line);
    case Type::kInt64:
      return "whole numbers";
    case Type::kFloat64:
      return values.fraction_line != 0 ? "a fraction on " + places.Text(values.fraction_line)
                                       : "NaN or Infinity on " + places.Text(values.word_line);
    default:
      break;
  }
  const uint64_t text_line = values.OtherLine();
  if (text_line == 0) return "no value anywhere";
  if (values.NumberLine() == 0) return "text";
  return fmt::format("text on {} among numbers", places.Text(text_line));
}

std::string WhyTime(const FeatureSpec& feature, const SeenValues& values, const InferRules& rules) {
  if (values.time_line != 0) {
    const std::string_view form = rules.times.are_stated() ? "as stated" : "ISO 8601";
    return values.time_digits == 0
               ? fmt::format("every text is a time ({}) without a fraction", form)
               : fmt::format("every text is a time ({}), with up to {} digits of a fraction", form,
                             values.time_digits);
  }
  return fmt::format("its name is that of a time; {} {}",
                     TimeUnitName(feature.columns[0].time_unit),
                     rules.times.has_epoch_unit() ? "as stated" : "by its size");
}

std::string Why(const FeatureSpec& feature, const SeenFeature& seen, const SeenValues& values,
                const InferRules& rules) {
  if (feature.kind == Kind::kTimestamp) return WhyTime(feature, values, rules);
  if (seen.num_objects != 0) return "a list of objects on " + rules.places.Text(seen.objects_line);
  std::string why = WhyType(feature, values, rules.places);
  if (feature.kind == Kind::kList) {
    const uint64_t line = seen.many.FirstLine() != 0 ? seen.many.FirstLine() : seen.empty_list_line;
    if (feature.columns[0].hashed) why = "texts, of which ids are made";
    if (feature.columns[0].time_unit != TimeUnit::kNone) why = WhyTime(feature, values, rules);
    why = fmt::format("a list on {}; {}", rules.places.Text(line), why);
  }
  if (feature.kind == Kind::kLabel) why = "its name is that of a label; " + why;
  if (feature.kind == Kind::kKey) {
    why = fmt::format("its name is that of {}; {}",
                      SessionRank(feature.name) > 0 ? "a session" : "an owner", why);
  }
  return why;
}

}  // namespace

FoundFeature ExplainFeature(const FeatureSpec& feature, const SeenFeature& seen,
                            const InferRules& rules, uint64_t rows) {
  SeenValues values = seen.one;
  values.Merge(seen.many);
  FoundFeature found;
  found.name = feature.name;
  found.why = (seen.is_path_key ? "a key in the paths; " : "") + Why(feature, seen, values, rules);
  found.rows = seen.num_ones + seen.num_lists;
  found.missing = rows - std::min(rows, found.rows);
  const bool is_text = feature.columns[0].type == Type::kBytes;
  if (IsListKind(feature.kind)) {
    found.longest = std::max<uint64_t>(seen.longest_list, seen.num_ones != 0 ? 1 : 0);
  } else if (is_text) {
    found.longest = values.longest_text;
  }
  if (feature.columns[0].time_unit != TimeUnit::kNone && values.time_line != 0) {
    found.least = values.first_time;
    found.greatest = values.last_time;
  } else if (!is_text && values.NumberLine() != 0) {
    if (values.fraction_line != 0) {
      found.least = fmt::format("{}", values.least_number);
      found.greatest = fmt::format("{}", values.greatest_number);
    } else {
      found.least = values.least <= values.greatest ? std::to_string(values.least)
                                                    : std::to_string(values.least_big);
      found.greatest = values.big_line != 0 ? std::to_string(values.greatest_big)
                                            : std::to_string(values.greatest);
    }
  }
  found.examples = seen.examples;
  return found;
}

FoundFeature ExplainInner(const FeatureSpec& feature, const SeenFeature& list,
                          const InferRules& rules, uint64_t rows) {
  FoundFeature found;
  found.name = feature.name;
  const uint64_t line = list.inner_line != 0 ? list.inner_line : list.objects_line;
  found.why = fmt::format("lists in the list {} on {}", list.name, rules.places.Text(line));
  found.rows = list.num_lists;
  found.missing = rows - std::min(rows, found.rows);
  return found;
}

}  // namespace dsi::internal
