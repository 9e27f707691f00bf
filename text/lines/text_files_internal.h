// The files of a text, opened one after another.
//
// Thread safety: one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/text/lines/line_source_internal.h"
#include "dsi/text/lines/time_forms_internal.h"
#include "dsi/text/text_input.h"

namespace dsi::internal {

// By the ending of a name, before that of a packer; kFromName: it does not tell.
TextFormat FormatOfName(std::string_view name);

class TextFiles {
 public:
  // The format is that of the options, else what all names say. kInvalidArgument: no file, too
  // many, names that say different things, or options that break a rule.
  static Result<TextFiles> Create(std::vector<TextFile> files, const TextInputOptions& options);

  TextFormat format() const { return format_; }
  const TimeForms& times() const { return times_; }
  size_t size() const { return files_.size(); }
  // Files opened so far.
  size_t opened() const { return opened_; }
  const std::string& Path(size_t file) const { return files_[file].path; }
  // As messages call it.
  std::string Name(size_t file) const;
  std::vector<std::string> Names() const;

  // Opens the next file; there is one. A flag that is set ends the waiting for a pipe (kCancelled).
  Result<std::unique_ptr<ByteSource>> OpenBytes(const std::atomic<bool>* stop = nullptr);
  Result<std::unique_ptr<LineSource>> OpenNext();
  // Whether nobody has to wait for the next one to open, nor asked to be told before.
  bool OpensAtOnce() const { return OpensAtOnce(files_[opened_]); }
  bool AllOpenAtOnce() const;
  // Sizes of all files; 0 where one has none, as pipes.
  uint64_t CountBytes() const;

 private:
  static bool OpensAtOnce(const TextFile& file);
  TextFiles(std::vector<TextFile> files, TextFormat format, TimeForms times,
            uint64_t max_line_bytes)
      : files_(std::move(files)),
        format_(format),
        times_(std::move(times)),
        max_line_bytes_(max_line_bytes) {}

  std::vector<TextFile> files_;
  TextFormat format_;
  TimeForms times_;
  uint64_t max_line_bytes_;
  size_t opened_ = 0;
};

}  // namespace dsi::internal
