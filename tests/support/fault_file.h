// Files that fail on demand, around any other file: what a reader or a writer must survive.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/io/file.h"

namespace dsi::test {

inline constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

struct ReadFaults {
  uint64_t fail_at = kNever;     // A read that touches this offset is kIo.
  uint64_t fail_call = kNever;   // The read with this number, from 0, is kIo; later ones work.
  uint64_t cut_at = kNever;      // The file ends here: size() says so and reads are kTruncated.
  uint64_t shorten_to = kNever;  // As cut_at, but size() is the old one: cut while open.
  std::vector<uint64_t> flip_bits = {};  // Bit b is bit b % 8 of byte b / 8.
  // Told of every read before it is made; must be thread-safe where reads are.
  std::function<void(uint64_t offset, uint64_t size)> on_read = {};
};

// Thread-safe as RandomAccessFile asks. `calls`, if given, counts reads and must outlive the file.
std::unique_ptr<RandomAccessFile> WithReadFaults(std::unique_ptr<RandomAccessFile> inner,
                                                 ReadFaults faults,
                                                 std::atomic<uint64_t>* calls = nullptr);

struct WriteFaults {
  uint64_t fail_at = kNever;    // The append that brings the file beyond this size fails.
  uint64_t fail_call = kNever;  // The append with this number, from 0, fails.
  std::function<void(uint64_t size)> on_append = {};  // Told of every append before it is made.
  bool fail_publish = false;                          // Publish fails and publishes nothing.
  StatusCode code = StatusCode::kIo;
};

// A failure is final, as it is for real files: every later call fails too.
std::unique_ptr<WritableFile> WithWriteFaults(std::unique_ptr<WritableFile> inner,
                                              WriteFaults faults);

}  // namespace dsi::test
