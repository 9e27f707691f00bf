#include "dsi/tools/input_spool_internal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/io/descriptor_internal.h"
#include "dsi/text/lines/byte_source_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;
constexpr int kLevel = 1;  // Faster than a disk, and rows of text shrink to a fifth.

// Appends bytes to a file, packed or as they are.
class Packer {
 public:
  explicit Packer(ScratchFile* file) : file_(*file), out_(ZSTD_CStreamOutSize()) {}

  Status Start(bool pack) {
    if (!pack) return Status::Ok();
    stream_.reset(ZSTD_createCCtx());
    if (stream_ == nullptr) return internal::OutOfMemory();
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_compressionLevel, kLevel);
    return Status::Ok();
  }

  Status Append(std::string_view bytes) {
    if (stream_ == nullptr) return file_.Append(bytes);
    return Run(bytes, ZSTD_e_continue);
  }

  Status Finish() {
    if (stream_ != nullptr) DSI_RETURN_IF_ERROR(Run({}, ZSTD_e_end));
    return file_.Flush();
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* stream) const { ZSTD_freeCCtx(stream); }
  };

  Status Run(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    size_t left = 0;
    do {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      left = ZSTD_compressStream2(stream_.get(), &out, &in, directive);
      if (ZSTD_isError(left) != 0) return internal::OutOfMemory();
      DSI_RETURN_IF_ERROR(file_.Append({out_.data(), out.pos}));
    } while (in.pos < in.size || (directive == ZSTD_e_end && left != 0));
    return Status::Ok();
  }

  ScratchFile& file_;
  std::unique_ptr<ZSTD_CCtx, Free> stream_;
  std::vector<char> out_;
};

}  // namespace

bool CanBeReadTwice(const std::string& path) {
  if (path == "-") return false;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return true;
  return S_ISDIR(info.st_mode) || S_ISBLK(info.st_mode) ||
         (S_ISREG(info.st_mode) && info.st_size > 0);
}

StandardInput::StandardInput() : first_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)) {}

bool StandardInput::Is(const std::string& path) {
  return path == "-" || path == "/dev/stdin" || path == "/dev/fd/0" || path == "/proc/self/fd/0";
}

Status StandardInput::Become(const std::string& path) {
  if (Is(path)) {
    if (first_.valid()) dup2(first_.get(), STDIN_FILENO);
    return CheckInterrupt();
  }
  while (true) {
    const internal::Descriptor input(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (input.valid() && dup2(input.get(), STDIN_FILENO) >= 0) return CheckInterrupt();
    const int error = errno;
    DSI_RETURN_IF_ERROR(CheckInterrupt());
    if (error != EINTR) return internal::SystemError(path, "cannot open", error);
  }
}

Result<InputSpool> InputSpool::Copy(const std::string& name, const std::string& folder,
                                    Progress* progress) {
  DSI_ASSIGN_OR_RETURN(ScratchFile file, ScratchFile::Create(folder));
  Packer packer(&file);
  std::vector<char> block(kReadBytes);
  uint64_t bytes_in = 0;
  size_t held = 0;  // Reads of a pipe may be short, and the first bytes say what they are.
  bool started = false;
  while (progress->Update("reading", bytes_in, 0, ProgressUnit::kBytes)) {
    const ssize_t n = read(STDIN_FILENO, block.data() + held, block.size() - held);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return internal::SystemError(name, "cannot read", errno);
    bytes_in += static_cast<uint64_t>(n);
    held += static_cast<size_t>(n);
    if (n != 0 && !started && held < internal::kPackingMagicBytes) continue;
    const std::string_view bytes(block.data(), held);
    if (!started) {
      DSI_RETURN_IF_ERROR(packer.Start(internal::FindPacking(bytes) == internal::Packing::kNone));
      started = true;
    }
    DSI_RETURN_IF_ERROR(packer.Append(bytes));
    held = 0;
    if (n == 0) break;
  }
  DSI_RETURN_IF_ERROR(CheckInterrupt());
  DSI_RETURN_IF_ERROR(packer.Finish());
  return InputSpool(std::move(file), bytes_in);
}

}  // namespace dsi::tools
