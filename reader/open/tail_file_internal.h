// A file whose last bytes are already in memory: opening reads them once, and what the directory
// tables ask for afterwards is mostly among them.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/io/file.h"

namespace dsi::internal {

class TailFile final : public RandomAccessFile {
 public:
  // `tail` are the last bytes of `file`.
  TailFile(std::unique_ptr<RandomAccessFile> file, std::vector<std::byte> tail)
      : file_(std::move(file)), tail_(std::move(tail)), start_(file_->size() - tail_.size()) {}

  uint64_t size() const override { return file_->size(); }
  const std::string& name() const override { return file_->name(); }
  SourceCosts costs() const override { return file_->costs(); }

  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    return TakeFromTail({offset, dst}) ? Status::Ok() : file_->ReadAt(offset, dst);
  }

  // All that the tail does not hold is one call to the file.
  Status ReadMany(std::span<const ReadRequest> requests) const override {
    std::vector<ReadRequest> rest;
    for (const ReadRequest& request : requests) {
      if (!TakeFromTail(request)) rest.push_back(request);
    }
    return rest.empty() ? Status::Ok() : file_->ReadMany(rest);
  }

 private:
  // False: the range is not all in the tail.
  bool TakeFromTail(const ReadRequest& request) const {
    const auto [offset, dst] = request;
    const bool inside = offset >= start_ && offset - start_ <= tail_.size() &&
                        dst.size() <= tail_.size() - (offset - start_);
    if (inside && !dst.empty()) {
      std::memcpy(dst.data(), tail_.data() + (offset - start_), dst.size());
    }
    return inside;
  }

  std::unique_ptr<RandomAccessFile> file_;
  std::vector<std::byte> tail_;
  uint64_t start_;
};

}  // namespace dsi::internal
