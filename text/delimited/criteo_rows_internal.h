// The click logs of Criteo: lines of a label, 13 whole numbers and 26 categories as 8 digits in
// hexadecimal, separated by tabs, without a header; what is missing is empty. Lines to be predicted
// lack the label.
#pragma once

#include <memory>
#include <string>

#include "dsi/format/schema.h"
#include "dsi/text/lines/row_parser_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

// label; I1 … I13 dense; C1 … C26 lists of one id at most, whose 32 bits are the digits.
Schema CriteoSchema();

// kBadInput: the schema has other features than that one, unless they may be ignored, or features
// of several columns. The message names a file.
Status CheckCriteoSchema(const Schema& schema, bool ignore_unknown, const std::string& file);
std::unique_ptr<RowParser> MakeCriteoParser(std::shared_ptr<const Schema> schema,
                                            const TextInputOptions& options);

}  // namespace dsi::internal
