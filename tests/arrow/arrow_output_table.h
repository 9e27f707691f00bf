// Scans exported to Arrow and read back as texts, for tests of the output.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dsi/arrow/arrow_output.h"
#include "dsi/dataset/dataset.h"
#include "dsi/reader/reader.h"
#include "dsi/tests/arrow/arrow_output_walker.h"
#include "dsi/tests/reader/sample_file.h"

namespace dsi::test {

using TextColumns = std::map<std::string, std::vector<std::string>>;

inline Result<std::shared_ptr<Reader>> OpenShared(std::vector<std::byte> bytes) {
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<Reader> reader, OpenBytes(std::move(bytes)));
  return std::shared_ptr<Reader>(std::move(reader));
}

// The columns named of all rows as a stream, batches of `batch_size`.
inline Status StreamOf(std::shared_ptr<const Reader> reader, const std::vector<std::string>& names,
                       const ArrowOutputOptions& options, ScanOptions scan_options,
                       ArrowArrayStream* stream) {
  DSI_ASSIGN_OR_RETURN(const std::vector<ColumnInfo> columns, reader->Columns());
  if (scan_options.features.empty()) {
    DSI_ASSIGN_OR_RETURN(scan_options.features, ArrowProjections(columns, names, options));
  }
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<Scan> scan, reader->NewScan(scan_options));
  DSI_ASSIGN_OR_RETURN(const ArrowOutput output,
                       ArrowOutput::Make(scan->columns(), columns, options));
  return output.ExportStream(std::move(scan), std::const_pointer_cast<Reader>(std::move(reader)),
                             stream);
}

// Formats of the columns, "dictionary " before that of the values where they are one.
inline std::string FormatOf(const ArrowSchema& schema) {
  if (schema.dictionary != nullptr) return "dictionary " + FormatOf(*schema.dictionary);
  std::string text = schema.format;
  for (int64_t i = 0; i < schema.n_children; ++i) text += " " + FormatOf(*schema.children[i]);
  return text;
}

// Appends the rows of a struct array.
inline void AppendTexts(const ArrowSchema& schema, const ArrowArray& array, TextColumns* columns) {
  ASSERT_EQ(array.n_children, schema.n_children);
  ASSERT_EQ(array.n_buffers, 1);
  ASSERT_EQ(array.null_count, 0);
  for (int64_t i = 0; i < array.n_children; ++i) {
    const std::vector<std::string> rows = RowTexts(*schema.children[i], *array.children[i]);
    ASSERT_EQ(rows.size(), static_cast<size_t>(array.length));
    std::vector<std::string>& all = (*columns)[schema.children[i]->name];
    all.insert(all.end(), rows.begin(), rows.end());
  }
}

// All that a stream gives. Its batches are held until it is over.
inline TextColumns ReadStream(ArrowArrayStream* stream) {
  OwnedArrow<ArrowSchema> schema;
  EXPECT_EQ(stream->get_schema(stream, schema.get()), 0);
  std::vector<OwnedArrow<ArrowArray>> batches;
  TextColumns columns;
  for (;;) {
    ArrowArray batch;
    const int code = stream->get_next(stream, &batch);
    EXPECT_EQ(code, 0) << stream->get_last_error(stream);
    if (code != 0 || batch.release == nullptr) break;
    EXPECT_GT(batch.length, 0);
    batches.emplace_back(&batch);
  }
  for (auto& batch : batches) AppendTexts(*schema, *batch, &columns);
  return columns;
}

inline Result<TextColumns> ReadTexts(const std::shared_ptr<const Reader>& reader,
                                     const std::vector<std::string>& names,
                                     const ArrowOutputOptions& options = {},
                                     const ScanOptions& scan_options = {}) {
  OwnedArrow<ArrowArrayStream> stream;
  DSI_RETURN_IF_ERROR(StreamOf(reader, names, options, scan_options, stream.get()));
  return ReadStream(stream.get());
}

}  // namespace dsi::test
