// The parameters of a step as JSON members.
#pragma once

#include <string>

#include "dsi/transform/op_table_internal.h"

namespace dsi::internal {

// "\"n\": 50". Numbers read back to the same bits.
void AppendParameter(const TransformStep& step, Parameter parameter, std::string* out);

}  // namespace dsi::internal
