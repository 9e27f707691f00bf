#include "dsi/tools/text_options_internal.h"

#include <iterator>

#include "dsi/base/error_internal.h"

namespace dsi::tools {

std::vector<CLI::Option*> AddTextOptions(CLI::App* app, TextToDsiOptions* options,
                                         const std::string& in) {
  std::vector<CLI::Option*> added;
  added.push_back(app->add_option("--schema", options->source.schema_file,
                                  "Schema as JSON; else it is inferred")
                      ->type_name("FILE"));
  added.push_back(app->add_option("--format", options->source.format,
                                  "Of the text; default: by " + in + "'s ending")
                      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kTextFormatWords),
                                                                     std::end(kTextFormatWords))))
                      ->type_name("WORD"));
  added.push_back(app->add_flag("--ignore-unknown", options->ignore_unknown,
                                "Skip features that the schema lacks"));
  for (CLI::Option* option : AddBadRowOptions(app, &options->bad_rows)) added.push_back(option);
  for (CLI::Option* option : AddValueForms(app, &options->source)) added.push_back(option);
  return added;
}

Status RefuseIfGiven(const std::vector<const CLI::Option*>& options, std::string_view when) {
  for (const CLI::Option* option : options) {
    if (option->count() == 0) continue;
    return internal::InvalidArgument("{} means nothing when {}", option->get_name(), when);
  }
  return Status::Ok();
}

Status CheckDsiIsAlone(const std::vector<std::string>& inputs) {
  for (const std::string& path : inputs) {
    if (inputs.size() == 1 || !IsDsiName(path)) continue;
    return internal::InvalidArgument("{}: a .dsi file is taken alone, several inputs are texts",
                                     path);
  }
  return Status::Ok();
}

}  // namespace dsi::tools
