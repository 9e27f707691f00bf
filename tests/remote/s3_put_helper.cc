// Puts a file where no object is, for the script tests, with parts as small as they like.
//
//   s3_put_helper URL FILE [part_bytes=N] [single_bytes=N] [parallel=N] [max_tries=N]
//   [cancel_after=N]
//
// Says "ok" or "error CODE MESSAGE". cancel_after: times that it may be asked whether to go on.
#include <cstdlib>
#include <iostream>
#include <string>

#include "dsi/io/file.h"
#include "dsi/io/s3_writes_internal.h"

namespace {

dsi::Status Put(const std::string& url, const std::string& path, const dsi::OpenOptions& options,
                const dsi::internal::S3PutOptions& put) {
  DSI_ASSIGN_OR_RETURN(const auto file, dsi::OpenLocalFile(path));
  DSI_ASSIGN_OR_RETURN(const auto writes, dsi::internal::S3Writes::Make(options));
  return writes->PutNew(url, *file, put);
}

}  // namespace

int main(int argc, char** argv) {
  dsi::OpenOptions options;
  dsi::internal::S3PutOptions put;
  if (argc < 3) return 2;
  for (int i = 3; i < argc; ++i) {
    const std::string text = argv[i];
    const size_t equals = text.find('=');
    if (equals == std::string::npos) return 2;
    const std::string name = text.substr(0, equals);
    const uint64_t number = std::strtoull(text.c_str() + equals + 1, nullptr, 10);
    if (name == "part_bytes")
      put.part_bytes = number;
    else if (name == "single_bytes")
      put.single_bytes = number;
    else if (name == "parallel")
      put.parallel = static_cast<uint32_t>(number);
    else if (name == "max_tries")
      options.remote.max_tries = static_cast<uint32_t>(number);
    else if (name == "cancel_after")
      put.go_on = [left = number]() mutable { return left-- != 0; };
    else
      return 2;
  }
  const dsi::Status status = Put(argv[1], argv[2], options, put);
  if (status.ok()) {
    std::cout << "ok" << std::endl;
    return 0;
  }
  std::cout << "error " << dsi::StatusCodeName(status.code()) << " " << status.message()
            << std::endl;
  return 3;
}
