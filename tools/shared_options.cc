#include "dsi/tools/verbs_internal.h"

#include <charconv>
#include <system_error>

namespace dsi::tools {
namespace {

CLI::Option* AddAmount(CLI::App* app, const std::string& option, uint64_t* amount,
                       const std::string& text, uint64_t base, const std::string& expected) {
  const auto parse = [=](const std::string& given) {
    if (ParseAmount(given, base, amount)) return;
    throw CLI::ValidationError(option, "expected " + expected + ", not '" + given + "'");
  };
  return app->add_option_function<std::string>(option, parse, text);
}

}  // namespace

void AddJsonFlag(CLI::App* app, Console* console) {
  app->add_flag("--json", console->json, "Print JSON, for programs");
}

void AddQuietFlag(CLI::App* app, Console* console) {
  app->add_flag("-q,--quiet", console->quiet, "No progress bar and no report, but warnings");
}

CLI::Option* AddNameList(CLI::App* app, const std::string& option, std::vector<std::string>* names,
                         const std::string& text) {
  // One argument for each mention: else the list would swallow the file's name after it.
  return app->add_option(option, *names, text)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
}

void AddIdsAsStrings(CLI::App* app, Console* console) {
  app->add_flag("--ids-as-strings", console->ids_as_strings,
                "JSON: whole numbers beyond 2^53 as strings");
}

CLI::Option* AddSize(CLI::App* app, const std::string& option, uint64_t* bytes,
                     const std::string& text) {
  return AddAmount(app, option, bytes, text, 1024, "a size such as 512M or 4G")->type_name("SIZE");
}

CLI::Option* AddCount(CLI::App* app, const std::string& option, uint64_t* count,
                      const std::string& text) {
  return AddAmount(app, option, count, text, 1000, "a number such as 5000, 50k or 1M")
      ->type_name("N");
}

bool ParseAmount(std::string_view text, uint64_t base, uint64_t* amount) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *amount);
  if (error != std::errc() || end == text.data()) return false;
  std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (unit.empty()) return true;
  constexpr std::string_view kUnits = "kmgt";
  const size_t power = kUnits.find(static_cast<char>(unit[0] | 0x20));
  unit.remove_prefix(1);
  if (power == std::string_view::npos || !(unit.empty() || unit == "B" || unit == "iB"))
    return false;
  for (size_t i = 0; i <= power; ++i) {
    if (__builtin_mul_overflow(*amount, base, amount)) return false;
  }
  return true;
}

}  // namespace dsi::tools
