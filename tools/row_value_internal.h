// The value of a row of a batch as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "dsi/reader/batch.h"
#include "dsi/text/row_text_buffer_internal.h"

namespace dsi::tools {

// The entries of a row that is present: a string, a list, or of a column of single numbers that.
void AddRowValue(const JaggedView& view, size_t row, bool is_number, internal::TextBuffer* text);

}  // namespace dsi::tools
