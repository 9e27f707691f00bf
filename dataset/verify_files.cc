#include "dsi/dataset/verify_files.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/base/parallel_internal.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/files/named_files_internal.h"
#include "dsi/reader/reader.h"

namespace dsi {
namespace {

struct NamedFile {
  std::string path;
  std::optional<internal::FileFacts> told;  // By a manifest.
};

Result<std::vector<NamedFile>> FindFiles(std::span<const std::string> where,
                                         const OpenOptions& open) {
  if (where.empty()) return internal::InvalidArgument("no file is named");
  std::vector<NamedFile> found;
  for (const std::string& name : where) {
    DSI_ASSIGN_OR_RETURN(internal::NamedFiles named, internal::FindNamed(name, open));
    for (std::string& path : named.paths) found.push_back({std::move(path), std::nullopt});
    if (!named.manifest) continue;
    for (size_t i = 0; i < named.manifest->paths.size(); ++i)
      found.push_back({std::move(named.manifest->paths[i]), std::move(named.manifest->facts[i])});
  }
  return found;
}

// Of a file that ends in an unfinished append: how long it was before; else 0.
uint64_t WholeBytes(const std::string& path, const OpenOptions& open) {
  const auto whole = Reader::FindLastFile(path);
  const auto file = OpenUri(path, open);
  return whole.ok() && file.ok() && *whole < (*file)->size() ? *whole : 0;
}

class Verifier {
 public:
  Verifier(std::vector<NamedFile> files, const VerifyFilesOptions& options)
      : files_(std::move(files)), options_(options), is_judged_(files_.size()) {
    verdict_.files.resize(files_.size());
    now_.files_total = files_.size();
  }

  Status Run() {
    const uint32_t asked = std::min<uint32_t>(options_.threads, 1024);
    const auto judge = [&](size_t i) -> Status {
      DSI_RETURN_IF_ERROR(Judge(i));
      return Tell(i);
    };
    return internal::ParallelFor(files_.size(), internal::NumThreads(static_cast<int>(asked)),
                                 judge, [] { return Status::Ok(); });
  }

  FilesVerdict Take() { return std::move(verdict_); }

 private:
  // Only what cancels is an error.
  Status Judge(size_t i) {
    FileVerdict& verdict = verdict_.files[i];
    verdict.path = files_[i].path;
    const auto reader = Open(files_[i].path);
    if (!reader.ok()) {
      // Damage found on opening counts as damage.
      Settle({.status = reader.status(), .where = ""}, &verdict);
      if (!verdict.damage.empty()) verdict.whole_bytes = WholeBytes(files_[i].path, options_.open);
      return Status::Ok();
    }
    const FileInfo& info = (*reader)->info();
    verdict.bytes = info.file_bytes;
    verdict.num_rows = info.num_rows;
    verdict.is_overlay = info.overlay.has_value();
    if (files_[i].told) {
      for (const auto& [what, found, told] : internal::DifferencesOf(**reader, *files_[i].told))
        verdict.damage.push_back(
            {.status = internal::Corrupt("{} {}, the manifest says {}", what, found, told),
             .where = "the file as a whole"});
    }
    {
      const std::lock_guard lock(mutex_);
      now_.bytes_total += info.file_bytes;
    }
    uint64_t done = 0;
    VerifyOptions options{.memory_bytes = options_.memory_bytes};
    options.progress = [&](const VerifyProgress& now) {
      const std::lock_guard lock(mutex_);
      now_.bytes_done += now.bytes_done - std::exchange(done, now.bytes_done);
      return !options_.progress || options_.progress(now_);
    };
    auto damage = (*reader)->Verify(options);
    if (damage.status().code() == StatusCode::kCancelled) return damage.status();
    if (!damage.ok()) {
      Settle({.status = damage.status(), .where = ""}, &verdict);
      return Status::Ok();
    }
    for (Damage& found : *damage) Settle(std::move(found), &verdict);
    return Status::Ok();
  }

  Result<std::unique_ptr<Reader>> Open(const std::string& path) const {
    DSI_ASSIGN_OR_RETURN(auto file, OpenUri(path, options_.open));
    return Reader::Open(std::move(file));
  }

  static void Settle(Damage found, FileVerdict* verdict) {
    switch (found.status.code()) {
      case StatusCode::kCorrupt:
      case StatusCode::kTruncated:
      case StatusCode::kNotDsi:
        return verdict->damage.push_back(std::move(found));
      case StatusCode::kUnsupported:
        return verdict->unsupported.push_back(std::move(found));
      default:
        verdict->failure = std::move(found.status);
    }
  }

  // Of this file and those behind it that are judged, unless one before them is not.
  Status Tell(size_t i) {
    const std::lock_guard lock(mutex_);
    is_judged_[i] = true;
    ++now_.files_done;
    for (; next_ < files_.size() && is_judged_[next_]; ++next_) {
      if (options_.on_file) DSI_RETURN_IF_ERROR(options_.on_file(verdict_.files[next_]));
    }
    if (options_.progress && !options_.progress(now_))
      return internal::Error(StatusCode::kCancelled, "cancelled by its progress");
    return Status::Ok();
  }

  const std::vector<NamedFile> files_;
  const VerifyFilesOptions& options_;
  FilesVerdict verdict_;
  std::mutex mutex_;  // Of these three.
  VerifyFilesProgress now_;
  std::vector<bool> is_judged_;
  size_t next_ = 0;  // The first that was not told of.
};

}  // namespace

std::string_view FileStateName(FileState state) {
  switch (state) {
    case FileState::kSound:
      return "sound";
    case FileState::kUnsupported:
      return "unsupported";
    case FileState::kUnreadable:
      return "unreadable";
    case FileState::kDamaged:
      return "damaged";
  }
  return "";
}

FileState FileVerdict::state() const {
  if (!damage.empty()) return FileState::kDamaged;
  if (!failure.ok()) return FileState::kUnreadable;
  return unsupported.empty() ? FileState::kSound : FileState::kUnsupported;
}

Result<FilesVerdict> VerifyFiles(std::span<const std::string> where,
                                 const VerifyFilesOptions& options) {
  return internal::NoThrow([&]() -> Result<FilesVerdict> {
    VerifyFilesOptions shared = options;
    ShareCredentials(&shared.open);
    DSI_ASSIGN_OR_RETURN(std::vector<NamedFile> files, FindFiles(where, shared.open));
    Verifier verifier(std::move(files), shared);
    DSI_RETURN_IF_ERROR(verifier.Run());
    FilesVerdict verdict = verifier.Take();
    const auto count = [&](auto&& is_so) {
      return std::count_if(verdict.files.begin(), verdict.files.end(), is_so);
    };
    const auto num_files = static_cast<std::ptrdiff_t>(verdict.files.size());
    const bool is_whole =
        count([](const FileVerdict& file) { return file.state() >= FileState::kUnreadable; }) == 0;
    const auto num_overlays = count([](const FileVerdict& file) { return file.is_overlay; });
    // Beside files that may be their bases, overlays are to fit one of them.
    if (is_whole && num_overlays != 0 && num_overlays != num_files) {
      DatasetOptions open;
      open.open = shared.open;
      verdict.together = Dataset::Open(where, open).status();
    }
    return verdict;
  });
}

}  // namespace dsi
