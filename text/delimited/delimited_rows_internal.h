// CSV and TSV to rows.
#pragma once

#include <memory>

#include "dsi/format/schema.h"
#include "dsi/text/lines/row_parser_internal.h"

namespace dsi::internal {

// Reads the header of a file, unless the options say what it has. `may_be_empty`: one without a
// line has no rows and needs none. kBadInput: it does not fit the schema.
Result<std::shared_ptr<const FileStart>> ReadHeader(LineSource* lines, const Schema& schema,
                                                    TextFormat format,
                                                    const TextInputOptions& options,
                                                    bool may_be_empty);
// Of blocks that start with such a header.
std::unique_ptr<RowParser> MakeDelimitedParser(std::shared_ptr<const Schema> schema,
                                               TextFormat format, const TextInputOptions& options,
                                               TimeForms times);

}  // namespace dsi::internal
