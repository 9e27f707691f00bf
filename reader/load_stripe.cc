// Records of one stripe: groups, streams and pages (spec F-060 … F-062, D-001, D-003).
#include <utility>

#include "dsi/format/bytes_internal.h"
#include "dsi/format/error_internal.h"
#include "dsi/reader/open_file_internal.h"

namespace dsi::internal {

Status OpenFile::CheckStripeGroup(size_t stripe, uint32_t group, const StripeGroupRecord& r) const {
  const uint32_t rows = core_.stripes[stripe].num_rows;
  if (r.num_unique < 1 || r.num_unique > rows) {
    return Corrupt("stripe {}, dedup group {}: {} unique rows of {} (D-003)", stripe, group,
                   r.num_unique, rows);
  }
  if (r.form == 0 && r.num_unique != rows) {
    return Corrupt("stripe {}, dedup group {}: {} unique rows of {} in form 0 (D-001)", stripe,
                   group, r.num_unique, rows);
  }
  if (group == 0 && r.form != 0) {
    return Corrupt("stripe {}: the group of rows has form {} (F-073)", stripe, r.form);
  }
  return Status::Ok();
}

Status OpenFile::CheckStream(size_t stripe, uint32_t slot, const StreamRecord& r) const {
  const uint32_t num_pages = core_.stripes[stripe].pages.count;
  if (r.form == StreamForm::kEmpty || r.form == StreamForm::kConstant) return Status::Ok();
  if (!FitsIn(r.first_page, r.num_pages, num_pages)) {
    return Corrupt("stripe {}, stream {}: pages {}..{} of {} (F-061)", stripe, slot, r.first_page,
                   uint64_t{r.first_page} + r.num_pages, num_pages);
  }
  const uint64_t page_values = core_.page_values;
  if (r.form == StreamForm::kPacked && r.num_values > page_values) {
    return Corrupt("stripe {}, stream {}: {} values in form 2, at most {} (F-061)", stripe, slot,
                   r.num_values, page_values);
  }
  const uint64_t expected = (r.num_values + page_values - 1) / page_values;
  if (r.form == StreamForm::kPaged && r.num_pages != expected) {
    return Corrupt("stripe {}, stream {}: {} pages for {} values, expected {} (F-061)", stripe,
                   slot, r.num_pages, r.num_values, expected);
  }
  return Status::Ok();
}

Status OpenFile::CheckPage(size_t stripe, uint32_t page, uint64_t expected,
                           const PageRecord& r) const {
  const StripeRef& s = core_.stripes[stripe];
  const uint64_t end = s.data_offset + s.data_size;
  if (r.offset != expected || !FitsIn(r.offset, r.stored_size, end)) {
    return Corrupt("stripe {}, page {}: {} bytes at {}, expected at {}; pages end at {} (F-062)",
                   stripe, page, r.stored_size, r.offset, expected, end);
  }
  if (page + 1 == s.pages.count && r.offset + r.stored_size != end) {
    return Corrupt("stripe {}: the last page ends at {}, expected {} (F-062)", stripe,
                   r.offset + r.stored_size, end);
  }
  if (r.num_values > core_.page_values) {
    return Corrupt("stripe {}, page {}: {} values, at most {} (F-062)", stripe, page, r.num_values,
                   core_.page_values);
  }
  return Status::Ok();
}

Result<StripeGroupRecord> OpenFile::LoadStripeGroup(size_t stripe, uint32_t group) const {
  std::byte bytes[StripeGroupRecord::kSize];
  DSI_RETURN_IF_ERROR(stripe_groups(stripe).Read(group, 1, bytes));
  auto record = StripeGroupRecord::DecodeFrom(bytes);
  if (!record.ok()) return record.status().At(fmt::format("stripe {}, group {}", stripe, group));
  DSI_RETURN_IF_ERROR(CheckStripeGroup(stripe, group, *record));
  return record;
}

Result<StreamRecord> OpenFile::LoadStream(size_t stripe, uint32_t slot) const {
  std::byte bytes[StreamRecord::kSize];
  DSI_RETURN_IF_ERROR(stripe_streams(stripe).Read(slot, 1, bytes));
  auto record = StreamRecord::DecodeFrom(bytes);
  if (!record.ok()) return record.status().At(fmt::format("stripe {}, stream {}", stripe, slot));
  if (record->form == StreamForm::kAlias) return LoadAlias(stripe, slot, *record);
  DSI_RETURN_IF_ERROR(CheckStream(stripe, slot, *record));
  return record;
}

// F-061, form 4: the record of the stream that it is.
Result<StreamRecord> OpenFile::LoadAlias(size_t stripe, uint32_t slot,
                                         const StreamRecord& alias) const {
  const uint32_t of = alias.first_page;
  if (of >= core_.num_slots) {
    return Corrupt("stripe {}, stream {}: alias of slot {} of {} (F-061)", stripe, slot, of,
                   core_.num_slots);
  }
  std::byte bytes[StreamRecord::kSize];
  DSI_RETURN_IF_ERROR(stripe_streams(stripe).Read(of, 1, bytes));
  auto target = StreamRecord::DecodeFrom(bytes);
  if (!target.ok()) return target.status().At(fmt::format("stripe {}, stream {}", stripe, of));
  const bool has_nodes = target->form == StreamForm::kPacked || target->form == StreamForm::kPaged;
  if (!has_nodes || target->num_values != alias.num_values || target->width != alias.width ||
      target->max != alias.max) {
    return Corrupt(
        "stripe {}, stream {}: {} values of width {} as an alias of slot {}, which has {} "
        "of width {} in form {} (F-061)",
        stripe, slot, alias.num_values, alias.width, of, target->num_values, target->width,
        static_cast<int>(target->form));
  }
  DSI_RETURN_IF_ERROR(CheckStream(stripe, of, *target));
  target->is_alias = true;
  return target;
}

Result<std::vector<PageRecord>> OpenFile::LoadPages(size_t stripe, uint32_t first,
                                                    uint32_t n) const {
  const SealedTable& table = stripe_pages(stripe);
  if (!FitsIn(first, n, table.count())) {
    return Corrupt("stripe {}: pages {}..{} of {} (F-061)", stripe, first, uint64_t{first} + n,
                   table.count());
  }
  std::vector<PageRecord> pages;
  pages.reserve(n);  // At most the records that the file has.
  uint64_t expected = core_.stripes[stripe].data_offset;
  std::byte bytes[PageRecord::kSize];
  if (first != 0 && n != 0) {
    DSI_RETURN_IF_ERROR(table.Read(first - 1, 1, bytes));
    DSI_ASSIGN_OR_RETURN(const PageRecord before, PageRecord::DecodeFrom(bytes));
    expected = before.offset + before.stored_size;  // If it wraps, no page starts there.
  }
  for (uint32_t i = first; i < first + n; ++i) {
    DSI_RETURN_IF_ERROR(table.Read(i, 1, bytes));
    auto page = PageRecord::DecodeFrom(bytes);
    if (!page.ok()) return page.status().At(fmt::format("stripe {}, page {}", stripe, i));
    DSI_RETURN_IF_ERROR(CheckPage(stripe, i, expected, *page));
    expected = page->offset + page->stored_size;
    pages.push_back(*page);
  }
  return pages;
}

}  // namespace dsi::internal
