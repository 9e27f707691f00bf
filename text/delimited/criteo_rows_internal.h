// The click logs of Criteo: lines of a label, 13 whole numbers and 26 categories as 8 digits in
// hexadecimal, separated by tabs, without a header; what is missing is empty. Lines to be predicted
// lack the label.
#pragma once

#include <memory>

#include "dsi/format/schema.h"
#include "dsi/text/lines/line_source_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

// label; I1 … I13 dense; C1 … C26 lists of one id at most, whose 32 bits are the digits.
Schema CriteoSchema();

// kBadInput: the schema has other features than that one, unless they may be ignored.
Result<std::unique_ptr<TextInput>> MakeCriteoInput(std::unique_ptr<LineSource> lines,
                                                   std::shared_ptr<const Schema> schema,
                                                   const TextInputOptions& options);

}  // namespace dsi::internal
