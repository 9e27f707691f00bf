// An opened file: trailer, core footer, and sealed tables read record by record. What every part of
// the reader stands on.
//
// Thread safety: const calls from many threads (the block cache is guarded). Opening costs the same
// whatever the number of features; blocks of the directory that were looked at are kept.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/format/core_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/overlay.h"
#include "dsi/format/seal_internal.h"
#include "dsi/format/slots_internal.h"
#include "dsi/format/statistics_internal.h"
#include "dsi/base/memory_budget_internal.h"
#include "dsi/format/wire_internal.h"
#include "dsi/io/file.h"
#include "dsi/reader/open/block_entries_internal.h"
#include "dsi/reader/open/look_ahead_internal.h"
#include "dsi/reader/scan_options.h"

namespace dsi::internal {

// Parses and checks a core footer (F-050 … F-052, F-090) whose seal is already proven. file_size
// bounds every extent. What a minor version above 0 added to it is left aside. `may_have_gaps`:
// F-033.
Result<Core> ParseCore(std::span<const std::byte> bytes, uint64_t file_size, uint64_t core_offset,
                       uint16_t minor, bool may_have_gaps);

// Whether the fields of a core footer are there and lie in it, so that they can be followed
// (F-050).
bool HasCoreForm(std::span<const std::byte> bytes);

// A section in blocks is a table of records of one byte (F-080).
inline bool InBlocks(const SectionRef& section) { return (section.flags & kSectionInBlocks) != 0; }
inline TableRef TableOf(const SectionRef& section) {
  return {section.offset, kNameRecordSize, static_cast<uint32_t>(section.size), section.seal};
}

// Holds a core footer against F-050 … F-052, F-062, F-080, F-090, and what lies before it against
// F-002. Sets how many bytes compressed tables may have.
Status CheckCore(Core* core, uint64_t core_offset, bool may_have_gaps);

// Bytes of a table with its seals (F-040); of a compressed one the least that it takes where
// CheckCore has not set them.
uint64_t TableBytes(const TableRef& ref);

// Bytes of a section with its padding and, in blocks, its seals.
uint64_t SectionBytes(const SectionRef& section);

// A part of the file with one owner.
struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;
};

// F-002: sorted, none overlaps another.
Status CheckApart(std::vector<Extent>* extents);

// One sealed table: hands out records, reading and verifying only the blocks they lie in (F-040,
// F-042). Blocks read are kept. A record is handed out as the bytes that this version knows: those
// that a newer one added at its end are verified and left out (F-041).
//
// Lookups are given a LookAhead, null: none. One that notes makes them fail where a block is not in
// memory, and notes what it takes to find it: the whole table where that is small, else the seals
// of its blocks, then the block.
class SealedTable {
 public:
  // What a table is to who looks something up: one of those that lead to the next, or the last
  // before the pages. Of those more is read whole.
  enum class Step { kFirst, kLast };

  // `known_size`: bytes of a record that this version knows, at most ref.record_size.
  SealedTable(const HeldFile* file, const TableRef& ref, size_t known_size, uint64_t salt,
              std::string what, Step step = Step::kFirst);
  ~SealedTable();
  uint32_t count() const { return ref_.count; }
  uint64_t offset() const { return ref_.offset; }
  // Bytes of records [first, first + n), verified; copied into *out (n * known_size bytes).
  // kCorrupt names table and block.
  Status Read(uint32_t first, uint32_t n, std::byte* out, LookAhead* ahead = nullptr) const;
  // Bytes of one record from `begin` on, as many as `out` has; they end before known_size.
  Status ReadPart(uint32_t record, size_t begin, std::span<std::byte> out,
                  LookAhead* ahead = nullptr) const;
  // Reads and verifies everything, without keeping it. out may be null: only the seals are wanted.
  Status ReadAll(CountedVector<std::byte>* out, LookAhead* ahead = nullptr) const;
  // As ReadAll, but goes on after a damaged block: `damage` is called once for each, and its bytes
  // in *out are zero. *out may be null.
  Status ReadSound(CountedVector<std::byte>* out, const std::function<void(Status)>& damage,
                   LookAhead* ahead = nullptr) const;
  // Notes what any lookup starts with.
  void LookAtStart(LookAhead* ahead) const;
  // Bytes of its extent (F-002), which of a compressed table only its block entries tell.
  Result<uint64_t> StoredBytes() const;
  // Drops the blocks kept so far.
  void Forget() const;

 private:
  struct Cache;
  uint64_t MostBytes() const;  // Of its extent.
  Status Fetch(uint64_t offset, std::span<std::byte> dst, LookAhead* ahead) const;
  Status LoadEntries(BlockEntries* entries, LookAhead* ahead) const;
  Status KeepEntries(LookAhead* ahead) const;
  void NoteStart(LookAhead* ahead) const;
  void NoteGuess(uint64_t number, LookAhead* ahead) const;
  void NoteNeighbours(uint64_t number, LookAhead* ahead) const;
  // Calls use(content of a block), which is kept until Forget, under the lock.
  template <typename Use>
  Status UseBlock(uint32_t number, LookAhead* ahead, const Use& use) const;
  // What a block holds, RawBlockBytes of it, from its bytes in the file: its records, transposed in
  // a compressed table.
  Status OpenBlock(uint64_t number, const TableBlock& block, std::span<const std::byte> bytes,
                   DecodeScratch* scratch, std::byte* content) const;

  const HeldFile* file_;
  TableRef ref_;
  size_t known_size_;
  uint64_t salt_;
  std::string what_;
  Step step_;
  std::unique_ptr<Cache> cache_;
};

// A dedup group, its parent, that one's parent, and so on: few (F-073), so that every column has
// room for its own.
class GroupChain {
 public:
  // False: there are as many as may be.
  bool Add(uint32_t group) {
    if (size_ == groups_.size()) return false;
    groups_[size_++] = group;
    return true;
  }
  size_t size() const { return size_; }
  uint32_t operator[](size_t level) const { return groups_[level]; }

 private:
  std::array<uint32_t, kMaxGroupChain> groups_;
  uint32_t size_ = 0;
};

// A column of the projection with its records at hand.
struct OpenColumn {
  uint32_t ordinal = 0;
  std::string name;
  ColumnRecord record;  // Its own.
  ColumnRecord leader;  // That of the feature's first column.
  GroupChain groups;    // Its dedup group first.
  // The newest so many entries of each list are asked for; 0: all. Set by who projects it.
  uint32_t newest = 0;
  // Which rows have entries and how many is asked for, not what they are; the same for all columns
  // of a feature. Set like `newest`.
  bool shape_only = false;
  // Its entries are not read, and these stand for them (Projection::blank).
  std::optional<BlankEntries> blank = {};

  Type entry_type() const { return blank ? blank->type : record.type; }
  uint32_t first_column() const { return ordinal - record.place; }  // Of its feature.
  uint32_t values_slot() const { return ValuesSlot(ordinal); }
  uint32_t shape_slot() const { return ShapeSlot(first_column()); }
  uint32_t windows_slot() const { return WindowsSlot(first_column()); }
  std::string_view feature_name() const {
    return std::string_view(name).substr(0, record.feature_name_size);
  }
  uint64_t feature_id() const { return record.id_less_hash + NameHash(feature_name()); }
};

// UTF-8 without a NUL (F-071, S-013).
bool IsNameText(std::string_view text);

class OpenFile {
 public:
  // Verifies header, trailer and core footer. Errors as Reader::Open.
  static Result<std::unique_ptr<OpenFile>> Open(std::unique_ptr<RandomAccessFile> file);

  // The same file, whose lookups go through `ahead`. What it looks up stays known to this one.
  OpenFile Through(LookAhead* ahead) const;
  LookAhead* ahead() const { return ahead_; }  // Null: none.

  const HeldFile& file() const { return *state_->file; }
  const Core& core() const { return state_->core; }
  SlotCounts slots() const { return SlotCountsOf(core()); }
  uint64_t salt() const { return state_->salt; }
  uint16_t minor() const { return state_->minor; }
  // The seal of the trailer (F-030): with another content of the file it is another.
  uint64_t fingerprint() const { return state_->fingerprint; }

  const SealedTable& columns() const { return *state_->columns; }
  const SealedTable& name_index() const { return *state_->name_index; }
  const SealedTable& names() const { return *state_->names; }
  const SealedTable& groups() const { return *state_->groups; }
  const SealedTable& id_spaces() const { return *state_->id_spaces; }
  // Null: none (F-082).
  const SealedTable* statistics() const { return state_->statistics.get(); }
  const SealedTable& stripe_groups(size_t stripe) const { return state_->stripes[stripe]->groups; }
  const SealedTable& stripe_streams(size_t stripe) const {
    return state_->stripes[stripe]->streams;
  }
  const SealedTable& stripe_pages(size_t stripe) const { return state_->stripes[stripe]->pages; }

  // Note what every lookup in the directory, or in a stripe, starts with, where `ahead` notes.
  void LookAtDirectory() const;
  void LookAtStripe(size_t stripe) const;
  // Notes what the stripe that is read first has of a column.
  void LookAtColumn(uint32_t column) const;
  // Steps that opening took.
  uint64_t open_steps() const { return state_->open_steps; }

  // Ordinals of the columns a name stands for: a column, all columns of a feature, or a glob ('*',
  // '?'; reads the whole directory). kNotFound, with near names as advice.
  Result<std::vector<uint32_t>> FindColumns(std::string_view name) const;
  // Record, leader, group and id space of a column, all checked against each other (F-070 … F-079).
  // Its kind or type may be a newer version's: see ColumnRecord::Support.
  Result<OpenColumn> LoadAnyColumn(uint32_t ordinal) const;
  // The same for who wants its values: kUnsupported where this build cannot read them.
  Result<OpenColumn> LoadColumn(uint32_t ordinal) const;
  // That the columns behind a feature's first one are its others (F-070).
  Status CheckFollowers(const OpenColumn& leader) const;
  Result<std::string> LoadName(uint32_t offset, uint32_t size) const;
  Result<GroupRecord> LoadGroup(uint32_t group) const;         // F-073.
  Result<IdSpaceRecord> LoadIdSpace(uint32_t id_space) const;  // F-074.

  // Checked records of one stripe (ranges against num_slots, pages, data extents; F-060 … F-062).
  Result<StripeGroupRecord> LoadStripeGroup(size_t stripe, uint32_t group) const;
  // Of an alias the record of its target.
  Result<StreamRecord> LoadStream(size_t stripe, uint32_t slot) const;
  Result<std::vector<PageRecord>> LoadPages(size_t stripe, uint32_t first, uint32_t n) const;

  // Tables and sections that take room, with what only the block entries of compressed tables tell.
  Result<std::vector<Extent>> LoadExtents() const;

  // Verifies what a projection of everything would not touch otherwise: every table and section
  // (F-002). The second form goes on after damage.
  Status VerifyMetadata(MemoryBudget* budget) const;
  void VerifyMetadata(MemoryBudget* budget,
                      const std::function<void(Status, std::string where)>& damage) const;

  // Bytes of a section sealed as a whole, verified (F-080). They and what VerifyMetadata holds are
  // charged to `budget`; null: to none. Throws OverBudget.
  Result<CountedVector<std::byte>> LoadSection(const SectionRef& section,
                                               MemoryBudget* budget) const;

  // What the file says of a column of known kind and type (F-082), stripe by stripe; none where it
  // says nothing. kCorrupt. Throws OverBudget.
  Result<CountedVector<ColumnStatistics>> LoadStatistics(uint32_t column, Type type,
                                                         MemoryBudget* budget) const;

  // Rows of a stripe, or of the file, that are deleted (F-084).
  uint32_t num_deleted(size_t stripe) const {
    return state_->deleted.empty() ? 0 : state_->deleted[stripe].count;
  }
  uint64_t num_deleted() const { return state_->num_deleted; }
  bool is_all_deleted(size_t stripe) const {
    return num_deleted(stripe) == core().stripes[stripe].num_rows;
  }
  // 1 for each deleted row of the stripe, 0 for others; empty: none is. kCorrupt, kUnsupported.
  // Throws OverBudget.
  Result<CountedVector<uint8_t>> LoadDeleted(size_t stripe, MemoryBudget* budget) const;

  // F-086: of the rows, whatever is deleted of them.
  uint64_t rows_fingerprint() const;
  // F-087: what it is an overlay of; none: it is none.
  const std::optional<OverlayBinding>& overlay() const { return state_->overlay; }

  // F-033: not every byte is in an extent.
  bool may_have_gaps() const { return state_->may_have_gaps; }
  // F-034: bytes of the file that this one was made of by appending; 0: none.
  uint64_t previous_size() const { return state_->previous_size; }

  // Drops what was kept of a stripe's tables. A wide scan calls it when it leaves a stripe, so that
  // memory does not grow with the file.
  void ForgetStripe(size_t stripe) const;

 private:
  // The tables of one stripe. They hold no memory until used.
  struct StripeTables {
    StripeTables(const HeldFile* file, const StripeRef& ref, uint64_t salt, size_t stripe);
    SealedTable groups, streams, pages;
  };
  struct DeletedRows {
    uint32_t count = 0;
    uint32_t begin = 0;  // Of its node in the section.
    uint32_t end = 0;
  };
  struct State {
    std::unique_ptr<HeldFile> file;
    Core core;
    uint64_t salt = 0;
    uint16_t minor = 0;
    uint64_t fingerprint = 0;
    std::unique_ptr<SealedTable> columns, name_index, names, groups, id_spaces;
    std::unique_ptr<SealedTable> statistics, deleted_table;
    std::vector<DeletedRows> deleted;  // By stripe; empty: no row of the file is.
    uint64_t num_deleted = 0;
    std::optional<OverlayBinding> overlay;
    bool may_have_gaps = false;
    uint64_t previous_size = 0;
    uint64_t open_steps = 0;
    std::vector<std::unique_ptr<StripeTables>> stripes;
  };

  OpenFile() = default;
  void MakeTables();
  Status ReadSections();
  Status ReadDeletedCounts();
  Status ReadPrevious(const SectionRef& section);
  Status ReadOverlay(const SectionRef& section);
  Result<StreamRecord> LoadStreamRecord(size_t stripe, uint32_t slot) const;
  Status CheckStream(size_t stripe, uint32_t slot, const StreamRecord& record) const;
  Result<StreamRecord> LoadAlias(size_t stripe, uint32_t slot, const StreamRecord& alias) const;

  std::shared_ptr<State> state_;
  LookAhead* ahead_ = nullptr;
};

}  // namespace dsi::internal
