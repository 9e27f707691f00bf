#include "dsi/tests/support/fault_file.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::test {
namespace {

using internal::Error;

class FaultyReader final : public RandomAccessFile {
 public:
  FaultyReader(std::unique_ptr<RandomAccessFile> inner, ReadFaults faults,
               std::atomic<uint64_t>* calls)
      : inner_(std::move(inner)),
        faults_(std::move(faults)),
        calls_(calls != nullptr ? calls : &own_calls_) {}

  uint64_t size() const override { return std::min(inner_->size(), faults_.cut_at); }
  const std::string& name() const override { return inner_->name(); }
  SourceCosts costs() const override { return inner_->costs(); }

  // ReadMany comes here for each of its requests, so that any one of them can fail.
  Status ReadAt(uint64_t offset, std::span<std::byte> dst) const override {
    const uint64_t call = calls_->fetch_add(1);
    if (faults_.on_read) faults_.on_read(offset, dst.size());
    const uint64_t end = std::min(size(), faults_.shorten_to);
    if (offset > end || dst.size() > end - offset) {
      return Error(StatusCode::kTruncated, "{}: injected end at offset {}", name(), end);
    }
    const bool touches = faults_.fail_at >= offset && faults_.fail_at - offset < dst.size();
    if (call == faults_.fail_call || touches) {
      return Error(StatusCode::kIo, "{}: injected error reading {} bytes at offset {}", name(),
                   dst.size(), offset);
    }
    DSI_RETURN_IF_ERROR(inner_->ReadAt(offset, dst));
    for (const uint64_t bit : faults_.flip_bits) {
      if (bit / 8 >= offset && bit / 8 - offset < dst.size()) {
        dst[bit / 8 - offset] ^= std::byte{1} << (bit % 8);
      }
    }
    return Status::Ok();
  }

 private:
  std::unique_ptr<RandomAccessFile> inner_;
  ReadFaults faults_;
  mutable std::atomic<uint64_t> own_calls_{0};
  std::atomic<uint64_t>* calls_;
};

class FaultyWriter final : public WritableFile {
 public:
  FaultyWriter(std::unique_ptr<WritableFile> inner, WriteFaults faults)
      : inner_(std::move(inner)), faults_(std::move(faults)) {}

  const std::string& name() const override { return inner_->name(); }

  Status Append(std::span<const std::byte> bytes) override {
    const uint64_t call = calls_++;
    if (faults_.on_append) faults_.on_append(bytes.size());
    size_ += bytes.size();
    if (call == faults_.fail_call || size_ > faults_.fail_at) failed_ = true;
    if (failed_) return Injected("append");
    return inner_->Append(bytes);
  }

  Status Publish() override {
    if (faults_.fail_publish) failed_ = true;
    if (failed_) return Injected("publish");
    return inner_->Publish();
  }

 private:
  Status Injected(const char* what) const {
    return Error(faults_.code, "{}: injected failure of {} at {} bytes", name(), what, size_);
  }

  std::unique_ptr<WritableFile> inner_;
  WriteFaults faults_;
  uint64_t calls_ = 0;
  uint64_t size_ = 0;
  bool failed_ = false;
};

}  // namespace

std::unique_ptr<RandomAccessFile> WithReadFaults(std::unique_ptr<RandomAccessFile> inner,
                                                 ReadFaults faults, std::atomic<uint64_t>* calls) {
  return std::make_unique<FaultyReader>(std::move(inner), std::move(faults), calls);
}

std::unique_ptr<WritableFile> WithWriteFaults(std::unique_ptr<WritableFile> inner,
                                              WriteFaults faults) {
  return std::make_unique<FaultyWriter>(std::move(inner), std::move(faults));
}

}  // namespace dsi::test
