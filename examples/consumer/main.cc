// A program of somebody else's: writes a file through the installed package and reads it back.
// consumer OUT.dsi
#include <cstdint>
#include <cstdio>
#include <span>

#include "dsi/reader/reader.h"
#include "dsi/writer/writer.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  dsi::Schema schema;
  schema.features.push_back({.name = "ids",
                             .kind = dsi::Kind::kList,
                             .columns = {{.name = "", .type = dsi::Type::kInt64, .id_space = ""}}});
  auto writer = dsi::Writer::Create(argv[1], schema, {.overwrite = true});
  if (!writer.ok()) return std::fprintf(stderr, "%s\n", writer.status().ToString().c_str()), 1;
  dsi::RowBatch rows((*writer)->schema());
  for (int64_t row = 0; row < 100; ++row) {
    const int64_t ids[2] = {row / 10, row / 20};
    if (!rows.SetInts(0, 0, std::span(ids)).ok() || !rows.EndRow().ok()) return 1;
  }
  if (!(*writer)->Append(rows).ok() || !(*writer)->Finish().ok()) return 1;

  auto reader = dsi::Reader::Open(argv[1]);
  if (!reader.ok()) return 1;
  auto scan = (*reader)->NewScan({.features = {{.name = "ids"}}});
  if (!scan.ok()) return 1;
  dsi::Batch batch;
  auto more = (*scan)->Next(&batch);
  if (!more.ok() || !*more) return 1;
  auto view = batch.Padded("ids");
  if (!view.ok() || view->rows != 100 || view->width != 2) return 1;
  const auto* values = static_cast<const int64_t*>(view->values);
  for (int64_t row = 0; row < 100; ++row) {
    if (values[2 * row] != row / 10 || values[2 * row + 1] != row / 20) return 1;
  }
  std::printf("100 rows written and read back\n");
  return 0;
}
