// What the core footer says of the file, against the rules of the spec: its totals, its tables and
// sections, and that these leave no gap.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/overlay_internal.h"
#include "dsi/format/table_blocks_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kSectionEncryption = 6;

bool IsBefore(const Extent& a, const Extent& b) { return a.offset < b.offset; }

// Tables and sections that take room (F-002).
std::vector<Extent> ExtentsOf(const Core& core) {
  std::vector<Extent> extents;
  const auto add = [&extents](uint64_t offset, uint64_t size) {
    if (size != 0) extents.push_back({offset, size});
  };
  const auto add_table = [&](const TableRef& t) { add(t.offset, TableBytes(t)); };
  for (const TableRef* t :
       {&core.columns, &core.name_index, &core.names, &core.groups, &core.id_spaces})
    add_table(*t);
  for (const StripeRef& s : core.stripes) {
    for (const TableRef* t : {&s.groups, &s.streams, &s.pages}) add_table(*t);
  }
  for (const SectionRef& s : core.sections) add(s.offset, SectionBytes(s));
  return extents;
}

class Checker {
 public:
  Checker(Core* core, uint64_t core_offset, bool may_have_gaps)
      : core_(*core), core_offset_(core_offset), may_have_gaps_(may_have_gaps) {}

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
      if (s.kind == kSectionEncryption) {
        return {
            StatusCode::kUnsupported,
            "core footer: parts of the file are encrypted, which this build cannot read (F-085)"};
      }
      return Error(StatusCode::kUnsupported,
                   "core footer: section of kind {} is required and unknown to this build (F-080)",
                   s.kind);
    }
    return Status::Ok();
  }

  static bool IsKnown(const SectionRef& s) {
    return (s.kind >= kSectionMetadata && s.kind <= kSectionPrevious) || s.kind == kSectionOverlay;
  }

  Status CheckTotals() const {
    const Core& c = core_;
    if (c.page_values < kPageValuesUnit || c.page_values > kMaxPageValues ||
        c.page_values % kPageValuesUnit != 0) {
      return Corrupt("core footer: {} values per page (F-050)", c.page_values);
    }
    if (c.columns.count > kMaxColumns) {
      return Corrupt("core footer: {} columns, at most {} (F-090)", c.columns.count, kMaxColumns);
    }
    if (c.num_slots > kMaxSlots) {
      return Corrupt("core footer: {} slots, at most {} (F-090)", c.num_slots, kMaxSlots);
    }
    if (c.id_spaces.count > kMaxIdSpaces) {
      return Corrupt("core footer: {} id spaces (F-090)", c.id_spaces.count);
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

  Status CheckDirectory() const {
    const Core& c = core_;
    DSI_RETURN_IF_ERROR(CheckTable(c.columns, ColumnRecord::kSize, "columns"));
    DSI_RETURN_IF_ERROR(CheckTable(c.name_index, NameIndexRecord::kSize, "name index"));
    DSI_RETURN_IF_ERROR(CheckTable(c.names, kNameRecordSize, "names"));
    DSI_RETURN_IF_ERROR(CheckTable(c.groups, GroupRecord::kSize, "groups"));
    DSI_RETURN_IF_ERROR(CheckTable(c.id_spaces, IdSpaceRecord::kSize, "id spaces"));
    if (c.name_index.count < c.columns.count ||
        c.name_index.count - c.columns.count > c.num_features) {
      return Corrupt("core footer: {} name index entries for {} columns of {} features (F-072)",
                     c.name_index.count, c.columns.count, c.num_features);
    }
    if (c.groups.count == 0) return Corrupt("core footer: no group of rows (F-073)");
    // Of three slots a column; the limits of columns and id spaces keep the sum small.
    const uint64_t fewest =
        uint64_t{SlotCountsOf(c).dictionary(c.id_spaces.count)} + c.groups.count - 1;
    if (c.num_slots < fewest) {
      return Corrupt("core footer: {} slots, at least {} (F-076)", c.num_slots, fewest);
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
      // At most 2^19 stripes of 2^24 rows: no sum wraps.
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

  Status CheckStripe(size_t i, uint64_t rows_before) const {
    const StripeRef& s = core_.stripes[i];
    if (s.first_row != rows_before || s.num_rows < 1 || s.num_rows > kMaxStripeRows) {
      return Corrupt("core footer: stripe {}: first row {}, expected {}; {} rows (F-051, F-052)", i,
                     s.first_row, rows_before, s.num_rows);
    }
    if ((s.flags & ~kStripeContinues) != 0 || s.reserved != 0) {
      return Corrupt("core footer: stripe {}: flags {:#x}, reserved {:#x} (F-003, F-051)", i,
                     s.flags, s.reserved);
    }
    if (!SessionsCanBe(i)) {
      return Corrupt("core footer: stripe {}: {} sessions in {} rows, continues: {} (F-051)", i,
                     s.num_sessions, s.num_rows, s.continues_session());
    }
    const bool in_place = may_have_gaps_ ? s.data_offset >= kHeaderSize && s.data_offset % 8 == 0
                                         : s.data_offset == data_end_;
    if (!in_place || s.data_size % 8 != 0 || !FitsIn(s.data_offset, s.data_size, core_offset_)) {
      return Corrupt("core footer: stripe {}: {} bytes of pages at {}, expected at {} (F-051)", i,
                     s.data_size, s.data_offset, data_end_);
    }
    if (s.pages.count > s.data_size / 16 || (s.pages.count == 0) != (s.data_size == 0)) {
      return Corrupt("core footer: stripe {}: {} pages in {} bytes (F-062)", i, s.pages.count,
                     s.data_size);
    }
    if (s.groups.count != core_.groups.count ||
        s.streams.count != NumStreamsRecords(core_.num_slots)) {
      return Corrupt(
          "core footer: stripe {}: {} groups, expected {}; {} records of streams, expected {} "
          "(F-060, F-061)",
          i, s.groups.count, core_.groups.count, s.streams.count,
          NumStreamsRecords(core_.num_slots));
    }
    DSI_RETURN_IF_ERROR(CheckTable(s.groups, StripeGroupRecord::kSize, "stripe groups"));
    DSI_RETURN_IF_ERROR(CheckTable(s.streams, kStreamsRecordSize, "streams"));
    return CheckTable(s.pages, PageRecord::kSize, "pages");
  }

  // A row that does not continue a session starts one, and rows have sessions in all stripes or in
  // none: one key may be the time, of which the core footer does not tell.
  bool SessionsCanBe(size_t stripe) const {
    const StripeRef& s = core_.stripes[stripe];
    const size_t num_keys = core_.cluster_keys.size();
    const uint32_t continued = s.continues_session() ? 1 : 0;
    if (core_.num_sessions == 0) return s.num_sessions == 0 && continued == 0 && num_keys <= 1;
    return num_keys != 0 && !(stripe == 0 && s.continues_session()) &&
           s.num_sessions + continued >= 1 && s.num_sessions <= s.num_rows - continued;
  }

  Status CheckSections() const {
    std::array<bool, kSectionOverlay + 1> seen{};
    for (const SectionRef& s : core_.sections) {
      if ((s.flags & ~(kSectionRequired | kSectionInBlocks)) != 0)
        return Corrupt("core footer: section flags {:#x} (F-003, F-080)", s.flags);
      if (s.kind == kSectionEncryption)
        return Corrupt("core footer: section of kind {} that is not required (F-085)", s.kind);
      if (IsKnown(s)) {
        if (seen[s.kind]) return Corrupt("core footer: second section of kind {} (F-080)", s.kind);
        seen[s.kind] = true;
        DSI_RETURN_IF_ERROR(CheckKnownSection(s));
      }
      if (s.offset % 8 != 0) return Corrupt("core footer: section at offset {} (F-002)", s.offset);
      if (s.size == 0 && s.offset != 0)
        return Corrupt("core footer: empty section at offset {} (F-080)", s.offset);
      if (InBlocks(s) && (s.size == 0 || s.size > UINT32_MAX))
        return Corrupt("core footer: section of {} bytes in blocks (F-080)", s.size);
      const uint64_t size = InBlocks(s) ? TableBytes(TableOf(s)) : s.size;
      if (!FitsIn(s.offset, size, core_offset_) || AlignUp(size, 8) > core_offset_ - s.offset) {
        return Corrupt("core footer: section of {} bytes at {} (F-080)", s.size, s.offset);
      }
    }
    if (seen[kSectionOverlay] && seen[kSectionDeleted])
      return Corrupt("core footer: an overlay with deleted rows (F-087)");
    return Status::Ok();
  }

  Status CheckKnownSection(const SectionRef& s) const {
    const bool in_blocks = s.kind == kSectionStatistics || s.kind == kSectionDeleted;
    const bool is_required = s.kind == kSectionDeleted || s.kind == kSectionOverlay;
    if (InBlocks(s) != in_blocks || (is_required && (s.flags & kSectionRequired) == 0))
      return Corrupt("core footer: section of kind {}, flags {:#x} (F-080)", s.kind, s.flags);
    if (s.kind == kSectionMetadata && s.size > kMaxMetadataBytes)
      return Corrupt("core footer: metadata section of {} bytes (F-080)", s.size);
    const uint64_t most = uint64_t{core_.columns.count} * PrecisionRecord::kSize;
    if (s.kind == kSectionPrecision &&
        (s.size == 0 || s.size % PrecisionRecord::kSize != 0 || s.size > most))
      return Corrupt("core footer: precision section of {} bytes (F-081)", s.size);
    if (s.kind == kSectionStatistics && s.size < uint64_t{core_.columns.count} * 4)
      return Corrupt("core footer: statistics of {} bytes for {} columns (F-082)", s.size,
                     core_.columns.count);
    if (s.kind == kSectionDeleted && s.size < core_.stripes.size() * 8)
      return Corrupt("core footer: deleted rows of {} bytes for {} stripes (F-084)", s.size,
                     core_.stripes.size());
    const uint64_t most_overlay = kOverlayHeadSize + core_.stripes.size() * kOverlayRowsSize;
    if (s.kind == kSectionOverlay && (s.size > most_overlay || !core_.cluster_keys.empty()))
      return Corrupt("core footer: overlay of {} bytes for {} stripes, {} cluster keys (F-087)",
                     s.size, core_.stripes.size(), core_.cluster_keys.size());
    if (s.kind == kSectionPrevious && (s.size != 8 || !may_have_gaps_))
      return Corrupt("core footer: previous file in {} bytes, gaps allowed: {} (F-034)", s.size,
                     may_have_gaps_);
    return Status::Ok();
  }

  // F-040 … F-042.
  Status CheckTable(const TableRef& t, size_t record_size, std::string_view what) const {
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
    if (!FitsIn(t.offset, TableBytes(t), core_offset_)) {
      return Corrupt("core footer: table of {}: {} records of {} bytes at offset {} (F-041)", what,
                     t.count, t.record_size, t.offset);
    }
    return Status::Ok();
  }

  // F-002: between the last page and the core footer, tables and sections leave no gap; F-033: or
  // do not overlap.
  Status CheckTiling() {
    std::vector<Extent> extents = ExtentsOf(core_);
    DSI_RETURN_IF_ERROR(CheckApart(&extents));
    BoundCompressed(extents);
    if (may_have_gaps_) return Status::Ok();
    extents = ExtentsOf(core_);
    std::sort(extents.begin(), extents.end(), IsBefore);
    uint64_t end = data_end_;
    for (const Extent& e : extents) {
      if (e.offset != end) {
        return Corrupt("core footer: a table or section starts at {}, expected {} (F-002)",
                       e.offset, end);
      }
      end += e.size;  // Each extent ends before core_offset_, so the sum cannot wrap.
    }
    if (end != core_offset_) {
      return Corrupt("core footer at {}: the part before it ends at {} (F-002)", core_offset_, end);
    }
    return Status::Ok();
  }

  // F-042: a compressed table ends where the next extent starts, or, where there may be gaps,
  // before. `extents` are sorted.
  void BoundCompressed(std::span<const Extent> extents) {
    const auto bound = [&](TableRef* table) {
      if (!table->compressed) return;
      const auto next = std::upper_bound(extents.begin(), extents.end(),
                                         Extent{.offset = table->offset}, IsBefore);
      table->bytes = (next == extents.end() ? core_offset_ : next->offset) - table->offset;
      table->is_bound = may_have_gaps_;
    };
    for (TableRef* t :
         {&core_.columns, &core_.name_index, &core_.names, &core_.groups, &core_.id_spaces})
      bound(t);
    for (StripeRef& s : core_.stripes) {
      for (TableRef* t : {&s.groups, &s.streams, &s.pages}) bound(t);
    }
  }

  Core& core_;
  uint64_t core_offset_;
  bool may_have_gaps_;
  uint64_t data_end_ = 0;
};

}  // namespace

uint64_t TableBytes(const TableRef& t) {
  if (t.bytes != 0 && !t.is_bound) return t.bytes;
  const uint64_t num_blocks = NumBlocks(t.count, t.record_size);
  if (t.compressed) return num_blocks * (kBlockEntrySize + kLeastNodeSize);
  // Both factors have 32 bits, and a record is at most a block once F-041 holds.
  return AlignUp(uint64_t{t.count} * t.record_size, 8) + 8 * num_blocks;
}

uint64_t SectionBytes(const SectionRef& section) {
  return InBlocks(section) ? TableBytes(TableOf(section)) : AlignUp(section.size, 8);
}

Status CheckApart(std::vector<Extent>* extents) {
  std::sort(extents->begin(), extents->end(), IsBefore);
  uint64_t end = kHeaderSize;
  for (const Extent& e : *extents) {
    if (e.offset < end)
      return Corrupt("what starts at {} overlaps what ends at {} (F-002)", e.offset, end);
    end = e.offset + e.size;
  }
  return Status::Ok();
}

Status CheckCore(Core* core, uint64_t core_offset, bool may_have_gaps) {
  return Checker(core, core_offset, may_have_gaps).Check();
}

}  // namespace dsi::internal
