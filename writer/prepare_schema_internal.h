// What a writer is asked for, checked before anything is written.
#pragma once

#include "dsi/base/status.h"
#include "dsi/format/schema.h"
#include "dsi/writer/writer.h"

namespace dsi::internal {

// Makes the schema that of the file: clustered by what the options say, under the same rules.
// kInvalidArgument: schema or options.
Status PrepareSchema(const WriterOptions& options, Schema* schema);

}  // namespace dsi::internal
