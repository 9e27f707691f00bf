// dsictl head: the first rows, as a table for people and as JSON Lines for programs.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "dsi/tools/dsi_to_text_internal.h"
#include "dsi/tools/row_choice_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  Where where;
  uint64_t rows = 10;
  std::vector<std::string> features;
  RowChoice choice;
};

constexpr size_t kCellWidth = 28;

// Names of nested objects joined by dots, in order of first appearance.
class Cells {
 public:
  void AddRow(const Json& row) {
    rows_.emplace_back();
    Flatten("", row);
  }

  std::string Render(const Console& console) const {
    std::vector<TextTable::Column> columns;
    for (const std::string& name : names_) {
      columns.push_back({.title = name, .align = TextTable::Align::kLeft, .max_width = kCellWidth});
    }
    TextTable table(std::move(columns));
    for (const auto& row : rows_) {
      std::vector<std::string> cells(names_.size());
      for (const auto& [column, text] : row) cells[column] = text;
      table.AddRow(std::move(cells));
    }
    size_t left_out = 0;
    std::string text = table.Render(console, &left_out);
    if (left_out > 0) {
      text += fmt::format("({} more features; --features chooses, --json shows all)\n", left_out);
    }
    return text;
  }

 private:
  void Flatten(const std::string& prefix, const Json& value) {
    for (const auto& [name, member] : value.items()) {
      const std::string full = prefix.empty() ? name : prefix + "." + name;
      if (member.is_object()) {
        Flatten(full, member);
        continue;
      }
      const auto [at, is_new] = column_of_.emplace(full, names_.size());
      if (is_new) names_.push_back(full);
      rows_.back()[at->second] = member.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }

  std::vector<std::string> names_;
  std::map<std::string, size_t> column_of_;
  std::vector<std::map<size_t, std::string>> rows_;
};

Status Run(const Options& options, Console* console) {
  std::string lines;
  {
    Progress progress(*console);
    DSI_ASSIGN_OR_RETURN(const StoredRows stored, StoredRows::Open(options.where, &progress));
    DsiToTextOptions to_text;
    to_text.rows.wide_integers_as_strings = console->ids_as_strings;
    to_text.rows.features = options.features;
    to_text.skip_unsupported = true;
    DSI_ASSIGN_OR_RETURN(to_text.rows.filter, FilterOf(stored, options.choice));
    if (options.choice.count) return PrintCount(stored, to_text.rows, console);
    DSI_RETURN_IF_ERROR(options.choice.tail != RowChoice::kAll
                            ? KeepLast(stored, options.choice.tail, &to_text.rows, &progress)
                            : KeepFirst(stored, options.rows, &to_text.rows, &progress));
    DSI_RETURN_IF_ERROR(DsiToText(stored, to_text, &progress, [&](std::string_view more) {
                          lines += more;
                          return Status::Ok();
                        }).status());
  }
  if (console->json || !console->out_is_tty()) return console->PrintJsonText(lines);
  Cells cells;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = lines.find('\n', at);
    const Json row = Json::parse(lines.substr(at, end - at), nullptr, /*allow_exceptions=*/false);
    if (row.is_object()) cells.AddRow(row);
    at = end == std::string::npos ? lines.size() : end + 1;
  }
  return console->Print(cells.Render(*console));
}

}  // namespace

VerbAction AddHead(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  AddStoredRows(app, &options->where);
  CLI::Option* rows = AddCount(app, "-n,--rows", &options->rows, "Number of rows; default 10");
  AddNameList(app, "--features", &options->features, "Only these; * and ? match");
  AddRowChoice(app, &options->choice);
  const TailAndCount instead = AddTailAndCount(app, &options->choice);
  instead.tail->excludes(rows);
  instead.count->excludes(rows);
  AddJsonFlag(app, console);
  AddIdsAsStrings(app, console);
  app->footer(
      "Rows come in the order of the files: clustered by session.\n\nExamples:\n"
      "  dsictl head clicks.dsi -n 3\n"
      "  dsictl head clicks.dsi --features session_id,'user.*' --json\n"
      "  dsictl head clicks.dsi --where 'label = 1' --where 'user.age exists' --tail 5\n"
      "  dsictl head 'day=2*/' --where 'label = 1' --count\n");
  return [options, console] { return Run(*options, console); };
}

}  // namespace dsi::tools
