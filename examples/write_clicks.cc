// Writes a small table of clicks row by row, as an ETL job would: write_clicks OUT.dsi
#include <cstdint>
#include <cstdio>
#include <vector>

#include "dsi/writer/writer.h"

namespace {

int Fail(const dsi::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

constexpr const char* kSchema = R"({
  "features": [
    {"name": "session_id", "kind": "key", "type": "int64"},
    {"name": "timestamp", "kind": "timestamp", "unit": "s"},
    {"name": "label", "kind": "label", "type": "int8"},
    {"name": "user.clicks", "kind": "list", "type": "int64"},
    {"name": "item.price", "kind": "dense", "type": "float32"}],
  "cluster_by": ["session_id", "timestamp"]})";

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: write_clicks OUT.dsi\n"), 2;
  auto schema = dsi::Schema::FromJson(kSchema);
  if (!schema.ok()) return Fail(schema.status());
  auto writer = dsi::Writer::Create(argv[1], *schema, {.overwrite = true});
  if (!writer.ok()) return Fail(writer.status());

  dsi::RowBatch rows((*writer)->schema());
  for (int64_t row = 0; row < 1'000; ++row) {
    const int64_t session = row / 16;
    const std::vector<int64_t> clicks = {session, session + 1,
                                         session + 2};  // The same in all rows of a session.
    for (const dsi::Status& status :
         {rows.SetInt(0, session), rows.SetInt(1, 1'700'000'000 + row), rows.SetInt(2, row % 2),
          rows.SetInts(3, 0, clicks), rows.SetDouble(4, static_cast<double>(row % 100) / 4),
          rows.EndRow()}) {
      if (!status.ok()) return Fail(status);
    }
  }
  if (const dsi::Status status = (*writer)->Append(rows); !status.ok()) return Fail(status);
  auto report = (*writer)->Finish();
  if (!report.ok()) return Fail(report.status());
  std::printf("%llu rows in %llu bytes, %llu of %llu values stored\n",
              static_cast<unsigned long long>(report->num_rows),
              static_cast<unsigned long long>(report->file_bytes),
              static_cast<unsigned long long>(report->values_stored),
              static_cast<unsigned long long>(report->values_in));
  return 0;
}
