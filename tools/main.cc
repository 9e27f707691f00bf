// dsictl: the command line of dsi. Only dispatches; a verb is a file of its own.
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "dsi/base/no_throw_internal.h"
#include "dsi/base/version.h"
#include "dsi/tools/console_internal.h"
#include "dsi/tools/exit_code_internal.h"
#include "dsi/tools/help_text_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/parse_error_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

struct Verb {
  const char* name;
  const char* text;
  VerbAction (*add)(CLI::App* app, Console* console);
};

constexpr std::array<Verb, 22> kVerbs = {{
    {"convert", "Turn JSON Lines, CSV or TSV into a .dsi file, or a .dsi file back", AddConvert},
    {"inspect", "Show what a .dsi file holds and how it is stored", AddInspect},
    {"head", "Show the first rows", AddHead},
    {"cat", "Print rows as JSON Lines", AddCat},
    {"schema", "Print the schema of a .dsi file, or the one found for a text", AddSchema},
    {"dedup", "Find what repeats in a table, and what storing it once saves", AddDedup},
    {"verify", "Check every byte and every rule of the format", AddVerify},
    {"diff", "Say whether two datasets are the same, and where they differ", AddDiff},
    {"recover", "Write what can be read of damaged files as a sound one", AddRecover},
    {"rewrite", "Merge .dsi files, cut them into shards, change features", AddRewrite},
    {"delete", "Take rows out of .dsi files", AddDelete},
    {"overlay", "Add features to the rows of a .dsi file, in a file beside it", AddOverlay},
    {"manifest", "List the files of a dataset and what is in them", AddManifest},
    {"table", "Add files to a table that many jobs write, all of a job or none", AddTable},
    {"bench", "Read batches of features and measure", AddBench},
    {"shuffle", "Show what an order of many files does to batches", AddShuffle},
    {"batch", "Show which rows a job trained on in a step", AddBatch},
    {"values", "Show which values features have and how often, and what they average", AddValues},
    {"transform", "Show what a pipeline makes of rows, in which order and how fast", AddTransform},
    {"generate", "Make up a training table as JSON Lines", AddGenerate},
    {"completion", "Print a completion script for a shell", AddCompletion},
    {"man", "Print the man page", AddMan},
}};

constexpr const char* kFooter =
    "Examples:\n"
    "  dsictl convert clicks.jsonl clicks.dsi\n"
    "  dsictl inspect clicks.dsi\n"
    "  dsictl verify clicks.dsi\n"
    "'dsictl VERB --help' explains a verb.\n\n"
    "Exit codes:\n"
    "  0  done                         4  unsupported: the file needs a newer dsictl\n"
    "  1  the file is damaged          5  diff found a difference\n"
    "  2  usage, or bad input          129, 130, 143  stopped: hung up, Ctrl-C, terminated\n"
    "  3  I/O, or too little memory    141  nobody reads the output any more\n";

// What the command line names; of several inputs none.
AskedFor Asked(const CLI::App& app, const std::string& verb) {
  AskedFor asked;
  asked.verb = verb;
  if (verb.empty()) return asked;
  const CLI::App& command = *app.get_subcommand(verb);
  const auto word = [&command](const char* name) -> std::string {
    const CLI::Option* option = command.get_option_no_throw(name);
    return option != nullptr && option->count() == 1 ? option->results()[0] : "";
  };
  for (const char* name : {"IN", "FILE", "WHERE"}) {
    if (asked.in.empty()) asked.in = word(name);
  }
  std::error_code error;
  if (std::filesystem::is_directory(asked.in, error)) asked.in.clear();  // It is several.
  asked.out = word("OUT");
  asked.has_schema = !word("--schema").empty();
  return asked;
}

int Run(int argc, char** argv, Console* console) {
  CLI::App app{"Session-structured training data: files that store the answer to deduplication",
               "dsictl"};
  app.formatter(std::make_shared<HelpText>());
  app.set_version_flag("--version", "dsictl " + std::string(Version()),
                       "Print the version and exit");
  app.footer(kFooter);
  app.require_subcommand(0, 1);

  std::vector<std::pair<CLI::App*, VerbAction>> verbs;
  for (const Verb& verb : kVerbs) {
    CLI::App* command = app.add_subcommand(verb.name, verb.text)->group("Verbs");
    verbs.emplace_back(command, verb.add(command, console));
  }

  const auto chosen = [&]() -> std::pair<std::string, const VerbAction*> {
    for (const auto& [command, action] : verbs) {
      if (command->parsed()) return {command->get_name(), &action};
    }
    return {"", nullptr};
  };

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto [name, action] = chosen();
    Status printed =
        console->Print(name.empty() ? app.help() : app.get_subcommand(name)->help("dsictl"));
    if (printed.ok()) printed = console->Flush();
    return ReportEnd(printed, *console, {});
  } catch (const CLI::CallForVersion& version) {
    Status printed = console->Print(std::string(version.what()) + "\n");
    if (printed.ok()) printed = console->Flush();
    return ReportEnd(printed, *console, {});
  } catch (const CLI::ParseError& error) {
    const std::string verb = chosen().first;
    console->hint = verb.empty() ? "'dsictl --help' lists the verbs"
                                 : fmt::format("'dsictl {} --help' lists what it takes", verb);
    return ReportEnd(ExplainParseError(app, error, verb), *console, {});
  }

  const auto [name, action] = chosen();
  if (action == nullptr) {
    PrintError(app.help());
    return kExitUsage;
  }
  const Status status = internal::NoThrow(*action);
  // What a verb has printed before it failed (the findings of verify) is shown before the error.
  const Status flushed = console->Flush();
  return ReportEnd(status.ok() ? flushed : status, *console, Asked(app, name));
}

// Says so without any memory.
int OutOfMemory() {
  PrintError("dsictl: out of memory\n  hint: raise the limit of the process, or split the input\n");
  return kExitIo;
}

// For what is thrown where nothing may be: in a destructor that allocates.
[[noreturn]] void OnTerminate() {
  try {
    if (std::current_exception() != nullptr) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    _exit(OutOfMemory());
  } catch (...) {
  }
  std::abort();
}

// Large arrays go back to the system when they are freed, whatever was freed before: --memory
// counts what is held, and glibc would keep up to 64 MiB more.
void ReturnLargeBlocks() {
  constexpr int kLargeBytes = 2 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargeBytes);
  mallopt(M_TRIM_THRESHOLD, kLargeBytes);
}

}  // namespace
}  // namespace dsi::tools

int main(int argc, char** argv) {
  dsi::tools::ReturnLargeBlocks();
  std::set_terminate(dsi::tools::OnTerminate);
  dsi::tools::CatchSignals();
  dsi::tools::Console console;
  try {
    return dsi::tools::Run(argc, argv, &console);
  } catch (const std::bad_alloc&) {
    return dsi::tools::OutOfMemory();
  } catch (const std::exception& error) {
    dsi::tools::PrintError("dsictl: internal error: ");
    dsi::tools::PrintError(dsi::tools::Printable(error.what()));
    dsi::tools::PrintError("\n");
    return dsi::tools::kExitIo;
  }
}
