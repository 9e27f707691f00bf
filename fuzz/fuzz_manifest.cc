// Any text is either refused or read into a manifest whose own text reads back to the same; a list
// of S3, a folder of an HTTP server and a message of a staged file are read from the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dsi/dataset/files/http_folder_internal.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/dataset/files/s3_answer_internal.h"
#include "dsi/dataset/table/staged_file_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto answer = dsi::internal::ParseS3Answer(text);
  if (!answer.ok() && answer.status().message().empty()) std::abort();
  if (const auto folder = dsi::internal::ParseHttpFolder(text); folder.ok()) {
    if (folder->folders.size() + folder->files.size() > folder->num_entries) std::abort();
    // None leads out of the folder.
    for (const auto* names : {&folder->folders, &folder->files}) {
      for (const std::string& name : *names) {
        if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos) std::abort();
      }
    }
  } else if (folder.status().message().empty()) {
    std::abort();
  }
  if (const auto message = dsi::internal::ParseMessage(text); message.ok()) {
    const std::string told = dsi::internal::MessageToJson(*message);
    const auto same = dsi::internal::ParseMessage(told);
    if (!same.ok() || dsi::internal::MessageToJson(*same) != told) std::abort();
  }
  const auto manifest = dsi::internal::ParseManifest(text);
  if (!manifest.ok()) {
    if (manifest.status().message().empty()) std::abort();
    return 0;
  }
  const std::string written = dsi::internal::ManifestToJson(*manifest);
  const auto again = dsi::internal::ParseManifest(written);
  if (!again.ok() || dsi::internal::ManifestToJson(*again) != written) std::abort();
  return 0;
}
