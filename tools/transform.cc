// dsictl transform: what a pipeline makes of a dataset, in which order, and how fast.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/name_match_internal.h"
#include "dsi/tools/feature_choice_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/transform_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

struct Options {
  std::string pipeline;
  std::vector<std::string> where;
  std::vector<std::string> features;
  uint64_t rows = 10;
  bool rows_given = false;
  bool explain = false;
  bool bench = false;
  uint32_t batch_size = 4096;
  uint32_t threads = 1;
  uint32_t repeat = 3;
  RowChoice choice;
};

// A column by its name; ids and weights together by that of their feature.
std::vector<TransformFeature> FeaturesOf(const std::vector<ColumnInfo>& columns) {
  std::vector<TransformFeature> features;
  for (const ColumnInfo& column : columns) {
    const bool is_list = HasLengths(column.kind, column.type) || column.kind == Kind::kEmbedding;
    const RowShape shape = is_list ? RowShape::kList : RowShape::kNumber;
    const Type type = TransformTypeOf(column.type);
    features.push_back({column.name, {shape, type, column.time_unit}});
    if (column.kind == Kind::kWeighted && column.name == column.feature + ".ids")
      features.push_back({column.feature, {RowShape::kScored, type}});
  }
  return features;
}

std::vector<std::string> DefaultOutputs(const Pipeline& pipeline) {
  if (!pipeline.outputs.empty()) return pipeline.outputs;
  std::set<std::string> taken;
  for (const TransformStep& step : pipeline.steps)
    taken.insert(step.inputs.begin(), step.inputs.end());
  std::vector<std::string> outputs;
  for (const TransformStep& step : pipeline.steps) {
    if (taken.count(step.output) == 0) outputs.push_back(step.output);
  }
  return outputs;
}

// Results of steps by name or pattern, else columns of the files.
Status ChooseShown(const std::vector<std::string>& names, TransformJob* job) {
  std::set<std::string> seen;
  const std::vector<std::string> outputs = DefaultOutputs(job->pipeline);
  job->pipeline.outputs.clear();
  const auto show = [&](const std::string& name, bool is_made) {
    if (!seen.insert(name).second) return;
    job->shown.push_back(name);
    if (is_made) job->pipeline.outputs.push_back(name);
  };
  if (names.empty()) {
    for (const std::string& name : outputs) show(name, true);
    return Status::Ok();
  }
  for (const std::string& name : names) {
    bool found = false;
    for (const TransformStep& step : job->pipeline.steps) {
      if (!internal::GlobMatches(name, step.output)) continue;
      found = true;
      show(step.output, true);
    }
    if (found) continue;
    const auto columns = ChooseColumns(job->columns, {name});
    if (!columns.ok()) {
      internal::NearNames near(name, 3);
      for (const TransformStep& step : job->pipeline.steps) near.Offer(step.output);
      for (const ColumnInfo& column : job->columns) near.Offer(column.name);
      return internal::InvalidArgument("--features: no step makes \"{}\", and no file has it{}",
                                       name, near.Advice());
    }
    for (const ColumnInfo& column : *columns) show(column.name, false);
  }
  if (job->pipeline.outputs.empty())
    return internal::InvalidArgument("--features: none of them is made by a step");
  return Status::Ok();
}

Status Run(const Options& options, Console* console) {
  DSI_ASSIGN_OR_RETURN(Pipeline pipeline, ReadPipeline(options.pipeline, console));
  DatasetOptions open;
  open.progress = [](uint64_t, uint64_t) { return InterruptSignal() == 0; };
  DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(options.where, open));
  DSI_ASSIGN_OR_RETURN(std::vector<ColumnInfo> columns, dataset->Columns());
  std::erase_if(columns, [](const ColumnInfo& column) {
    return column.support.code() == StatusCode::kUnsupported;
  });
  // Before what is shown is chosen: a step that is not shown may be wrong too.
  DSI_ASSIGN_OR_RETURN(TransformPlan plan, ResolveOver(pipeline, columns));
  TransformJob job = {.dataset = dataset.get(),
                      .pipeline = std::move(pipeline),
                      .columns = std::move(columns),
                      .plan = std::move(plan),
                      .where = options.choice.where,
                      .sample = options.choice.sample};
  DSI_RETURN_IF_ERROR(ChooseShown(options.features, &job));
  DSI_ASSIGN_OR_RETURN(job.plan, ResolveOver(job.pipeline, job.columns));
  DSI_ASSIGN_OR_RETURN(job.scan.filter, FilterOf(job.columns, options.choice));
  job.scan.batch_size = options.batch_size;
  job.scan.threads = options.threads;
  if (options.explain) return ExplainTransform(job, console);
  if (options.bench) {
    return BenchTransform(job, options.rows_given ? options.rows : UINT64_MAX, options.repeat,
                          console);
  }
  return PrintTransformed(job, options.rows, console);
}

}  // namespace

Result<Pipeline> ReadPipeline(const std::string& path, Console* console) {
  auto pipeline = Pipeline::FromJsonFile(path);
  if (pipeline.status().code() == StatusCode::kBadInput)
    console->hint = "correct the pipeline: spec/transforms.md lists operations and parameters";
  return pipeline;
}

Result<TransformPlan> ResolveOver(const Pipeline& pipeline,
                                  const std::vector<ColumnInfo>& columns) {
  DSI_ASSIGN_OR_RETURN(const std::vector<std::string> taken, pipeline.Features());
  const std::set<std::string> is_taken(taken.begin(), taken.end());
  std::vector<TransformFeature> features = FeaturesOf(columns);
  // Over all of them, so that a message can name one that is meant.
  const auto all = pipeline.Resolve(features);
  if (all.status().code() == StatusCode::kNotFound)
    return internal::InvalidArgument("{}", all.status().message());
  DSI_RETURN_IF_ERROR(all.status());
  std::erase_if(features,
                [&](const TransformFeature& feature) { return is_taken.count(feature.name) == 0; });
  return pipeline.Resolve(features);
}

VerbAction AddTransform(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  app->add_option("PIPELINE", options->pipeline, "A pipeline as JSON: the path of a file")
      ->required()
      ->type_name("");
  app->add_option("WHERE", options->where,
                  "Files, patterns, folders or manifests, which are one table")
      ->required()
      ->type_name("");
  CLI::Option* rows =
      AddCount(app, "-n,--rows", &options->rows, "Number of rows; default 10, with --bench all");
  AddNameList(app, "--features", &options->features,
              "Only these results of steps, or columns beside them; * and ? match");
  CLI::Option* explain =
      app->add_flag("--explain", options->explain, "Print in which order things run; reads no rows")
          ->excludes(rows);
  CLI::Option* bench =
      app->add_flag("--bench", options->bench,
                    "Measure the pipeline on unique rows and the same steps on expanded rows")
          ->excludes(explain);
  app->add_option("--batch-size", options->batch_size,
                  "With --bench: rows in a batch; default 4096")
      ->check(CLI::Range(1U, 1U << 24).description(""))
      ->needs(bench)
      ->type_name("N");
  app->add_option("--threads", options->threads,
                  "With --bench: threads of a scan; 0: all cores; default 1")
      ->check(CLI::Range(0U, 1024U).description(""))
      ->needs(bench)
      ->type_name("N");
  app->add_option("--repeat", options->repeat,
                  "With --bench: rounds, of which the best counts; default 3")
      ->check(CLI::Range(1U, 1000U).description(""))
      ->needs(bench)
      ->type_name("N");
  AddRowChoice(app, &options->choice);
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Prints the first rows of the outputs, as JSON Lines.\n\nExamples:\n"
      "  dsictl transform pipeline.json 'day=*/part-*.dsi' -n 3\n"
      "  dsictl transform pipeline.json clicks.dsi --features session_id,'hashed_*'\n"
      "  dsictl transform pipeline.json clicks.dsi --explain\n"
      "  dsictl transform pipeline.json clicks.dsi --bench --batch-size 8192\n");
  return [options, rows, console] {
    options->rows_given = rows->count() != 0;
    return Run(*options, console);
  };
}

}  // namespace dsi::tools
