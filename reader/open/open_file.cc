// Opening: header, trailer and core footer, in two reads at most; the tables behind them stay where
// they are until a record is asked for.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/reader/open/open_file_internal.h"
#include "dsi/reader/open/tail_file_internal.h"

namespace dsi::internal {
namespace {

// One read that holds trailer and core footer of most files, and the directory of small ones.
constexpr uint64_t kTailBytes = 64 << 10;

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

Result<Header> ReadHeader(const RandomAccessFile& file) {
  std::array<std::byte, kHeaderSize> bytes;
  DSI_RETURN_IF_ERROR(file.ReadAt(0, bytes));
  return Header::DecodeFrom(bytes);
}

}  // namespace

// The tables of one stripe. They hold no memory until used.
struct OpenFile::StripeTables {
  SealedTable groups;
  SealedTable streams;
  SealedTable pages;

  StripeTables(const RandomAccessFile* file, const StripeRef& ref, uint64_t salt, size_t stripe)
      : groups(file, ref.groups, StripeGroupRecord::kSize, salt,
               fmt::format("groups of stripe {}", stripe)),
        streams(file, ref.streams, kStreamsRecordSize, salt,
                fmt::format("streams of stripe {}", stripe)),
        pages(file, ref.pages, PageRecord::kSize, salt, fmt::format("pages of stripe {}", stripe)) {
  }
};

OpenFile::OpenFile() = default;
OpenFile::~OpenFile() = default;

Result<std::unique_ptr<OpenFile>> OpenFile::Open(std::unique_ptr<RandomAccessFile> file) {
  const uint64_t size = file->size();
  if (size < kHeaderSize + kTrailerSize) return CheckShortFile(*file);
  std::vector<std::byte> tail(std::min(size, kTailBytes));
  DSI_RETURN_IF_ERROR(file->ReadAt(size - tail.size(), tail));
  std::array<std::byte, kTrailerSize> trailer_bytes;
  std::memcpy(trailer_bytes.data(), tail.data() + tail.size() - kTrailerSize, kTrailerSize);

  std::unique_ptr<OpenFile> open(new OpenFile);
  open->file_ = std::make_unique<TailFile>(std::move(file), std::move(tail));
  const RandomAccessFile* source = open->file_.get();
  DSI_ASSIGN_OR_RETURN(const Header header, ReadHeader(*source));
  DSI_ASSIGN_OR_RETURN(const Trailer trailer, Trailer::DecodeFrom(trailer_bytes, size));
  if (trailer.salt != header.salt || trailer.minor != header.minor) {
    return Corrupt("trailer: salt {:016x}, minor version {}; the header has {:016x}, {} (F-030)",
                   trailer.salt, trailer.minor, header.salt, header.minor);
  }
  // The trailer's size limit bounds this to 64 MiB, and F-032 to the bytes of the file.
  std::vector<std::byte> core_bytes(trailer.core_size);
  DSI_RETURN_IF_ERROR(source->ReadAt(trailer.core_offset, core_bytes));
  const uint64_t seal = Seal(core_bytes, SealKind::kCore, trailer.core_offset, header.salt);
  if (seal != trailer.core_seal) {
    return Corrupt("core footer at {}..{}: seal {:016x}, expected {:016x} (F-010, F-011)",
                   trailer.core_offset, trailer.core_offset + trailer.core_size, seal,
                   trailer.core_seal);
  }
  open->may_have_gaps_ = (trailer.compat & kCompatGaps) != 0;
  DSI_ASSIGN_OR_RETURN(open->core_, ParseCore(core_bytes, size, trailer.core_offset, header.minor,
                                              open->may_have_gaps_));
  open->salt_ = header.salt;
  open->minor_ = header.minor;

  const auto table = [&](const TableRef& ref, size_t known_size, const char* what) {
    return std::make_unique<SealedTable>(source, ref, known_size, header.salt, what);
  };
  const Core& core = open->core_;
  open->columns_ = table(core.columns, ColumnRecord::kSize, "columns");
  open->name_index_ = table(core.name_index, NameIndexRecord::kSize, "name index");
  open->names_ = table(core.names, kNameRecordSize, "names");
  open->groups_ = table(core.groups, GroupRecord::kSize, "groups");
  open->id_spaces_ = table(core.id_spaces, IdSpaceRecord::kSize, "id spaces");
  for (const SectionRef& section : core.sections) {
    if (section.kind == kSectionStatistics)
      open->statistics_ = table(TableOf(section), kNameRecordSize, "statistics");
    if (section.kind == kSectionDeleted)
      open->deleted_table_ = table(TableOf(section), kNameRecordSize, "deleted rows");
    if (section.kind == kSectionPrevious) DSI_RETURN_IF_ERROR(open->ReadPrevious(section));
  }
  if (open->deleted_table_ != nullptr) DSI_RETURN_IF_ERROR(open->ReadDeletedCounts());
  open->stripes_.reserve(core.stripes.size());
  for (size_t i = 0; i < core.stripes.size(); ++i) {
    open->stripes_.push_back(
        std::make_unique<StripeTables>(source, core.stripes[i], header.salt, i));
  }
  return open;
}

const SealedTable& OpenFile::stripe_groups(size_t stripe) const { return stripes_[stripe]->groups; }
const SealedTable& OpenFile::stripe_streams(size_t stripe) const {
  return stripes_[stripe]->streams;
}
const SealedTable& OpenFile::stripe_pages(size_t stripe) const { return stripes_[stripe]->pages; }

void OpenFile::ForgetStripe(size_t stripe) const {
  stripes_[stripe]->groups.Forget();
  stripes_[stripe]->streams.Forget();
  stripes_[stripe]->pages.Forget();
}

Result<CountedVector<std::byte>> OpenFile::LoadSection(const SectionRef& section,
                                                       MemoryBudget* budget) const {
  // Bounded by the file: ParseCore checked the extent.
  CountedVector<std::byte> bytes(AlignUp(section.size, 8), budget);
  DSI_RETURN_IF_ERROR(file_->ReadAt(section.offset, bytes));
  const uint64_t seal = Seal(bytes, SealKind::kSection, section.offset, salt_);
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
  const auto check = [&damage](const SealedTable& table, std::string where) {
    const auto report = [&](Status status) { damage(std::move(status), where); };
    if (Status status = table.ReadSound(nullptr, report); !status.ok()) report(std::move(status));
  };
  check(*columns_, "directory: columns");
  check(*name_index_, "directory: name index");
  check(*names_, "directory: names");
  check(*groups_, "directory: groups");
  check(*id_spaces_, "directory: id spaces");
  for (size_t i = 0; i < stripes_.size(); ++i) {
    check(stripes_[i]->groups, fmt::format("stripe {}: groups", i));
    check(stripes_[i]->streams, fmt::format("stripe {}: streams", i));
    check(stripes_[i]->pages, fmt::format("stripe {}: pages", i));
  }
  for (const SectionRef& section : core_.sections) {
    const std::string what = fmt::format("section of kind {}", section.kind);
    if (InBlocks(section)) {
      check(SealedTable(file_.get(), TableOf(section), kNameRecordSize, salt_, what), what);
    } else if (auto bytes = LoadSection(section, budget); !bytes.ok()) {
      damage(bytes.status(), what);
    }
  }
}

Result<std::vector<Extent>> OpenFile::LoadExtents() const {
  std::vector<Extent> extents;
  std::vector<const SealedTable*> tables = {columns_.get(), name_index_.get(), names_.get(),
                                            groups_.get(), id_spaces_.get()};
  for (const auto& stripe : stripes_) {
    for (const SealedTable* table : {&stripe->groups, &stripe->streams, &stripe->pages})
      tables.push_back(table);
  }
  for (const SealedTable* table : tables) {
    DSI_ASSIGN_OR_RETURN(const uint64_t bytes, table->StoredBytes());
    if (bytes != 0) extents.push_back({table->offset(), bytes});
  }
  for (const SectionRef& section : core_.sections) {
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
