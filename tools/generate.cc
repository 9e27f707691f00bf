// dsictl generate: made-up training tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/io/file.h"
#include "dsi/tools/generate/generate_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/output_path_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {
namespace {

// An option that says something of some profiles only.
struct ProfileOption {
  const CLI::Option* option = nullptr;
  std::vector<std::string> profiles;
};

const std::vector<std::string> kSessionProfiles = {"p1", "p2", "p3", "p4"};

struct Options {
  GenerateOptions table;
  std::vector<ProfileOption> of_profiles;
  const CLI::Option* rows_option = nullptr;
  std::string order = "time";
  std::string session_law;
  std::string out;
  std::string schema_file;
  bool force = false;
};

std::string Footer() {
  std::string text = "Profiles:\n";
  for (const ProfileDescription& profile : GenerateProfiles()) {
    text += fmt::format("  {:<8} {}\n", profile.name, profile.text);
  }
  return text +
         "\nExamples:\n"
         "  dsictl generate --profile clicks --rows 100000 clicks.jsonl\n"
         "  dsictl generate --profile p3 --rows 1M --write-schema p3.json p3.jsonl\n"
         "  dsictl generate --profile wide --features 20000 --rows 1000 - | dsictl convert - "
         "wide.dsi\n";
}

Status WriteWhole(const std::string& path, bool force, std::string_view text) {
  DSI_ASSIGN_OR_RETURN(auto file, CreateLocalFile(path, {.overwrite = force}));
  DSI_RETURN_IF_ERROR(file->Append(std::as_bytes(std::span(text))));
  return file->Publish();
}

// What a profile does not know would be ignored, and what a name promises not be there.
Status CheckFit(const Options& options) {
  const std::string& profile = options.table.profile;
  for (const ProfileOption& of : options.of_profiles) {
    if (of.option->count() == 0) continue;
    if (std::find(of.profiles.begin(), of.profiles.end(), profile) != of.profiles.end()) continue;
    return internal::InvalidArgument("{} says nothing of profile {}, only of {}",
                                     of.option->get_name(), profile, fmt::join(of.profiles, ", "));
  }
  for (const char* const ending : {".csv", ".tsv", ".gz", ".zst", ".dsi", ".parquet"}) {
    if (options.out.ends_with(ending))
      return internal::InvalidArgument(
          "{}: a table is written as JSON Lines, not packed: OUT ends in .jsonl or is -",
          options.out);
  }
  return Status::Ok();
}

Status ApplyWords(Options* options) {
  DSI_RETURN_IF_ERROR(CheckFit(*options));
  for (const ProfileDescription& profile : GenerateProfiles()) {
    if (options->rows_option->count() == 0 && profile.name == options->table.profile) {
      options->table.rows = profile.rows;
    }
  }
  options->table.order = options->order == "session" ? RowOrder::kSession : RowOrder::kTime;
  const std::map<std::string, SessionLaw> laws = {{"geometric", SessionLaw::kGeometric},
                                                  {"constant", SessionLaw::kConstant},
                                                  {"lognormal", SessionLaw::kLognormal}};
  if (!options->session_law.empty()) options->table.session_law = laws.at(options->session_law);
  if (options->schema_file.empty()) return Status::Ok();
  return CheckOutput("--write-schema", options->schema_file, {&options->out, 1});
}

Status Run(Options* options, Console* console) {
  DSI_RETURN_IF_ERROR(ApplyWords(options));
  std::string error;
  const auto generator = RowGenerator::Create(options->table, &error);
  if (generator == nullptr) return {StatusCode::kInvalidArgument, error};

  std::unique_ptr<WritableFile> file;
  if (options->out != "-") {
    DSI_ASSIGN_OR_RETURN(file, CreateLocalFile(options->out, {.overwrite = options->force}));
  }
  uint64_t bytes = 0;
  {
    Progress progress(*console, /*prints_rows=*/file == nullptr);
    std::string block;
    while (generator->NextBlock(&block)) {
      bytes += block.size();
      DSI_RETURN_IF_ERROR(file ? file->Append(std::as_bytes(std::span(block)))
                               : console->Print(block));
      if (!progress.Update("generating", generator->rows_done(), options->table.rows,
                           ProgressUnit::kRows)) {
        return CheckInterrupt();
      }
    }
  }
  if (!options->schema_file.empty()) {
    DSI_RETURN_IF_ERROR(WriteWhole(options->schema_file, options->force, generator->SchemaJson()));
  }
  if (!file) return Status::Ok();
  DSI_RETURN_IF_ERROR(file->Publish());
  if (console->quiet) return Status::Ok();
  return console->Print(fmt::format("{}: {} rows, {}\n", Printable(options->out),
                                    CountText(generator->rows_done()), BytesText(bytes)));
}

template <typename T>
CLI::Option* AddOverride(CLI::App* app, const std::string& name, std::optional<T>* value,
                         const std::string& text) {
  return app
      ->add_option_function<T>(
          name, [value](const T& given) { *value = given; }, text)
      ->type_name(std::is_integral_v<T> ? "N" : "X");
}

}  // namespace

VerbAction AddGenerate(CLI::App* app, Console* console) {
  auto options = std::make_shared<Options>();
  std::vector<std::string> profiles;
  for (const auto& profile : GenerateProfiles()) profiles.emplace_back(profile.name);
  GenerateOptions* table = &options->table;

  app->add_option("OUT", options->out, "The file to write, or - for standard output")
      ->required()
      ->type_name("");
  app->add_option("--profile", table->profile, "Which table (see below); default clicks")
      ->check(CLI::IsMember(profiles).description(""))
      ->type_name("NAME");
  options->rows_option =
      AddCount(app, "--rows", &table->rows, "Rows; default 100000, of news and visits 300000");
  AddCount(app, "--seed", &table->seed, "Another seed gives another table; default 1");
  app->add_option("--order", options->order, "Order of rows; default time")
      ->check(CLI::IsMember({"time", "session"}))
      ->type_name("WORD");
  app->add_option("--write-schema", options->schema_file, "Also write the table's schema here")
      ->type_name("FILE");
  app->add_flag("--force", options->force, "Replace existing files");
  AddQuietFlag(app, console);

  const auto of = [&options](std::vector<std::string> some, CLI::Option* option) {
    options->of_profiles.push_back({option, std::move(some)});
    return option->group("What the profile says, unless given");
  };
  std::vector<std::string> with_sessions = kSessionProfiles;
  with_sessions.insert(with_sessions.end(), {"sweep", "wide"});
  std::vector<std::string> with_spaces = kSessionProfiles;
  with_spaces.emplace_back("sweep");
  of(with_sessions, AddOverride(app, "--mean-session", &table->mean_session,
                                "p1..p4, sweep, wide: rows per session"));
  of(with_sessions, app->add_option("--session-law", options->session_law,
                                    "p1..p4, sweep, wide: law of their lengths"))
      ->check(CLI::IsMember({"geometric", "constant", "lognormal"}))
      ->type_name("WORD");
  of(kSessionProfiles, AddOverride(app, "--sequence-duplicate", &table->sequence_duplicate,
                                   "p1..p4: probability that a sequence stays as it is"));
  of(kSessionProfiles,
     AddOverride(app, "--set-duplicate", &table->set_duplicate, "p1..p4: the same for sets"));
  of(kSessionProfiles, AddOverride(app, "--sequence-length", &table->sequence_length,
                                   "p1..p4: ids in each sequence"));
  of(kSessionProfiles, AddOverride(app, "--sequence-shift", &table->sequence_shift,
                                   "p1..p4: ids that a change puts in front"));
  of({"sweep"},
     app->add_option("--duplicate-rates", table->duplicate_rates, "sweep: a list feature for each"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("X");
  of({"sweep"}, AddOverride(app, "--list-length", &table->list_length, "sweep: ids in each list"));
  of({"wide"}, AddOverride(app, "--features", &table->features, "wide: number of features"));
  of({"wide"}, AddOverride(app, "--coverage", &table->coverage,
                           "wide: share of the features that a row has"));
  of({"clicks", "news"}, AddOverride(app, "--items", &table->items,
                                     "clicks: size of the catalogue; news: articles at a time"));
  of(with_spaces, app->add_flag("--separate-id-spaces", table->separate_id_spaces,
                                "p1..p4, sweep: each feature draws from ids of its own"));
  of({"clicks", "news", "visits"},
     app->add_flag("--hash-ids", table->hash_ids, "clicks, news, visits: ids as 63-bit hashes"));
  app->footer(Footer());
  return [options, console] { return Run(options.get(), console); };
}

}  // namespace dsi::tools
