// Rows of a .dsi file written as another one: encoded, clustered and deduplicated anew.
#pragma once

#include "dsi/base/status.h"
#include "dsi/reader/reader.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/text_to_dsi_internal.h"

namespace dsi::tools {

// Writes the rows that pass, with the schema and metadata of the file, to options.out; of `options`
// those of the text mean nothing. Types and bits of values stay. The places that --keep-position
// stored are left out with a warning; with it the places are those in the file read.
//
// writer.memory_bytes, where given, is shared by the scan and the writer. kUnsupported: a feature
// that this build cannot read, which a copy would lose.
Result<WriteReport> DsiToDsi(const Reader& reader, const RowFilter& filter,
                             const TextToDsiOptions& options, Progress* progress);

}  // namespace dsi::tools
