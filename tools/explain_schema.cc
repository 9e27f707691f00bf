#include "dsi/tools/explain_schema_internal.h"

#include <fmt/format.h>

#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

// "int64", "list of int64", "ms".
std::string TypeText(const FeatureSpec& feature) {
  const TimeUnit unit = feature.columns[0].time_unit;
  const std::string type(unit != TimeUnit::kNone ? TimeUnitName(unit)
                                                 : TypeName(feature.columns[0].type));
  return IsListKind(feature.kind) ? "list of " + type : type;
}

std::string ExamplesText(const FoundFeature& found) {
  std::string text;
  for (const std::string& example : found.examples) text += (text.empty() ? "" : "  ") + example;
  return text;
}

}  // namespace

std::string ExplanationTable(const TextFit& fit, const Console& console) {
  using Align = TextTable::Align;
  TextTable table({{.title = "feature", .max_width = 30},
                   {.title = "kind"},
                   {.title = "type"},
                   {.title = "rows", .align = Align::kRight},
                   {.title = "missing", .align = Align::kRight},
                   {.title = "least", .align = Align::kRight, .minor = true},
                   {.title = "greatest", .align = Align::kRight, .minor = true},
                   {.title = "longest", .align = Align::kRight, .minor = true},
                   {.title = "why", .max_width = 50},
                   {.title = "examples", .max_width = 40, .minor = true}});
  for (size_t f = 0; f < fit.inference.features.size(); ++f) {
    const FoundFeature& found = fit.inference.features[f];
    const FeatureSpec& feature = fit.schema.features[f];
    table.AddRow({found.name, std::string(KindName(feature.kind)), TypeText(feature),
                  CountText(found.rows), CountText(found.missing), found.least, found.greatest,
                  found.longest == 0 ? "" : CountText(found.longest), found.why,
                  ExamplesText(found)});
  }
  return table.Render(console);
}

Json FeaturesJson(const TextFit& fit) {
  Json features = Json::array();
  for (size_t f = 0; f < fit.inference.features.size(); ++f) {
    const FoundFeature& found = fit.inference.features[f];
    const FeatureSpec& feature = fit.schema.features[f];
    Json one = {{"name", found.name},
                {"kind", KindName(feature.kind)},
                {"type", TypeName(feature.columns[0].type)},
                {"why", found.why},
                {"rows", found.rows},
                {"missing", found.missing},
                {"least", found.least.empty() ? Json() : Json(found.least)},
                {"greatest", found.greatest.empty() ? Json() : Json(found.greatest)},
                {"longest", found.longest},
                {"examples", found.examples}};
    if (feature.columns[0].time_unit != TimeUnit::kNone)
      one["unit"] = TimeUnitName(feature.columns[0].time_unit);
    features.push_back(std::move(one));
  }
  return features;
}

Status PrintExplanation(const TextFit& fit, Console* console) {
  if (console->json) {
    Json json = DecisionsJson(fit);
    json["rows"] = fit.inference.rows;
    json["features"] = FeaturesJson(fit);
    return PrintJson(json, console);
  }
  FactList facts;
  facts.Add("rows looked at", CountText(fit.inference.rows));
  AddDecisions(fit, &facts);
  return console->Print(ExplanationTable(fit, *console) + "\n" + facts.Render(*console));
}

}  // namespace dsi::tools
