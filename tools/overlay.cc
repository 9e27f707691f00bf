// dsictl overlay: features of a file's rows in a file of their own, read with it as one table.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/dataset.h"
#include "dsi/io/nameless_file_internal.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/tools/console_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/rewrite_files_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/scratch_file_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/text_to_dsi_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

struct OverlayChoice {
  std::vector<std::string> paths;  // The base, then rows.
  std::string out;
  std::vector<std::string> rows;  // "first:end"
  OverlayOptions options;
  TextToDsiOptions text;
  WriterChoice writer;
};

// Rows of texts, as a file that this process alone reads.
Result<internal::NamelessFile> ReadTexts(const OverlayChoice& choice,
                                         std::vector<std::string> paths, Progress* progress) {
  TextToDsiOptions text = choice.text;
  text.source.paths = std::move(paths);
  text.source.scratch_folder = FolderOf(choice.out);
  text.choice = choice.writer;
  text.choice.writer.keep_order = true;
  const std::string& spill = text.choice.writer.spill_folder;
  DSI_ASSIGN_OR_RETURN(
      auto file, internal::NamelessFile::Create(spill.empty() ? FolderOf(choice.out) : spill));
  DSI_RETURN_IF_ERROR(TextToDsi(text, file.Write(), progress).status());
  return file;
}

Status Report(const OverlayChoice& choice, const OverlayReport& report, Console* console) {
  const uint64_t missing = report.write.num_rows - report.num_given;
  if (console->json) {
    return PrintJson({{"output", choice.out},
                      {"base", choice.paths[0]},
                      {"rows", report.write.num_rows},
                      {"given", report.num_given},
                      {"missing", missing},
                      {"deleted", report.num_deleted},
                      {"unused", report.num_unused},
                      {"stripes", report.write.num_stripes},
                      {"bytes", report.write.file_bytes}},
                     console);
  }
  if (console->quiet) return Status::Ok();
  FactList facts;
  facts.Add("rows", fmt::format("{} of the base", CountText(report.write.num_rows)));
  facts.Add("given", CountText(report.num_given));
  if (missing != 0) {
    facts.Add("missing", fmt::format("{}{}", CountText(missing),
                                     report.num_deleted == 0
                                         ? std::string()
                                         : fmt::format(", of which {} are deleted in the base",
                                                       CountText(report.num_deleted))));
  }
  if (!choice.options.key.empty() || report.num_unused != 0)
    facts.Add("unused", fmt::format("{} rows whose {} the base does not have",
                                    CountText(report.num_unused), choice.options.key));
  facts.Add("stripes", CountText(report.write.num_stripes));
  facts.Add("bytes", BytesText(report.write.file_bytes));
  return console->Print(facts.Render(*console));
}

Status Run(OverlayChoice* choice, Console* console) {
  if (choice->paths.size() < 2)
    return internal::InvalidArgument("rows are missing: name the base, then files of rows");
  for (const std::string& text : choice->rows) {
    DSI_ASSIGN_OR_RETURN(const RowSpanText span, ParseRowSpan("--rows", text));
    choice->options.rows.push_back({span.begin, span.end});
  }
  OverlayOptions options = choice->options;
  DSI_ASSIGN_OR_RETURN(options.writer, WriterOptionsOf(choice->writer));
  DSI_ASSIGN_OR_RETURN(options.features.metadata, MetadataOf(choice->writer));
  std::vector<std::string> paths(choice->paths.begin() + 1, choice->paths.end());
  Progress progress(*console);
  std::optional<internal::NamelessFile> texts;
  if (!IsDsiName(paths[0]) && !paths[0].ends_with('/')) {
    auto read = ReadTexts(*choice, std::move(paths), &progress);
    if (!read.ok()) progress.Clear();
    DSI_RETURN_IF_ERROR(read.status());
    texts = *std::move(read);
    paths = {texts->path()};
  }
  DSI_ASSIGN_OR_RETURN(const auto from, Dataset::Open(paths));
  options.progress = [&](const RewriteProgress& now) {
    return ShowRewriteProgress(now, &progress);
  };
  const auto written = WriteOverlay(*from, choice->paths[0], choice->out, options);
  progress.Clear();
  if (written.status().code() == StatusCode::kCancelled) DSI_RETURN_IF_ERROR(CheckInterrupt());
  DSI_RETURN_IF_ERROR(written.status());
  return Report(*choice, *written, console);
}

}  // namespace

VerbAction AddOverlay(CLI::App* app, Console* console) {
  auto choice = std::make_shared<OverlayChoice>();
  const std::string rows = "The rows";
  const std::string text = "Rows of text";
  app->add_option("IN", choice->paths,
                  "BASE, a .dsi file; then rows: .dsi files, or .jsonl, .csv or .tsv texts")
      ->required()
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->type_name("BASE ROWS...");
  app->add_option("-o,--out", choice->out, "The overlay, a .dsi file")
      ->required()
      ->type_name("FILE");
  AddForce(app, &choice->writer);
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->add_option("--key", choice->options.key,
                  "Rows are those of the base that have the same value in this column; without "
                  "it they are the base's, in its order")
      ->type_name("NAME")
      ->group(rows);
  app->add_option("--rows", choice->rows,
                  "Rows of the base, whole stripes, that the overlay has; repeatable; default all")
      ->allow_extra_args(false)
      ->type_name("FIRST:END")
      ->group(rows);
  AddNameList(app, "--only", &choice->options.features.only, "Add these; '*' and '?' match")
      ->group(rows);
  AddNameList(app, "--drop", &choice->options.features.drop, "Leave these out")->group(rows);
  app->add_option("--schema", choice->text.source.schema_file,
                  "Schema of the text as JSON; else it is inferred")
      ->type_name("FILE")
      ->group(text);
  app->add_option("--format", choice->text.source.format, "Of the text; default: by its ending")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(kTextFormatWords), std::end(kTextFormatWords))))
      ->type_name("WORD")
      ->group(text);
  for (CLI::Option* option : AddValueForms(app, &choice->text.source)) option->group(text);
  AddFileChoice(app, &choice->writer, "The file");
  app->footer(
      "Examples:\n"
      "  dsictl overlay clicks.dsi scores.jsonl -o clicks.scores.dsi --key request_id\n"
      "  dsictl overlay clicks.dsi embedded.dsi -o clicks.embedded.dsi --only 'user.vector'\n"
      "  dsictl overlay clicks.dsi fixed.csv -o clicks.fixed.dsi --rows 262144:524288\n\n"
      "Datasets that find both files, in a folder or by name, read them as one table: the "
      "overlay's\nfeatures stand in the place of those of their names, and of several overlays the "
      "last by name\nhas the say. 'dsictl rewrite BASE OVERLAY OUT' makes one file of both.\n");
  return [choice, console] { return Run(choice.get(), console); };
}

}  // namespace dsi::tools
