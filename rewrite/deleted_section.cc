#include "dsi/rewrite/deleted_section_internal.h"

#include <algorithm>
#include <array>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/codecs/encoded_array_internal.h"
#include "dsi/format/core_internal.h"
#include "dsi/format/wire_internal.h"
#include "dsi/writer/publish/file_sink_internal.h"

namespace dsi::internal {
namespace {

Result<Trailer> ReadTrailer(const OpenFile& file) {
  std::array<std::byte, kTrailerSize> bytes;
  const uint64_t size = file.file().size();
  DSI_RETURN_IF_ERROR(file.file().ReadAt(size - kTrailerSize, bytes));
  return Trailer::DecodeFrom(bytes, size);
}

// Flags of width 1, in as few bytes as choices for pages find.
void AppendFlags(std::span<const uint8_t> flags, std::vector<std::byte>* nodes) {
  const EncodeTuning tuning{.zstd_level = 0, .lz4 = false};
  const ArrayView array{.values = flags.data(), .count = flags.size(), .width = 1};
  EncodeNode(array, ChoosePlan(array, tuning), tuning, nodes);
}

}  // namespace

Result<std::vector<std::byte>> EncodeDeleted(const OpenFile& file, std::span<const uint64_t> rows) {
  std::vector<std::byte> heads;
  std::vector<std::byte> nodes;
  const auto& stripes = file.core().stripes;
  for (size_t i = 0; i < stripes.size(); ++i) {
    DSI_ASSIGN_OR_RETURN(const auto known, file.LoadDeleted(i, nullptr));
    std::vector<uint8_t> flags(known.begin(), known.end());
    flags.resize(stripes[i].num_rows);  // Empty: none is.
    for (; !rows.empty() && rows[0] < stripes[i].first_row + stripes[i].num_rows;
         rows = rows.subspan(1))
      flags[rows[0] - stripes[i].first_row] = 1;
    const auto count = static_cast<uint32_t>(std::count(flags.begin(), flags.end(), 1));
    if (count != 0 && count != flags.size()) AppendFlags(flags, &nodes);
    AppendLE<uint32_t>(&heads, count);
    AppendLE<uint32_t>(&heads, static_cast<uint32_t>(nodes.size()));
    if (nodes.size() > UINT32_MAX - (uint64_t{16} << 24))
      return Error(StatusCode::kResourceExhausted, "deleted rows take more than 4 GiB (F-084)");
  }
  heads.insert(heads.end(), nodes.begin(), nodes.end());
  return heads;
}

Result<uint64_t> WriteWithDeleted(const OpenFile& file, std::span<const std::byte> section,
                                  WritableFile* out) {
  DSI_ASSIGN_OR_RETURN(const Trailer trailer, ReadTrailer(file));
  if (trailer.minor != kMinorVersion || trailer.ro_compat != 0) {
    return Error(
        StatusCode::kUnsupported,
        "a file of format version 1.{}, flags {:#x}: this build may read it and not change "
        "it (F-030); rewrite it",
        trailer.minor, trailer.ro_compat);
  }
  Core core = file.core();
  uint64_t end = trailer.core_offset;
  uint64_t compat = trailer.compat;
  std::erase_if(core.sections, [&](const SectionRef& s) {
    if (s.kind != kSectionDeleted) return false;
    if (s.offset + SectionBytes(s) == end) {
      end = s.offset;
    } else {
      compat |= kCompatGaps;  // F-033: it stays there, and nothing names it.
    }
    return true;
  });
  FileSink sink(out, file.salt());
  DSI_RETURN_IF_ERROR(sink.AppendCopy(file.file(), end));
  DSI_ASSIGN_OR_RETURN(const TableRef table, sink.AppendInBlocks(section));
  core.sections.push_back({.kind = kSectionDeleted,
                           .flags = kSectionRequired | kSectionInBlocks,
                           .offset = table.offset,
                           .size = section.size(),
                           .seal = table.seal});
  DSI_RETURN_IF_ERROR(sink.AppendEnd(EncodeCore(core), compat));
  return sink.offset();
}

}  // namespace dsi::internal
