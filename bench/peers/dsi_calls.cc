// dsi's side of the comparison, through the public API alone; called from compare.py through
// ctypes. Every call returns null or an error text that stays valid until the next call.
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dsi/reader/reader.h"
#include "dsi/writer/writer.h"

namespace {

thread_local std::string last_error;

const char* Fail(const dsi::Status& status) {
  last_error = status.ToString();
  return last_error.c_str();
}

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// One feature of a chunk of rows in Arrow's layout.
struct ColumnChunk {
  uint64_t feature;
  const uint8_t* validity;
  uint64_t validity_offset;
  const int32_t* offsets32;
  const void* values;
};

struct ReadColumn {
  const char* name;
  uint64_t length;
  uint64_t keep_first;
};

struct ReadOutcome {
  double seconds;
  uint64_t rows;
  uint64_t bytes_read;
  uint64_t output_bytes;
  uint64_t values_decoded;
  uint64_t values_expanded;
  uint64_t batch_bytes;  // Of one full batch's tensors.
};

struct WriteOutcome {
  double seconds;
  uint64_t file_bytes;
  uint64_t values_in;
  uint64_t values_stored;
  uint64_t index_bytes;
  uint64_t num_groups;
  double encode_seconds;
  double choose_seconds;
};

struct WriterHandle {
  std::unique_ptr<dsi::Writer> writer;
  double seconds = 0;
};

dsi::ScanOptions MakeOptions(const ReadColumn* columns, uint64_t num_columns, uint64_t batch_size,
                             bool ikjt) {
  dsi::ScanOptions options;
  options.batch_size = static_cast<uint32_t>(batch_size);
  for (uint64_t c = 0; c < num_columns; ++c) {
    dsi::Projection p;
    p.name = columns[c].name;
    p.layout = ikjt ? dsi::Layout::kIkjt : dsi::Layout::kPadded;
    p.width = static_cast<uint32_t>(columns[c].length);
    p.keep = columns[c].keep_first != 0 ? dsi::Keep::kFirst : dsi::Keep::kLast;
    options.features.push_back(p);
  }
  return options;
}

size_t Width(dsi::Type type) { return static_cast<size_t>(dsi::TypeWidth(type)); }

// Tensor bytes of one column in a batch; hashes rows into *hash when asked.
dsi::Result<uint64_t> Consume(const dsi::Batch& batch, const std::string& name, bool ikjt,
                              uint64_t* hash) {
  if (!ikjt) {
    auto view = batch.Padded(name);
    if (!view.ok()) return view.status();
    const size_t row_bytes = view->width * Width(view->dtype);
    for (size_t r = 0; hash != nullptr && r < view->rows; ++r) {
      *hash = XXH3_64bits_withSeed(static_cast<const std::byte*>(view->values) + r * row_bytes,
                                   row_bytes, *hash);
    }
    return static_cast<uint64_t>(view->rows * row_bytes);
  }
  auto view = batch.Ikjt(name);
  if (!view.ok()) return view.status();
  const size_t width = Width(view->unique.dtype);
  for (size_t r = 0; hash != nullptr && r < batch.num_rows(); ++r) {
    const auto u = static_cast<size_t>(view->inverse[r]);
    const int64_t begin = view->unique.offsets[u];
    const auto size = static_cast<size_t>(view->unique.offsets[u + 1] - begin) * width;
    *hash = XXH3_64bits_withSeed(
        static_cast<const std::byte*>(view->unique.values) + static_cast<size_t>(begin) * width,
        size, *hash);
  }
  return static_cast<uint64_t>(view->unique.num_values * width +
                               (view->unique.rows + 1) * sizeof(int64_t) +
                               batch.num_rows() * sizeof(int32_t));
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] const char* DsiWriteBegin(const char* path, const char* schema_json,
                                                         uint64_t threads, uint64_t dedup,
                                                         WriterHandle** out) {
  const double start = Now();
  auto schema = dsi::Schema::FromJson(schema_json);
  if (!schema.ok()) return Fail(schema.status());
  dsi::WriterOptions options;
  options.overwrite = true;
  options.threads = static_cast<int>(threads);
  options.dedup = dedup != 0;
  auto writer = dsi::Writer::Create(path, *schema, options);
  if (!writer.ok()) return Fail(writer.status());
  *out = new WriterHandle{std::move(*writer), Now() - start};
  return nullptr;
}

[[gnu::visibility("default")]] const char* DsiWriteChunk(WriterHandle* handle, uint64_t num_rows,
                                                         const ColumnChunk* chunks,
                                                         uint64_t num_chunks) {
  const double start = Now();
  std::vector<dsi::FeatureColumns> columns;
  for (uint64_t c = 0; c < num_chunks; ++c) {
    dsi::FeatureColumns column;
    column.feature = chunks[c].feature;
    column.validity = chunks[c].validity;
    column.validity_offset = chunks[c].validity_offset;
    column.offsets32 = chunks[c].offsets32;
    column.values = {chunks[c].values};
    columns.push_back(column);
  }
  const dsi::Status status = handle->writer->AppendColumns(num_rows, columns);
  handle->seconds += Now() - start;
  return status.ok() ? nullptr : Fail(status);
}

// Finishes and frees the handle.
[[gnu::visibility("default")]] const char* DsiWriteEnd(WriterHandle* handle, WriteOutcome* out) {
  const std::unique_ptr<WriterHandle> owned(handle);
  const double start = Now();
  auto report = owned->writer->Finish();
  if (!report.ok()) return Fail(report.status());
  *out = {owned->seconds + Now() - start, report->file_bytes,    report->values_in,
          report->values_stored,          report->index_bytes,   report->num_groups,
          report->encode_seconds,         report->choose_seconds};
  return nullptr;
}

// Opens the file and streams all rows of the columns; `hashes` (null: none) receives a running XXH3
// per column.
[[gnu::visibility("default")]] const char* DsiRead(const char* path, const ReadColumn* columns,
                                                   uint64_t num_columns, uint64_t batch_size,
                                                   uint64_t ikjt, uint64_t* hashes,
                                                   ReadOutcome* out) {
  *out = {};
  const double start = Now();
  auto reader = dsi::Reader::Open(path);
  if (!reader.ok()) return Fail(reader.status());
  auto scan = (*reader)->NewScan(MakeOptions(columns, num_columns, batch_size, ikjt != 0));
  if (!scan.ok()) return Fail(scan.status());
  dsi::Batch batch;
  std::vector<std::string> names;
  for (uint64_t c = 0; c < num_columns; ++c) names.emplace_back(columns[c].name);
  for (;;) {
    auto more = (*scan)->Next(&batch);
    if (!more.ok()) return Fail(more.status());
    if (!*more) break;
    uint64_t bytes = 0;
    for (uint64_t c = 0; c < num_columns; ++c) {
      auto consumed = Consume(batch, names[c], ikjt != 0, hashes == nullptr ? nullptr : &hashes[c]);
      if (!consumed.ok()) return Fail(consumed.status());
      bytes += *consumed;
    }
    out->output_bytes += bytes;
    out->batch_bytes = std::max(out->batch_bytes, bytes);
  }
  const dsi::ScanStats& stats = (*scan)->stats();
  out->seconds = Now() - start;
  out->rows = stats.rows;
  out->bytes_read = stats.bytes_read;
  out->values_decoded = stats.values_decoded;
  out->values_expanded = stats.values_expanded;
  return nullptr;
}

// Encoded bytes of a column in the file.
[[gnu::visibility("default")]] const char* DsiStoredBytes(const char* path, const char* column,
                                                          uint64_t* bytes) {
  auto reader = dsi::Reader::Open(path);
  if (!reader.ok()) return Fail(reader.status());
  auto info = (*reader)->FindColumn(column);
  if (!info.ok()) return Fail(info.status());
  *bytes = info->stored_bytes;
  return nullptr;
}

}  // extern "C"
