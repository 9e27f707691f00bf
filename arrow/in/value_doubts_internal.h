// What values of a table say against the kinds that their types and names have told.
#pragma once

#include "dsi/arrow/arrow_input.h"

namespace dsi::internal {

// Looks at the first rows of the table, up to 16,384, for the schema that was found for it, and
// notes rounded_ids and text_times. Errors: those of ArrowInput.
Status NoteDoubts(const ArrowSchema& table, const ArrowArray& rows, const Schema& schema,
                  ArrowSchemaReport* report);

}  // namespace dsi::internal
