#include "dsi/text/lines/byte_source_internal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

struct PackingFacts {
  std::string_view magic;
  std::string_view ending;
  std::string_view name;
};
// In the order of Packing, kNone left out.
constexpr PackingFacts kFacts[] = {{"\x1f\x8b", ".gz", "gzip"},
                                   {"\x28\xb5\x2f\xfd", ".zst", "zstd"},
                                   {"\x04\x22\x4d\x18", ".lz4", "LZ4"}};

const PackingFacts& FactsOf(Packing packing) { return kFacts[static_cast<size_t>(packing) - 1]; }

class DescriptorSource : public ByteSource {
 public:
  DescriptorSource(int descriptor, bool owned, std::string name, const std::atomic<bool>* stop)
      : descriptor_(descriptor), owned_(owned), name_(std::move(name)), stop_(stop) {
    struct stat info {};
    if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return;
    is_file_ = true;
    if (!owned) return;
    total_ = static_cast<uint64_t>(info.st_size);
    // A hint that is allowed to fail.
    (void)::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  ~DescriptorSource() override {
    if (owned_) ::close(descriptor_);
  }
  DescriptorSource(const DescriptorSource&) = delete;
  DescriptorSource& operator=(const DescriptorSource&) = delete;

  Result<size_t> Read(std::span<char> dst) override {
    Result<size_t> count = ReadDescriptor(dst);
    if (count.ok()) done_ += *count;
    return count;
  }

  uint64_t bytes_done() const override { return done_; }
  uint64_t bytes_total() const override { return total_; }
  bool is_ready() const override { return is_file_ || Poll(0); }

 private:
  // Whether a read would not wait, within so long. What cannot be polled does not wait.
  bool Poll(int timeout_ms) const {
    pollfd one{.fd = descriptor_, .events = POLLIN, .revents = 0};
    return ::poll(&one, 1, timeout_ms) != 0;
  }

  // A thread that is in read() cannot be called back, so a pipe is read once it has something. A
  // signal handler may meanwhile have made the descriptor another one.
  Status WaitForPipe() const {
    constexpr int kLookEachMs = 20;
    if (is_file_ || stop_ == nullptr) return {};
    do {
      if (stop_->load(std::memory_order_relaxed))
        return Error(StatusCode::kCancelled, "{}: the reading was stopped", name_);
    } while (!Poll(kLookEachMs));
    return {};
  }

  Result<size_t> ReadDescriptor(std::span<char> dst) {
    while (true) {
      DSI_RETURN_IF_ERROR(WaitForPipe());
      const ssize_t count = ::read(descriptor_, dst.data(), dst.size());
      if (count >= 0) return static_cast<size_t>(count);
      if (errno == EINTR) continue;
      return Error(StatusCode::kIo, "{}: {}", name_, std::strerror(errno));
    }
  }

  int descriptor_;
  bool owned_;
  bool is_file_ = false;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
  std::string name_;
  const std::atomic<bool>* stop_;
};

// Reads of a pipe may be short, so the first bytes are collected before anyone looks at them, and
// handed out again first.
class PeekedSource : public ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  Result<std::string_view> Peek() {
    while (head_size_ < kPackingMagicBytes) {
      DSI_ASSIGN_OR_RETURN(const size_t count, source_->Read(std::span(head_).subspan(head_size_)));
      if (count == 0) break;
      head_size_ += count;
    }
    return std::string_view(head_.data(), head_size_);
  }

  Result<size_t> Read(std::span<char> dst) override {
    if (head_at_ == head_size_) return source_->Read(dst);
    const size_t count = std::min(dst.size(), head_size_ - head_at_);
    std::memcpy(dst.data(), head_.data() + head_at_, count);
    head_at_ += count;
    return count;
  }

  uint64_t bytes_done() const override { return source_->bytes_done() - (head_size_ - head_at_); }
  uint64_t bytes_total() const override { return source_->bytes_total(); }
  bool is_ready() const override { return head_at_ != head_size_ || source_->is_ready(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::array<char, kPackingMagicBytes> head_{};
  size_t head_size_ = 0;
  size_t head_at_ = 0;
};

Result<std::unique_ptr<ByteSource>> OpenUnpeeked(const std::string& path, const std::string& name,
                                                 const std::atomic<bool>* stop) {
  const auto of_descriptor = [&](int descriptor, bool owned) -> std::unique_ptr<ByteSource> {
    return std::make_unique<DescriptorSource>(descriptor, owned, name, stop);
  };
  if (path == "-") return of_descriptor(STDIN_FILENO, false);
  if (!SchemeOf(path).empty()) return OpenRangeSource(path);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const StatusCode code = errno == ENOENT ? StatusCode::kNotFound : StatusCode::kIo;
    return Error(code, "{}: {}", name, std::strerror(errno));
  }
  return of_descriptor(descriptor, true);
}

}  // namespace

Packing FindPacking(std::string_view head) {
  for (const Packing packing : kPackings) {
    if (head.starts_with(FactsOf(packing).magic)) return packing;
  }
  return Packing::kNone;
}

std::string_view EndingOf(Packing packing) {
  return packing == Packing::kNone ? std::string_view() : FactsOf(packing).ending;
}

std::string SourceName(const std::string& path) {
  if (path == "-") return "standard input";
  return SchemeOf(path).empty() ? path : WithoutSecrets(path);
}

std::string_view NameOfPath(std::string_view path) {
  return SchemeOf(path).empty() ? path : path.substr(0, path.find_first_of("?#"));
}

Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path, const std::string& name,
                                                   const std::atomic<bool>* stop) {
  DSI_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> unpeeked, OpenUnpeeked(path, name, stop));
  auto file = std::make_unique<PeekedSource>(std::move(unpeeked));
  DSI_ASSIGN_OR_RETURN(const std::string_view head, file->Peek());
  const Packing packing = FindPacking(head);
  if (packing != Packing::kNone) return MakeUnpacker(packing, std::move(file), name);
  for (const Packing named : kPackings) {
    if (NameOfPath(path).ends_with(EndingOf(named))) {
      return BadInput("{}: the name ends in {}, but the bytes are not {} data", name,
                      EndingOf(named), FactsOf(named).name);
    }
  }
  return std::unique_ptr<ByteSource>(std::move(file));
}

}  // namespace dsi::internal
