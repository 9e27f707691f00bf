// Prints the reads of a projection, as a reader would make them on storage of stated costs.
// storage_plans FILE LATENCY_S BYTES_PER_S [GAP MAX_READ] < names of features, one a line
// Prints "offset size" of each read. Without a gap: what is joined by default.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "dsi/io/file.h"
#include "dsi/reader/reader.h"

namespace {

// A local file that says of itself that it lies elsewhere.
class FarFile : public dsi::RandomAccessFile {
 public:
  FarFile(std::unique_ptr<dsi::RandomAccessFile> file, dsi::SourceCosts costs)
      : file_(std::move(file)), costs_(costs) {}
  uint64_t size() const override { return file_->size(); }
  const std::string& name() const override { return file_->name(); }
  dsi::Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    return file_->ReadAt(offset, dst);
  }
  dsi::SourceCosts costs() const override { return costs_; }

 private:
  std::unique_ptr<dsi::RandomAccessFile> file_;
  dsi::SourceCosts costs_;
};

int Fail(const dsi::Status& status) {
  std::fprintf(stderr, "storage_plans: %s\n", status.ToString().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 6) {
    std::fputs("usage: storage_plans FILE LATENCY_S BYTES_PER_S [GAP MAX_READ] < names\n", stderr);
    return 2;
  }
  const dsi::SourceCosts costs{std::strtod(argv[2], nullptr), std::strtod(argv[3], nullptr)};
  dsi::ReaderOptions options;
  if (argc == 6) {
    options.coalesce_gap = std::strtoull(argv[4], nullptr, 10);
    options.max_read_bytes = std::strtoull(argv[5], nullptr, 10);
  }
  dsi::ScanOptions projection;
  for (std::string name; std::getline(std::cin, name);)
    projection.features.push_back({.name = name, .layout = dsi::Layout::kJagged});

  auto file = dsi::OpenLocalFile(argv[1]);
  if (!file.ok()) return Fail(file.status());
  auto reader = dsi::Reader::Open(std::make_unique<FarFile>(std::move(*file), costs), options);
  if (!reader.ok()) return Fail(reader.status());
  auto plan = (*reader)->Plan(projection);
  if (!plan.ok()) return Fail(plan.status());
  for (const dsi::ReadPlan::Range& range : plan->ranges) {
    std::printf("%llu %llu\n", static_cast<unsigned long long>(range.offset),
                static_cast<unsigned long long>(range.size));
  }
  return 0;
}
