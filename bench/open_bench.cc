// Opening a file and reading 10 features of it, page cache warm: the time must not depend on how
// many features the file holds.
//   build/release/bin/open_bench
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "dsi/reader/reader.h"
#include "dsi/writer/writer.h"

namespace {

constexpr int kRows = 2'048;

// A table of lists of 0 to 3 ids.
void WriteFile(const std::string& path, int num_features) {
  dsi::Schema schema;
  for (int f = 0; f < num_features; ++f) {
    dsi::FeatureSpec spec;
    spec.name = "feature_" + std::to_string(f);
    spec.kind = dsi::Kind::kList;
    spec.columns.emplace_back();
    schema.features.push_back(spec);
  }
  auto writer = dsi::Writer::Create(path, schema, {.overwrite = true});
  if (!writer.ok()) std::abort();
  dsi::RowBatch rows((*writer)->schema());
  uint64_t state = 1;
  for (int r = 0; r < kRows; ++r) {
    for (int f = 0; f < num_features; ++f) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      const int64_t ids[3] = {static_cast<int64_t>(state >> 40), static_cast<int64_t>(state >> 44),
                              7};
      if (!rows.SetInts(static_cast<size_t>(f), 0, std::span(ids, (state >> 33) % 4)).ok())
        std::abort();
    }
    if (!rows.EndRow().ok()) std::abort();
  }
  if (!(*writer)->Append(rows).ok() || !(*writer)->Finish().ok()) std::abort();
}

// Files by number of features: written once for all repetitions, removed at exit.
class Files {
 public:
  ~Files() {
    for (const auto& [num_features, path] : paths_) std::filesystem::remove(path);
  }
  const std::string& Get(int num_features) {
    std::string& path = paths_[num_features];
    if (path.empty()) {
      const std::string name = "dsi_open_bench_" + std::to_string(num_features) + ".dsi";
      path = (std::filesystem::temp_directory_path() / name).string();
      WriteFile(path, num_features);
    }
    return path;
  }

 private:
  std::map<int, std::string> paths_;
};

void OpenAndReadTen(benchmark::State& state) {
  const auto num_features = static_cast<int>(state.range(0));
  static Files files;
  const std::string path = files.Get(num_features);
  dsi::ScanOptions options;
  options.batch_size = kRows;
  for (int i = 0; i < 10; ++i)
    options.features.push_back({.name = "feature_" + std::to_string(i * (num_features / 10) + i)});
  for (auto _ : state) {
    auto reader = dsi::Reader::Open(path);
    if (!reader.ok()) std::abort();
    auto scan = (*reader)->NewScan(options);
    if (!scan.ok()) std::abort();
    dsi::Batch batch;
    auto more = (*scan)->Next(&batch);
    if (!more.ok() || !*more) std::abort();
    benchmark::DoNotOptimize(batch.num_rows());
  }
}
BENCHMARK(OpenAndReadTen)->Arg(200)->Arg(2'000)->Arg(20'000)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
