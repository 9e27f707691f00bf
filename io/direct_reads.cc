#include "dsi/io/direct_reads_internal.h"

#include <liburing.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/io/descriptor_internal.h"

namespace dsi::internal {
namespace {

// Every disk's blocks divide it, and so does a page of memory.
constexpr uint64_t kBlock = 4096;
// Of one read, and how many are in flight: what brought an NVMe disk to its rate.
constexpr uint64_t kChunk = 256 << 10;
constexpr uint32_t kChunks = 32;
// The system may ask to come back later.
constexpr int kMostRefusals = 1000;

// Whole blocks of the file, and what of them goes where.
struct Chunk {
  uint64_t begin = 0;
  uint64_t end = 0;       // Of the blocks.
  uint64_t expected = 0;  // Bytes up to here are in the file.
  uint64_t wanted = 0;    // Where dst begins.
  std::span<std::byte> dst;
};

// All requests, chunk by chunk.
class Chunks {
 public:
  Chunks(std::span<const ReadRequest> requests, uint64_t file_size)
      : requests_(requests), file_size_(file_size) {}

  // False: there are no more.
  bool Next(Chunk* chunk) {
    while (!requests_.empty() && done_ == requests_.front().dst.size()) {
      requests_ = requests_.subspan(1);
      done_ = 0;
    }
    if (requests_.empty()) return false;
    const ReadRequest& request = requests_.front();
    chunk->wanted = request.offset + done_;
    chunk->begin = chunk->wanted / kBlock * kBlock;
    const uint64_t end = std::min(request.offset + request.dst.size(), chunk->begin + kChunk);
    chunk->end = (end + kBlock - 1) / kBlock * kBlock;
    chunk->expected = std::min(chunk->end, file_size_);
    chunk->dst = request.dst.subspan(done_, end - chunk->wanted);
    done_ += chunk->dst.size();
    return true;
  }

 private:
  std::span<const ReadRequest> requests_;
  uint64_t file_size_;
  size_t done_ = 0;  // Of the first of them.
};

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};

}  // namespace

class DirectReads::Impl {
 public:
  Impl(std::byte* memory, bool use_ring) : memory_(memory), slots_(kChunks) {
    has_ring_ = use_ring && ::io_uring_queue_init(kChunks, &ring_, 0) == 0;
  }
  ~Impl() {
    if (has_ring_) ::io_uring_queue_exit(&ring_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool has_ring() const { return has_ring_; }
  Status ReadOneByOne(int fd, uint64_t size, const std::string& path,
                      std::span<const ReadRequest> requests);
  Status ReadTogether(int fd, uint64_t size, const std::string& path,
                      std::span<const ReadRequest> requests);

 private:
  struct Slot {
    Chunk chunk;
    uint64_t done = 0;  // Bytes of the chunk that are there.
  };

  std::byte* BufferOf(size_t slot) const { return memory_.get() + slot * kChunk; }
  bool Queue(int fd, size_t slot);
  Status Submit(const std::string& path);
  // Takes the result of a read: true where the chunk is whole.
  Result<bool> Take(size_t slot, int64_t result, const std::string& path);

  std::unique_ptr<std::byte, FreeMemory> memory_;
  std::vector<Slot> slots_;
  io_uring ring_{};
  bool has_ring_ = false;
  uint32_t num_in_flight_ = 0;
};

Result<bool> DirectReads::Impl::Take(size_t index, int64_t result, const std::string& path) {
  Slot& slot = slots_[index];
  const Chunk& chunk = slot.chunk;
  if (result == -EINTR || result == -EAGAIN) return false;
  if (result == -EINVAL) return Error(StatusCode::kUnsupported, "{}: no direct reads", path);
  const uint64_t at = chunk.begin + slot.done;
  if (result < 0) {
    return SystemError(path, fmt::format("reading {} bytes at offset {}", chunk.end - at, at),
                       static_cast<int>(-result));
  }
  slot.done += static_cast<uint64_t>(result);
  const uint64_t wanted_end = chunk.wanted + chunk.dst.size();
  if (chunk.begin + slot.done < wanted_end) {
    // Reads go on at a block; a file that ends within one was shortened.
    if (result != 0 && slot.done % kBlock == 0) return false;
    return Error(StatusCode::kTruncated,
                 "{}: the file ends at offset {} and had at least {} bytes when it was opened: it "
                 "was shortened meanwhile",
                 path, chunk.begin + slot.done, chunk.expected);
  }
  std::memcpy(chunk.dst.data(), BufferOf(index) + (chunk.wanted - chunk.begin), chunk.dst.size());
  return true;
}

Status DirectReads::Impl::ReadOneByOne(int fd, uint64_t size, const std::string& path,
                                       std::span<const ReadRequest> requests) {
  Chunks chunks(requests, size);
  Slot& slot = slots_[0];
  while (chunks.Next(&slot.chunk)) {
    slot.done = 0;
    for (bool is_whole = false; !is_whole;) {
      const uint64_t at = slot.chunk.begin + slot.done;
      const ssize_t got =
          ::pread(fd, BufferOf(0) + slot.done, slot.chunk.end - at, static_cast<off_t>(at));
      DSI_ASSIGN_OR_RETURN(is_whole, Take(0, got < 0 ? -errno : got, path));
    }
  }
  return Status::Ok();
}

// False: the queue is full, which as many entries as slots never are.
bool DirectReads::Impl::Queue(int fd, size_t index) {
  io_uring_sqe* const entry = ::io_uring_get_sqe(&ring_);
  if (entry == nullptr) return false;
  const Slot& slot = slots_[index];
  const uint64_t at = slot.chunk.begin + slot.done;
  ::io_uring_prep_read(entry, fd, BufferOf(index) + slot.done,
                       static_cast<unsigned>(slot.chunk.end - at), at);
  ::io_uring_sqe_set_data64(entry, index);
  ++num_in_flight_;
  return true;
}

// Hands over what is queued and waits for one read to be done.
Status DirectReads::Impl::Submit(const std::string& path) {
  for (int refusals = 0;; ++refusals) {
    const int code = ::io_uring_submit_and_wait(&ring_, 1);
    if (code >= 0) return Status::Ok();
    if (code == -EINTR) continue;
    const bool may_pass = code == -EAGAIN || code == -EBUSY;
    if (!may_pass || refusals >= kMostRefusals) return SystemError(path, "io_uring", -code);
    // What is done already makes room.
    if (::io_uring_cq_ready(&ring_) > 0) return Status::Ok();
    ::usleep(100);
  }
}

Status DirectReads::Impl::ReadTogether(int fd, uint64_t size, const std::string& path,
                                       std::span<const ReadRequest> requests) {
  Chunks chunks(requests, size);
  std::vector<size_t> idle;
  for (size_t i = kChunks; i > 0; --i) idle.push_back(i - 1);
  bool has_more = true;
  Status first_error;
  while (true) {
    while (has_more && first_error.ok() && !idle.empty()) {
      Slot& slot = slots_[idle.back()];
      has_more = chunks.Next(&slot.chunk);
      slot.done = 0;
      if (!has_more || !Queue(fd, idle.back())) break;
      idle.pop_back();
    }
    // After an error too: buffers are read into until all are done.
    if (num_in_flight_ == 0) return first_error;
    if (const Status status = Submit(path); !status.ok()) {
      // Nobody knows until when what was begun is written into the buffers.
      (void)memory_.release();
      return status;
    }
    io_uring_cqe* entry = nullptr;
    while (::io_uring_peek_cqe(&ring_, &entry) == 0 && entry != nullptr) {
      const auto index = static_cast<size_t>(::io_uring_cqe_get_data64(entry));
      const int64_t result = entry->res;
      ::io_uring_cqe_seen(&ring_, entry);
      --num_in_flight_;
      const auto is_whole = Take(index, result, path);
      if (!is_whole.ok() && first_error.ok()) first_error = is_whole.status();
      if (!is_whole.ok() || *is_whole || !first_error.ok()) {
        idle.push_back(index);
      } else {
        (void)Queue(fd, index);
      }
    }
  }
}

std::unique_ptr<DirectReads> DirectReads::Make(bool use_ring) {
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(kBlock, kChunk * kChunks));
  if (memory == nullptr) return nullptr;
  return std::unique_ptr<DirectReads>(
      new DirectReads(std::make_unique<Impl>(memory, use_ring), ::getpid()));
}

DirectReads::DirectReads(std::unique_ptr<Impl> impl, pid_t process)
    : impl_(std::move(impl)), process_(process) {}
DirectReads::~DirectReads() = default;

bool DirectReads::has_ring() const { return impl_->has_ring(); }

Status DirectReads::Read(int fd, uint64_t size, const std::string& path,
                         std::span<const ReadRequest> requests) {
  return impl_->has_ring() ? impl_->ReadTogether(fd, size, path, requests)
                           : impl_->ReadOneByOne(fd, size, path, requests);
}

}  // namespace dsi::internal
