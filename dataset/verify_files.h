// Whether files are as they were written: what Reader::Verify tells of one, for all that names
// stand for. A file that is damaged or gone does not keep the others from being looked at.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/io/open.h"
#include "dsi/reader/verify_options.h"

namespace dsi {

// From good to bad.
enum class FileState : uint8_t { kSound, kUnsupported, kUnreadable, kDamaged };
DSI_EXPORT std::string_view FileStateName(FileState state);  // "sound"

struct DSI_EXPORT FileVerdict {
  std::string path;
  uint64_t bytes = 0;  // These two of a file that could be opened.
  uint64_t num_rows = 0;
  bool is_overlay = false;
  std::vector<Damage> damage;       // What is not as it was written, or as a manifest says …
  std::vector<Damage> unsupported;  // … and what only a newer reader can judge.
  uint64_t whole_bytes = 0;         // Where it ends in an unfinished append: those before (F-035).
  Status failure = Status::Ok();    // It could not be judged to its end: kNotFound, kIo.

  // A file known to be damaged is no less so where it could not be read to its end.
  FileState state() const;
};

struct VerifyFilesProgress {
  uint64_t files_done = 0;
  uint64_t files_total = 0;
  uint64_t bytes_done = 0;
  uint64_t bytes_total = 0;  // Of the files that were begun.
};

struct VerifyFilesOptions {
  OpenOptions open;
  uint32_t threads = 1;  // Files looked at at the same time; 0: as many as there are cores.
  uint64_t memory_bytes = VerifyOptions().memory_bytes;  // For each of these.
  // Told how far it is, by one thread at a time; may cancel by returning false (kCancelled).
  std::function<bool(const VerifyFilesProgress&)> progress = {};
  // Told of each file, in their order and as early as can be, by one thread at a time; what it
  // returns, unless kOk, ends the call.
  std::function<Status(const FileVerdict&)> on_file = {};
};

struct FilesVerdict {
  std::vector<FileVerdict> files;
  // Of sound files: kBadInput where an overlay among them fits none of the others (spec DS-041).
  Status together = Status::Ok();
};

// Names are those that Dataset::Open takes. Of a manifest or a table each file must also have the
// bytes, the fingerprint and the rows that it says. Errors, of the names and not of the files:
// kNotFound, kIo, kInvalidArgument, kBadInput (a manifest); kCancelled.
DSI_EXPORT Result<FilesVerdict> VerifyFiles(std::span<const std::string> where,
                                            const VerifyFilesOptions& options = {});

}  // namespace dsi
