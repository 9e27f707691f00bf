// CSV and TSV to rows.
#pragma once

#include <memory>

#include "dsi/format/schema.h"
#include "dsi/text/lines/row_parser_internal.h"

namespace dsi::internal {

// Reads the header of a file. `may_be_empty`: one without a line has no rows and needs none.
// kBadInput: it does not fit the schema.
Result<std::shared_ptr<const FileStart>> ReadHeader(LineSource* lines, const Schema& schema,
                                                    char delimiter, bool ignore_unknown,
                                                    bool may_be_empty);
// Of blocks that start with such a header.
std::unique_ptr<RowParser> MakeDelimitedParser(std::shared_ptr<const Schema> schema,
                                               const TextInputOptions& options, char delimiter);

}  // namespace dsi::internal
