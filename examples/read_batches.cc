// Streams padded and deduplicated batches of one list feature: read_batches FILE.dsi user.clicks
#include <cstdint>
#include <cstdio>

#include "dsi/reader/reader.h"

namespace {

int Fail(const dsi::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: read_batches FILE.dsi FEATURE\n"), 2;
  auto reader = dsi::Reader::Open(argv[1]);
  if (!reader.ok()) return Fail(reader.status());
  for (const dsi::Layout layout : {dsi::Layout::kPadded, dsi::Layout::kIkjt}) {
    dsi::ScanOptions options;
    options.features = {{.name = argv[2], .layout = layout}};
    options.batch_size = 256;
    auto scan = (*reader)->NewScan(options);
    if (!scan.ok()) return Fail(scan.status());
    dsi::Batch batch;  // Reused: after the first batches nothing is allocated any more.
    for (;;) {
      auto more = (*scan)->Next(&batch);
      if (!more.ok()) return Fail(more.status());
      if (!*more) break;
      if (layout == dsi::Layout::kPadded) {
        auto view = batch.Padded(argv[2]);
        if (!view.ok()) return Fail(view.status());
        std::printf("padded: [%zu, %zu]\n", view->rows, view->width);
      } else {
        auto view = batch.Ikjt(argv[2]);
        if (!view.ok()) return Fail(view.status());
        std::printf("deduplicated: %zu rows from %zu unique rows, %zu values\n", batch.num_rows(),
                    view->unique.rows, view->unique.num_values);
      }
    }
  }
  return 0;
}
