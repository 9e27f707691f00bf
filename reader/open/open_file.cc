// Opening: header, trailer and core footer, in one step or two; the tables behind them stay where
// they are until a record is asked for.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/overlay_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/open/previous_file_internal.h"
#include "dsi/reader/open/range_memory_internal.h"

namespace dsi::internal {
namespace {

// One read that holds trailer and core footer of most files, and the directory of small ones: more
// where waiting costs more.
constexpr uint64_t kLeastTail = 64 << 10;
constexpr uint64_t kMostTail = 256 << 10;
constexpr size_t kTrailerSealAt = 64;  // F-030.

uint64_t TailBytes(const RandomAccessFile& file) {
  return std::clamp(BytesOfLatency(file.costs()) / 4, kLeastTail, kMostTail);
}

// Tells foreign files from those that were cut before they had a header.
Status CheckShortFile(const RandomAccessFile& file) {
  std::array<std::byte, 8> head{};
  const size_t n = std::min<uint64_t>(file.size(), head.size());
  DSI_RETURN_IF_ERROR(file.ReadAt(0, std::span(head).first(n)));
  if (std::memcmp(head.data(), kHeadMagic.data(), n) != 0) {
    return {StatusCode::kNotDsi, "the first 8 bytes are not the magic of a dsi file (F-020)"};
  }
  return Error(StatusCode::kTruncated, "{} bytes, a dsi file has at least {} (F-031)", file.size(),
               kHeaderSize + kTrailerSize);
}

// Wants bytes [begin, end) of the file, and that they stay in memory.
Result<std::span<std::byte>> Want(uint64_t begin, uint64_t end, std::vector<ReadRequest>* requests,
                                  HeldBytes* held) {
  auto memory = std::make_shared<RangeMemory>(nullptr);
  DSI_RETURN_IF_ERROR(memory->Reserve(end - begin));
  const std::span<std::byte> bytes(memory->bytes(), end - begin);
  requests->push_back({begin, bytes});
  held->Add(begin, bytes.size(), {std::move(memory), bytes.data()});
  return bytes;
}

// What is read of a file before anything is known of its tables.
struct FileEnds {
  Header header;
  Trailer trailer;
  uint64_t trailer_seal = 0;
  std::vector<std::byte> core;
  HeldBytes held;
  uint64_t steps = 0;
};

// The core footer is what its seal says, whatever it is.
Status CheckCoreSeal(const FileEnds& ends) {
  const Trailer& trailer = ends.trailer;
  const uint64_t seal = Seal(ends.core, SealKind::kCore, trailer.core_offset, ends.header.salt);
  if (seal == trailer.core_seal) return Status::Ok();
  return Corrupt("core footer at {}..{}: seal {:016x}, expected {:016x} (F-010, F-011)",
                 trailer.core_offset, trailer.core_offset + trailer.core_size, seal,
                 trailer.core_seal);
}

// Header and the end of the file in one step. A core footer that is longer than that takes another,
// with the bytes before it, which are the end of the directory.
Result<FileEnds> ReadEnds(const RandomAccessFile& file) {
  FileEnds ends;
  const uint64_t size = file.size();
  if (size < kHeaderSize + kTrailerSize) return CheckShortFile(file);
  const uint64_t tail_begin = size - std::min(size, TailBytes(file));
  std::vector<ReadRequest> requests;
  DSI_ASSIGN_OR_RETURN(const std::span<std::byte> tail,
                       Want(tail_begin, size, &requests, &ends.held));
  std::array<std::byte, kHeaderSize> header_bytes;
  if (tail_begin != 0) requests.push_back({0, header_bytes});
  DSI_RETURN_IF_ERROR(file.ReadMany(requests));
  ++ends.steps;
  if (tail_begin == 0) std::copy_n(tail.begin(), kHeaderSize, header_bytes.begin());
  DSI_ASSIGN_OR_RETURN(ends.header, Header::DecodeFrom(header_bytes));
  std::array<std::byte, kTrailerSize> trailer_bytes;
  std::copy_n(tail.end() - kTrailerSize, kTrailerSize, trailer_bytes.begin());
  DSI_ASSIGN_OR_RETURN(ends.trailer, Trailer::DecodeFrom(trailer_bytes, size));
  ends.trailer_seal = LoadLE<uint64_t>(trailer_bytes.data() + kTrailerSealAt);
  const Trailer& trailer = ends.trailer;
  if (trailer.salt != ends.header.salt || trailer.minor != ends.header.minor) {
    return Corrupt("trailer: salt {:016x}, minor version {}; the header has {:016x}, {} (F-030)",
                   trailer.salt, trailer.minor, ends.header.salt, ends.header.minor);
  }
  // The trailer's size limit bounds this to 64 MiB, and F-032 to the bytes of the file.
  ends.core.resize(trailer.core_size);
  if (trailer.core_offset >= tail_begin) {
    const auto from = tail.subspan(trailer.core_offset - tail_begin, trailer.core_size);
    std::copy(from.begin(), from.end(), ends.core.begin());
    DSI_RETURN_IF_ERROR(CheckCoreSeal(ends));
    return ends;
  }
  const uint64_t before = trailer.core_offset - std::min(trailer.core_offset, TailBytes(file));
  requests.assign({{trailer.core_offset, ends.core}});
  DSI_RETURN_IF_ERROR(Want(before, trailer.core_offset, &requests, &ends.held).status());
  DSI_RETURN_IF_ERROR(file.ReadMany(requests));
  ++ends.steps;
  DSI_RETURN_IF_ERROR(CheckCoreSeal(ends));
  return ends;
}

}  // namespace

Status CheckEnds(const RandomAccessFile& file) { return ReadEnds(file).status(); }

OpenFile::StripeTables::StripeTables(const HeldFile* file, const StripeRef& ref, uint64_t salt,
                                     size_t stripe)
    : groups(file, ref.groups, StripeGroupRecord::kSize, salt,
             fmt::format("groups of stripe {}", stripe), SealedTable::Step::kLast),
      streams(file, ref.streams, kStreamsRecordSize, salt,
              fmt::format("streams of stripe {}", stripe)),
      pages(file, ref.pages, PageRecord::kSize, salt, fmt::format("pages of stripe {}", stripe),
            SealedTable::Step::kLast) {}

Result<std::unique_ptr<OpenFile>> OpenFile::Open(std::unique_ptr<RandomAccessFile> file) {
  const uint64_t size = file->size();
  DSI_ASSIGN_OR_RETURN(FileEnds ends, ReadEnds(*file));
  const Header& header = ends.header;
  const Trailer& trailer = ends.trailer;
  std::unique_ptr<OpenFile> open(new OpenFile);
  open->state_ = std::make_shared<State>();
  State& state = *open->state_;
  state.may_have_gaps = (trailer.compat & kCompatGaps) != 0;
  DSI_ASSIGN_OR_RETURN(state.core, ParseCore(ends.core, size, trailer.core_offset, header.minor,
                                             state.may_have_gaps));
  state.salt = header.salt;
  state.minor = header.minor;
  state.fingerprint = ends.trailer_seal;
  state.open_steps = ends.steps;
  state.file = std::make_unique<HeldFile>(std::move(file), std::move(ends.held));
  open->MakeTables();
  DSI_RETURN_IF_ERROR(open->ReadSections());
  return open;
}

void OpenFile::MakeTables() {
  State& state = *state_;
  using Step = SealedTable::Step;
  const auto table = [&](const TableRef& ref, size_t known_size, const char* what,
                         Step step = Step::kFirst) {
    return std::make_unique<SealedTable>(state.file.get(), ref, known_size, state.salt, what, step);
  };
  const Core& core = state.core;
  state.columns = table(core.columns, ColumnRecord::kSize, "columns");
  state.name_index = table(core.name_index, NameIndexRecord::kSize, "name index");
  state.names = table(core.names, kNameRecordSize, "names");
  state.groups = table(core.groups, GroupRecord::kSize, "groups", Step::kLast);
  state.id_spaces = table(core.id_spaces, IdSpaceRecord::kSize, "id spaces", Step::kLast);
  for (const SectionRef& section : core.sections) {
    if (section.kind == kSectionStatistics)
      state.statistics = table(TableOf(section), kNameRecordSize, "statistics", Step::kLast);
    if (section.kind == kSectionDeleted)
      state.deleted_table = table(TableOf(section), kNameRecordSize, "deleted rows", Step::kLast);
  }
  state.stripes.reserve(core.stripes.size());
  for (size_t i = 0; i < core.stripes.size(); ++i) {
    state.stripes.push_back(
        std::make_unique<StripeTables>(state.file.get(), core.stripes[i], state.salt, i));
  }
}

// What sections say of the whole file, in one step with the start of the directory where it takes
// one at all.
Status OpenFile::ReadSections() {
  const SectionRef* previous = nullptr;
  const SectionRef* overlay = nullptr;
  for (const SectionRef& section : core().sections) {
    if (section.kind == kSectionPrevious) previous = &section;
    if (section.kind == kSectionOverlay) overlay = &section;
  }
  if (previous == nullptr && overlay == nullptr && state_->deleted_table == nullptr)
    return Status::Ok();
  LookAhead ahead(state_->file.get(), {}, nullptr);
  ahead_ = &ahead;
  const Status status = LookTogether(&ahead, [&]() -> Status {
    Status of_previous;
    if (previous != nullptr) of_previous = ReadPrevious(*previous);
    Status of_deleted;
    if (state_->deleted_table != nullptr) of_deleted = ReadDeletedCounts();
    Status of_overlay;
    if (overlay != nullptr) of_overlay = ReadOverlay(*overlay);
    if (ahead.has_notes()) LookAtDirectory();
    DSI_RETURN_IF_ERROR(of_previous);
    return of_deleted.ok() ? of_overlay : of_deleted;
  });
  ahead_ = nullptr;
  state_->open_steps += ahead.steps();
  state_->file->Hold(ahead.TakeHeld());
  return status;
}

Status OpenFile::ReadOverlay(const SectionRef& section) {
  DSI_ASSIGN_OR_RETURN(const CountedVector<std::byte> bytes, LoadSection(section, nullptr));
  DSI_ASSIGN_OR_RETURN(state_->overlay, DecodeOverlay(bytes, core()));
  return Status::Ok();
}

OpenFile OpenFile::Through(LookAhead* ahead) const {
  OpenFile file;
  file.state_ = state_;
  file.ahead_ = ahead;
  return file;
}

uint64_t OpenFile::rows_fingerprint() const { return RowsFingerprint(core(), salt()); }

void OpenFile::LookAtDirectory() const {
  for (const SealedTable* table : {&columns(), &name_index(), &names(), &groups(), &id_spaces()})
    table->LookAtStart(ahead_);
}

void OpenFile::LookAtStripe(size_t stripe) const {
  for (const SealedTable* table :
       {&stripe_groups(stripe), &stripe_streams(stripe), &stripe_pages(stripe)})
    table->LookAtStart(ahead_);
}

void OpenFile::LookAtColumn(uint32_t column) const {
  if (ahead_ == nullptr || !ahead_->is_noting() || !ahead_->stripe().has_value()) return;
  std::byte one{};
  (void)stripe_streams(*ahead_->stripe()).ReadPart(column, 0, {&one, 1}, ahead_);
}

void OpenFile::ForgetStripe(size_t stripe) const {
  stripe_groups(stripe).Forget();
  stripe_streams(stripe).Forget();
  stripe_pages(stripe).Forget();
}

Result<CountedVector<std::byte>> OpenFile::LoadSection(const SectionRef& section,
                                                       MemoryBudget* budget) const {
  // Bounded by the file: ParseCore checked the extent.
  CountedVector<std::byte> bytes(AlignUp(section.size, 8), budget);
  if (ahead_ != nullptr) {
    DSI_RETURN_IF_ERROR(ahead_->Read(section.offset, bytes));
  } else {
    DSI_RETURN_IF_ERROR(file().ReadAt(section.offset, bytes));
  }
  const uint64_t seal = Seal(bytes, SealKind::kSection, section.offset, salt());
  if (seal != section.seal) {
    return Corrupt("section of kind {} at {}..{}: seal {:016x}, expected {:016x} (F-080)",
                   section.kind, section.offset, section.offset + bytes.size(), seal, section.seal);
  }
  if (!AllZero(std::span(bytes).subspan(section.size))) {
    return Corrupt("section of kind {}: padding at the end is not zero (F-002)", section.kind);
  }
  bytes.resize(section.size);
  return bytes;
}

void OpenFile::VerifyMetadata(MemoryBudget* budget,
                              const std::function<void(Status, std::string)>& damage) const {
  const auto check = [&](const SealedTable& table, std::string where) {
    const auto report = [&](Status status) { damage(std::move(status), where); };
    if (Status status = table.ReadSound(nullptr, report, ahead_); !status.ok())
      report(std::move(status));
  };
  check(columns(), "directory: columns");
  check(name_index(), "directory: name index");
  check(names(), "directory: names");
  check(groups(), "directory: groups");
  check(id_spaces(), "directory: id spaces");
  for (size_t i = 0; i < core().stripes.size(); ++i) {
    check(stripe_groups(i), fmt::format("stripe {}: groups", i));
    check(stripe_streams(i), fmt::format("stripe {}: streams", i));
    check(stripe_pages(i), fmt::format("stripe {}: pages", i));
  }
  for (const SectionRef& section : core().sections) {
    const std::string what = fmt::format("section of kind {}", section.kind);
    if (InBlocks(section)) {
      check(SealedTable(&file(), TableOf(section), kNameRecordSize, salt(), what), what);
    } else if (auto bytes = LoadSection(section, budget); !bytes.ok()) {
      damage(bytes.status(), what);
    }
  }
}

Result<std::vector<Extent>> OpenFile::LoadExtents() const {
  std::vector<Extent> extents;
  std::vector<const SealedTable*> tables = {&columns(), &name_index(), &names(), &groups(),
                                            &id_spaces()};
  for (size_t i = 0; i < core().stripes.size(); ++i) {
    for (const SealedTable* table : {&stripe_groups(i), &stripe_streams(i), &stripe_pages(i)})
      tables.push_back(table);
  }
  for (const SealedTable* table : tables) {
    DSI_ASSIGN_OR_RETURN(const uint64_t bytes, table->StoredBytes());
    if (bytes != 0) extents.push_back({table->offset(), bytes});
  }
  for (const SectionRef& section : core().sections) {
    const uint64_t bytes = SectionBytes(section);
    if (bytes != 0) extents.push_back({section.offset, bytes});
  }
  return extents;
}

Status OpenFile::VerifyMetadata(MemoryBudget* budget) const {
  Status first;
  VerifyMetadata(budget, [&first](Status status, const std::string&) {
    if (first.ok()) first = std::move(status);
  });
  return first;
}

}  // namespace dsi::internal
