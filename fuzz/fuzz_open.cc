// Any bytes as a file: opening, everything the directory says, and verification. Each input is
// tried as it is and, where it opens or nearly does, with its seals made anew, so that what lies
// under the seals is reached. A finding or an error is fine; a crash, a hang or unbounded memory is
// not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "dsi/format/core_generated.h"
#include "dsi/format/wire_internal.h"
#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
#include "dsi/tests/support/reseal.h"

namespace {

using dsi::internal::kHeaderSize;
using dsi::internal::kTrailerSize;

void Try(std::vector<std::byte> bytes) {
  const auto reader = dsi::Reader::Open(dsi::OpenMemoryFile(std::move(bytes), "fuzz"));
  if (!reader.ok()) {
    // An error without words helps nobody.
    if (reader.status().message().empty()) std::abort();
    return;
  }
  const auto columns = (*reader)->Columns();
  if (columns.ok()) {
    for (const dsi::ColumnInfo& column : *columns) {
      const auto found = (*reader)->FindColumn(column.name);
      if (found.ok() && found->name != column.name) std::abort();
    }
  }
  (void)(*reader)->FindColumn("no such feature");
  (void)(*reader)->Groups();
  (void)(*reader)->schema();
  (void)(*reader)->Metadata();
  (void)(*reader)->Streams("");
  (void)(*reader)->Plan({});
  const auto damage = (*reader)->Verify();
  // What Verify calls sound, everything else must be able to read.
  if (damage.ok() && damage->empty() && !columns.ok()) std::abort();
}

// Header and trailer made to fit, so that the core footer is reached.
bool Repair(std::vector<std::byte>* bytes) {
  if (bytes->size() < kHeaderSize + kTrailerSize + 8 || bytes->size() % 8 != 0) return false;
  dsi::test::EditableFile file(*bytes);
  const uint64_t trailer = bytes->size() - kTrailerSize;
  const auto salt = file.Get<uint64_t>(16);
  dsi::internal::Header header{.salt = salt};
  header.EncodeTo(std::span<std::byte, kHeaderSize>(bytes->data(), kHeaderSize));
  dsi::internal::Trailer t;
  const auto size = file.Get<uint32_t>(trailer + 8);
  const uint64_t room = bytes->size() - kHeaderSize - kTrailerSize;
  t.core_size = size % 8 == 0 && size >= 8 && size <= room ? size : 8;
  t.core_offset = trailer - t.core_size;
  t.file_size = bytes->size();
  t.salt = salt;
  t.EncodeTo(std::span<std::byte, kTrailerSize>(bytes->data() + trailer, kTrailerSize));
  const auto* core = reinterpret_cast<const uint8_t*>(bytes->data() + t.core_offset);
  std::vector<uint64_t> aligned((t.core_size + 7) / 8);
  std::memcpy(aligned.data(), core, t.core_size);
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(aligned.data()), t.core_size, 8,
                                 64);
  const auto is_aligned = [](const uint8_t* p) { return reinterpret_cast<uintptr_t>(p) % 8 == 0; };
  dsi::test::EditableFile sealed(*bytes);
  if (verifier.VerifyBuffer<dsi::wire::CoreFooter>(nullptr) &&
      is_aligned(sealed.core().stripes()->Data()) && is_aligned(sealed.core().sections()->Data())) {
    sealed.Reseal();
  } else {
    sealed.ResealFooter();
  }
  *bytes = sealed.bytes();
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  Try(bytes);
  if (Repair(&bytes)) Try(std::move(bytes));
  return 0;
}
