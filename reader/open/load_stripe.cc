// Records of one stripe: groups, streams and pages (spec F-060 … F-062, D-001, D-003).
#include <algorithm>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/stream_rules_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {

Result<StripeGroupRecord> OpenFile::LoadStripeGroup(size_t stripe, uint32_t group) const {
  std::byte bytes[StripeGroupRecord::kSize];
  DSI_RETURN_IF_ERROR(stripe_groups(stripe).Read(group, 1, bytes, ahead_));
  auto record = StripeGroupRecord::DecodeFrom(bytes);
  if (!record.ok()) return record.status().At(fmt::format("stripe {}, group {}", stripe, group));
  const Status status = CheckGroupRecord(group, core().stripes[stripe].num_rows, *record);
  if (!status.ok()) return status.At(fmt::format("stripe {}, dedup group {}", stripe, group));
  return record;
}

Result<StreamRecord> OpenFile::LoadStreamRecord(size_t stripe, uint32_t slot) const {
  std::byte bytes[StreamRecord::kSize];
  DSI_RETURN_IF_ERROR(stripe_streams(stripe).ReadPart(
      slot / StreamRecord::kPerRecord, slot % StreamRecord::kPerRecord * StreamRecord::kSize, bytes,
      ahead_));
  auto record = StreamRecord::DecodeFrom(bytes);
  if (!record.ok()) return record.status().At(fmt::format("stripe {}, stream {}", stripe, slot));
  return record;
}

Result<StreamRecord> OpenFile::LoadStream(size_t stripe, uint32_t slot) const {
  DSI_ASSIGN_OR_RETURN(StreamRecord record, LoadStreamRecord(stripe, slot));
  if (record.form == StreamForm::kAlias) return LoadAlias(stripe, slot, record);
  DSI_RETURN_IF_ERROR(CheckStream(stripe, slot, record));
  return record;
}

Status OpenFile::CheckStream(size_t stripe, uint32_t slot, const StreamRecord& r) const {
  const Status status = CheckStreamPlace(r, core().stripes[stripe].pages.count, core().page_values);
  return status.ok() ? status : status.At(fmt::format("stripe {}, stream {}", stripe, slot));
}

// F-061, form 4: the record of the stream that it is.
Result<StreamRecord> OpenFile::LoadAlias(size_t stripe, uint32_t slot,
                                         const StreamRecord& alias) const {
  const uint32_t of = alias.first_page;
  if (of >= core().num_slots) {
    return Corrupt("stripe {}, stream {}: alias of slot {} of {} (F-061)", stripe, slot, of,
                   core().num_slots);
  }
  DSI_ASSIGN_OR_RETURN(StreamRecord target, LoadStreamRecord(stripe, of));
  if (Status status = CheckAlias(alias, target); !status.ok())
    return status.At(fmt::format("stripe {}, stream {}", stripe, slot));
  DSI_RETURN_IF_ERROR(CheckStream(stripe, of, target));
  target.is_alias = true;
  return target;
}

Result<std::vector<PageRecord>> OpenFile::LoadPages(size_t stripe, uint32_t first,
                                                    uint32_t n) const {
  const SealedTable& table = stripe_pages(stripe);
  if (!FitsIn(first, n, table.count())) {
    return Corrupt("stripe {}: pages {}..{} of {} (F-061)", stripe, first, uint64_t{first} + n,
                   table.count());
  }
  if (ahead_ != nullptr && ahead_->is_noting() && n != 0) {
    // All blocks at once.
    const uint32_t begin = first - std::min(first, 1U);
    std::vector<std::byte> records((first + n - begin) * PageRecord::kSize);
    DSI_RETURN_IF_ERROR(table.Read(begin, first + n - begin, records.data(), ahead_));
  }
  std::vector<PageRecord> pages;
  pages.reserve(n);  // At most the records that the file has.
  const StripeRef& ref = core().stripes[stripe];
  uint64_t expected = ref.data_offset;
  std::byte bytes[PageRecord::kSize];
  if (first != 0 && n != 0) {
    DSI_RETURN_IF_ERROR(table.Read(first - 1, 1, bytes, ahead_));
    DSI_ASSIGN_OR_RETURN(const PageRecord before, PageRecord::DecodeFrom(bytes));
    // If it wraps, no page starts there.
    if (!CheckedAdd(before.offset, before.stored_size, &expected)) expected = UINT64_MAX;
  }
  for (uint32_t i = first; i < first + n; ++i) {
    DSI_RETURN_IF_ERROR(table.Read(i, 1, bytes, ahead_));
    auto page = PageRecord::DecodeFrom(bytes);
    if (!page.ok()) return page.status().At(fmt::format("stripe {}, page {}", stripe, i));
    const Status status = CheckPagePlace(
        *page, i, expected, {table.count(), ref.data_offset + ref.data_size, may_have_gaps()});
    if (!status.ok()) return status.At(fmt::format("stripe {}, page {}", stripe, i));
    expected = page->offset + page->stored_size;
    pages.push_back(*page);
  }
  return pages;
}

}  // namespace dsi::internal
