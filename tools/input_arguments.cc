#include "dsi/tools/input_arguments_internal.h"

namespace dsi::tools {

void AddInputsAndOutput(CLI::App* app, std::vector<std::string>* inputs, const std::string& in_text,
                        std::string* output, const std::string& out_text) {
  // CLI11 gives every name to the first argument that takes many. The last one is handed on before
  // it asks whether OUT is there.
  const auto split = [app, inputs](const CLI::results_t& results) {
    *inputs = results;
    CLI::Option* const out = app->get_option("OUT");
    if (inputs->size() < 2 || out->count() != 0) return true;
    out->add_result(inputs->back());
    inputs->pop_back();
    CLI::Option* const in = app->get_option("IN");
    in->clear();
    for (const std::string& input : *inputs) in->add_result(input);
    return true;
  };
  app->add_option("IN", split, in_text)
      ->required()
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args()
      ->type_name("");
  app->add_option("OUT", *output, out_text)->required()->type_name("");
}

}  // namespace dsi::tools
