// Any text is either refused or read into a schema whose own text reads back to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dsi/format/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const dsi::Result<dsi::Schema> schema = dsi::Schema::FromJson(text);
  if (!schema.ok()) {
    if (schema.status().message().empty()) std::abort();
    return 0;
  }
  if (!schema->Validate().ok()) std::abort();
  const std::string written = *schema->ToJson();
  const dsi::Result<dsi::Schema> again = dsi::Schema::FromJson(written);
  if (!again.ok() || *again->ToJson() != written) std::abort();
  return 0;
}
