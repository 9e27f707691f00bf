// Looks at the rows of a text on several threads; what is seen is what one thread would see.
#pragma once

#include <functional>
#include <memory>

#include "dsi/text/infer/row_looker_internal.h"
#include "dsi/text/lines/text_files_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

// Looks at all rows, the first ones with `first`, which no row was shown yet, the others with
// lookers that `make` makes, and merges into `first` what these have seen. False: one thread has to
// start anew, with another looker, for it depends on the order of rows what comes of this text: a
// row that cannot be read, more names than a schema may have. kCancelled.
Result<bool> LookTogether(RowLooker* first, const std::function<std::unique_ptr<RowLooker>()>& make,
                          TextFiles files, const InferOptions& options, InferReport* report);

}  // namespace dsi::internal
