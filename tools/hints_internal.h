// What to do after a failure: one line for each kind, chosen by the code, the verb and the files
// that the command line names.
#pragma once

#include <string>

#include "dsi/base/status.h"

namespace dsi::tools {

// What was asked for, as far as hints speak of it. All may be empty.
struct AskedFor {
  std::string verb;
  std::string in;           // The only input.
  std::string out;          // The output.
  bool has_schema = false;  // --schema was given.
};

// Empty where the message says all that is known.
std::string HintFor(const Status& status, const AskedFor& asked);

}  // namespace dsi::tools
