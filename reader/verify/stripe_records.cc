#include "dsi/reader/verify/stripe_records_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/format/slots_internal.h"
#include "dsi/format/stream_rules_internal.h"

namespace dsi::internal {

Status StripeRecords::Load() {
  DSI_RETURN_IF_ERROR(LoadGroups());
  return LoadStreams();
}

void StripeRecords::Report(Status status, std::string where) {
  if (status.message() == last_message_) return;
  last_message_ = status.message();
  is_damaged_ |= status.code() != StatusCode::kUnsupported;
  log_.Add(std::move(status), std::move(where));
}

std::string StripeRecords::Where(const SlotUse& use) const {
  const std::string_view role = StreamRoleName(use.role);
  switch (use.role) {
    case StreamRole::kIndex:
      return fmt::format("stripe {}, dedup group {}, {} stream", stripe_, use.owner, role);
    case StreamRole::kDictionary:
      return fmt::format("stripe {}, id space {}, {} stream", stripe_, use.owner, role);
    default:
      return fmt::format("stripe {}, column {}, {} stream", stripe_,
                         directory_.columns[use.owner].name, role);
  }
}

Status StripeRecords::LoadGroups() {
  groups_.resize(file_.core().groups.count);
  for (uint32_t g = 0; g < groups_.size(); ++g) {
    auto record = file_.LoadStripeGroup(stripe_, g);
    if (record.ok()) {
      groups_[g] = *record;
      if (!IsKnown(record->form)) {  // Its streams are over unique rows all the same.
        Report(Error(StatusCode::kUnsupported, "index form {} (D-001)",
                     static_cast<uint32_t>(record->form)),
               fmt::format("stripe {}, dedup group {}", stripe_, g));
      }
      continue;
    }
    if (!IsDamage(record.status())) return record.status();
    groups_[g].num_unique = 0;  // No sound group has none (D-003).
    Report(record.status(), fmt::format("stripe {}, dedup group {}", stripe_, g));
  }
  return Status::Ok();
}

Status StripeRecords::LoadStreams() {
  streams_.resize(directory_.slots.size());
  for (size_t i = 0; i < streams_.size(); ++i) {
    VerifiedStream& s = streams_[i];
    s.use = directory_.slots[i];
    auto record = file_.LoadStream(stripe_, s.use.slot);
    if (record.ok()) {
      s.record = *record;
      s.present = true;
      all_placed_ &= IsKnown(record->form);
      continue;
    }
    if (!IsDamage(record.status())) return record.status();
    s.failed = true;
    all_placed_ = false;
    Report(record.status(), Where(s.use));
  }
  for (const VerifiedStream& s : streams_) {
    if (!s.record.has_source() || IsOpaque(s.use)) continue;
    const auto source = std::lower_bound(
        streams_.begin(), streams_.end(), ValuesSlot(s.record.source_column()),
        [](const VerifiedStream& other, uint32_t slot) { return other.use.slot < slot; });
    if (source != streams_.end()) source->lends = true;
  }
  return directory_.complete ? CheckUnused() : Status::Ok();
}

// F-078.
Status StripeRecords::CheckUnused() {
  const uint32_t end = file_.stripe_streams(stripe_).count() * StreamRecord::kPerRecord;
  auto used = directory_.slots.begin();
  for (uint32_t slot = 0; slot < end; ++slot) {
    if (used != directory_.slots.end() && used->slot == slot) {
      ++used;
      continue;
    }
    auto record = file_.LoadStream(stripe_, slot);
    Status status = record.status();
    if (record.ok() && (record->form != StreamForm::kEmpty || record->width != 1)) {
      status = Corrupt("slot {} serves nothing: form {}, width {}, expected 0 and 1 (F-078)", slot,
                       static_cast<int>(record->form), record->width);
    }
    if (status.ok()) continue;
    if (!IsDamage(status)) return status;
    Report(std::move(status), fmt::format("stripe {}", stripe_));
  }
  return Status::Ok();
}

const VerifiedStream* StripeRecords::Find(uint32_t slot) const {
  const auto at = std::lower_bound(
      streams_.begin(), streams_.end(), slot,
      [](const VerifiedStream& s, uint32_t wanted) { return s.use.slot < wanted; });
  return at != streams_.end() && at->use.slot == slot && at->present ? &*at : nullptr;
}

const ColumnRecord* StripeRecords::ColumnOf(const SlotUse& use) const {
  const bool of_column = use.role != StreamRole::kIndex && use.role != StreamRole::kDictionary;
  return of_column ? &directory_.columns[use.owner].record : nullptr;
}

bool StripeRecords::IsOpaque(const SlotUse& use) const {
  const ColumnRecord* column = ColumnOf(use);
  if (column == nullptr || column->Support().ok()) return false;
  // Lists have lengths and windows of whatever type.
  return use.role == StreamRole::kValues || !IsListKind(column->kind);
}

uint32_t StripeRecords::ParentUnique(const SlotUse& use) const {
  return groups_[directory_.group_parents[use.owner]].num_unique;
}

// D-001, D-006: what an index needs is there, whether or not a column asks for it.
Status StripeRecords::CheckParents(uint32_t group) const {
  const IndexForm form = groups_[group].form;
  if (!NeedsParent(form)) return Status::Ok();
  if (directory_.group_parents[group] == 0) {
    return Corrupt("dedup group {}: form {} without a parent (D-001)", group,
                   static_cast<uint32_t>(form));
  }
  if (form != IndexForm::kAsOf) return Status::Ok();
  // Of an owner of an unknown form nobody knows what it needs; a column of an unknown kind may tell
  // a time.
  if (!IsKnown(groups_[Topmost(group)].form)) return Status::Ok();
  const std::vector<uint32_t>& keys = file_.core().cluster_keys;
  if (keys.empty()) return Corrupt("a dedup group of form 6 without a time column (D-006)");
  const OpenColumn& time = directory_.columns[keys.back()];
  if (time.name.empty() || !time.record.Support().ok()) return Status::Ok();
  if (time.record.kind != Kind::kTimestamp)
    return Corrupt("a dedup group of form 6 without a time column (D-006)");
  if (time.record.id_space != kNone16)
    return Corrupt("the time column {} draws from an id space (D-006)", time.name);
  return Status::Ok();
}

// The first group above that needs no parent, or has none.
uint32_t StripeRecords::Topmost(uint32_t group) const {
  while (NeedsParent(groups_[group].form) && directory_.group_parents[group] != 0)
    group = directory_.group_parents[group];
  return group;
}

Status StripeRecords::CheckRecord(const VerifiedStream& s) const {
  const SlotUse& use = s.use;
  if (use.role == StreamRole::kValues && s.record.has_source())
    DSI_RETURN_IF_ERROR(CheckSourceOf(s));
  if (IsOpaque(use)) return CheckOpaqueRecord(s);
  if (use.role == StreamRole::kIndex) {
    DSI_RETURN_IF_ERROR(CheckParents(use.owner));
    return CheckIndexRecord(groups_[use.owner], file_.core().stripes[stripe_].num_rows,
                            ParentUnique(use), s.record);
  }
  if (use.role == StreamRole::kDictionary) {
    return CheckDictionaryRecord(static_cast<int>(directory_.id_space_widths[use.owner]), s.record);
  }
  return CheckColumnRecord(s);
}

// Of a column of an unknown kind or type, what holds whatever it is.
Status StripeRecords::CheckOpaqueRecord(const VerifiedStream& s) const {
  const OpenColumn& column = directory_.columns[s.use.owner];
  if (s.use.role != StreamRole::kValues)
    return CheckNoSource(s.record, StreamRoleName(s.use.role).data());
  DSI_RETURN_IF_ERROR(CheckNoMax(s.record, "values"));
  return s.use.slot == column.values_slot() ? CheckMayBorrow(column.record, s.record)
                                            : CheckNoSource(s.record, "tier");
}

// F-066.
Status StripeRecords::CheckSourceOf(const VerifiedStream& s) const {
  const uint32_t ordinal = s.record.source_column();
  if (ordinal >= file_.core().columns.count) {
    return Corrupt("the source is column {} of {} (F-066)", ordinal, file_.core().columns.count);
  }
  const OpenColumn& column = directory_.columns[ordinal];
  const VerifiedStream* const source = Find(ValuesSlot(ordinal));
  if (column.name.empty() || source == nullptr) return Status::Ok();  // Reported already.
  const uint32_t id_space = column.record.id_space == kNone16 ? kNone32 : column.record.id_space;
  if (s.record.source_id_space() != id_space) {
    return Corrupt("the source, column {}, is of id space {}, stated as {} (F-066)", ordinal,
                   static_cast<int32_t>(id_space),
                   static_cast<int32_t>(s.record.source_id_space()));
  }
  return CheckSource(s.record, source->record);
}

Status StripeRecords::CheckColumnRecord(const VerifiedStream& s) const {
  const SlotUse& use = s.use;
  const OpenColumn& column = directory_.columns[use.owner];
  const uint32_t num_unique = groups_[column.record.group].num_unique;
  if (use.role == StreamRole::kShape) return CheckShapeRecord(column.record, num_unique, s.record);
  if (use.role == StreamRole::kWindows)
    return CheckWindowsRecord(column.record, num_unique, s.record);
  if (use.slot != column.values_slot()) {
    const VerifiedStream* values = Find(column.values_slot());
    const VerifiedStream* windows = Find(column.windows_slot());
    if (values == nullptr || windows == nullptr) return Status::Ok();
    return CheckTierRecord(values->record, s.record, windows->record.max);
  }
  const VerifiedStream* shape = Find(column.shape_slot());
  if (shape == nullptr) return Status::Ok();
  StreamRecord pool = s.record;
  pool.num_values = PoolValues(column);  // How many each tier has is looked at later (D-014).
  return CheckValuesRecord(column.record, shape->record, pool, HasWindows(column));
}

uint64_t StripeRecords::PoolValues(const OpenColumn& column) const {
  uint64_t sum = 0;
  for (uint32_t tier = 0; tier < std::max<uint32_t>(column.record.num_tiers, 1); ++tier) {
    const VerifiedStream* s =
        Find(tier == 0 ? column.values_slot() : column.record.tiers_slot + tier - 1);
    if (s != nullptr) sum += s->record.num_values;
  }
  return sum;
}

bool StripeRecords::HasWindows(const OpenColumn& column) const {
  if (!column.record.MayHaveWindows()) return false;
  const VerifiedStream* windows = Find(column.windows_slot());
  return windows == nullptr || windows->record.num_values != 0;
}

}  // namespace dsi::internal
