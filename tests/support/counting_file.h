// A file that counts what is read of it, and has the costs that it is given.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "dsi/io/file.h"

namespace dsi::test {

// Each call of ReadAt or ReadMany is a step: whoever makes it waits for it.
struct ReadCounts {
  uint64_t steps = 0;
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t longest = 0;
};

class CountingFile final : public RandomAccessFile {
 public:
  // `counts` outlives the file.
  CountingFile(std::unique_ptr<RandomAccessFile> inner, SourceCosts costs, ReadCounts* counts)
      : inner_(std::move(inner)), costs_(costs), counts_(counts) {}

  uint64_t size() const override { return inner_->size(); }
  const std::string& name() const override { return inner_->name(); }
  SourceCosts costs() const override { return costs_; }
  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    Count({{offset, dst}});
    return inner_->ReadAt(offset, dst);
  }
  Status ReadMany(std::span<const ReadRequest> requests) const override {
    Count(requests);
    return inner_->ReadMany(requests);
  }

 private:
  void Count(std::initializer_list<ReadRequest> requests) const {
    Count(std::span<const ReadRequest>(requests.begin(), requests.size()));
  }
  void Count(std::span<const ReadRequest> requests) const {
    const std::lock_guard lock(mutex_);
    ++counts_->steps;
    for (const ReadRequest& request : requests) {
      ++counts_->reads;
      counts_->bytes += request.dst.size();
      counts_->longest = std::max<uint64_t>(counts_->longest, request.dst.size());
    }
  }

  std::unique_ptr<RandomAccessFile> inner_;
  SourceCosts costs_;
  ReadCounts* counts_;
  mutable std::mutex mutex_;
};

}  // namespace dsi::test
