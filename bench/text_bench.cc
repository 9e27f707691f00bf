// Parsing a log of one's own, page cache warm: bytes per second by number of threads. Rows are
// handed out and dropped.
//   build/release/bin/text_bench LOG.jsonl
#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>
#include <string>

#include "dsi/text/text_input.h"

namespace {

void Parse(benchmark::State& state, const std::string& path,
           const std::shared_ptr<const dsi::Schema>& schema) {
  const dsi::TextInputOptions options = {.threads = static_cast<int>(state.range(0))};
  uint64_t bytes = 0;
  for ([[maybe_unused]] const auto& once : state) {
    auto text = dsi::TextInput::Open(path, schema, options);
    dsi::Result<bool> more = text.ok() ? dsi::Result<bool>(true) : text.status();
    while (more.ok() && *more) {
      dsi::RowBatch rows(schema);
      more = (*text)->Next(SIZE_MAX, &rows);
    }
    if (!more.ok()) return state.SkipWithError(more.status().ToString().c_str());
    bytes += (*text)->bytes_done();
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "Usage: text_bench LOG.jsonl\n");
    return 2;
  }
  const std::string path = argv[1];
  auto schema = dsi::InferSchema(path);
  if (!schema.ok()) {
    std::fprintf(stderr, "%s\n", schema.status().ToString().c_str());
    return 1;
  }
  const auto shared = std::make_shared<const dsi::Schema>(std::move(*schema));
  benchmark::RegisterBenchmark("Parse", Parse, path, shared)
      ->ArgName("threads")
      ->DenseRange(1, 2)
      ->UseRealTime();
  benchmark::RunSpecifiedBenchmarks();
}
