// dsictl recover: what can still be read of damaged files, as a sound one.
#include "dsi/rewrite/recover.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/output_path_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/rewrite_files_internal.h"
#include "dsi/tools/text_source_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/verbs_internal.h"
#include "dsi/tools/writer_choice_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

struct RecoverChoice {
  std::vector<std::string> in;
  std::string out;
  bool keep_rows = false;
  WriterChoice writer;
};

void Warn(const RecoverReport& report) {
  uint64_t without = 0;
  for (const LostRows& lost : report.lost) without += lost.left_out ? 0 : lost.end - lost.begin;
  const uint64_t left_out = report.num_rows_left_out();
  if (left_out != 0) {
    PrintWarning(fmt::format("{} could not be read and {} left out", CountOf(left_out, "row"),
                             left_out == 1 ? "is" : "are"));
  }
  if (without != 0) {
    PrintWarning(fmt::format("{} {} features that could not be read", CountOf(without, "row"),
                             without == 1 ? "misses" : "miss"));
  }
}

Status Report(const RecoverChoice& choice, const Dataset& dataset, const RecoverReport& report,
              Console* console) {
  using Align = TextTable::Align;
  Json list = Json::array();
  TextTable table(
      {{"file"}, {"rows", Align::kRight}, {"of row", Align::kRight}, {"are"}, {"unreadable"}});
  for (const LostRows& lost : report.lost) {
    const std::string& path = dataset.files()[lost.file].path;
    list.push_back({{"path", path},
                    {"begin", lost.begin},
                    {"end", lost.end},
                    {"features", lost.features},
                    {"left_out", lost.left_out},
                    {"message", lost.why.message()}});
    table.AddRow({path, CountText(lost.end - lost.begin), CountText(lost.begin),
                  lost.left_out ? "left out" : "kept", NameList(lost.features, 3)});
  }
  if (console->json) {
    return PrintJson({{"output", choice.out},
                      {"rows", report.written.num_rows},
                      {"bytes", report.written.file_bytes},
                      {"rows_left_out", report.num_rows_left_out()},
                      {"lost", list}},
                     console);
  }
  if (console->quiet) return Status::Ok();
  FactList facts;
  facts.Add("recovered", fmt::format("{}, {}", CountOf(report.written.num_rows, "row"),
                                     BytesText(report.written.file_bytes)));
  facts.Add("left out", CountOf(report.num_rows_left_out(), "row"));
  if (report.lost.empty()) return console->Print(facts.Render(*console));
  return console->Print(table.Render(*console) + "\n" + facts.Render(*console));
}

Status Run(RecoverChoice* choice, std::vector<std::string> paths, Console* console) {
  choice->out = std::move(paths.back());
  paths.pop_back();
  choice->in = std::move(paths);
  if (!IsDsiName(choice->out))
    return internal::InvalidArgument("{}: OUT ends in .dsi", choice->out);
  DSI_RETURN_IF_ERROR(CheckOutput("OUT", choice->out, choice->in));
  DSI_RETURN_IF_ERROR(CheckOutside(choice->out, choice->in));
  DSI_ASSIGN_OR_RETURN(const auto dataset, Dataset::Open(choice->in));
  RecoverOptions options;
  options.keep_rows = choice->keep_rows;
  DSI_ASSIGN_OR_RETURN(options.writer, WriterOptionsOf(choice->writer));
  Progress progress(*console);
  options.progress = [&](const RewriteProgress& now) {
    return ShowRewriteProgress(now, &progress);
  };
  const auto report = Recover(*dataset, choice->out, options);
  progress.Clear();
  if (!report.ok()) return OfOption(report.status());
  Warn(*report);
  return Report(*choice, *dataset, *report, console);
}

}  // namespace

VerbAction AddRecover(CLI::App* app, Console* console) {
  auto choice = std::make_shared<RecoverChoice>();
  auto paths = std::make_shared<std::vector<std::string>>();
  app->add_option("IN", *paths,
                  "Files, patterns, folders or manifests, which are one table; last OUT, a .dsi "
                  "file")
      ->required()
      ->expected(2, CLI::detail::expected_max_vector_size)
      ->type_name("... OUT");
  app->add_flag("--keep-rows", choice->keep_rows,
                "Keep rows without the features that cannot be read, unless it is a key, a label "
                "or a timestamp");
  app->add_option("--threads", choice->writer.writer.threads, "Threads; default: one for each core")
      ->check(CLI::Range(0, 1024).description(""))
      ->type_name("N");
  AddSize(app, "--memory", &choice->writer.writer.memory_bytes,
          "Memory to take, such as 4G; default: three quarters of what there is");
  AddForce(app, &choice->writer);
  AddJsonFlag(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "Examples:\n"
      "  dsictl recover clicks.dsi sound.dsi\n"
      "  dsictl recover clicks.dsi sound.dsi --keep-rows\n\n"
      "IN stays as it is. All that can be read is copied; a warning and the report tell what is "
      "lost.\nNothing can be read of a file whose end is gone or damaged. Exit code 1: nothing "
      "could be read.\n");
  return [choice, paths, console] { return Run(choice.get(), *paths, console); };
}

}  // namespace dsi::tools
