// The core footer: verified as a FlatBuffer, copied out, and held against its one form.
#include <algorithm>
#include <cstring>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/format/core_generated.h"
#include "dsi/format/limits.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {
namespace {

constexpr uint32_t kVerifierTables = 64;
constexpr uint32_t kVerifierDepth = 8;
constexpr uint32_t kStripeContinues = 1;

TableRef FromWire(const wire::TableRef& t) {
  return {.offset = t.offset(),
          .record_size = t.record_size() & ~kTableCompressed,
          .count = t.count(),
          .seal = t.seal(),
          .compressed = (t.record_size() & kTableCompressed) != 0};
}

// The verifier proves that a vector of structs lies inside the buffer, not that its elements are
// aligned; an aligned copy costs nothing.
template <typename T>
T CopyStruct(const flatbuffers::Vector<const T*>& vector, uint32_t i) {
  T copy;
  std::memcpy(&copy, vector.Data() + size_t{i} * sizeof(T), sizeof(T));
  return copy;
}

Result<StripeRef> StripeFromWire(const wire::StripeRef& s) {
  if (s.reserved() != 0 || (s.flags() & ~kStripeContinues) != 0) {
    return Corrupt("core footer: stripe flags {:#x}, reserved {:#x} (F-003, F-051)", s.flags(),
                   s.reserved());
  }
  StripeRef out;
  out.first_row = s.first_row();
  out.num_rows = s.num_rows();
  out.num_sessions = s.num_sessions();
  out.continues_session = (s.flags() & kStripeContinues) != 0;
  out.data_offset = s.data_offset();
  out.data_size = s.data_size();
  out.groups = FromWire(s.groups());
  out.streams = FromWire(s.streams());
  out.pages = FromWire(s.pages());
  return out;
}

}  // namespace

Result<Core> ParseCore(std::span<const std::byte> bytes, uint64_t file_size, uint64_t core_offset,
                       uint16_t minor, bool may_have_gaps) {
  if (bytes.size() < 8 || bytes.size() > kMaxCoreBytes || core_offset > file_size ||
      core_offset < kHeaderSize) {
    return Corrupt("core footer: {} bytes at {} (F-030)", bytes.size(), core_offset);
  }
  // The verifier's alignment checks suppose an aligned buffer.
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  const auto* data = reinterpret_cast<const uint8_t*>(aligned.data());
  flatbuffers::Verifier verifier(data, bytes.size(), kVerifierDepth, kVerifierTables);
  if (!verifier.VerifyBuffer<wire::CoreFooter>(nullptr)) {
    return Corrupt("core footer at {}: not a sound FlatBuffer (F-050)", core_offset);
  }
  const auto* wire_core = flatbuffers::GetRoot<wire::CoreFooter>(data);
  const bool complete = wire_core->columns() != nullptr && wire_core->name_index() != nullptr &&
                        wire_core->names() != nullptr && wire_core->groups() != nullptr &&
                        wire_core->id_spaces() != nullptr && wire_core->cluster_keys() != nullptr &&
                        wire_core->stripes() != nullptr && wire_core->sections() != nullptr &&
                        wire_core->writer() != nullptr;
  if (!complete)
    return Corrupt("core footer at {}: a required field is missing (F-050)", core_offset);
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
    const auto s = CopyStruct<wire::StripeRef>(*wire_core->stripes(), i);
    DSI_ASSIGN_OR_RETURN(StripeRef stripe, StripeFromWire(s));
    core.stripes.push_back(stripe);
  }
  for (uint32_t i = 0; i < wire_core->sections()->size(); ++i) {
    const auto s = CopyStruct<wire::SectionRef>(*wire_core->sections(), i);
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
