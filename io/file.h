// Named bytes in and out. Small interfaces, so that local files, memory and object stores (open.h)
// serve the same reader and writer.
//
// Errors: kNotFound, kAlreadyExists, kIo (with the system's text), kTruncated (fewer bytes than
// asked for); every message names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"

namespace dsi {

// A range of bytes to read, and where to put it.
struct ReadRequest {
  uint64_t offset = 0;
  std::span<std::byte> dst;
};

// What a read costs: latency_s until its first byte is there, then bytes_per_s.
struct SourceCosts {
  double latency_s = 0;
  double bytes_per_s = 0;
};

// Assumed where nobody says better. Memory: a cache miss and a copy. Local: one queue of an NVMe
// disk. HTTP and S3: what one connection to a server of the same region or an object store gives.
inline constexpr SourceCosts kMemoryCosts{1e-7, 1e10};
inline constexpr SourceCosts kLocalCosts{8e-5, 2e9};
inline constexpr SourceCosts kHttpCosts{3e-2, 1e8};
inline constexpr SourceCosts kS3Costs{3e-2, 1e8};

// Bytes that take as long as the latency: what may be read along to save waiting once more.
DSI_EXPORT uint64_t BytesOfLatency(const SourceCosts& costs);
// The longest gap between two ranges of one ReadMany that are worth being one read. Several reads
// are supposed to be in flight, so that one more costs a share of the latency.
DSI_EXPORT uint64_t GapWorthReading(const SourceCosts& costs);

// Bytes that do not change while open. Thread safety: ReadAt and ReadMany may be called from many
// threads at once.
class DSI_EXPORT RandomAccessFile {
 public:
  virtual ~RandomAccessFile();
  // Size when opened, in bytes.
  virtual uint64_t size() const = 0;
  // Fills dst from `offset`, or fails: short reads and EINTR are retried; an end before dst is full
  // is kTruncated.
  virtual Status ReadAt(uint64_t offset, std::span<std::byte> dst) const = 0;
  // Fills all or fails, and then what the requests hold is not said. They may come in any order,
  // touch and overlap; their memory may not. One call is one step of latency where the source has
  // several reads in flight. Default: ReadAt of one after the other. Errors: those of ReadAt.
  virtual Status ReadMany(std::span<const ReadRequest> requests) const;
  // Default: kLocalCosts.
  virtual SourceCosts costs() const;
  // For messages.
  virtual const std::string& name() const = 0;
};

// A new file that nobody sees until Publish. Thread safety: one thread at a time. Destruction
// without Publish leaves nothing behind.
class DSI_EXPORT WritableFile {
 public:
  virtual ~WritableFile();
  virtual Status Append(std::span<const std::byte> bytes) = 0;
  // Makes the bytes durable under the final name, atomically: at any crash the name shows the old
  // state or the whole new file. Once.
  virtual Status Publish() = 0;
  virtual const std::string& name() const = 0;
};

struct LocalOptions {
  // Reads past the system's page cache (O_DIRECT), through aligned buffers: for files that are read
  // once and are larger than memory. Where the file system has no such reads, as without.
  bool direct = false;
};
// Opens a regular file for reading. Anything else (folder, FIFO, device) is kInvalidArgument.
// O_CLOEXEC; sized once.
DSI_EXPORT Result<std::unique_ptr<RandomAccessFile>> OpenLocalFile(
    const std::string& path, const LocalOptions& options = {});

// Serves bytes held in memory, which it owns. Null: no memory.
DSI_EXPORT std::unique_ptr<RandomAccessFile> OpenMemoryFile(std::vector<std::byte> bytes,
                                                            std::string name);

struct CreateOptions {
  bool overwrite = false;  // Replace an existing file at Publish; else kAlreadyExists, checked at
                           // creation and again at Publish.
};
// Starts a temporary file in the same folder as path (".<name>.<pid>.<n>.tmp", O_EXCL, mode 0666
// less umask, or owner and mode of the file that it replaces). Publish: flush, fsync, close, rename
// (RENAME_NOREPLACE unless overwrite), fsync of the folder. A failed fsync is final. Appends are
// buffered (1 MiB).
DSI_EXPORT Result<std::unique_ptr<WritableFile>> CreateLocalFile(const std::string& path,
                                                                 const CreateOptions& options);

// Collects the bytes in memory: *sink holds the whole file after Publish and is untouched before.
// sink must outlive the file. Null: no memory, or no sink.
DSI_EXPORT std::unique_ptr<WritableFile> CreateMemoryFile(std::vector<std::byte>* sink,
                                                          std::string name);

}  // namespace dsi
