// The core footer (spec §6) as values, and the one way in which its bytes are written. The reader
// takes it from a FlatBuffer of any shape, and compares: see F-050.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dsi::internal {

// F-040: where a sealed table lies.
struct TableRef {
  uint64_t offset = 0;
  uint32_t record_size = 0;
  uint32_t count = 0;
  uint64_t seal = 0;
  bool compressed = false;  // F-042.
  // Not stored, of a compressed table: bytes of its extent as a reader works them out, or where
  // `is_bound` the most that they may be.
  uint64_t bytes = 0;
  bool is_bound = false;
};

// Stands in the stored record_size of a compressed table.
inline constexpr uint32_t kTableCompressed = uint32_t{1} << 31;

// F-051: the stripe continues the session at the end of the one before.
inline constexpr uint32_t kStripeContinues = 1;

struct StripeRef {
  uint64_t first_row = 0;
  uint32_t num_rows = 0;
  uint32_t num_sessions = 0;
  uint32_t flags = 0;
  uint32_t reserved = 0;
  uint64_t data_offset = 0;
  uint64_t data_size = 0;
  TableRef groups, streams, pages;

  bool continues_session() const { return (flags & kStripeContinues) != 0; }
};

// F-080.
struct SectionRef {
  uint32_t kind = 0;
  uint32_t flags = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t seal = 0;
};

struct Core {
  uint64_t num_rows = 0;
  uint64_t num_sessions = 0;
  uint32_t num_features = 0;
  uint32_t num_slots = 0;
  uint32_t page_values = 0;
  TableRef columns, name_index, names, groups, id_spaces;
  std::vector<uint32_t> cluster_keys;
  std::vector<StripeRef> stripes;
  std::vector<SectionRef> sections;
  std::string writer;
  uint8_t tuning = 0;  // F-053.
};

// Bytes that EncodeCore takes.
uint64_t EncodedCoreSize(const Core& core);

// F-050: a FlatBuffer of core.fbs, every field stored, from front to back.
std::vector<std::byte> EncodeCore(const Core& core);

}  // namespace dsi::internal
