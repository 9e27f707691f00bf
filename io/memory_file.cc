// Files that are bytes in memory: for tests, for fuzzing, and for callers with their own storage.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/file.h"

namespace dsi {
namespace {

using internal::Error;
using internal::InvalidArgument;

class MemoryFile final : public RandomAccessFile {
 public:
  MemoryFile(std::vector<std::byte> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  uint64_t size() const override { return bytes_.size(); }
  const std::string& name() const override { return name_; }
  SourceCosts costs() const override { return kMemoryCosts; }

  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    return internal::NoThrow([&] { return Read(offset, dst); });
  }

 private:
  Status Read(uint64_t offset, std::span<std::byte> dst) const {
    if (offset > bytes_.size() || dst.size() > bytes_.size() - offset) {
      return Error(StatusCode::kTruncated, "{}: {} bytes wanted at offset {}, and there are {}",
                   name_, dst.size(), offset, bytes_.size());
    }
    // memcpy of nothing still forbids null, which an empty span may hold.
    if (!dst.empty()) std::memcpy(dst.data(), bytes_.data() + offset, dst.size());
    return Status::Ok();
  }

  std::vector<std::byte> bytes_;
  std::string name_;
};

class WritableMemoryFile final : public WritableFile {
 public:
  WritableMemoryFile(std::vector<std::byte>* sink, std::string name)
      : sink_(sink), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }

  Status Append(std::span<const std::byte> bytes) override {
    return internal::NoThrow([&]() -> Status {
      DSI_RETURN_IF_ERROR(CheckOpen());
      state_ = State::kFailed;  // Unless all goes well.
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
      state_ = State::kOpen;
      return Status::Ok();
    });
  }

  Status Publish() override {
    return internal::NoThrow([&]() -> Status {
      DSI_RETURN_IF_ERROR(CheckOpen());
      *sink_ = std::move(bytes_);
      state_ = State::kPublished;
      return Status::Ok();
    });
  }

 private:
  enum class State { kOpen, kPublished, kFailed };

  Status CheckOpen() const {
    if (state_ == State::kOpen) return Status::Ok();
    if (state_ == State::kPublished) return InvalidArgument("{}: already published", name_);
    return Error(StatusCode::kResourceExhausted, "{}: an earlier append failed", name_);
  }

  std::vector<std::byte>* sink_;
  std::string name_;
  std::vector<std::byte> bytes_;
  State state_ = State::kOpen;
};

}  // namespace

std::unique_ptr<RandomAccessFile> OpenMemoryFile(std::vector<std::byte> bytes, std::string name) {
  return std::unique_ptr<RandomAccessFile>(new (std::nothrow)
                                               MemoryFile(std::move(bytes), std::move(name)));
}

std::unique_ptr<WritableFile> CreateMemoryFile(std::vector<std::byte>* sink, std::string name) {
  if (sink == nullptr) return nullptr;
  return std::unique_ptr<WritableFile>(new (std::nothrow)
                                           WritableMemoryFile(sink, std::move(name)));
}

}  // namespace dsi
