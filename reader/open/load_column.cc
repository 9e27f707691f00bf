// Directory records of one column, checked against each other (spec F-070 … F-079, S-012, S-013).
#include <simdjson.h>

#include <string_view>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/seal_internal.h"
#include "dsi/reader/open/open_file_internal.h"

namespace dsi::internal {
namespace {

Result<ColumnRecord> LoadRecord(const OpenFile& file, uint32_t ordinal) {
  std::byte bytes[ColumnRecord::kSize];
  DSI_RETURN_IF_ERROR(file.columns().Read(ordinal, 1, bytes, file.ahead()));
  auto record = ColumnRecord::DecodeFrom(bytes);
  if (!record.ok()) return record.status().At(fmt::format("column {}", ordinal));
  return record;
}

Status CheckTiersSlot(const OpenFile& file, const ColumnRecord& r, uint32_t ordinal) {
  const uint32_t first = file.slots().first_tier();
  if (r.tiers_slot >= first && FitsIn(r.tiers_slot, r.num_tiers - 1U, file.core().num_slots))
    return Status::Ok();
  return Corrupt("column {}: {} tiers from slot {} on, those of tiers are {}..{} (F-076)", ordinal,
                 r.num_tiers, r.tiers_slot, first, file.core().num_slots);
}

// F-070: the feature's name is the column's, or what stands before a dot in it.
Status CheckFeatureName(const OpenColumn& c) {
  const ColumnRecord& r = c.record;
  const bool may_be_part =
      r.kind == Kind::kWeighted || r.kind == Kind::kSequence || KindName(r.kind).empty();
  const bool must_be_part = may_be_part && (!KindName(r.kind).empty() || r.num_columns > 1);
  const bool sound = r.name_size == r.feature_name_size
                         ? !must_be_part
                         : may_be_part && r.name_size > r.feature_name_size + 1 &&
                               c.name[r.feature_name_size] == '.';
  if (sound) return Status::Ok();
  return Corrupt("column {}: \"{}\": the first {} bytes cannot be the name of a {} feature (F-070)",
                 c.ordinal, c.name, r.feature_name_size, KindName(r.kind));
}

// The columns of a feature are consecutive and agree with the leader in what belongs to the
// feature.
Status CheckFeature(const OpenColumn& c, const std::string& leader_name) {
  const ColumnRecord& r = c.record;
  const ColumnRecord& l = c.leader;
  const bool agree = l.place == 0 && l.num_columns == r.num_columns && l.group == r.group &&
                     l.kind == r.kind && l.num_tiers == r.num_tiers &&
                     l.newest_first == r.newest_first && l.nested == r.nested &&
                     l.max_length == r.max_length && l.fixed_length == r.fixed_length &&
                     l.id_less_hash == r.id_less_hash && l.feature_name_size == r.feature_name_size;
  if (!agree || leader_name.compare(0, l.feature_name_size, c.name, 0, r.feature_name_size) != 0) {
    return Corrupt(
        "column {}: \"{}\" and the first column of its feature, {} \"{}\", disagree "
        "(F-079)",
        c.ordinal, c.name, c.first_column(), leader_name);
  }
  return Status::Ok();
}

}  // namespace

bool IsNameText(std::string_view text) {
  return text.find('\0') == text.npos && simdjson::validate_utf8(text.data(), text.size());
}

Result<std::string> OpenFile::LoadName(uint32_t offset, uint32_t size) const {
  if (size < 1 || size > kMaxNameBytes) return Corrupt("a name of {} bytes (S-013)", size);
  if (!FitsIn(offset, size, names().count())) {
    return Corrupt("a name of {} bytes at {} of the name heap, which has {} (F-071)", size, offset,
                   names().count());
  }
  std::string name(size, '\0');
  DSI_RETURN_IF_ERROR(
      names().Read(offset, size, std::as_writable_bytes(std::span(name)).data(), ahead_));
  if (!IsNameText(name)) {
    return Corrupt("name at {} of the name heap: not UTF-8, or a NUL in it (S-013)", offset);
  }
  return name;
}

Result<OpenColumn> OpenFile::LoadColumn(uint32_t ordinal) const {
  DSI_ASSIGN_OR_RETURN(OpenColumn column, LoadAnyColumn(ordinal));
  const Status support = column.record.Support();
  if (!support.ok()) return support.At(fmt::format("column {}: \"{}\"", ordinal, column.name));
  return column;
}

Result<OpenColumn> OpenFile::LoadAnyColumn(uint32_t ordinal) const {
  OpenColumn c;
  c.ordinal = ordinal;
  DSI_ASSIGN_OR_RETURN(c.record, LoadRecord(*this, ordinal));
  const ColumnRecord& r = c.record;
  // Nothing that is looked up next depends on a name that is not in memory yet.
  const auto is_to_come = [this] { return ahead_ != nullptr && ahead_->has_notes(); };
  if (auto name = LoadName(r.name_offset, r.name_size); name.ok()) {
    c.name = *std::move(name);
    DSI_RETURN_IF_ERROR(CheckFeatureName(c));
  } else if (!is_to_come()) {
    return name.status();
  }
  if (r.place > ordinal || r.num_columns > core().columns.count - c.first_column()) {
    return Corrupt("column {}: column {} of a feature of {}, the file has {} (F-070)", ordinal,
                   r.place, r.num_columns, core().columns.count);
  }
  c.leader = r;
  if (r.place != 0) {
    DSI_ASSIGN_OR_RETURN(c.leader, LoadRecord(*this, c.first_column()));
    auto leader_name = LoadName(c.leader.name_offset, c.leader.name_size);
    if (!leader_name.ok() && !is_to_come()) return leader_name.status();
    if (leader_name.ok() && !c.name.empty()) DSI_RETURN_IF_ERROR(CheckFeature(c, *leader_name));
  }
  // Integers, then floats; what the other column is, is its own matter.
  if (r.kind == Kind::kWeighted && r.Support().ok() &&
      !(r.place == 0 ? IsInteger(r.type) : IsFloat(r.type))) {
    return Corrupt("column {}: {} in place {} of a weighted feature (S-012)", ordinal,
                   TypeName(r.type), r.place);
  }
  if (r.tiers_slot != kNone32) DSI_RETURN_IF_ERROR(CheckTiersSlot(*this, r, ordinal));
  for (uint32_t g = r.group; g != 0 || c.groups.size() == 0;) {
    DSI_ASSIGN_OR_RETURN(const GroupRecord group, LoadGroup(g));
    if (!c.groups.Add(g)) {
      return Corrupt("column {}: dedup group {} has more than {} parents above it (F-073, F-090)",
                     ordinal, r.group, kMaxGroupChain - 1);
    }
    g = group.parent;
  }
  if (r.id_space != kNone16) {
    DSI_ASSIGN_OR_RETURN(const IdSpaceRecord space, LoadIdSpace(r.id_space));
    if (r.Support().ok() && space.width != TypeWidth(r.type)) {
      return Corrupt("column {}: {} in an id space of width {} (F-074)", ordinal, TypeName(r.type),
                     space.width);
    }
  }
  return c;
}

Status OpenFile::CheckFollowers(const OpenColumn& leader) const {
  for (uint32_t place = 1; place < leader.record.num_columns; ++place) {
    DSI_ASSIGN_OR_RETURN(const ColumnRecord r, LoadRecord(*this, leader.ordinal + place));
    if (r.place == place && r.num_columns == leader.record.num_columns) continue;
    return Corrupt("column {}: column {} of a feature of {}, expected column {} of {} (F-070)",
                   leader.ordinal + place, r.place, r.num_columns, place,
                   leader.record.num_columns);
  }
  return Status::Ok();
}

Result<GroupRecord> OpenFile::LoadGroup(uint32_t group) const {
  std::byte bytes[GroupRecord::kSize];
  if (group >= groups().count()) {
    return Corrupt("dedup group {} of {} (F-073)", group, groups().count());
  }
  DSI_RETURN_IF_ERROR(groups().Read(group, 1, bytes, ahead_));
  DSI_ASSIGN_OR_RETURN(const GroupRecord r, GroupRecord::DecodeFrom(bytes));
  const bool rows = group == 0;
  if (rows != (r.source == 0) ||
      (rows && (r.name_size != 0 || r.name_offset != 0 || r.owner != kNone32))) {
    return Corrupt("dedup group {}: source {}, name of {} bytes (F-073)", group, r.source,
                   r.name_size);
  }
  if (!rows && r.num_columns == 0) return Corrupt("dedup group {}: no column (F-073)", group);
  if (r.parent >= std::max(group, 1U)) {
    return Corrupt("dedup group {}: parent {} is not before it (F-073)", group, r.parent);
  }
  if (r.owner != kNone32 && r.owner >= core().columns.count) {
    return Corrupt("dedup group {}: owner {} of {} columns (F-073)", group, r.owner,
                   core().columns.count);
  }
  return r;
}

Result<IdSpaceRecord> OpenFile::LoadIdSpace(uint32_t id_space) const {
  std::byte bytes[IdSpaceRecord::kSize];
  if (id_space >= id_spaces().count()) {
    return Corrupt("id space {} of {} (F-074)", id_space, id_spaces().count());
  }
  DSI_RETURN_IF_ERROR(id_spaces().Read(id_space, 1, bytes, ahead_));
  return IdSpaceRecord::DecodeFrom(bytes);
}

}  // namespace dsi::internal
