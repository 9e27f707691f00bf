// dsictl schema: the schema of a .dsi file, or the one that convert would take for a text.
#include <memory>

#include "dsi/base/error_internal.h"
#include "dsi/reader/reader.h"
#include "dsi/tools/explain_schema_internal.h"
#include "dsi/tools/foreign_format_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/text_report_internal.h"
#include "dsi/tools/text_source_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

Result<Schema> FindSchema(const TextSourceOptions& options, bool explain, Console* console) {
  if (options.paths.size() == 1 && IsDsiName(options.paths[0])) {
    DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(options.paths[0]));
    return reader->schema();
  }
  Progress progress(*console);
  DSI_ASSIGN_OR_RETURN(const TextSource source, TextSource::Open(options, &progress));
  progress.Clear();
  const TextFit fit = {.source = source.name(),
                       .num_files = source.num_files(),
                       .schema = source.schema(),
                       .inferred = true,
                       .inference = source.inference(),
                       .coverage = {}};
  if (explain) {
    for (const std::string& warning : WarningsOf(fit)) PrintWarning(warning);
    DSI_RETURN_IF_ERROR(PrintExplanation(fit, console));
    return source.schema();
  }
  // Standard output holds the schema and nothing else.
  FactList facts;
  AddDecisions(fit, &facts);
  if (!console->quiet) PrintError(facts.Render(*console));
  for (const std::string& warning : WarningsOf(fit)) PrintWarning(warning);
  return source.schema();
}

}  // namespace

VerbAction AddSchema(CLI::App* app, Console* console) {
  auto options = std::make_shared<TextSourceOptions>();
  auto bad_rows = std::make_shared<BadRowOptions>();
  auto explain = std::make_shared<bool>(false);
  app->add_option("IN", options->paths,
                  "A .dsi file, or texts as convert takes them; - for standard input")
      ->required()
      ->type_name("");
  AddCount(app, "--infer-rows", &options->infer_rows,
           "Look at so many rows of a text; default all");
  app->add_option("--format", options->format, "Of the text; default: by IN's ending")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(kTextFormatWords), std::end(kTextFormatWords))))
      ->type_name("WORD");
  AddOnError(app, bad_rows.get());
  AddValueForms(app, options.get());
  app->add_flag("--explain-schema", *explain,
                "Instead of the schema, what decided on each feature of a text");
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Examples:\n"
      "  dsictl schema clicks.jsonl > clicks.json   (edit it, then convert --schema clicks.json)\n"
      "  dsictl schema logs/*.csv --explain-schema\n"
      "  dsictl schema clicks.dsi\n\n"
      "What was decided for a text (keys, times, labels, texts) goes to standard error.\n");
  return [options, bad_rows, explain, console]() -> Status {
    options->skip_bad_rows = bad_rows->skips();
    if (console->json && !*explain)
      return internal::InvalidArgument("--json is for --explain-schema: a schema is JSON already");
    const bool of_file = options->paths.size() == 1 && IsDsiName(options->paths[0]);
    if (*explain && of_file) {
      return internal::InvalidArgument(
          "--explain-schema is for texts: 'dsictl inspect {} --features' shows what a file has",
          ShellWord(options->paths[0]));
    }
    DSI_ASSIGN_OR_RETURN(const Schema schema, FindSchema(*options, *explain, console));
    if (*explain) return Status::Ok();
    DSI_ASSIGN_OR_RETURN(std::string text, schema.ToJson());
    if (!text.ends_with('\n')) text += '\n';
    return console->PrintJsonText(text);
  };
}

}  // namespace dsi::tools
