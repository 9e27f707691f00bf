// dsictl dedup: what repeats in a table, what storing it once saves, and which schema says so.
#include <memory>
#include <span>

#include "dsi/base/error_internal.h"
#include "dsi/io/file.h"
#include "dsi/tools/dedup/report_internal.h"
#include "dsi/tools/output_path_internal.h"
#include "dsi/tools/text_options_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

constexpr uint64_t kMaxRows = 262'144;  // One stripe of the usual size.
constexpr uint64_t kMemoryBytes = 2ULL << 30;

struct Options {
  SampleOptions sample;
  AnalysisOptions analysis;
  std::string schema_out;
  bool tables = false;
  bool force = false;
  std::vector<const CLI::Option*> only_text;
};

Status Run(Options* options, Console* console) {
  DSI_RETURN_IF_ERROR(CheckDsiIsAlone(options->sample.in));
  if (options->sample.of_dsi())
    DSI_RETURN_IF_ERROR(RefuseIfGiven(options->only_text, "IN is a .dsi file"));
  options->sample.text.choice.force = options->force;
  // First, so that nobody waits for an analysis to be told that the file exists.
  std::unique_ptr<WritableFile> schema_file;
  if (!options->schema_out.empty()) {
    DSI_RETURN_IF_ERROR(CheckOutput("--write-schema", options->schema_out, options->sample.in));
    DSI_ASSIGN_OR_RETURN(schema_file,
                         CreateLocalFile(options->schema_out, {.overwrite = options->force}));
  }
  Progress progress(*console);
  options->sample.text.choice.writer.threads = options->analysis.threads;
  DSI_ASSIGN_OR_RETURN(const auto table, OpenSample(options->sample, &progress));
  progress.Clear();
  for (const std::string& warning : WarningsOf(table->fit)) PrintWarning(warning);
  DSI_ASSIGN_OR_RETURN(DedupReport report, AnalyseDedup(*table, options->analysis, &progress));
  progress.Clear();
  report.input = table->name;
  if (schema_file) {
    DSI_ASSIGN_OR_RETURN(std::string text, report.schema.ToJson());
    if (!text.ends_with('\n')) text += '\n';
    DSI_RETURN_IF_ERROR(schema_file->Append(std::as_bytes(std::span(text))));
    DSI_RETURN_IF_ERROR(schema_file->Publish());
  }
  if (console->json) {
    DSI_ASSIGN_OR_RETURN(const std::string json, DedupJson(report));
    return console->PrintJsonText(json);
  }
  DSI_ASSIGN_OR_RETURN(const std::string text, DedupText(report, options->tables, *console));
  return console->Print(text);
}

}  // namespace

VerbAction AddDedup(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  SampleOptions* sample = &options->sample;
  sample->max_rows = kMaxRows;
  sample->memory_bytes = kMemoryBytes;
  TextToDsiOptions* text = &sample->text;
  const std::string text_group = "For a text";
  const auto only = [&options, &text_group](CLI::Option* option) {
    options->only_text.push_back(option->group(text_group));
  };
  app->add_option("IN", sample->in,
                  "A .dsi file, or texts as convert takes them; - for standard input")
      ->required()
      ->type_name("");
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->add_flag("--tables", options->tables,
                "Also what repeats, the dedupe factors and every other way tried");
  AddCount(app, "--max-rows", &sample->max_rows,
           "Look at so many rows from the front, whole sessions; 0: all; default 262144");
  AddSize(app, "--memory", &sample->memory_bytes,
          "Rows of a text held at once; those beyond are not looked at; default 2G");
  app->add_option("--threads", options->analysis.threads, "Threads; default: one for each core")
      ->check(CLI::Range(0, 1024).description(""))
      ->type_name("N");
  app->add_flag_callback(
      "--no-trials", [options] { options->analysis.trials = false; },
      "Do not write the rows by other keys and in other stripes");
  app->add_option("--write-schema", options->schema_out, "Write the schema advised")
      ->type_name("FILE");
  app->add_flag("--force", options->force, "Replace an existing FILE");
  for (CLI::Option* option : AddTextOptions(app, text, "IN")) only(option);
  only(AddNameList(app, "--session-key", &text->choice.session_keys,
                   "Cluster by these, outermost first; default: the schema's"));
  only(app->add_option("--time", text->choice.time_feature, "Order the rows of a session by this")
           ->type_name("NAME"));
  app->footer(
      "Examples:\n"
      "  dsictl dedup clicks.dsi --tables\n"
      "  dsictl dedup clicks.jsonl.gz --session-key session_id --max-rows 1M\n"
      "  dsictl dedup 'logs/day=*/*.csv' --on-error skip\n"
      "  dsictl dedup clicks.jsonl --write-schema advised.json\n"
      "  dsictl convert clicks.jsonl clicks.dsi --schema advised.json\n\n"
      "docs/dedup.md explains the words and the tables.\n");
  return [options, console] { return Run(options.get(), console); };
}

}  // namespace dsi::tools
