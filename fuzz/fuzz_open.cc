// Any bytes as a file: opening, everything the directory says, and verification. A finding or an
// error is fine; a crash, a hang or unbounded memory is not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "dsi/fuzz/sealed_mutator.h"
#include "dsi/io/file.h"
#include "dsi/reader/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  const auto reader = dsi::Reader::Open(dsi::OpenMemoryFile({begin, begin + size}, "fuzz"));
  if (!reader.ok()) {
    // An error without words helps nobody.
    if (reader.status().message().empty()) std::abort();
    return 0;
  }
  const auto columns = (*reader)->Columns();
  if (columns.ok()) {
    for (const dsi::ColumnInfo& column : *columns) {
      const auto found = (*reader)->FindColumn(column.name);
      if (found.ok() && found->name != column.name) std::abort();
    }
  }
  (void)(*reader)->FindColumn("no such feature");
  const bool groups = (*reader)->Groups().ok();
  const bool schema = (*reader)->schema().ok();
  const bool metadata = (*reader)->Metadata().ok();
  const bool streams = (*reader)->Streams("").ok();
  const bool plan = (*reader)->Plan({}).ok();
  const auto damage = (*reader)->Verify();
  // What Verify calls sound, everything else must be able to read.
  const bool sound = damage.ok() && damage->empty();
  if (sound && !(columns.ok() && groups && schema && metadata && streams && plan)) std::abort();
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  return dsi::internal::fuzz::MutateSealed(data, size, max_size, seed);
}
