// The bytes of the core footer are made by hand: FlatBuffers leaves the order of fields, what is
// left out and where padding stands to whoever writes, and two writers must agree (F-050).
#include <cstring>
#include <span>
#include <string_view>

#include "dsi/base/bytes_internal.h"
#include "dsi/format/core_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kFieldAlignment = 8;
constexpr uint32_t kVtable = 4;
constexpr uint32_t kTable = 44;  // Behind the vtable, and so that fields of 8 bytes are aligned.
constexpr uint16_t kTableSize = 169;
constexpr uint32_t kFixedSize = kTable + kTableSize;
// In the order of core.fbs: where a field stands in the table.
constexpr uint16_t kFields[] = {4, 12, 140, 144, 148, 20, 44, 68, 92, 116, 152, 156, 160, 164, 168};
constexpr size_t kStripeSize = 112;
constexpr size_t kSectionSize = 32;

constexpr uint64_t AlignCount(uint64_t at, uint64_t alignment) {
  // The elements, not the count in front of them, are aligned to 8.
  return alignment == kFieldAlignment ? AlignUp(at + 4, kFieldAlignment) - 4 : AlignUp(at, 4);
}

// Where the vectors start, each with its count.
struct Places {
  explicit Places(const Core& core)
      : cluster_keys(AlignCount(kFixedSize, 4)),
        stripes(AlignCount(cluster_keys + 4 + 4 * core.cluster_keys.size(), kFieldAlignment)),
        sections(AlignCount(stripes + 4 + kStripeSize * core.stripes.size(), kFieldAlignment)),
        writer(AlignCount(sections + 4 + kSectionSize * core.sections.size(), 4)),
        end(AlignUp(writer + 4 + core.writer.size() + 1, kFieldAlignment)) {}

  uint64_t cluster_keys, stripes, sections, writer, end;
};

class Encoder {
 public:
  explicit Encoder(const Core& core) : places_(core), bytes_(places_.end) {}

  std::vector<std::byte> Encode(const Core& core) {
    Put<uint32_t>(kTable);
    Put<uint16_t>(sizeof(kFields) + 4);
    Put(kTableSize);
    for (const uint16_t field : kFields) Put(field);
    at_ = kTable;
    Put<uint32_t>(kTable - kVtable);
    Put(core.num_rows);
    Put(core.num_sessions);
    for (const TableRef* table :
         {&core.columns, &core.name_index, &core.names, &core.groups, &core.id_spaces})
      PutTable(*table);
    for (const uint32_t number : {core.num_features, core.num_slots, core.page_values}) Put(number);
    for (const uint64_t place :
         {places_.cluster_keys, places_.stripes, places_.sections, places_.writer})
      Put(static_cast<uint32_t>(place - at_));
    Put(core.tuning);
    PutVectors(core);
    return std::move(bytes_);
  }

 private:
  template <typename T>
  void Put(T value) {
    StoreLE(bytes_.data() + at_, value);
    at_ += sizeof(T);
  }

  void PutTable(const TableRef& table) {
    Put(table.offset);
    Put(table.record_size | (table.compressed ? kTableCompressed : 0));
    Put(table.count);
    Put(table.seal);
  }

  void StartVector(uint64_t place, size_t count) {
    at_ = place;
    Put(static_cast<uint32_t>(count));
  }

  void PutVectors(const Core& core) {
    StartVector(places_.cluster_keys, core.cluster_keys.size());
    for (const uint32_t key : core.cluster_keys) Put(key);
    StartVector(places_.stripes, core.stripes.size());
    for (const StripeRef& s : core.stripes) {
      Put(s.first_row);
      Put(s.num_rows);
      Put(s.num_sessions);
      Put(s.flags);
      Put(s.reserved);
      Put(s.data_offset);
      Put(s.data_size);
      PutTable(s.groups);
      PutTable(s.streams);
      PutTable(s.pages);
    }
    StartVector(places_.sections, core.sections.size());
    for (const SectionRef& s : core.sections) {
      Put(s.kind);
      Put(s.flags);
      Put(s.offset);
      Put(s.size);
      Put(s.seal);
    }
    StartVector(places_.writer, core.writer.size());
    // Its terminator and the padding are zero already.
    if (!core.writer.empty())
      std::memcpy(bytes_.data() + at_, core.writer.data(), core.writer.size());
  }

  Places places_;
  std::vector<std::byte> bytes_;
  uint64_t at_ = 0;
};

}  // namespace

uint64_t EncodedCoreSize(const Core& core) { return Places(core).end; }

std::vector<std::byte> EncodeCore(const Core& core) { return Encoder(core).Encode(core); }

}  // namespace dsi::internal
