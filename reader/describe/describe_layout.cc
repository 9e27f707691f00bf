// Where the bytes of a file are, by kind of part (spec §1). Every byte is in one (F-002).
#include <algorithm>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/format/wire_internal.h"
#include "dsi/reader/describe/describe_internal.h"

namespace dsi::internal {
namespace {

uint64_t BytesOfSections(const Core& core, uint32_t* count) {
  uint64_t bytes = 0;
  for (const SectionRef& section : core.sections) {
    bytes += SectionBytes(section);
    ++*count;
  }
  return bytes;
}

Status AddTable(const SealedTable& table, const TableRef& ref, LayoutPart* part) {
  DSI_ASSIGN_OR_RETURN(const uint64_t bytes, table.StoredBytes());
  part->count += ref.count;
  part->bytes += bytes;
  part->content_bytes += uint64_t{ref.count} * ref.record_size;
  return Status::Ok();
}

LayoutPart Plain(std::string name, uint64_t count, uint64_t bytes) {
  return {.name = std::move(name), .count = count, .bytes = bytes, .content_bytes = bytes};
}

}  // namespace

Result<std::vector<LayoutPart>> DescribeLayout(const OpenFile& file) {
  LayoutPart own{.name = "pages of one stream"};
  LayoutPart shared{.name = "pages of small streams"};
  LayoutPart groups{.name = "stripes: groups"};
  LayoutPart streams{.name = "stripes: streams"};
  LayoutPart pages{.name = "stripes: pages"};
  const Core& core = file.core();
  for (size_t s = 0; s < core.stripes.size(); ++s) {
    const StripeRef& stripe = core.stripes[s];
    DSI_RETURN_IF_ERROR(AddTable(file.stripe_groups(s), stripe.groups, &groups));
    DSI_RETURN_IF_ERROR(AddTable(file.stripe_streams(s), stripe.streams, &streams));
    DSI_RETURN_IF_ERROR(AddTable(file.stripe_pages(s), stripe.pages, &pages));
    for (uint32_t p = 0; p < stripe.pages.count; ++p) {
      DSI_ASSIGN_OR_RETURN(const auto records, file.LoadPages(s, p, 1));
      LayoutPart& part = records[0].packed() ? shared : own;
      ++part.count;
      part.bytes += records[0].stored_size;
      part.content_bytes += records[0].content_size();
    }
    file.ForgetStripe(s);
  }
  uint32_t num_sections = 0;
  const uint64_t section_bytes = BytesOfSections(core, &num_sections);
  std::vector<LayoutPart> parts = {
      Plain("header", 1, kHeaderSize), own, shared, groups, streams, pages};
  const auto add = [&](const char* name, const SealedTable& table, const TableRef& ref) {
    return AddTable(table, ref, &parts.emplace_back(LayoutPart{.name = name}));
  };
  DSI_RETURN_IF_ERROR(add("directory: columns", file.columns(), core.columns));
  DSI_RETURN_IF_ERROR(add("directory: name index", file.name_index(), core.name_index));
  DSI_RETURN_IF_ERROR(add("directory: names", file.names(), core.names));
  DSI_RETURN_IF_ERROR(add("directory: groups", file.groups(), core.groups));
  DSI_RETURN_IF_ERROR(add("directory: id spaces", file.id_spaces(), core.id_spaces));
  parts.push_back(Plain("sections", num_sections, section_bytes));
  parts.push_back(Plain("core footer", 1, EncodedCoreSize(core)));
  parts.push_back(Plain("trailer", 1, kTrailerSize));
  uint64_t bytes = 0;
  for (const LayoutPart& part : parts) bytes += part.bytes;
  const uint64_t file_bytes = file.file().size();
  parts.push_back(Plain("not referred to", 0, file_bytes - std::min(file_bytes, bytes)));
  return parts;
}

}  // namespace dsi::internal
