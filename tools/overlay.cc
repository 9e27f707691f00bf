// dsictl overlay: features of a file's rows in a file of their own, read with it as one table.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dataset/dataset.h"
#include "dsi/io/nameless_file_internal.h"
#include "dsi/io/uri_internal.h"
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
  std::vector<std::string> paths;  // The base, unless bases are named, then rows.
  std::vector<std::string> bases;
  std::string out;
  std::string scratch;            // A folder for temporary files.
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
  text.source.scratch_folder = choice.scratch;
  text.choice = choice.writer;
  text.choice.writer.keep_order = true;
  const std::string& spill = text.choice.writer.spill_folder;
  DSI_ASSIGN_OR_RETURN(auto file,
                       internal::NamelessFile::Create(spill.empty() ? choice.scratch : spill));
  DSI_RETURN_IF_ERROR(TextToDsi(text, file.Write(), progress).status());
  return file;
}

nlohmann::ordered_json JsonOf(const BaseOverlay& made) {
  const OverlayReport& report = made.report;
  return {{"output", made.path},
          {"base", made.base},
          {"rows", report.write.num_rows},
          {"given", report.num_given},
          {"missing", report.write.num_rows - report.num_given},
          {"deleted", report.num_deleted},
          {"unused", report.num_unused},
          {"stripes", report.write.num_stripes},
          {"bytes", report.write.file_bytes}};
}

std::string MissingText(uint64_t missing, uint64_t num_deleted) {
  if (num_deleted == 0) return CountText(missing);
  return fmt::format("{}, of which {} are deleted in the base", CountText(missing),
                     CountText(num_deleted));
}

void AddUnused(const OverlayChoice& choice, uint64_t num_unused, std::string_view of,
               FactList* facts) {
  if (choice.options.key.empty()) return;
  facts->Add("unused",
             fmt::format("{} rows whose {} {}", CountText(num_unused), choice.options.key, of));
}

Status Report(const OverlayChoice& choice, const BaseOverlay& made, Console* console) {
  const OverlayReport& report = made.report;
  if (console->json) return PrintJson(JsonOf(made), console);
  if (console->quiet) return Status::Ok();
  FactList facts;
  facts.Add("rows", fmt::format("{} of the base", CountText(report.write.num_rows)));
  facts.Add("given", CountText(report.num_given));
  const uint64_t missing = report.write.num_rows - report.num_given;
  if (missing != 0) facts.Add("missing", MissingText(missing, report.num_deleted));
  AddUnused(choice, report.num_unused, "the base does not have", &facts);
  facts.Add("stripes", CountText(report.write.num_stripes));
  facts.Add("bytes", BytesText(report.write.file_bytes));
  return console->Print(facts.Render(*console));
}

// Of many bases: a line of each, and what all of them come to.
Status Report(const OverlayChoice& choice, const OverlaysReport& made, Console* console) {
  if (console->json) {
    nlohmann::ordered_json overlays = nlohmann::ordered_json::array();
    for (const BaseOverlay& one : made.bases) {
      nlohmann::ordered_json entry = JsonOf(one);
      entry.erase("unused");
      entry["written"] = one.is_written;
      overlays.push_back(std::move(entry));
    }
    return PrintJson({{"overlays", std::move(overlays)}, {"unused", made.num_unused}}, console);
  }
  if (console->quiet) return Status::Ok();
  TextTable table({{.title = "overlay"},
                   {.title = "rows", .align = TextTable::Align::kRight},
                   {.title = "given", .align = TextTable::Align::kRight},
                   {.title = "bytes", .align = TextTable::Align::kRight}});
  OverlayReport sum;
  uint64_t num_written = 0;
  for (const BaseOverlay& one : made.bases) {
    const OverlayReport& report = one.report;
    if (!one.is_written) {
      table.AddRow({one.path, "", "none", "not written"});
      continue;
    }
    table.AddRow({one.path, CountText(report.write.num_rows), CountText(report.num_given),
                  BytesText(report.write.file_bytes)});
    ++num_written;
    sum.write.num_rows += report.write.num_rows;
    sum.write.file_bytes += report.write.file_bytes;
    sum.num_given += report.num_given;
    sum.num_deleted += report.num_deleted;
  }
  FactList facts;
  facts.Add("overlays",
            fmt::format("{} of {} bases", CountText(num_written), CountText(made.bases.size())));
  facts.Add("given", CountText(sum.num_given));
  const uint64_t missing = sum.write.num_rows - sum.num_given;
  if (missing != 0) facts.Add("missing", MissingText(missing, sum.num_deleted));
  AddUnused(choice, made.num_unused, "no base has", &facts);
  facts.Add("bytes", BytesText(sum.write.file_bytes));
  return console->Print(table.Render(*console) + "\n" + facts.Render(*console));
}

// Without bases that are named the first path is the base.
Status Write(const OverlayChoice& choice, const Dataset& from, const Dataset* bases,
             const OverlayOptions& options, Progress* progress, Console* console) {
  const auto end = [&](const Status& status) {
    progress->Clear();
    if (status.code() == StatusCode::kCancelled) DSI_RETURN_IF_ERROR(CheckInterrupt());
    return status;
  };
  if (bases == nullptr) {
    auto written = WriteOverlay(from, choice.paths[0], choice.out, options);
    DSI_RETURN_IF_ERROR(end(written.status()));
    return Report(choice, {choice.paths[0], choice.out, true, *std::move(written)}, console);
  }
  const auto written = WriteOverlays(from, *bases, choice.out, options);
  DSI_RETURN_IF_ERROR(end(written.status()));
  return Report(choice, *written, console);
}

Status Run(OverlayChoice* choice, Console* console) {
  const size_t num_bases = choice->bases.empty() ? 1 : 0;
  if (choice->paths.size() <= num_bases)
    return internal::InvalidArgument("rows are missing: name the base, then files of rows");
  if (!IsDsiName(choice->out))
    return internal::InvalidArgument("-o {}: an overlay is a .dsi file", choice->out);
  if (num_bases == 0 && !choice->rows.empty())
    return internal::InvalidArgument("--rows: of one base, not of --bases");
  for (const std::string& text : choice->rows) {
    DSI_ASSIGN_OR_RETURN(const RowSpanText span, ParseRowSpan("--rows", text));
    choice->options.rows.push_back({span.begin, span.end});
  }
  OverlayOptions options = choice->options;
  DSI_ASSIGN_OR_RETURN(options.writer, WriterOptionsOf(choice->writer));
  DSI_ASSIGN_OR_RETURN(options.features.metadata, MetadataOf(choice->writer));
  std::vector<std::string> paths(choice->paths.begin() + static_cast<ptrdiff_t>(num_bases),
                                 choice->paths.end());
  std::unique_ptr<Dataset> bases;
  choice->scratch = internal::FolderOf(choice->out);
  if (num_bases == 0) {
    DSI_ASSIGN_OR_RETURN(bases, Dataset::Open(choice->bases));
    if (choice->out.starts_with("{}")) choice->scratch = internal::FolderOf(bases->files()[0].path);
  }
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
  return Write(*choice, *from, bases.get(), options, &progress, console);
}

}  // namespace

VerbAction AddOverlay(CLI::App* app, Console* console) {
  auto choice = std::make_shared<OverlayChoice>();
  const std::string rows = "The rows";
  const std::string text = "Rows of text";
  app->add_option("IN", choice->paths,
                  "BASE, a .dsi file, unless --bases names some; then rows: .dsi files, or .jsonl, "
                  ".csv or .tsv texts")
      ->required()
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->type_name("BASE ROWS...");
  app->add_option("-o,--out", choice->out,
                  "The overlay, a .dsi file; with --bases a name in which {} stands for that of "
                  "the base without .dsi, where the name begins with it with the base's folder")
      ->required()
      ->type_name("FILE");
  app->add_option("--bases", choice->bases,
                  "Files, a folder, a pattern or a manifest of bases; each gets an overlay if any "
                  "row is given for it; repeatable")
      ->allow_extra_args(false)
      ->type_name("WHERE");
  AddForce(app, &choice->writer);
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->add_option("--key", choice->options.key,
                  "Rows are those of the base that have the same value in this column; without "
                  "it they are the base's, in its order")
      ->type_name("NAME")
      ->group(rows);
  app->add_flag("--broadcast", choice->options.broadcast,
                "Rows of the base that share a key all take what is given for it; without it that "
                "is an error")
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
      "  dsictl overlay clicks.dsi fixed.csv -o clicks.fixed.dsi --rows 262144:524288\n"
      "  dsictl overlay --bases 'clicks/part-*.dsi' users.csv -o '{}.users.dsi' --key user_id "
      "--broadcast\n\n"
      "Datasets that find both files, in a folder or by name, read them as one table: the "
      "overlay's\nfeatures stand in the place of those of their names, and of several overlays the "
      "last by name\nhas the say. 'dsictl rewrite BASE OVERLAY OUT' makes one file of both.\n");
  return [choice, console] { return Run(choice.get(), console); };
}

}  // namespace dsi::tools
