// JSON Lines to rows.
#pragma once

#include <memory>

#include "dsi/format/schema.h"
#include "dsi/text/lines/row_parser_internal.h"

namespace dsi::internal {

std::unique_ptr<RowParser> MakeJsonParser(std::shared_ptr<const Schema> schema,
                                          const TextInputOptions& options, TimeForms times);

}  // namespace dsi::internal
