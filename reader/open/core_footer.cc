// The core footer: its form proven, copied out, and held against the one form of this version.
#include <algorithm>
#include <cstring>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/format/core_generated.h"
#include "dsi/format/limits.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {
namespace {

TableRef FromWire(const wire::TableRef& t) {
  return {.offset = t.offset(),
          .record_size = t.record_size() & ~kTableCompressed,
          .count = t.count(),
          .seal = t.seal(),
          .compressed = (t.record_size() & kTableCompressed) != 0};
}

StripeRef FromWire(const wire::StripeRef& s) {
  return {.first_row = s.first_row(),
          .num_rows = s.num_rows(),
          .num_sessions = s.num_sessions(),
          .flags = s.flags(),
          .reserved = s.reserved(),
          .data_offset = s.data_offset(),
          .data_size = s.data_size(),
          .groups = FromWire(s.groups()),
          .streams = FromWire(s.streams()),
          .pages = FromWire(s.pages())};
}

}  // namespace

Result<Core> ParseCore(std::span<const std::byte> bytes, uint64_t file_size, uint64_t core_offset,
                       uint16_t minor, bool may_have_gaps) {
  if (bytes.size() < 8 || bytes.size() > kMaxCoreBytes || core_offset > file_size ||
      core_offset < kHeaderSize) {
    return Corrupt("core footer: {} bytes at {} (F-030)", bytes.size(), core_offset);
  }
  // Fields are aligned from the start of the footer.
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  const auto* data = reinterpret_cast<const uint8_t*>(aligned.data());
  if (!HasCoreForm(bytes))
    return Corrupt("core footer at {}: not a sound FlatBuffer (F-050)", core_offset);
  const auto* wire_core = flatbuffers::GetRoot<wire::CoreFooter>(data);
  Core core;
  core.num_rows = wire_core->num_rows();
  core.num_sessions = wire_core->num_sessions();
  core.num_features = wire_core->num_features();
  core.num_slots = wire_core->num_slots();
  core.page_values = wire_core->page_values();
  core.columns = FromWire(*wire_core->columns());
  core.name_index = FromWire(*wire_core->name_index());
  core.names = FromWire(*wire_core->names());
  core.groups = FromWire(*wire_core->groups());
  core.id_spaces = FromWire(*wire_core->id_spaces());
  core.cluster_keys.assign(wire_core->cluster_keys()->begin(), wire_core->cluster_keys()->end());
  core.stripes.reserve(wire_core->stripes()->size());
  for (uint32_t i = 0; i < wire_core->stripes()->size(); ++i) {
    core.stripes.push_back(FromWire(*wire_core->stripes()->Get(i)));
  }
  for (uint32_t i = 0; i < wire_core->sections()->size(); ++i) {
    const wire::SectionRef& s = *wire_core->sections()->Get(i);
    core.sections.push_back({s.kind(), s.flags(), s.offset(), s.size(), s.seal()});
  }
  core.writer = wire_core->writer()->str();
  core.tuning = wire_core->tuning();
  // F-050, F-002: no field left out, nothing between fields, nothing that no field points to.
  const bool canonical = minor != 0 || (EncodedCoreSize(core) == bytes.size() &&
                                        std::ranges::equal(EncodeCore(core), bytes));
  if (!canonical) {
    return Corrupt("core footer at {}: not in the one form that its values have (F-050)",
                   core_offset);
  }
  DSI_RETURN_IF_ERROR(CheckCore(&core, core_offset, may_have_gaps));
  return core;
}

}  // namespace dsi::internal
