// A file in memory that tells who reads what, at the costs of another source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/io/file.h"

namespace dsi::test {

// Tells of each read before it is made. Thread-safe as what it tells.
class ToldFile final : public RandomAccessFile {
 public:
  using Tell = std::function<void(uint64_t offset, uint64_t size)>;

  ToldFile(std::vector<std::byte> bytes, SourceCosts costs, const Tell* tell)
      : inner_(OpenMemoryFile(std::move(bytes), "told")), costs_(costs), tell_(*tell) {}

  uint64_t size() const override { return inner_->size(); }
  const std::string& name() const override { return inner_->name(); }
  SourceCosts costs() const override { return costs_; }
  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    if (tell_) tell_(offset, dst.size());
    return inner_->ReadAt(offset, dst);
  }
  Status ReadMany(std::span<const ReadRequest> requests) const override {
    is_many = true;
    Status status;
    for (const ReadRequest& request : requests) {
      if (status.ok()) status = ReadAt(request.offset, request.dst);
    }
    is_many = false;
    return status;
  }

  // The read that is told of is one of those ahead.
  static inline thread_local bool is_many = false;

 private:
  std::unique_ptr<RandomAccessFile> inner_;
  SourceCosts costs_;
  const Tell& tell_;
};

}  // namespace dsi::test
