// The first part of a file, which is a file of its own (spec F-034, F-035).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dsi/io/file.h"

namespace dsi::internal {

// The first `size` bytes of a file, which outlives this.
class FirstPart final : public RandomAccessFile {
 public:
  FirstPart(const RandomAccessFile* file, uint64_t size) : file_(file), size_(size) {}
  uint64_t size() const override { return size_; }
  const std::string& name() const override { return file_->name(); }
  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    return file_->ReadAt(offset, dst);
  }
  Status ReadMany(std::span<const ReadRequest> requests) const override {
    return file_->ReadMany(requests);
  }
  SourceCosts costs() const override { return file_->costs(); }

 private:
  const RandomAccessFile* file_;
  uint64_t size_;
};

// Whether a file has a sound header and trailer, and a core footer of the seal that this one states
// (spec F-020, F-030 … F-032). Unsupported where they say so; what the core footer says is not
// looked at.
Status CheckEnds(const RandomAccessFile& file);

// Bytes of the longest first part that ends in a sound trailer; 0: none does. Reads the file from
// its end up to there.
Result<uint64_t> FindLastFile(const RandomAccessFile& file);

}  // namespace dsi::internal
