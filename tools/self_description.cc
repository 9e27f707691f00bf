// dsictl completion and dsictl man: what an installation keeps beside the program. No verbs that
// --help lists.
#include <memory>

#include "dsi/base/version.h"
#include "dsi/tools/describe_options_internal.h"
#include "dsi/tools/verbs_internal.h"

namespace dsi::tools {

VerbAction AddCompletion(CLI::App* app, Console* console) {
  auto shell = std::make_shared<std::string>();
  app->group("");
  app->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}))
      ->type_name("");
  app->footer("Examples:\n  source <(dsictl completion bash)\n");
  return [app, shell, console] {
    const std::vector<VerbText> verbs = DescribeVerbs(*app->get_parent());
    return console->Print(*shell == "bash" ? BashCompletion(verbs) : ZshCompletion(verbs));
  };
}

VerbAction AddMan(CLI::App* app, Console* console) {
  app->group("");
  app->footer("Examples:\n  dsictl man | man -l -\n");
  return [app, console] {
    return console->Print(ManPage(DescribeVerbs(*app->get_parent()), std::string(Version())));
  };
}

}  // namespace dsi::tools
