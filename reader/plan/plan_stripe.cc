// Plans one stripe of a projection from records alone.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "dsi/dedup/tiers_internal.h"
#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/slots_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/format/stream_rules_internal.h"

namespace dsi::internal {
namespace {

// Projections of more columns than this touch most blocks of a stripe's tables; keeping those of
// every stripe would make memory grow with the file.
constexpr size_t kWideProjection = 256;

// Of most columns: shape, values, and of lists windows.
constexpr size_t kStreamsOfColumn = 3;

// Bytes for what is remembered of a stream or a group while a plan is made.
constexpr uint64_t kBookkeeping = 64;

class StripePlanner {
 public:
  StripePlanner(const OpenFile& file, std::span<const OpenColumn> columns, size_t stripe,
                const ReaderOptions& options, MemoryBudget* budget)
      : file_(file), columns_(columns), options_(options), notes_before_(NumNotes(file)) {
    plan_.stripe = stripe;
    plan_.charge = MemoryCharge(budget);
  }

  Result<StripePlan> Plan() {
    DSI_RETURN_IF_ERROR(plan_.charge.Add(columns_.size() * sizeof(ColumnPlan)));
    plan_.columns.reserve(columns_.size());
    plan_.streams.reserve(kStreamsOfColumn * columns_.size());
    Status waited;
    for (uint32_t i = 0; i < columns_.size(); ++i) {
      Status status = AddColumn(i);
      if (status.ok()) continue;
      if (!is_waiting()) return status.At(fmt::format("feature column {}", columns_[i].name));
      NoteColumn(columns_[i]);
      waited = std::move(status);
    }
    if (is_waiting()) return waited;
    DSI_RETURN_IF_ERROR(AddPages());
    DSI_RETURN_IF_ERROR(PlacePages());
    AddRanges();
    if (columns_.size() > kWideProjection) file_.ForgetStripe(plan_.stripe);
    return std::move(plan_);
  }

 private:
  // Something that was looked up is noted, to be read with what else will be needed.
  bool is_waiting() const { return NumNotes(file_) != notes_before_; }
  static size_t NumNotes(const OpenFile& file) {
    return file.ahead() == nullptr ? 0 : file.ahead()->num_notes();
  }

  // Looks up all that AddColumn does, as far as the directory alone tells.
  void NoteColumn(const OpenColumn& c) {
    const auto look = [this](uint32_t slot) { (void)file_.LoadStream(plan_.stripe, slot); };
    for (size_t level = 0; level < c.groups.size(); ++level) {
      (void)file_.LoadStripeGroup(plan_.stripe, c.groups[level]);
      if (c.groups[level] != 0) look(file_.slots().index(c.groups[level]));
    }
    for (const uint32_t slot : {c.values_slot(), c.shape_slot(), c.windows_slot()}) look(slot);
    if (c.shape_only) return;
    if (c.record.id_space != kNone16 && !c.blank) look(file_.slots().dictionary(c.record.id_space));
    if (c.record.tiers_slot == kNone32) return;
    for (uint32_t tier = 1; tier < c.record.num_tiers; ++tier) look(c.record.tiers_slot + tier - 1);
  }

  Status AddColumn(uint32_t i) {
    const OpenColumn& c = columns_[i];
    ColumnPlan out;
    DSI_ASSIGN_OR_RETURN(out.group, AddGroups(c, i));
    const uint32_t num_unique = plan_.groups[out.group].record.num_unique;
    DSI_ASSIGN_OR_RETURN(out.shape,
                         AddStream(i, StreamRole::kShape, c.shape_slot(), c.first_column()));
    DSI_RETURN_IF_ERROR(CheckShapeRecord(c.record, num_unique, plan_.streams[out.shape].record));
    if (c.shape_only) return AddShape(c, std::move(out));
    StreamRecord values;
    if (c.blank) {
      DSI_ASSIGN_OR_RETURN(values, file_.LoadStream(plan_.stripe, c.values_slot()));
    } else {
      DSI_ASSIGN_OR_RETURN(out.values,
                           AddStream(i, StreamRole::kValues, c.values_slot(), c.ordinal));
      values = plan_.streams[out.values].record;  // Streams move as more come.
    }
    if (c.record.MayHaveWindows()) {
      DSI_ASSIGN_OR_RETURN(const uint32_t windows,
                           AddStream(i, StreamRole::kWindows, c.windows_slot(), c.first_column()));
      const StreamRecord& record = plan_.streams[windows].record;
      DSI_RETURN_IF_ERROR(CheckWindowsRecord(c.record, num_unique, record));
      if (record.num_values != 0) out.windows = windows;
    }
    DSI_RETURN_IF_ERROR(AddTiers(i, values, &out));
    StreamRecord pool = values;
    pool.num_values = out.pool_values;
    DSI_RETURN_IF_ERROR(
        CheckValuesRecord(c.record, plan_.streams[out.shape].record, pool, out.windows != kNone32));
    if (c.blank) {
      DSI_ASSIGN_OR_RETURN(out.values, AddBlank(i, out.pool_values));
    } else if (values.has_source()) {
      DSI_RETURN_IF_ERROR(AddSource(i, values, &out));
    } else if (c.record.id_space != kNone16) {
      DSI_ASSIGN_OR_RETURN(out.dictionary, AddStream(i, StreamRole::kDictionary,
                                                     file_.slots().dictionary(c.record.id_space),
                                                     c.record.id_space));
      DSI_RETURN_IF_ERROR(
          CheckDictionaryRecord(TypeWidth(c.record.type), plan_.streams[out.dictionary].record));
    }
    plan_.columns.push_back(out);
    return Status::Ok();
  }

  // Of the values only their number is looked at, where it is that of all entries.
  Status AddShape(const OpenColumn& c, ColumnPlan out) {
    DSI_ASSIGN_OR_RETURN(const StreamRecord values,
                         file_.LoadStream(plan_.stripe, c.values_slot()));
    out.pool_values = values.num_values;
    if (c.record.MayHaveWindows()) {
      DSI_ASSIGN_OR_RETURN(const StreamRecord windows,
                           file_.LoadStream(plan_.stripe, c.windows_slot()));
      if (windows.num_values != 0) out.pool_values = kUnknownValues;
    }
    plan_.columns.push_back(std::move(out));
    return Status::Ok();
  }

  // Position in the plan of a stream that stands in no file.
  Result<uint32_t> AddBlank(uint32_t i, uint64_t num_values) {
    const OpenColumn& c = columns_[i];
    DSI_RETURN_IF_ERROR(plan_.charge.Add(kBookkeeping + sizeof(PlannedStream)));
    PlannedStream& stream = plan_.streams.emplace_back();
    stream.column = i;
    stream.owner = c.ordinal;
    stream.record.num_values = num_values;
    stream.record.constant = c.blank->bits;
    stream.record.width = static_cast<uint8_t>(TypeWidth(c.blank->type));
    stream.record.form = StreamForm::kConstant;
    return static_cast<uint32_t>(plan_.streams.size() - 1);
  }

  // F-066: the values of another column that serve this one as dictionary. Which id space that
  // column draws from is believed: who decodes its values by another dictionary gets other values.
  Status AddSource(uint32_t i, const StreamRecord& values, ColumnPlan* out) {
    const uint32_t column = values.source_column();
    const uint32_t id_space = values.source_id_space();
    if (column >= file_.core().columns.count ||
        (id_space != kNone32 && id_space >= file_.core().id_spaces.count)) {
      return Corrupt("the source is column {} of {}, of id space {} of {} (F-066)", column,
                     file_.core().columns.count, id_space, file_.core().id_spaces.count);
    }
    DSI_ASSIGN_OR_RETURN(
        out->source, AddStream(i, StreamRole::kValues, ValuesSlot(column), column, /*lends=*/true));
    DSI_RETURN_IF_ERROR(CheckSource(values, plan_.streams[out->source].record));
    if (id_space == kNone32) return Status::Ok();
    DSI_ASSIGN_OR_RETURN(out->source_dictionary,
                         AddStream(i, StreamRole::kDictionary, file_.slots().dictionary(id_space),
                                   id_space, /*lends=*/true));
    return CheckDictionaryRecord(values.width, plan_.streams[out->source_dictionary].record);
  }

  // D-014: the tiers that are needed, and the size of the pool with those that are not.
  Status AddTiers(uint32_t i, const StreamRecord& values, ColumnPlan* out) {
    const OpenColumn& c = columns_[i];
    out->pool_values = values.num_values;
    out->newest = c.newest;
    if (c.record.tiers_slot == kNone32) return Status::Ok();
    const uint32_t max = out->windows == kNone32 ? 0 : plan_.streams[out->windows].record.max;
    uint32_t needed = 0;
    if (max != 0 && !c.blank) {
      out->num_tiers = c.record.num_tiers;
      needed = c.newest == 0 ? out->num_tiers
                             : TiersWithin(uint64_t{max} - 1 + c.newest, out->num_tiers);
    }
    for (uint32_t tier = 1; tier < c.record.num_tiers; ++tier) {
      const uint32_t slot = c.record.tiers_slot + tier - 1;
      DSI_ASSIGN_OR_RETURN(const StreamRecord record, file_.LoadStream(plan_.stripe, slot));
      DSI_RETURN_IF_ERROR(CheckTierRecord(values, record, max));
      out->pool_values += record.num_values;
      if (tier >= needed) continue;
      DSI_ASSIGN_OR_RETURN(const uint32_t stream,
                           AddStream(i, StreamRole::kValues, slot, c.ordinal));
      out->tiers.push_back(stream);
    }
    return Status::Ok();
  }

  // Position in the plan of the column's group. Those that its index refers to, and theirs, come
  // before it: as many as F-073 allows, and only as far as their forms ask for a parent.
  Result<uint32_t> AddGroups(const OpenColumn& c, uint32_t column) {
    size_t levels = 0;
    uint32_t position = kNone32;
    std::array<StripeGroupRecord, kMaxGroupChain> records;
    for (bool refers = true; refers; ++levels) {
      if (levels == c.groups.size()) {
        return Corrupt("dedup group {}: form {} without a parent (D-001)", c.groups[levels - 1],
                       static_cast<uint32_t>(records[levels - 1].form));
      }
      const uint32_t ordinal = c.groups[levels];
      if (const auto known = group_position_.find(ordinal); known != group_position_.end()) {
        position = known->second;
        break;
      }
      DSI_ASSIGN_OR_RETURN(records[levels], file_.LoadStripeGroup(plan_.stripe, ordinal));
      refers = NeedsParent(records[levels].form);
    }
    while (levels-- != 0) {
      PlannedGroup planned{
          .ordinal = c.groups[levels], .parent = position, .record = records[levels]};
      if (planned.record.form == IndexForm::kAsOf) {
        DSI_RETURN_IF_ERROR(CheckOwners(position));
        DSI_RETURN_IF_ERROR(AddTime());
      }
      DSI_RETURN_IF_ERROR(AddIndex(column, &planned));
      DSI_RETURN_IF_ERROR(plan_.charge.Add(kBookkeeping + sizeof(PlannedGroup)));
      position = static_cast<uint32_t>(plan_.groups.size());
      group_position_.emplace(planned.ordinal, position);
      plan_.groups.push_back(planned);
    }
    return position;
  }

  // What needs an unknown form says so, whatever else is wrong with it.
  Status CheckOwners(uint32_t position) const {
    for (; position != kNone32; position = plan_.groups[position].parent)
      DSI_RETURN_IF_ERROR(CheckIndexForm(plan_.stripe, plan_.groups[position].record.form));
    return Status::Ok();
  }

  // D-006: the column that tells the time, before the first group that needs it.
  Status AddTime() {
    if (plan_.time.group != kNone32) return Status::Ok();
    if (is_in_time_) return Corrupt("the time column's own dedup group is of form 6 (D-006)");
    const std::vector<uint32_t>& keys = file_.core().cluster_keys;
    if (keys.empty()) return Corrupt("a dedup group of form 6 without a time column (D-006)");
    DSI_ASSIGN_OR_RETURN(const OpenColumn c, file_.LoadAnyColumn(keys.back()));
    DSI_RETURN_IF_ERROR(c.record.Support());  // A kind that is not known may tell a time.
    if (c.record.kind != Kind::kTimestamp)
      return Corrupt("a dedup group of form 6 without a time column (D-006)");
    if (c.record.id_space != kNone16)
      return Corrupt("the time column {} draws from an id space (D-006)", c.name);
    plan_.time.name = c.name;
    is_in_time_ = true;
    DSI_ASSIGN_OR_RETURN(const uint32_t group, AddGroups(c, kNone32));
    is_in_time_ = false;
    DSI_ASSIGN_OR_RETURN(plan_.time.shape,
                         AddStream(kNone32, StreamRole::kShape, c.shape_slot(), c.first_column()));
    DSI_ASSIGN_OR_RETURN(plan_.time.values,
                         AddStream(kNone32, StreamRole::kValues, c.values_slot(), c.ordinal));
    plan_.time.group = group;
    const StreamRecord& shape = plan_.streams[plan_.time.shape].record;
    DSI_RETURN_IF_ERROR(CheckShapeRecord(c.record, plan_.groups[group].record.num_unique, shape));
    return CheckValuesRecord(c.record, shape, plan_.streams[plan_.time.values].record, false);
  }

  Status AddIndex(uint32_t column, PlannedGroup* group) {
    if (group->ordinal == 0) return Status::Ok();
    const uint32_t num_rows = file_.core().stripes[plan_.stripe].num_rows;
    const uint32_t parent_unique =
        group->parent == kNone32 ? 0 : plan_.groups[group->parent].record.num_unique;
    DSI_ASSIGN_OR_RETURN(
        const uint32_t index,
        AddStream(column, StreamRole::kIndex, file_.slots().index(group->ordinal), group->ordinal));
    if (group->record.form != IndexForm::kIdentity) group->index = index;
    return CheckIndexRecord(group->record, num_rows, parent_unique, plan_.streams[index].record);
  }

  // Position of the slot's stream in the plan.
  Result<uint32_t> AddStream(uint32_t column, StreamRole role, uint32_t slot, uint32_t owner,
                             bool lends = false) {
    const auto at = position_.find(slot);
    if (at != position_.end()) {
      PlannedStream& known = plan_.streams[at->second];
      if (known.role == role && known.owner == owner) {
        if (known.lends == lends) known.column = std::min(known.column, column);
        if (known.lends && !lends) known.column = column;
        known.lends = known.lends && lends;
        return at->second;
      }
      return Corrupt("slot {} is the {} stream of {} and the {} stream of {} (F-077)", slot,
                     StreamRoleName(role), owner, StreamRoleName(known.role), known.owner);
    }
    DSI_RETURN_IF_ERROR(plan_.charge.Add(kBookkeeping + sizeof(PlannedStream)));
    PlannedStream stream{
        .slot = slot, .role = role, .column = column, .owner = owner, .lends = lends, .record = {}};
    DSI_ASSIGN_OR_RETURN(stream.record, file_.LoadStream(plan_.stripe, slot));
    const auto position = static_cast<uint32_t>(plan_.streams.size());
    plan_.streams.push_back(stream);
    position_.emplace(slot, position);
    return position;
  }

  // The pages of all streams, once each, by ordinal.
  Status AddPages() {
    std::vector<std::pair<uint32_t, uint32_t>> runs;  // First page and one past the last.
    for (const PlannedStream& s : plan_.streams) {
      if (s.record.num_pages != 0) {
        runs.emplace_back(s.record.first_page, s.record.first_page + s.record.num_pages);
      }
    }
    std::sort(runs.begin(), runs.end());
    uint32_t next = 0;  // Pages before it are in the plan.
    Status waited;
    for (size_t i = 0; i < runs.size();) {
      // Touching runs are one: records of neighbours are checked against each other.
      const uint32_t first = std::max(next, runs[i].first);
      uint32_t end = first;
      for (; i < runs.size() && runs[i].first <= end; ++i) end = std::max(end, runs[i].second);
      DSI_RETURN_IF_ERROR(
          plan_.charge.Add(uint64_t{end - first} *
                           (sizeof(PageRecord) + sizeof(PlannedPage) + sizeof(PlannedRange))));
      const auto records = file_.LoadPages(plan_.stripe, first, end - first);
      next = end;
      if (!records.ok()) {
        if (!is_waiting()) return records.status();
        waited = records.status();
        continue;
      }
      // Those of a run are checked against each other, and its first against the page before it.
      if (!plan_.pages.empty() && !records->empty()) {
        const PlannedPage& last = plan_.pages.back();
        const uint64_t last_end = last.record.offset + last.record.stored_size;
        if ((*records)[0].offset < last_end) {
          return Corrupt("stripe {}: page {} begins at {}, page {} before it ends at {} (F-062)",
                         plan_.stripe, first, (*records)[0].offset, last.ordinal, last_end);
        }
      }
      for (uint32_t p = first; p < end; ++p) {
        plan_.pages.push_back({.ordinal = p, .record = (*records)[p - first]});
      }
    }
    return waited;
  }

  // Tells each stream where its pages are, and checks them against it (F-061 … F-063).
  Status PlacePages() {
    for (PlannedStream& s : plan_.streams) {
      if (s.record.num_pages == 0) continue;
      const auto at = std::lower_bound(
          plan_.pages.begin(), plan_.pages.end(), s.record.first_page,
          [](const PlannedPage& page, uint32_t ordinal) { return page.ordinal < ordinal; });
      s.first_planned_page = static_cast<uint32_t>(at - plan_.pages.begin());
      for (uint32_t k = 0; k < s.record.num_pages; ++k) {
        PlannedPage& page = plan_.pages[s.first_planned_page + k];
        Status status = CheckPageOfStream(s.record, k, file_.core().page_values, page.record);
        if (status.ok() && s.record.form == StreamForm::kPaged && !s.record.is_alias &&
            page.owned) {
          status = Corrupt("page {} belongs to two streams (F-063)", page.ordinal);
        }
        if (!status.ok()) return status.At(DescribeStream(plan_, columns_, s));
        page.owned |= s.record.form == StreamForm::kPaged && !s.record.is_alias;
      }
    }
    return Status::Ok();
  }

  // Neighbouring pages become one read while the gap and the whole stay small.
  void AddRanges() {
    const uint64_t gap = options_.coalesce_gap.value_or(GapWorthReading(file_.file().costs()));
    for (uint32_t i = 0; i < plan_.pages.size(); ++i) {
      PlannedPage& page = plan_.pages[i];
      const uint64_t end = page.record.offset + page.record.stored_size;
      plan_.bytes_needed += page.record.stored_size;
      bool joins = false;
      if (!plan_.ranges.empty()) {
        const PlannedRange& last = plan_.ranges.back();
        joins = page.record.offset - (last.offset + last.size) <= gap &&
                end - last.offset <= options_.max_read_bytes;
      }
      if (!joins) plan_.ranges.push_back({page.record.offset, 0, i, 0});
      PlannedRange& range = plan_.ranges.back();
      range.size = end - range.offset;
      ++range.num_pages;
      page.range = static_cast<uint32_t>(plan_.ranges.size() - 1);
    }
    for (const PlannedRange& range : plan_.ranges) plan_.bytes += range.size;
  }

  const OpenFile& file_;
  std::span<const OpenColumn> columns_;
  const ReaderOptions& options_;
  const size_t notes_before_;
  StripePlan plan_;
  bool is_in_time_ = false;  // The groups being added are those of the time column.
  std::unordered_map<uint32_t, uint32_t> position_;        // Of a slot in plan_.streams.
  std::unordered_map<uint32_t, uint32_t> group_position_;  // Of an ordinal in plan_.groups.
};

}  // namespace

Status CheckIndexForm(size_t stripe, IndexForm form) {
  if (IsKnown(form)) return Status::Ok();
  return Error(StatusCode::kUnsupported, "stripe {}: dedup group with an index of form {} (D-001)",
               stripe, static_cast<uint32_t>(form));
}

std::string_view StreamRoleName(StreamRole role) {
  switch (role) {
    case StreamRole::kShape:
      return "shape";
    case StreamRole::kWindows:
      return "windows";
    case StreamRole::kValues:
      return "values";
    case StreamRole::kIndex:
      return "index";
    case StreamRole::kDictionary:
      return "dictionary";
  }
  return "unknown";
}

std::string DescribeStream(const StripePlan& plan, std::span<const OpenColumn> columns,
                           const PlannedStream& stream) {
  return fmt::format("stripe {}, column {}, {}{} stream", plan.stripe,
                     stream.column == kNone32 ? plan.time.name : columns[stream.column].name,
                     stream.lends ? "source " : "", StreamRoleName(stream.role));
}

Result<StripePlan> PlanStripe(const OpenFile& file, std::span<const OpenColumn> columns,
                              size_t stripe, const ReaderOptions& options, MemoryBudget* budget) {
  return StripePlanner(file, columns, stripe, options, budget).Plan();
}

Result<StripePlan> PlanTogether(const OpenFile& file, std::span<const OpenColumn> columns,
                                size_t stripe, const ReaderOptions& options, MemoryBudget* budget) {
  return LookTogether(file.ahead(), [&]() {
    auto plan = PlanStripe(file, columns, stripe, options, budget);
    if (file.ahead()->has_notes()) file.LookAtStripe(stripe);
    return plan;
  });
}

}  // namespace dsi::internal
