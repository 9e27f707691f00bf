// Messages tf.Example in records of TFRecord to rows.
#pragma once

#include <memory>

#include "dsi/format/schema.h"
#include "dsi/text/lines/row_parser_internal.h"
#include "dsi/text/lines/tf_record_source_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

std::unique_ptr<RowParser> MakeExampleRowParser(std::shared_ptr<const Schema> schema,
                                                const TextInputOptions& options, TimeForms times);

}  // namespace dsi::internal
