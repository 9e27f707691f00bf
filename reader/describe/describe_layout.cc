// Where the bytes of a file are, by kind of part (spec §1). Every byte is in one (F-002).
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/format/wire_internal.h"
#include "dsi/reader/describe/describe_internal.h"

namespace dsi::internal {
namespace {

uint64_t SectionBytes(const Core& core, uint32_t* count) {
  uint64_t bytes = 0;
  for (const SectionRef& section : core.sections) {
    bytes += AlignUp(section.size, 8);
    ++*count;
  }
  return bytes;
}

void AddTable(const TableRef& table, LayoutPart* part) {
  part->count += table.count;
  part->bytes += table.bytes;
  part->content_bytes += uint64_t{table.count} * table.record_size;
}

LayoutPart OneTable(std::string name, const TableRef& table) {
  LayoutPart part{.name = std::move(name)};
  AddTable(table, &part);
  return part;
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
    AddTable(stripe.groups, &groups);
    AddTable(stripe.streams, &streams);
    AddTable(stripe.pages, &pages);
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
  const uint64_t section_bytes = SectionBytes(core, &num_sections);
  std::vector<LayoutPart> parts = {Plain("header", 1, kHeaderSize),
                                   own,
                                   shared,
                                   groups,
                                   streams,
                                   pages,
                                   OneTable("directory: columns", core.columns),
                                   OneTable("directory: name index", core.name_index),
                                   OneTable("directory: names", core.names),
                                   OneTable("directory: groups", core.groups),
                                   OneTable("directory: id spaces", core.id_spaces),
                                   Plain("sections", num_sections, section_bytes)};
  uint64_t bytes = kTrailerSize;
  for (const LayoutPart& part : parts) bytes += part.bytes;
  parts.push_back(Plain("core footer", 1, file.file().size() - bytes));
  parts.push_back(Plain("trailer", 1, kTrailerSize));
  return parts;
}

}  // namespace dsi::internal
