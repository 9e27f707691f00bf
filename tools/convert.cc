// dsictl convert: text to .dsi, .dsi back to JSON Lines, and .dsi to another .dsi.
#include <memory>
#include <span>

#include "dsi/base/error_internal.h"
#include "dsi/io/file.h"
#include "dsi/io/uri_internal.h"
#include "dsi/tools/convert_report_internal.h"
#include "dsi/tools/dsi_to_text_internal.h"
#include "dsi/tools/input_arguments_internal.h"
#include "dsi/tools/rewrite_files_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/text_options_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string in;  // The first of them.
  std::string out;
  TextToDsiOptions to_dsi;
  bool original_order = false;
  bool explain_schema = false;
  RowChoice choice;
  // To tell an option that means nothing in the direction taken.
  std::vector<const CLI::Option*> only_to_dsi;
  std::vector<const CLI::Option*> only_of_text;
  std::vector<const CLI::Option*> only_from_dsi;
};

Status ToDsi(Options* options, Console* console) {
  if (options->explain_schema && !options->to_dsi.source.schema_file.empty())
    return internal::InvalidArgument(
        "--explain-schema is of a schema that is found, not of --schema");
  const Timer watch;
  options->to_dsi.source.paths = options->inputs;
  options->to_dsi.source.scratch_folder = internal::FolderOf(options->out);
  options->to_dsi.out = options->out;
  Progress progress(*console);
  auto report = TextToDsi(options->to_dsi, &progress);
  progress.Clear();
  if (report.status().code() == StatusCode::kBadInput && options->to_dsi.source.infer_rows != 0) {
    console->hint = "the schema was found in the first rows; --infer-rows 0 looks at all of them";
  }
  DSI_RETURN_IF_ERROR(report.status());
  for (const std::string& warning : WarningsOf(report->fit)) PrintWarning(warning);
  report->fit.explain = options->explain_schema;
  return ReportToDsi({options->out, report->bytes_in, watch.seconds()}, report->written,
                     &report->fit, console);
}

Status FromDsiToDsi(const Options& options, Console* console) {
  DSI_RETURN_IF_ERROR(RefuseIfGiven(options.only_of_text, "IN is a .dsi file"));
  RewriteChoice choice;
  choice.in = {options.in};
  choice.out = options.out;
  choice.rows = options.choice;
  choice.writer = options.to_dsi.choice;
  return RewriteFiles(choice, console);
}

Status ToText(const Options& options, Console* console) {
  for (const auto* unfit : {&options.only_to_dsi, &options.only_of_text})
    DSI_RETURN_IF_ERROR(RefuseIfGiven(*unfit, "a .dsi file is turned into text"));
  const Timer watch;
  Progress progress(*console, /*prints_rows=*/options.out == "-");
  DSI_ASSIGN_OR_RETURN(const StoredRows stored, StoredRows::Open({{options.in}, {}}, &progress));
  DsiToTextOptions to_text;
  to_text.original_order = options.original_order;
  DSI_ASSIGN_OR_RETURN(to_text.rows.filter, FilterOf(stored, options.choice));
  std::unique_ptr<WritableFile> file;
  if (options.out != "-") {
    to_text.scratch_folder = internal::FolderOf(options.out);
    DSI_ASSIGN_OR_RETURN(file,
                         CreateLocalFile(options.out, {.overwrite = options.to_dsi.choice.force}));
  }
  uint64_t bytes = 0;
  const auto rows = DsiToText(stored, to_text, &progress, [&](std::string_view lines) {
    bytes += lines.size();
    return file ? file->Append(std::as_bytes(std::span(lines))) : console->PrintJsonText(lines);
  });
  progress.Clear();
  DSI_RETURN_IF_ERROR(rows.status());
  if (!file) return Status::Ok();  // Standard output holds the rows and nothing else.
  DSI_RETURN_IF_ERROR(file->Publish());
  return ReportToText({options.out, stored.num_bytes(), watch.seconds()}, *rows, bytes, console);
}

Status Run(Options* options, Console* console) {
  options->in = options->inputs[0];
  DSI_RETURN_IF_ERROR(CheckDsiIsAlone(options->inputs));
  const bool from_dsi = IsDsiName(options->in);
  const bool to_dsi = IsDsiName(options->out);
  if (from_dsi && !to_dsi) {
    if (options->out != "-" && !IsJsonLinesName(options->out)) {
      return internal::InvalidArgument(
          "{}: a .dsi file is turned into JSON Lines: OUT ends in .jsonl or is -", options->out);
    }
    return ToText(*options, console);
  }
  if (!to_dsi) {
    return internal::InvalidArgument("{}: text is turned into a .dsi file: OUT ends in .dsi",
                                     options->out);
  }
  if (options->original_order) {
    return internal::InvalidArgument(
        "--original-order is for turning a .dsi file into text; "
        "--keep-position prepares for it");
  }
  if (from_dsi) return FromDsiToDsi(*options, console);
  DSI_RETURN_IF_ERROR(RefuseIfGiven(options->only_from_dsi, "IN is a text"));
  return ToDsi(options, console);
}

}  // namespace

VerbAction AddConvert(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  TextToDsiOptions* to_dsi = &options->to_dsi;
  const std::string text_group = "Text to .dsi: the input";
  const std::string rows_group = "To .dsi: the order of rows";
  const std::string file_group = "To .dsi: the file";
  const auto only = [&](CLI::Option* option) {
    options->only_of_text.push_back(option->group(text_group));
  };

  AddInputsAndOutput(
      app, &options->inputs,
      ".jsonl, .csv or .tsv (.gz, .zst, .lz4) files, URLs, folders, patterns, - for standard "
      "input; or a .dsi file",
      &options->out, "A .dsi file; from .dsi also .jsonl, or - for standard output");
  AddForce(app, &to_dsi->choice);
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->add_flag("--original-order", options->original_order, "Rows as they were before clustering")
      ->group(".dsi to text");
  for (CLI::Option* option : AddRowChoice(app, &options->choice))
    options->only_from_dsi.push_back(option->group("From .dsi: the rows"));

  for (CLI::Option* option : AddTextOptions(app, to_dsi, "IN")) only(option);
  only(app->add_flag("--explain-schema", options->explain_schema,
                     "Also what decided on each feature, where the schema is inferred"));
  only(AddCount(app, "--infer-rows", &to_dsi->source.infer_rows,
                "Look at so many rows to infer the schema; default all"));

  for (CLI::Option* option : AddWriterChoice(app, &to_dsi->choice, rows_group, file_group))
    options->only_to_dsi.push_back(option);
  app->footer(
      "Examples:\n"
      "  dsictl convert clicks.jsonl clicks.dsi --session-key session_id\n"
      "  dsictl convert day1.jsonl.gz day2.jsonl.gz days.dsi --schema ads.json\n"
      "  dsictl convert 'logs/day=*/*.csv' logs.dsi\n"
      "  dsictl convert <(cat day*.jsonl) days.dsi --format jsonl\n"
      "  dsictl convert clicks.dsi clicks.jsonl --original-order\n"
      "  dsictl convert clicks.dsi few.dsi --where 'label = 0' --sample 0.1\n\n"
      "Without --schema, an input that can be read but once is first copied, compressed, to a "
      "file\n"
      "without a name in OUT's folder. docs/dsictl.md explains the report and the warnings.\n");
  return [options, console] { return Run(options.get(), console); };
}

}  // namespace dsi::tools
