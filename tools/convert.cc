// dsictl convert: text to .dsi, .dsi back to JSON Lines, and .dsi to another .dsi.
#include <chrono>
#include <memory>
#include <span>

#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/io/file.h"
#include "dsi/tools/convert_report_internal.h"
#include "dsi/tools/dsi_to_dsi_internal.h"
#include "dsi/tools/dsi_to_text_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/text_to_dsi_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

struct Options {
  std::string in;
  std::string out;
  TextToDsiOptions to_dsi;
  bool no_dedup = false;
  bool no_groups = false;
  bool force = false;
  bool original_order = false;
  RowChoice choice;
  // To tell an option that means nothing in the direction taken.
  std::vector<const CLI::Option*> only_to_dsi;
  std::vector<const CLI::Option*> only_of_text;
  std::vector<const CLI::Option*> only_from_dsi;
};

Status RefuseIfGiven(const std::vector<const CLI::Option*>& options, std::string_view when) {
  for (const CLI::Option* option : options) {
    if (option->count() == 0) continue;
    return internal::InvalidArgument("{} means nothing when {}", option->get_name(), when);
  }
  return Status::Ok();
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void SetOutput(Options* options) {
  options->to_dsi.out = options->out;
  options->to_dsi.writer.dedup = !options->no_dedup;
  options->to_dsi.writer.find_groups = !options->no_groups;
  options->to_dsi.writer.overwrite = options->force;
}

Status ToDsi(Options* options, Console* console) {
  if (options->to_dsi.writer.stripe_bytes == 0)
    return internal::InvalidArgument("--stripe-memory is 0, expected a size such as 512M or 1G");
  const Stopwatch watch;
  options->to_dsi.source.path = options->in;
  options->to_dsi.source.scratch_folder = FolderOf(options->out);
  SetOutput(options);
  Progress progress(*console);
  const auto report = TextToDsi(options->to_dsi, &progress);
  progress.Clear();
  if (report.status().code() == StatusCode::kBadInput && options->to_dsi.source.infer_rows != 0) {
    console->hint = "the schema was found in the first rows; --infer-rows 0 looks at all of them";
  }
  DSI_RETURN_IF_ERROR(report.status());
  for (const std::string& warning : WarningsOf(report->fit)) PrintWarning(warning);
  return ReportToDsi({options->out, report->bytes_in, watch.seconds()}, report->written,
                     &report->fit, console);
}

Status Rewrite(Options* options, Console* console) {
  DSI_RETURN_IF_ERROR(RefuseIfGiven(options->only_of_text, "IN is a .dsi file"));
  const Stopwatch watch;
  DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(options->in));
  DSI_ASSIGN_OR_RETURN(const RowFilter filter, FilterOf(*reader, options->choice));
  SetOutput(options);
  options->to_dsi.source.schema_file = options->in;  // Its kinds are declared, not inferred.
  Progress progress(*console);
  const auto written = DsiToDsi(*reader, filter, options->to_dsi, &progress);
  progress.Clear();
  DSI_RETURN_IF_ERROR(written.status());
  return ReportToDsi({options->out, reader->info().file_bytes, watch.seconds()}, *written, nullptr,
                     console);
}

Status ToText(const Options& options, Console* console) {
  for (const auto* unfit : {&options.only_to_dsi, &options.only_of_text})
    DSI_RETURN_IF_ERROR(RefuseIfGiven(*unfit, "a .dsi file is turned into text"));
  const Stopwatch watch;
  DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(options.in));
  DsiToTextOptions to_text;
  to_text.original_order = options.original_order;
  DSI_ASSIGN_OR_RETURN(to_text.rows.filter, FilterOf(*reader, options.choice));
  std::unique_ptr<WritableFile> file;
  if (options.out != "-") {
    to_text.scratch_folder = FolderOf(options.out);
    DSI_ASSIGN_OR_RETURN(file, CreateLocalFile(options.out, {.overwrite = options.force}));
  }
  uint64_t bytes = 0;
  Progress progress(*console, /*prints_rows=*/options.out == "-");
  const auto rows = DsiToText(*reader, to_text, &progress, [&](std::string_view lines) {
    bytes += lines.size();
    return file ? file->Append(std::as_bytes(std::span(lines))) : console->PrintJsonText(lines);
  });
  progress.Clear();
  DSI_RETURN_IF_ERROR(rows.status());
  if (!file) return Status::Ok();  // Standard output holds the rows and nothing else.
  DSI_RETURN_IF_ERROR(file->Publish());
  return ReportToText({options.out, reader->info().file_bytes, watch.seconds()}, *rows, bytes,
                      console);
}

Status Run(Options* options, Console* console) {
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
  if (from_dsi) return Rewrite(options, console);
  DSI_RETURN_IF_ERROR(RefuseIfGiven(options->only_from_dsi, "IN is a text"));
  return ToDsi(options, console);
}

}  // namespace

VerbAction AddConvert(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  TextToDsiOptions* to_dsi = &options->to_dsi;
  WriterOptions* writer = &to_dsi->writer;
  const std::string text_group = "Text to .dsi: the input";
  const std::string rows_group = "To .dsi: the order of rows";
  const std::string file_group = "To .dsi: the file";
  const auto only = [&options, &text_group](CLI::Option* option, const std::string& group) {
    const bool of_text = group == text_group;
    (of_text ? options->only_of_text : options->only_to_dsi).push_back(option->group(group));
    return option;
  };

  app->add_option("IN", options->in,
                  "A .jsonl, .csv or .tsv (.gz, .zst) or .dsi file; - for standard input")
      ->required()
      ->type_name("");
  app->add_option("OUT", options->out,
                  "A .dsi file; from .dsi also .jsonl, or - for standard output")
      ->required()
      ->type_name("");
  app->add_flag("--force", options->force, "Replace an existing OUT");
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->add_flag("--original-order", options->original_order, "Rows as they were before clustering")
      ->group(".dsi to text");
  for (CLI::Option* option : AddRowChoice(app, &options->choice))
    options->only_from_dsi.push_back(option->group("From .dsi: the rows"));

  only(
      app->add_option("--schema", to_dsi->source.schema_file, "Schema as JSON; else it is inferred")
          ->type_name("FILE"),
      text_group);
  only(AddCount(app, "--infer-rows", &to_dsi->source.infer_rows,
                "Look at so many rows to infer the schema; default all"),
       text_group);
  only(app->add_option("--format", to_dsi->source.format, "Of the text; default: by IN's ending")
           ->check(CLI::IsMember(
               std::vector<std::string>(std::begin(kTextFormatWords), std::end(kTextFormatWords))))
           ->type_name("WORD"),
       text_group);
  only(app->add_flag("--ignore-unknown", to_dsi->ignore_unknown,
                     "Skip features that the schema lacks"),
       text_group);

  auto* keys = only(AddNameList(app, "--session-key", &to_dsi->session_keys,
                                "Cluster by these, outermost first; default: the schema's"),
                    rows_group);
  auto* time =
      only(app->add_option("--time", to_dsi->time_feature, "Order the rows of a session by this")
               ->type_name("NAME"),
           rows_group);
  only(app->add_flag("--keep-order", writer->keep_order, "Leave rows as they come")
           ->excludes(keys)
           ->excludes(time),
       rows_group);
  only(app->add_flag("--keep-position", writer->keep_position,
                     "Store each row's place, for --original-order later"),
       rows_group);

  only(app->add_flag("--no-dedup", options->no_dedup, "Store every row's values"), file_group);
  only(app->add_flag("--no-groups", options->no_groups, "Only the groups that the schema declares"),
       file_group);
  only(app->add_option("--stripe-rows", writer->stripe_rows,
                       "Rows in a stripe, half as many more in the last; default 262144")
           ->check(CLI::Range(1U, kMaxStripeRows).description(""))
           ->type_name("N"),
       file_group);
  only(AddSize(app, "--stripe-memory", &writer->stripe_bytes,
               "Rows of a stripe in memory, at most; default 1G"),
       file_group);
  only(app->add_option_function<std::string>(
              "--tuning", [writer](const std::string& word) { ParseTuning(word, &writer->tuning); },
              "Where files are read from, by which encodings are chosen; default nvme")
           ->check(CLI::IsMember({"nvme", "network", "archive"}))
           ->type_name("WORD"),
       file_group);
  only(app->add_option("--threads", writer->threads, "Threads; default: one for each core")
           ->check(CLI::Range(0, 1024).description(""))
           ->type_name("N"),
       file_group);
  only(AddSize(app, "--memory", &writer->memory_bytes,
               "Memory to take, such as 4G; default: three quarters of what there is"),
       file_group);
  only(app->add_option("--spill-folder", writer->spill_folder,
                       "Where rows wait that it does not hold; default: OUT's folder")
           ->type_name("FOLDER"),
       file_group);
  only(app->add_option("--metadata", to_dsi->metadata, "Store a note; repeatable")
           ->allow_extra_args(false)
           ->type_name("KEY=VALUE"),
       file_group);
  app->footer(
      "Examples:\n"
      "  dsictl convert clicks.jsonl clicks.dsi --session-key session_id\n"
      "  zcat day1.jsonl.gz day2.jsonl.gz | dsictl convert - days.dsi --schema ads.json\n"
      "  dsictl convert <(cat day*.jsonl) days.dsi --format jsonl\n"
      "  dsictl convert clicks.dsi clicks.jsonl --original-order\n"
      "  dsictl convert clicks.dsi few.dsi --where 'label = 0' --sample 0.1\n\n"
      "Without --schema, an input that can be read but once is first copied, compressed, to a "
      "file\n"
      "without a name in OUT's folder. docs/dsictl.md explains the report and the warnings.\n");
  return [options, console] { return Run(options.get(), console); };
}

}  // namespace dsi::tools
