#include "dsi/tools/parse_error_internal.h"

#include <string_view>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/name_match_internal.h"

namespace dsi::tools {
namespace {

constexpr size_t kNamesAdvised = 2;
// How CLI11 says that a group of options was given more than one.
constexpr std::string_view kOneOfMany = "Requires at most 1 options be given from [";

std::string NearVerbs(const CLI::App& app, const std::string& wanted) {
  internal::NearNames near(wanted, kNamesAdvised);
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    near.Offer(verb->get_name());
  return near.Advice();
}

void OfferOptions(const CLI::App& command, internal::NearNames* near) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) near->Offer("--" + name);
  }
  // Groups of options are commands without a name.
  for (const CLI::App* group : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (group->get_name().empty()) OfferOptions(*group, near);
  }
}

std::string NearOptions(const CLI::App& command, const std::string& wanted) {
  internal::NearNames near(wanted, kNamesAdvised);
  OfferOptions(command, &near);
  return near.Advice();
}

}  // namespace

Status ExplainParseError(const CLI::App& app, const CLI::ParseError& error,
                         const std::string& verb) {
  const std::string what = error.what();
  if (what.starts_with(kOneOfMany))
    return internal::InvalidArgument("give one of [{}", what.substr(kOneOfMany.size()));
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError))
    return Status(StatusCode::kInvalidArgument, what);
  const CLI::App& command = verb.empty() ? app : *app.get_subcommand(verb);
  const std::vector<std::string> unexpected = command.remaining(verb.empty());
  if (unexpected.empty()) return Status(StatusCode::kInvalidArgument, what);
  const std::string& first = unexpected[0];
  const std::string who = verb.empty() ? "dsictl" : verb;
  if (first.size() > 1 && first[0] == '-') {
    const std::string option = first.substr(0, first.find('='));
    return internal::InvalidArgument("{} has no option {}{}", who, option,
                                     NearOptions(command, option));
  }
  if (verb.empty())
    return internal::InvalidArgument("there is no verb '{}'{}", first, NearVerbs(app, first));
  std::string all;
  for (const std::string& argument : unexpected) all += " '" + argument + "'";
  return internal::InvalidArgument("{} does not take so many arguments, not expected:{}", who, all);
}

}  // namespace dsi::tools
