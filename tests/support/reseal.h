// A file whose bytes a test changes at will and then seals again, so that what lies under the seals
// is tested: a seal finds accidents, not forgery (F-010).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "dsi/base/bytes_internal.h"
#include "dsi/format/core_generated.h"
#include "dsi/format/core_internal.h"
#include "dsi/format/seal_internal.h"
#include "dsi/format/slots_internal.h"
#include "dsi/format/wire_internal.h"

namespace dsi::test {

class EditableFile {
 public:
  // `bytes` must be a sound file.
  explicit EditableFile(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  uint64_t size() const { return bytes_.size(); }
  uint64_t core_offset() const;
  const wire::CoreFooter& core() const;
  wire::TableRef& columns() { return Mutable(core().columns()); }
  wire::TableRef& name_index() { return Mutable(core().name_index()); }
  wire::TableRef& names() { return Mutable(core().names()); }
  wire::TableRef& groups() { return Mutable(core().groups()); }
  wire::TableRef& id_spaces() { return Mutable(core().id_spaces()); }
  wire::StripeRef& stripe(uint32_t i) { return Mutable(core().stripes()->Get(i)); }
  wire::SectionRef& section(uint32_t i) { return Mutable(core().sections()->Get(i)); }
  // A scalar of the core footer: CoreFooter::VT_NUM_ROWS and so on.
  template <typename T>
  void SetCore(uint16_t field, T value) {
    auto* table = reinterpret_cast<flatbuffers::Table*>(const_cast<wire::CoreFooter*>(&core()));
    if (!table->SetField<T>(field, value, static_cast<T>(~value))) std::abort();
  }

  // Where record i of a table starts in the file.
  static uint64_t Place(const wire::TableRef& table, uint64_t i) {
    return table.offset() + i * table.record_size();
  }
  internal::SlotCounts slots() const {
    return {core().columns()->count(), core().id_spaces()->count(), core().groups()->count()};
  }
  // Where the record of a stream starts (F-061).
  uint64_t Stream(uint32_t stripe_number, uint32_t slot) {
    return Place(stripe(stripe_number).streams(), slot / internal::StreamRecord::kPerRecord) +
           slot % internal::StreamRecord::kPerRecord * internal::StreamRecord::kSize;
  }
  template <typename T>
  T Get(uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  template <typename T>
  void Put(uint64_t offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof(T));
  }
  std::byte* At(uint64_t offset) { return bytes_.data() + offset; }

  // All seals anew, from the pages up. What does not fit into the file is left as it is, and pages
  // whose records are compressed (F-042).
  EditableFile& Reseal();
  // Those of the core footer and the trailer alone; the footer's content may be anything.
  EditableFile& ResealFooter();
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  template <typename T>
  static T& Mutable(const T* p) {
    return *const_cast<T*>(p);
  }
  void SealTable(wire::TableRef* table);
  void SealCompressedTable(wire::TableRef* table);
  void SealPages(const wire::TableRef& pages);
  void SealSection(wire::SectionRef* section);

  std::vector<std::byte> bytes_;
};

inline uint64_t EditableFile::core_offset() const {
  return Get<uint64_t>(size() - internal::kTrailerSize);
}

inline const wire::CoreFooter& EditableFile::core() const {
  return *flatbuffers::GetRoot<wire::CoreFooter>(bytes_.data() + core_offset());
}

// F-042: block after block, as far as their ends make sense.
inline void EditableFile::SealCompressedTable(wire::TableRef* table) {
  const uint32_t record_size = table->record_size() ^ internal::kTableCompressed;
  const uint64_t per_block = record_size == 0 ? 0 : internal::RecordsPerBlock(record_size);
  if (per_block == 0 || table->count() == 0) return;
  const uint64_t blocks = (table->count() + per_block - 1) / per_block;
  if (!internal::FitsIn(table->offset(), 16 * blocks, core_offset())) return;
  const auto salt = Get<uint64_t>(16);
  uint64_t at = table->offset() + 16 * blocks;
  for (uint64_t i = 0; i < blocks; ++i) {
    const uint64_t entry = table->offset() + 16 * i;
    const auto end = Get<uint64_t>(entry + 8);
    if (end < at || end > core_offset()) break;
    Put(entry, internal::Seal({At(at), end - at}, internal::SealKind::kTableBlock, at, salt));
    at = end;
  }
  const uint64_t seal = internal::Seal({At(table->offset()), 16 * blocks},
                                       internal::SealKind::kTableSeals, table->offset(), salt);
  *table = wire::TableRef(table->offset(), table->record_size(), table->count(), seal);
}

inline void EditableFile::SealTable(wire::TableRef* table) {
  if ((table->record_size() & internal::kTableCompressed) != 0) return SealCompressedTable(table);
  const uint64_t bytes = uint64_t{table->count()} * table->record_size();
  const uint64_t block =
      table->record_size() == 0
          ? 0
          : internal::RecordsPerBlock(table->record_size()) * table->record_size();
  if (block == 0 || table->count() == 0) return;
  const uint64_t padded = internal::AlignUp(bytes, 8);
  const uint64_t blocks = (bytes + block - 1) / block;
  if (!internal::FitsIn(table->offset(), padded + 8 * blocks, core_offset())) return;
  const auto salt = Get<uint64_t>(16);
  for (uint64_t i = 0; i < blocks; ++i) {
    const uint64_t at = table->offset() + i * block;
    const uint64_t end = std::min(at + block, table->offset() + padded);
    Put(table->offset() + padded + 8 * i,
        internal::Seal({At(at), end - at}, internal::SealKind::kTableBlock, at, salt));
  }
  const uint64_t seals = table->offset() + padded;
  const uint64_t seal =
      internal::Seal({At(seals), 8 * blocks}, internal::SealKind::kTableSeals, seals, salt);
  *table = wire::TableRef(table->offset(), table->record_size(), table->count(), seal);
}

inline void EditableFile::SealPages(const wire::TableRef& pages) {
  if ((pages.record_size() & internal::kTableCompressed) != 0) return;
  for (uint32_t i = 0; i < pages.count(); ++i) {
    const uint64_t record = Place(pages, i);
    if (!internal::FitsIn(record, internal::PageRecord::kSize, core_offset())) return;
    const auto offset = Get<uint64_t>(record);
    const auto stored = Get<uint32_t>(record + 8);
    if (!internal::FitsIn(offset, stored, size())) continue;
    Put(record + 16,
        internal::Seal({At(offset), stored}, internal::SealKind::kPage, offset, Get<uint64_t>(16)));
  }
}

inline EditableFile& EditableFile::Reseal() {
  Put(56, internal::Seal({At(0), 56}, internal::SealKind::kHeader, 0, 0));
  // All places are found before one is written: parts of a damaged footer may share bytes.
  std::vector<wire::TableRef*> pages, tables;
  for (uint32_t i = 0; i < core().stripes()->size(); ++i) {
    wire::StripeRef& s = stripe(i);
    pages.push_back(&Mutable(&s.pages()));
    for (const wire::TableRef* t : {&s.groups(), &s.streams(), &s.pages()})
      tables.push_back(&Mutable(t));
  }
  for (wire::TableRef* t : {&columns(), &name_index(), &names(), &groups(), &id_spaces()})
    tables.push_back(t);
  std::vector<wire::SectionRef*> sections;
  for (uint32_t i = 0; i < core().sections()->size(); ++i) sections.push_back(&section(i));
  for (const wire::TableRef* t : pages) SealPages(*t);
  for (wire::TableRef* t : tables) SealTable(t);
  for (wire::SectionRef* s : sections) SealSection(s);
  return ResealFooter();
}

inline void EditableFile::SealSection(wire::SectionRef* s) {
  uint64_t seal = 0;
  if ((s->flags() & internal::kSectionInBlocks) != 0) {
    wire::TableRef table(s->offset(), 1, static_cast<uint32_t>(s->size()), s->seal());
    SealTable(&table);
    seal = table.seal();
  } else {
    const uint64_t padded = internal::AlignUp(s->size(), 8);
    if (!internal::FitsIn(s->offset(), padded, size())) return;
    seal = internal::Seal({At(s->offset()), padded}, internal::SealKind::kSection, s->offset(),
                          Get<uint64_t>(16));
  }
  *s = wire::SectionRef(s->kind(), s->flags(), s->offset(), s->size(), seal);
}

inline EditableFile& EditableFile::ResealFooter() {
  const uint64_t trailer = size() - internal::kTrailerSize;
  Put(trailer + 48, internal::Seal({At(core_offset()), Get<uint32_t>(trailer + 8)},
                                   internal::SealKind::kCore, core_offset(), Get<uint64_t>(16)));
  Put(trailer + 64, internal::Seal({At(trailer), 64}, internal::SealKind::kTrailer, trailer, 0));
  return *this;
}

}  // namespace dsi::test
