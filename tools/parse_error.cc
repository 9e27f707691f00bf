#include "dsi/tools/parse_error_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/name_match_internal.h"

namespace dsi::tools {
namespace {

constexpr size_t kNamesAdvised = 2;
// How CLI11 says that a value does not fit an option.
constexpr std::string_view kNotInSet = " not in {";
constexpr std::string_view kNotInRange = " not in range ";
constexpr std::string_view kValue = "Value ";

std::string NearVerbs(const CLI::App& app, const std::string& wanted) {
  internal::NearNames near(wanted, kNamesAdvised);
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    near.Offer(verb->get_name());
  return near.Advice();
}

std::string NearOptions(const CLI::App& command, const std::string& wanted) {
  internal::NearNames near(wanted, kNamesAdvised);
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) near.Offer("--" + name);
  }
  return near.Advice();
}

std::string WithoutZeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return number;
}

// "OPTION: VALUE not in {a,b,c}" of CLI11, with what is expected in front as messages have it.
std::string ExplainWord(const std::string& what, size_t colon, size_t set) {
  const std::string value = what.substr(colon + 2, set - colon - 2);
  const size_t begin = set + kNotInSet.size();
  const std::string words = what.substr(begin, what.rfind('}') - begin);
  internal::NearNames near(value, 1);
  std::string expected;
  for (size_t at = 0; at <= words.size();) {
    const size_t end = std::min(words.find(',', at), words.size());
    const std::string word = words.substr(at, end - at);
    near.Offer(word);
    expected += expected.empty() ? word : (end == words.size() ? " or " : ", ") + word;
    at = end + 1;
  }
  return fmt::format("{}: expected {}, not '{}'{}", what.substr(0, colon), expected, value,
                     near.Advice());
}

// "OPTION: Value VALUE not in range A to B".
std::string ExplainRange(const std::string& what, size_t colon, size_t range) {
  const size_t value = colon + 2 + kValue.size();
  const std::string bounds = what.substr(range + kNotInRange.size());
  const size_t to = bounds.find(" to ");
  return fmt::format("{}: expected {} to {}, not '{}'", what.substr(0, colon),
                     WithoutZeros(bounds.substr(0, to)), WithoutZeros(bounds.substr(to + 4)),
                     what.substr(value, range - value));
}

// What CLI11 says of a value that does not fit an option.
std::string ExplainValue(const std::string& what) {
  const size_t colon = what.find(": ");
  const size_t set = what.rfind(kNotInSet);
  const size_t range = what.rfind(kNotInRange);
  if (colon == std::string::npos) return what;
  if (set != std::string::npos && set > colon) return ExplainWord(what, colon, set);
  if (range != std::string::npos && what.compare(colon + 2, kValue.size(), kValue) == 0)
    return ExplainRange(what, colon, range);
  return what;
}

}  // namespace

Status ExplainParseError(const CLI::App& app, const CLI::ParseError& error,
                         const std::string& verb) {
  const std::string what = error.what();
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError))
    return Status(StatusCode::kInvalidArgument, ExplainValue(what));
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
