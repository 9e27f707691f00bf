// What the core footer says of the file, against the rules of the spec: its totals, its tables and
// sections, and that these leave no gap.
#include <algorithm>
#include <string_view>
#include <vector>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/table_blocks_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kSectionRequired = 1;

// A part of the file between the pages and the core footer.
struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;
  TableRef* table = nullptr;  // Compressed: its size is what lies before the next extent, so far.
};

class Checker {
 public:
  Checker(Core* core, uint64_t core_offset) : core_(*core), core_offset_(core_offset) {}

  Status Check() {
    DSI_RETURN_IF_ERROR(CheckKnown());
    DSI_RETURN_IF_ERROR(CheckTotals());
    DSI_RETURN_IF_ERROR(CheckDirectory());
    DSI_RETURN_IF_ERROR(CheckStripes());
    DSI_RETURN_IF_ERROR(CheckSections());
    return CheckTiling();
  }

 private:
  // F-004: before anything else that the core footer says.
  Status CheckKnown() const {
    for (const SectionRef& s : core_.sections) {
      if (IsKnown(s) || (s.flags & kSectionRequired) == 0) continue;
      return Error(StatusCode::kUnsupported,
                   "core footer: section of kind {} is required and unknown to this build (F-080)",
                   s.kind);
    }
    return Status::Ok();
  }

  static bool IsKnown(const SectionRef& s) {
    return s.kind == kSectionMetadata || s.kind == kSectionPrecision;
  }

  Status CheckTotals() const {
    const Core& c = core_;
    if (c.page_values < 1024 || c.page_values > kMaxPageValues || c.page_values % 1024 != 0) {
      return Corrupt("core footer: {} values per page (F-050)", c.page_values);
    }
    if (c.columns.count > kMaxColumns) {
      return Corrupt("core footer: {} columns, at most {} (F-090)", c.columns.count, kMaxColumns);
    }
    if (c.num_slots > kMaxSlots) {
      return Corrupt("core footer: {} slots, at most {} (F-090)", c.num_slots, kMaxSlots);
    }
    if (c.num_features > c.columns.count || (c.num_features == 0) != (c.columns.count == 0)) {
      return Corrupt("core footer: {} features in {} columns (F-050)", c.num_features,
                     c.columns.count);
    }
    for (const uint32_t key : c.cluster_keys) {
      if (key >= c.columns.count) {
        return Corrupt("core footer: cluster key {} of {} columns (F-050)", key, c.columns.count);
      }
    }
    return Status::Ok();
  }

  Status CheckDirectory() {
    Core& c = core_;
    DSI_RETURN_IF_ERROR(AddTable(c.columns, ColumnRecord::kSize, "columns"));
    DSI_RETURN_IF_ERROR(AddTable(c.name_index, NameIndexRecord::kSize, "name index"));
    DSI_RETURN_IF_ERROR(AddTable(c.names, kNameRecordSize, "names"));
    DSI_RETURN_IF_ERROR(AddTable(c.groups, GroupRecord::kSize, "groups"));
    DSI_RETURN_IF_ERROR(AddTable(c.id_spaces, IdSpaceRecord::kSize, "id spaces"));
    if (c.name_index.count < c.columns.count ||
        c.name_index.count - c.columns.count > c.num_features) {
      return Corrupt("core footer: {} name index entries for {} columns of {} features (F-072)",
                     c.name_index.count, c.columns.count, c.num_features);
    }
    if (c.groups.count == 0) return Corrupt("core footer: no group of rows (F-073)");
    if (c.id_spaces.count > kMaxIdSpaces) {
      return Corrupt("core footer: {} id spaces (F-090)", c.id_spaces.count);
    }
    return Status::Ok();
  }

  Status CheckStripes() {
    const Core& c = core_;
    if (c.stripes.size() > kMaxStripes) {
      return Corrupt("core footer: {} stripes, at most {} (F-090)", c.stripes.size(), kMaxStripes);
    }
    uint64_t rows = 0;
    uint64_t sessions = 0;
    data_end_ = kHeaderSize;
    for (size_t i = 0; i < c.stripes.size(); ++i) {
      const StripeRef& s = c.stripes[i];
      DSI_RETURN_IF_ERROR(CheckStripe(i, rows));
      // At most 2^20 stripes of 2^24 rows: no sum wraps.
      rows += s.num_rows;
      sessions += s.num_sessions;
      data_end_ += s.data_size;
    }
    if (rows != c.num_rows || sessions != c.num_sessions) {
      return Corrupt("core footer: {} rows, {} sessions; the stripes have {}, {} (F-050)",
                     c.num_rows, c.num_sessions, rows, sessions);
    }
    return Status::Ok();
  }

  Status CheckStripe(size_t i, uint64_t rows_before) {
    StripeRef& s = core_.stripes[i];
    if (s.first_row != rows_before || s.num_rows < 1 || s.num_rows > kMaxStripeRows) {
      return Corrupt("core footer: stripe {}: first row {}, expected {}; {} rows (F-051, F-052)", i,
                     s.first_row, rows_before, s.num_rows);
    }
    const bool may_have_sessions = !core_.cluster_keys.empty();
    if (s.num_sessions > s.num_rows || (i == 0 && s.continues_session) ||
        (!may_have_sessions && (s.num_sessions != 0 || s.continues_session))) {
      return Corrupt("core footer: stripe {}: {} sessions in {} rows, continues: {} (F-051)", i,
                     s.num_sessions, s.num_rows, s.continues_session);
    }
    if (s.data_offset != data_end_ || s.data_size % 8 != 0 ||
        !FitsIn(s.data_offset, s.data_size, core_offset_)) {
      return Corrupt("core footer: stripe {}: {} bytes of pages at {}, expected at {} (F-051)", i,
                     s.data_size, s.data_offset, data_end_);
    }
    if (s.pages.count > s.data_size / 16 || (s.pages.count == 0) != (s.data_size == 0)) {
      return Corrupt("core footer: stripe {}: {} pages in {} bytes (F-062)", i, s.pages.count,
                     s.data_size);
    }
    if (s.groups.count != core_.groups.count || s.streams.count != core_.num_slots) {
      return Corrupt(
          "core footer: stripe {}: {} groups, expected {}; {} streams, expected {} "
          "(F-060, F-050)",
          i, s.groups.count, core_.groups.count, s.streams.count, core_.num_slots);
    }
    DSI_RETURN_IF_ERROR(AddTable(s.groups, StripeGroupRecord::kSize, "stripe groups"));
    DSI_RETURN_IF_ERROR(AddTable(s.streams, StreamRecord::kSize, "streams"));
    return AddTable(s.pages, PageRecord::kSize, "pages");
  }

  Status CheckSections() {
    bool metadata_seen = false;
    bool precision_seen = false;
    for (const SectionRef& s : core_.sections) {
      if ((s.flags & ~kSectionRequired) != 0)
        return Corrupt("core footer: section flags {:#x} (F-003, F-080)", s.flags);
      if (s.kind == kSectionMetadata) {
        if (metadata_seen || s.size > kMaxMetadataBytes) {
          return Corrupt("core footer: metadata section of {} bytes, second: {} (F-080)", s.size,
                         metadata_seen);
        }
        metadata_seen = true;
      }
      if (s.kind == kSectionPrecision) {
        const uint64_t most = uint64_t{core_.columns.count} * PrecisionRecord::kSize;
        if (precision_seen || s.size == 0 || s.size % PrecisionRecord::kSize != 0 ||
            s.size > most) {
          return Corrupt("core footer: precision section of {} bytes, second: {} (F-080, F-081)",
                         s.size, precision_seen);
        }
        precision_seen = true;
      }
      if (s.offset % 8 != 0) return Corrupt("core footer: section at offset {} (F-002)", s.offset);
      if (!FitsIn(s.offset, s.size, core_offset_) || AlignUp(s.size, 8) > core_offset_ - s.offset) {
        return Corrupt("core footer: section of {} bytes at {} (F-080)", s.size, s.offset);
      }
      if (s.size != 0) extents_.push_back({s.offset, AlignUp(s.size, 8)});
    }
    return Status::Ok();
  }

  // F-040 … F-042.
  Status AddTable(TableRef& t, size_t record_size, std::string_view what) {
    // A newer version may have added fields at the end of a record; a name heap has none.
    const bool may_grow = record_size != kNameRecordSize && t.record_size > record_size &&
                          t.record_size <= kMaxRecordBytes && t.record_size % 8 == 0;
    if (t.record_size != record_size && !may_grow) {
      return Corrupt("core footer: table of {}: records of {} bytes, expected {} (F-041)", what,
                     t.record_size, record_size);
    }
    if (t.count == 0) {
      if (t.offset == 0 && t.seal == 0 && !t.compressed) return Status::Ok();
      return Corrupt("core footer: empty table of {} at offset {} (F-040)", what, t.offset);
    }
    if (t.offset % 8 != 0)
      return Corrupt("core footer: table of {} at offset {} (F-002)", what, t.offset);
    // Both factors have 32 bits, and a record is at most a block. Of a compressed table, at least
    // what describes its blocks and their smallest nodes.
    const uint64_t num_blocks = NumBlocks(t.count, t.record_size);
    t.bytes = t.compressed ? num_blocks * (kBlockEntrySize + kLeastNodeSize)
                           : AlignUp(uint64_t{t.count} * t.record_size, 8) + 8 * num_blocks;
    if (!FitsIn(t.offset, t.bytes, core_offset_)) {
      return Corrupt("core footer: table of {}: {} records of {} bytes at offset {} (F-041)", what,
                     t.count, t.record_size, t.offset);
    }
    extents_.push_back({t.offset, t.bytes, t.compressed ? &t : nullptr});
    return Status::Ok();
  }

  // F-002: between the last page and the core footer, tables and sections leave no gap.
  Status CheckTiling() {
    std::sort(extents_.begin(), extents_.end(),
              [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
    uint64_t end = data_end_;
    TableRef* open = nullptr;  // A compressed table ends where the next extent starts.
    for (const Extent& e : extents_) {
      if (open == nullptr ? e.offset != end : e.offset < end) {
        return Corrupt("core footer: a table or section starts at {}, expected {} (F-002)",
                       e.offset, end);
      }
      if (open != nullptr) open->bytes = e.offset - open->offset;
      open = e.table;
      end = e.offset + e.size;  // Before core_offset_, so that the sum cannot wrap.
    }
    if (open != nullptr && end <= core_offset_) {
      open->bytes = core_offset_ - open->offset;
      return Status::Ok();
    }
    if (end != core_offset_) {
      return Corrupt("core footer at {}: the part before it ends at {} (F-002)", core_offset_, end);
    }
    return Status::Ok();
  }

  Core& core_;
  uint64_t core_offset_;
  uint64_t data_end_ = 0;
  std::vector<Extent> extents_;
};

}  // namespace

Status CheckCore(Core* core, uint64_t core_offset) { return Checker(core, core_offset).Check(); }

}  // namespace dsi::internal
