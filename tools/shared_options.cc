#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {

void AddJsonFlag(CLI::App* app, Console* console) {
  app->add_flag("--json", console->json, "Print JSON, for programs");
}

void AddQuietFlag(CLI::App* app, Console* console) {
  app->add_flag("-q,--quiet", console->quiet, "No progress bar and no report");
}

CLI::Option* AddNameList(CLI::App* app, const std::string& option, std::vector<std::string>* names,
                         const std::string& text) {
  // One argument for each mention: else the list would swallow the file's name after it.
  return app->add_option(option, *names, text)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
}

CLI::Option* AddSize(CLI::App* app, const std::string& option, uint64_t* bytes,
                     const std::string& text) {
  return app->add_option(option, *bytes, text)
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
}

}  // namespace dsi::tools
