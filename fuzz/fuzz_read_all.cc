// Opens the input as a file and reads all of it: every column in every layout, with conversion, and
// verification; and weighs its encodings. Whatever the bytes, a call returns a value or a Status;
// memory stays bounded.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
#include "dsi/reader/row_text.h"

namespace {

constexpr uint64_t kMemoryBytes = 64 << 20;
constexpr int kMaxBatches = 64;
constexpr int kMaxStreams = 64;  // Weighing one takes milliseconds.

void ReadWith(const dsi::Reader& reader, std::vector<dsi::Projection> features, uint32_t batch_size,
              dsi::RowFilter filter = {}) {
  dsi::ScanOptions options;
  options.features = std::move(features);
  options.batch_size = batch_size;
  options.filter = std::move(filter);
  options.memory_bytes = kMemoryBytes;
  auto scan = reader.NewScan(options);
  if (!scan.ok()) return;
  dsi::Batch batch;
  for (int i = 0; i < kMaxBatches; ++i) {
    const auto more = (*scan)->Next(&batch);
    if (!more.ok() || !*more) return;
    // What was promised to be verified can be read: every byte of the slab.
    volatile unsigned sum = 0;
    for (const std::byte byte : batch.slab()) sum = sum + static_cast<unsigned>(byte);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(data);
  auto reader = dsi::Reader::Open(dsi::OpenMemoryFile({bytes, bytes + size}, "input"));
  if (!reader.ok()) return 0;
  ReadWith(**reader, {}, 100);
  for (const dsi::Layout layout :
       {dsi::Layout::kPadded, dsi::Layout::kJagged, dsi::Layout::kIkjt, dsi::Layout::kPaddedIkjt}) {
    dsi::Projection projection;
    projection.name = "*";
    projection.layout = layout;
    projection.width = 5;
    ReadWith(**reader, {projection}, 37);
  }
  const auto columns = (*reader)->Columns();
  if (columns.ok()) {
    for (const dsi::ColumnInfo& column : *columns) {
      dsi::Projection projection;
      projection.name = column.name;
      projection.dtype = dsi::Type::kFloat32;
      projection.layout = dsi::Layout::kDense;
      ReadWith(**reader, {projection}, 1000);
      projection.dtype.reset();
      projection.layout = dsi::Layout::kVbe;
      ReadWith(**reader, {projection}, 50, {.sample = {{.when = {}, .keep = 0.5}}});
      ReadWith(**reader, {projection}, 50, {.where = {{column.name, dsi::Compare::kGreater, 3}}});
    }
  }
  int left = kMaxStreams;
  static_cast<void>((*reader)->Choices({.weigh = true, .go_on = [&] { return --left > 0; }}));
  if (auto text = dsi::RowText::Create(**reader, {}); text.ok()) {
    std::string out;
    for (int i = 0; i < kMaxBatches; ++i) {
      const auto more = (*text)->Next(&out, nullptr);
      if (!more.ok() || !*more) break;
    }
  }
  return 0;
}
