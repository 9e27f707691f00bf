// A file of which some bytes are already in memory: opening reads its end once, and what the
// directory tables ask for afterwards is mostly among it.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/io/file.h"
#include "dsi/reader/open/held_bytes_internal.h"

namespace dsi::internal {

class HeldFile final : public RandomAccessFile {
 public:
  HeldFile(std::unique_ptr<RandomAccessFile> file, HeldBytes held)
      : file_(std::move(file)), held_(std::move(held)) {}

  uint64_t size() const override { return file_->size(); }
  const std::string& name() const override { return file_->name(); }
  SourceCosts costs() const override { return file_->costs(); }

  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    return Take(offset, dst) ? Status::Ok() : file_->ReadAt(offset, dst);
  }

  // All that is not held is one call to the file.
  Status ReadMany(std::span<const ReadRequest> requests) const override {
    std::vector<ReadRequest> rest;
    for (const ReadRequest& request : requests) {
      if (!Take(request.offset, request.dst)) rest.push_back(request);
    }
    return rest.empty() ? Status::Ok() : file_->ReadMany(rest);
  }

  // More of it, before others use the file.
  void Hold(HeldBytes held) { held_.Add(std::move(held)); }
  // Bytes that are held; null: they are not.
  const std::byte* At(uint64_t offset, uint64_t size) const { return held_.At(offset, size); }

 private:
  // False: the range is not held.
  bool Take(uint64_t offset, std::span<std::byte> dst) const {
    const std::byte* const bytes = held_.At(offset, dst.size());
    if (bytes != nullptr && !dst.empty()) std::memcpy(dst.data(), bytes, dst.size());
    return bytes != nullptr;
  }
  std::unique_ptr<RandomAccessFile> file_;
  HeldBytes held_;
};

}  // namespace dsi::internal
