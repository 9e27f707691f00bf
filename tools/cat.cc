// dsictl cat: rows as JSON Lines.
#include <memory>

#include "dsi/base/error_internal.h"
#include "dsi/tools/dsi_to_text_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

struct Options {
  Where where;
  std::string rows;
  RowChoice choice;
  DsiToTextOptions to_text;
};

// Each line cut to the width of the terminal, and free of what could drive it.
std::string CutLines(std::string_view lines, size_t width) {
  std::string text;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    // A character takes 4 bytes at most: no need to look at the rest of a long line.
    text += CutToWidth(Printable(lines.substr(0, std::min(end, 4 * (width + 1)))), width) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

Status Run(Options* options, Console* console) {
  if (!options->rows.empty()) {
    DSI_ASSIGN_OR_RETURN(const RowSpanText span, ParseRowSpan("--rows", options->rows));
    options->to_text.rows.row_begin = span.begin;
    options->to_text.rows.row_end = span.end;
  }
  options->to_text.skip_unsupported = true;
  options->to_text.rows.wide_integers_as_strings = console->ids_as_strings;
  Progress progress(*console, /*prints_rows=*/true);
  DSI_ASSIGN_OR_RETURN(const StoredRows stored, StoredRows::Open(options->where, &progress));
  RowTextOptions* const rows = &options->to_text.rows;
  DSI_ASSIGN_OR_RETURN(rows->filter, FilterOf(stored, options->choice));
  if (options->choice.count) return PrintCount(stored, *rows, console);
  const bool cut = console->out_is_tty() && !console->json;
  const uint64_t tail = options->choice.tail;
  if (tail != RowChoice::kAll) DSI_RETURN_IF_ERROR(KeepLast(stored, tail, rows, &progress));
  return DsiToText(stored, options->to_text, &progress,
                   [&](std::string_view lines) {
                     return cut ? console->Print(CutLines(lines, console->width()))
                                : console->PrintJsonText(lines);
                   })
      .status();
}

}  // namespace

VerbAction AddCat(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  AddStoredRows(app, &options->where);
  AddNameList(app, "--features", &options->to_text.rows.features, "Only these; * and ? match");
  app->add_option("--rows", options->rows,
                  "Rows first up to, not including, end, as they are stored")
      ->type_name("FIRST:END");
  AddRowChoice(app, &options->choice);
  const TailAndCount cut = AddTailAndCount(app, &options->choice);
  CLI::Option* original =
      app->add_flag("--original-order", options->to_text.original_order,
                    "Rows as they were before clustering (needs convert --keep-position)");
  cut.count->excludes(original);
  AddJsonFlag(app, console);
  AddIdsAsStrings(app, console);
  AddQuietFlag(app, console);
  app->footer(
      "On a terminal lines are cut to its width; --json keeps them whole.\n\nExamples:\n"
      "  dsictl cat clicks.dsi --features label,item.id | wc -l\n"
      "  dsictl cat clicks.dsi --rows 1000:1100\n"
      "  dsictl cat s3://logs/clicks/ --features label > labels.jsonl\n"
      "  dsictl cat clicks.dsi --where 'label = 1' --sample 0.1 --seed 7\n"
      "  dsictl cat clicks.dsi --where 'timestamp >= 1700000000000' --count\n");
  return [options, console] { return Run(options.get(), console); };
}

}  // namespace dsi::tools
