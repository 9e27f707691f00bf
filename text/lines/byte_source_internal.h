// A stream of bytes that is read once from front to back: a file, of this machine or behind a URL,
// a pipe or standard input, with gzip, zstd or LZ4 taken off on the way.
//
// Thread safety: one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dsi/base/status.h"

namespace dsi::internal {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills a part of dst, at least one byte; 0 at the end. Errors name the source: kIo, kTruncated
  // (compressed data end early), kBadInput (compressed data are damaged).
  virtual Result<size_t> Read(std::span<char> dst) = 0;
  // Bytes taken from the file itself, before anything is decompressed, and its size; 0 unknown.
  virtual uint64_t bytes_done() const = 0;
  virtual uint64_t bytes_total() const = 0;
  // False where Read might wait for who writes into a pipe.
  virtual bool is_ready() const = 0;
};

// Opens a file, what a URL names (OpenUri), or standard input for "-". Compression is found by the
// first bytes, so that a pipe may be compressed too; a path with the ending of a packing whose
// bytes say otherwise is kBadInput. Messages call it `name`. Where *stop (may be null, else
// outlives it) is set, by any thread, nobody waits for a pipe any longer: kCancelled.
Result<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path, const std::string& name,
                                                   const std::atomic<bool>* stop = nullptr);

enum class Packing : uint8_t { kNone, kGzip, kZstd, kLz4 };
inline constexpr size_t kPackingMagicBytes = 4;
// By the first bytes, up to kPackingMagicBytes of them.
Packing FindPacking(std::string_view head);
// Endings of names: ".gz", ".zst", ".lz4"; empty where there is none.
std::string_view EndingOf(Packing packing);
inline constexpr Packing kPackings[] = {Packing::kGzip, Packing::kZstd, Packing::kLz4};

// As it stands in messages: the path, a URL without what may be secret in it, or "standard input".
std::string SourceName(const std::string& path);
// Without what stands behind the name in a URL.
std::string_view NameOfPath(std::string_view path);

// Of what a URL names, some megabytes at a time.
Result<std::unique_ptr<ByteSource>> OpenRangeSource(const std::string& uri);

// Takes the packing off; kNone: gives back what it got.
std::unique_ptr<ByteSource> MakeUnpacker(Packing packing, std::unique_ptr<ByteSource> packed,
                                         std::string name);

}  // namespace dsi::internal
