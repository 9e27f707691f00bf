// Texts by which keys of S3 are found: a file of profiles, the JSON of programs, containers and
// machines, and XML of a service. Keys that are taken fit into a header.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dsi/io/aws/aws_keys_internal.h"
#include "dsi/io/aws/ini_file_internal.h"
#include "dsi/io/xml_walk_internal.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

bool IsHeader(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = dsi::internal::ParseIni(text, "file");
  if (!file.ok()) Require(file.status().message().starts_with("file:"));
  const auto keys = dsi::internal::ReadKeysJson(text, "source");
  if (keys.ok()) {
    Require(!keys->access_key_id.empty() && IsHeader(keys->access_key_id));
    Require(!keys->secret_access_key.empty() && IsHeader(keys->session_token));
  }
  (void)dsi::internal::WalkXml(text,
                               [](std::string_view, const auto&) { return dsi::Status::Ok(); });
  return 0;
}
