// The order in which a pipeline runs, for people and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/transform_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string_view ShapeName(RowShape shape) {
  switch (shape) {
    case RowShape::kNumber:
      return "number";
    case RowShape::kList:
      return "list";
    case RowShape::kScored:
      return "scored list";
  }
  return "";
}

Json TypeJson(const TransformType& type) {
  return {{"shape", ShapeName(type.shape)}, {"type", TypeName(type.type)}};
}

// Columns that the plan takes, as files have them.
std::vector<const ColumnInfo*> ColumnsRead(const TransformJob& job) {
  std::vector<uint8_t> used(job.plan.features().size());
  for (const TransformStage& stage : job.plan.stages()) {
    for (const TransformSource& source : stage.sources) {
      if (!source.is_stage) used[source.index] = 1;
    }
  }
  std::vector<const ColumnInfo*> read;
  for (const ColumnInfo& column : job.columns) {
    for (size_t f = 0; f < used.size(); ++f) {
      const TransformFeature& feature = job.plan.features()[f];
      const std::string& name =
          feature.type.shape == RowShape::kScored ? column.feature : column.name;
      if (used[f] == 0 || name != feature.name) continue;
      read.push_back(&column);
      break;  // Ids may be taken with their weights and by themselves.
    }
  }
  return read;
}

std::vector<std::string> FilterWords(const TransformJob& job) {
  std::vector<std::string> words = job.where;
  if (job.sample != 1) words.push_back(fmt::format("sample {}", job.sample));
  return words;
}

Json ExplainJson(const TransformJob& job) {
  Json json = {{"columns", Json::array()},
               {"filter", FilterWords(job)},
               {"stages", Json::array()},
               {"outputs", job.pipeline.outputs}};
  for (const ColumnInfo* column : ColumnsRead(job)) json["columns"].push_back(column->name);
  for (const TransformStage& stage : job.plan.stages()) {
    Json one = TypeJson(stage.type);
    one["name"] = stage.steps.back();
    one["steps"] = stage.steps;
    one["elementwise"] = stage.elementwise;
    one["output"] = stage.is_output;
    one["sources"] = Json::array();
    for (const TransformSource& source : stage.sources) {
      one["sources"].push_back(source.is_stage ? job.plan.stages()[source.index].steps.back()
                                               : job.plan.features()[source.index].name);
    }
    json["stages"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

Status ExplainTransform(const TransformJob& job, Console* console) {
  if (console->json) return PrintJson(ExplainJson(job), console);
  const auto read = ColumnsRead(job);
  std::string text =
      fmt::format("project  {} of {}:", read.size(), CountOf(job.columns.size(), "column"));
  for (const ColumnInfo* column : read) text += " " + Printable(column->name);
  text += '\n';
  for (const std::string& word : FilterWords(job)) text += "filter   " + Printable(word) + '\n';
  text +=
      "unique   each stage takes a unique row once; of several dedup groups, each combination that "
      "occurs once\n";
  // Its first line says again what is read.
  const std::string plan = job.plan.Explain();
  for (size_t at = plan.find('\n') + 1; at < plan.size();) {
    const size_t end = plan.find('\n', at);
    text += "  " + Printable(plan.substr(at, end - at)) + '\n';
    at = end + 1;
  }
  for (const size_t stage : job.plan.outputs()) {
    const TransformStage& made = job.plan.stages()[stage];
    text += fmt::format("batch    {}: {} of {}\n", Printable(made.name), ShapeName(made.type.shape),
                        TypeName(made.type.type));
  }
  text += "         expanded or left unique, and padded, as the scan asks\n";
  return console->Print(text);
}

}  // namespace dsi::tools
