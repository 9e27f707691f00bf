#include "dsi/tools/text_report_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "dsi/base/name_match_internal.h"
#include "dsi/tools/explain_schema_internal.h"
#include "dsi/tools/number_text_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

// Of all bytes, that would equal the row before by a key: less may be chance or hardly worth it.
constexpr double kInterleaved = 0.1;

std::vector<std::string> NamesOf(const Schema& schema, Kind kind) {
  std::vector<std::string> names;
  for (const FeatureSpec& feature : schema.features) {
    if (feature.kind == kind) names.push_back(feature.name);
  }
  return names;
}

std::vector<std::string> TimesOf(const Schema& schema) {
  std::vector<std::string> names;
  for (const FeatureSpec& feature : schema.features) {
    if (feature.kind != Kind::kTimestamp) continue;
    names.push_back(
        fmt::format("{} ({})", feature.name, TimeUnitName(feature.columns[0].time_unit)));
  }
  return names;
}

// "key int64" and so on, with how many features are so.
std::map<std::string, uint64_t> CountTypes(const Schema& schema) {
  std::map<std::string, uint64_t> counts;
  for (const FeatureSpec& feature : schema.features) {
    ++counts[fmt::format("{} {}", KindName(feature.kind), TypeName(feature.columns[0].type))];
  }
  return counts;
}

std::string ClusterText(const TextFit& fit) {
  if (fit.keep_order) return "nothing: rows stay as they come (--keep-order)";
  const std::vector<std::string>& keys = fit.schema.cluster_by;
  if (keys.empty()) {
    return fit.inferred ? "nothing: no session key was found (--session-key names one)"
                        : "nothing: the schema names no key (--session-key does)";
  }
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : ", ") + key;
  if (!fit.came_clustered || fit.rows == 0) return text;
  return text + (fit.said_clustered
                     ? ": rows came so"
                     : ": rows came so (--clustered writes such rows while they are read)");
}

// "line 5", or of several files "line 5 of b.jsonl".
std::string LineText(const TextFit& fit, const std::string& file, uint64_t line) {
  std::string text = fmt::format("line {}", line);
  if (fit.num_files > 1) text += " of " + file;
  return text;
}

std::string IgnoredText(const TextFit& fit, const IgnoredName& ignored) {
  if (ignored.name.empty()) {
    return fmt::format("{} value{} of the columns without a name left out, the first on {}",
                       CountText(ignored.values), ignored.values == 1 ? "" : "s",
                       LineText(fit, ignored.first_file, ignored.first_line));
  }
  internal::NearNames near(ignored.name, 1);
  for (const std::string& name : fit.coverage.absent) near.Offer(name);
  return fmt::format(
      "{} value{} of \"{}\" left out, the first on {}: it is no feature of the schema{}",
      CountText(ignored.values), ignored.values == 1 ? "" : "s", ignored.name,
      LineText(fit, ignored.first_file, ignored.first_line), near.Advice());
}

void WarnOfCoverage(const TextFit& fit, std::vector<std::string>* warnings) {
  const TextCoverage& coverage = fit.coverage;
  uint64_t names = 0;
  uint64_t values = coverage.more_ignored;
  for (const IgnoredName& ignored : coverage.ignored) {
    if (ignored.values == 0) continue;
    if (names++ < kMostNames) {
      warnings->push_back(IgnoredText(fit, ignored));
    } else {
      values += ignored.values;
    }
  }
  if (values != 0) {
    warnings->push_back(fmt::format("{} values of {}{} other names left out (--json lists them)",
                                    CountText(values), coverage.more_ignored == 0 ? "" : "over ",
                                    CountText(names - std::min<uint64_t>(names, kMostNames))));
  }
  if (!coverage.absent.empty() && fit.rows != 0) {
    warnings->push_back(fmt::format(
        "no row has {} of the {} features of the schema: {}", CountText(coverage.absent.size()),
        CountText(fit.schema.features.size()), NameList(coverage.absent)));
  }
}

void WarnOfHeader(const TextFit& fit, std::vector<std::string>* warnings) {
  if (fit.inference.numbers_in_header.empty()) return;
  warnings->push_back(fmt::format(
      "the first line is taken for the names of the columns, and has numbers or times: {}; of a "
      "text without such a line --header says the names",
      NameList(fit.inference.numbers_in_header)));
}

// A single column whose name has another character that tables are separated by.
void WarnOfSeparator(const TextFit& fit, std::vector<std::string>* warnings) {
  if (!fit.inferred || fit.schema.features.size() != 1) return;
  const std::string& name = fit.schema.features[0].name;
  const size_t at = name.find_first_of(";\t,|");
  if (at == std::string::npos) return;
  warnings->push_back(fmt::format(
      "the only column is \"{}\": cells are separated by commas (csv) or tabs (tsv, --format says "
      "which), not by {}, unless --separator says so",
      name, name[at] == '\t' ? "tabs" : fmt::format("'{}'", name[at])));
}

// Lists of texts: what is kept of them is ids.
void WarnOfHashed(const Schema& schema, std::vector<std::string>* warnings) {
  std::vector<std::string> names;
  for (const FeatureSpec& feature : schema.features) {
    for (size_t c = 0; c < feature.columns.size(); ++c) {
      if (feature.columns[c].hashed) names.push_back(ColumnName(feature, c));
    }
  }
  if (names.empty()) return;
  warnings->push_back(fmt::format(
      "{}: lists of strings are stored as ids, the XXH3 of each string; the strings are not kept",
      NameList(names)));
}

void WarnOfRoundedIds(const TextFit& fit, std::vector<std::string>* warnings) {
  const std::unordered_set<std::string_view> rounded(fit.inference.rounded_ids.begin(),
                                                     fit.inference.rounded_ids.end());
  std::vector<std::string> names;  // Without those that --session-key made keys.
  for (const FeatureSpec& feature : fit.schema.features) {
    if (feature.kind == Kind::kDense && rounded.contains(feature.name))
      names.push_back(feature.name);
  }
  if (names.empty()) return;
  warnings->push_back(fmt::format(
      "{}: dense whole numbers of many digits, which batches of float32 round; ids stay whole as "
      "\"kind\": \"key\" in a --schema",
      NameList(names)));
}

void WarnOfTextTimes(const TextFit& fit, std::vector<std::string>* warnings) {
  if (fit.inference.text_times.empty()) return;
  std::vector<std::string> names;
  for (const auto& time : fit.inference.text_times) names.push_back(time.first);
  const std::string& example = fit.inference.text_times[0].second;
  const bool is_number = example.find_first_not_of("0123456789") == std::string::npos;
  warnings->push_back(fmt::format(
      "{}: named as times, and stored as strings such as \"{}\"; {}", NameList(names), example,
      is_number ? "numbers without quotes are times"
                : "--time-format says their form, such as '%d/%b/%Y:%H:%M:%S %z'"));
}

// Objects whose names are features, and may be meant as data.
void WarnOfMaps(const TextFit& fit, std::vector<std::string>* warnings) {
  for (const NamesAsData& map : fit.inference.maps) {
    const double rows = 100.0 * static_cast<double>(map.values) / static_cast<double>(map.names) /
                        static_cast<double>(fit.inference.rows);
    warnings->push_back(fmt::format(
        "the {} names in \"{}\" are features of their own, each in {:.2g}% of the rows; names "
        "that are data take a --schema with {{\"name\": \"{}\", \"kind\": \"weighted\", "
        "\"hashed\": true}}",
        CountText(map.names), map.name, rows, map.name));
  }
}

}  // namespace

void AddDecisions(const TextFit& fit, FactList* facts) {
  if (fit.rejected.rows != 0) facts->Add("rows left out", CountText(fit.rejected.rows));
  facts->Add("clustered by", ClusterText(fit));
  if (!fit.inferred) return;
  const auto add = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) facts->Add(what, NameList(names));
  };
  add("keys found", NamesOf(fit.schema, Kind::kKey));
  add("times found", TimesOf(fit.schema));
  add("labels found", NamesOf(fit.schema, Kind::kLabel));
  add("texts found", NamesOf(fit.schema, Kind::kString));
  add("keys in paths", fit.inference.path_keys);
  std::string types;
  for (const auto& [type, count] : CountTypes(fit.schema))
    types += fmt::format("{}{} {}", types.empty() ? "" : ", ", CountText(count), type);
  facts->Add("types found", types);
  std::vector<std::string> mixed;
  for (const MixedName& name : fit.inference.mixed)
    mixed.push_back(fmt::format("{} ({})", name.name, LineText(fit, name.file, name.line)));
  add("text among numbers", mixed);
  add("never had a value", fit.inference.dropped);
  for (const KeyAdvice& key : fit.inference.keys) {
    facts->Add(
        &key == &fit.inference.keys[0] ? "key to consider" : "or",
        fmt::format("{}  ({:.1f} rows each; {:.0f}% of the bytes would equal the row "
                    "before, {:.0f}% do)",
                    key.name, key.rows_per_value, 100 * key.repeats, 100 * fit.inference.repeats));
  }
}

Json DecisionsJson(const TextFit& fit) {
  Json mixed = Json::array();
  for (const MixedName& name : fit.inference.mixed)
    mixed.push_back({{"name", name.name}, {"file", name.file}, {"line", name.line}});
  Json advice = Json::array();
  for (const KeyAdvice& key : fit.inference.keys) {
    advice.push_back(
        {{"name", key.name}, {"rows_per_value", key.rows_per_value}, {"repeats", key.repeats}});
  }
  Json ignored = Json::array();
  for (const IgnoredName& name : fit.coverage.ignored) {
    if (name.values == 0) continue;
    ignored.push_back({{"name", name.name},
                       {"values", name.values},
                       {"first_file", name.first_file},
                       {"first_line", name.first_line}});
  }
  return {{"files", fit.num_files},
          {"inferred", fit.inferred},
          {"cluster_by", fit.keep_order ? std::vector<std::string>() : fit.schema.cluster_by},
          {"came_clustered", fit.came_clustered},
          {"keys", NamesOf(fit.schema, Kind::kKey)},
          {"times", NamesOf(fit.schema, Kind::kTimestamp)},
          {"labels", NamesOf(fit.schema, Kind::kLabel)},
          {"texts", NamesOf(fit.schema, Kind::kString)},
          {"types", CountTypes(fit.schema)},
          {"text_among_numbers", mixed},
          {"never_had_a_value", fit.inference.dropped},
          {"repeats", fit.inference.repeats},
          {"keys_to_consider", advice},
          {"rejected_rows", fit.rejected.rows},
          {"ignored", ignored},
          {"more_ignored_values", fit.coverage.more_ignored},
          {"absent", fit.coverage.absent},
          {"warnings", WarningsOf(fit)}};
}

std::vector<std::string> WarningsOf(const TextFit& fit) {
  std::vector<std::string> warnings;
  if (fit.read && fit.rows == 0) {
    warnings.push_back(fmt::format("{}: no rows, so that the file has none", fit.source));
  }
  if (fit.rejected.rows != 0) {
    warnings.push_back(fmt::format("{} row{} left out, the first because of {}",
                                   CountText(fit.rejected.rows), fit.rejected.rows == 1 ? "" : "s",
                                   fit.rejected.first));
  }
  if (fit.inferred) {
    WarnOfHashed(fit.schema, &warnings);
    WarnOfMaps(fit, &warnings);
    WarnOfRoundedIds(fit, &warnings);
    WarnOfTextTimes(fit, &warnings);
  }
  if (fit.read) WarnOfCoverage(fit, &warnings);
  WarnOfHeader(fit, &warnings);
  WarnOfSeparator(fit, &warnings);
  const bool as_they_come = fit.schema.cluster_by.empty() && !fit.keep_order;
  if (as_they_come && !fit.inference.keys.empty() &&
      fit.inference.keys[0].repeats - fit.inference.repeats >= kInterleaved) {
    const KeyAdvice& key = fit.inference.keys[0];
    warnings.push_back(fmt::format(
        "rows look interleaved and no session key was found: {:.0f}% of the bytes equal the row "
        "before, {:.0f}% would with --session-key {}",
        100 * fit.inference.repeats, 100 * key.repeats, key.name));
  }
  return warnings;
}

}  // namespace dsi::tools
