// The directory as a whole: each record, and what records must not share (spec F-070 … F-079).
#include <algorithm>
#include <tuple>
#include <utility>

#include "dsi/base/bytes_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/seal_internal.h"
#include "dsi/reader/verify/verify_internal.h"

namespace dsi::internal {
namespace {

// A name of a column or of a feature with its hash; for sorting.
struct NameEntry {
  uint32_t hash = 0;
  bool is_feature = false;
  uint32_t column = 0;
  auto operator<=>(const NameEntry&) const = default;
};

class DirectoryVerifier {
 public:
  DirectoryVerifier(const OpenFile& file, MemoryBudget* budget, DamageLog* log)
      : file_(file), budget_(budget), log_(*log), out_(budget), entries_(budget) {}

  VerifiedDirectory Verify() {
    LoadColumns();
    CheckGroups();
    CheckIdSpaces();
    CheckSlots();
    CheckNames();
    CheckHeap();
    CheckNameIndex();
    CheckFeatures();
    CheckSessions();
    return std::move(out_);
  }

 private:
  void LoadColumns() {
    const uint32_t count = file_.core().columns.count;
    out_.columns.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
      auto column = file_.LoadAnyColumn(i);
      if (column.ok()) {
        out_.columns[i] = *std::move(column);
        if (Status support = out_.columns[i].record.Support(); !support.ok())
          log_.Add(std::move(support), fmt::format("column {}", out_.columns[i].name));
      } else {
        out_.columns[i].ordinal = i;
        out_.complete = false;
        log_.Add(column.status(), fmt::format("column {}", i));
      }
    }
  }

  // F-073.
  void CheckGroups() {
    CountedVector<uint32_t> members(file_.core().groups.count, 0, budget_);
    CountedVector<uint32_t> chain(members.size(), 1, budget_);  // Groups in the chain of each.
    out_.group_parents.resize(members.size());
    for (const OpenColumn& c : out_.columns) {
      if (!c.name.empty()) ++members[c.record.group];
    }
    for (uint32_t g = 0; g < members.size(); ++g) {
      const std::string where = fmt::format("dedup group {}", g);
      auto group = file_.LoadGroup(g);
      if (!group.ok()) {
        log_.Add(group.status(), where);
        continue;
      }
      out_.group_parents[g] = group->parent;
      // Parents come first.
      if (group->parent != 0) chain[g] = std::min(chain[group->parent], kMaxGroupChain) + 1;
      if (chain[g] > kMaxGroupChain) {
        log_.Add(
            Corrupt("more than {} groups in a chain of parents (F-073, F-090)", kMaxGroupChain),
            where);
      }
      if (group->name_size != 0) CheckName(group->name_offset, group->name_size, where);
      if (out_.complete && group->num_columns != members[g]) {
        log_.Add(Corrupt("{} columns stated, {} found (F-073)", group->num_columns, members[g]),
                 where);
      }
    }
  }

  // F-074.
  void CheckIdSpaces() {
    out_.id_space_widths.resize(file_.core().id_spaces.count);
    out_.first_columns.assign(file_.core().id_spaces.count, kNone32);
    for (const OpenColumn& c : out_.columns) {
      if (c.name.empty() || c.record.id_space == kNone16) continue;
      uint32_t& first = out_.first_columns[c.record.id_space];
      first = std::min(first, c.ordinal);
    }
    for (uint32_t i = 0; i < file_.core().id_spaces.count; ++i) {
      const std::string where = fmt::format("id space {}", i);
      auto space = file_.LoadIdSpace(i);
      if (!space.ok()) {
        log_.Add(space.status(), where);
        continue;
      }
      out_.id_space_widths[i] = space->width;
      if (space->name_size != 0) CheckName(space->name_offset, space->name_size, where);
    }
  }

  // F-050, F-051: rows that have no key but the time have no sessions. With more keys, or none, the
  // core footer tells.
  void CheckSessions() {
    const Core& core = file_.core();
    if (core.cluster_keys.size() != 1 || core.num_rows == 0) return;
    const OpenColumn& key = out_.columns[core.cluster_keys[0]];
    if (key.name.empty() || KindName(key.record.kind).empty()) return;
    if ((key.record.kind == Kind::kTimestamp) == (core.num_sessions == 0)) return;
    log_.Add(Corrupt("{} sessions in {} rows, whose one key is of kind {} (F-051)",
                     core.num_sessions, core.num_rows, KindName(key.record.kind)),
             "core footer");
  }

  void CheckName(uint32_t offset, uint32_t size, const std::string& where) {
    if (auto name = file_.LoadName(offset, size); !name.ok()) log_.Add(name.status(), where);
  }

  // F-076 … F-078: what each slot is for; tiers share none and leave none out.
  void CheckSlots() {
    const SlotCounts slots = file_.slots();
    for (uint32_t g = 1; g < slots.num_groups; ++g)
      out_.slots.push_back({slots.index(g), StreamRole::kIndex, g});
    for (uint32_t i = 0; i < slots.num_id_spaces; ++i)
      out_.slots.push_back({slots.dictionary(i), StreamRole::kDictionary, i});
    for (const OpenColumn& c : out_.columns) {
      if (c.name.empty()) continue;
      out_.slots.push_back({c.values_slot(), StreamRole::kValues, c.ordinal});
      for (uint32_t tier = 1; tier < c.record.num_tiers; ++tier) {
        out_.slots.push_back({c.record.tiers_slot + tier - 1, StreamRole::kValues, c.ordinal});
      }
      if (c.record.place != 0) continue;
      out_.slots.push_back({c.shape_slot(), StreamRole::kShape, c.ordinal});
      if (c.record.MayHaveWindows())
        out_.slots.push_back({c.windows_slot(), StreamRole::kWindows, c.ordinal});
    }
    std::stable_sort(out_.slots.begin(), out_.slots.end(),
                     [](const SlotUse& a, const SlotUse& b) { return a.slot < b.slot; });
    size_t kept = 0;
    for (const SlotUse& use : out_.slots) {
      if (kept != 0 && out_.slots[kept - 1].slot == use.slot) {
        const SlotUse& first = out_.slots[kept - 1];
        log_.Add(
            Corrupt("slot {} is the {} stream of {} and the {} stream of {} (F-077)", use.slot,
                    StreamRoleName(first.role), first.owner, StreamRoleName(use.role), use.owner),
            "directory: slots");
        continue;
      }
      out_.slots[kept++] = use;
    }
    out_.slots.resize(kept);
    const auto tiers =
        std::lower_bound(out_.slots.begin(), out_.slots.end(), slots.first_tier(),
                         [](const SlotUse& use, uint32_t slot) { return use.slot < slot; });
    const uint64_t unused =
        file_.core().num_slots - slots.first_tier() - (out_.slots.end() - tiers);
    if (out_.complete && unused != 0)
      log_.Add(Corrupt("{} slots of tiers serve nothing (F-078)", unused), "directory: slots");
  }

  std::string_view NameOf(const NameEntry& e) const {
    const OpenColumn& c = out_.columns[e.column];
    return e.is_feature ? c.feature_name() : std::string_view(c.name);
  }

  // F-075: column names are unique, and differ from every feature name but their own feature's.
  void CheckNames() {
    for (const OpenColumn& c : out_.columns) {
      if (c.name.empty()) continue;
      entries_.push_back({NameIndexRecord::HashOf(c.name), false, c.ordinal});
      if (c.record.place == 0 && c.record.feature_name_size != c.record.name_size)
        entries_.push_back({NameIndexRecord::HashOf(c.feature_name()), true, c.ordinal});
    }
    std::sort(entries_.begin(), entries_.end());
    // Names of equal hash stand together; they are few, unless somebody has sought them.
    CountedVector<NameEntry> same(budget_);
    for (size_t begin = 0, end = 0; begin < entries_.size(); begin = end) {
      while (end < entries_.size() && entries_[end].hash == entries_[begin].hash) ++end;
      if (end - begin == 1) continue;
      same.assign(entries_.begin() + static_cast<ptrdiff_t>(begin),
                  entries_.begin() + static_cast<ptrdiff_t>(end));
      std::stable_sort(same.begin(), same.end(), [&](const NameEntry& a, const NameEntry& b) {
        return NameOf(a) < NameOf(b);
      });
      for (size_t i = 1; i < same.size(); ++i) {
        if (NameOf(same[i]) != NameOf(same[i - 1])) continue;
        log_.Add(Corrupt("name \"{}\" stands for columns {} and {} (F-075)", NameOf(same[i]),
                         same[i - 1].column, same[i].column),
                 "directory: names");
      }
    }
  }

  // F-071: text everywhere, between the names as well.
  void CheckHeap() {
    CountedVector<std::byte> heap(budget_);
    // A damaged seal is reported already.
    if (!file_.names().ReadAll(&heap).ok()) return;
    if (!IsNameText({reinterpret_cast<const char*>(heap.data()), heap.size()}))
      log_.Add(Corrupt("the name heap is not UTF-8, or has a NUL in it (F-071)"),
               "directory: names");
  }

  // F-072: sorted, complete, and nothing else in it.
  void CheckNameIndex() {
    const char* where = "directory: name index";
    CountedVector<std::byte> bytes(budget_);
    // A damaged seal is reported already.
    if (!out_.complete || !file_.name_index().ReadAll(&bytes).ok()) return;
    CountedVector<NameEntry> found(bytes.size() / NameIndexRecord::kSize, budget_);
    for (size_t i = 0; i < found.size(); ++i) {
      auto r = NameIndexRecord::DecodeFrom(bytes.data() + i * NameIndexRecord::kSize);
      if (!r.ok()) return log_.Add(r.status(), where);
      found[i] = {r->hash, r->is_feature, r->column};
      if (i != 0 && found[i] <= found[i - 1]) {
        return log_.Add(Corrupt("entry {} is out of order (F-072)", i), where);
      }
    }
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (i < found.size() && found[i] == entries_[i]) continue;
      return log_.Add(Corrupt("entry {} should be that of \"{}\" (F-072)", i, NameOf(entries_[i])),
                      where);
    }
    if (found.size() != entries_.size()) {
      log_.Add(Corrupt("{} entries, {} expected (F-072)", found.size(), entries_.size()), where);
    }
  }

  void CheckFeatures() {
    if (!out_.complete) return;
    CountedVector<std::pair<uint64_t, uint32_t>> ids(budget_);
    for (const OpenColumn& c : out_.columns) {
      if (c.record.place != 0) continue;
      ids.emplace_back(c.feature_id(), c.ordinal);
      if (Status status = file_.CheckFollowers(c); !status.ok())
        log_.Add(std::move(status), "directory: columns");
    }
    if (ids.size() != file_.core().num_features) {
      log_.Add(
          Corrupt("{} features stated, {} found (F-050)", file_.core().num_features, ids.size()),
          "core footer");
    }
    std::sort(ids.begin(), ids.end());
    for (size_t i = 1; i < ids.size(); ++i) {
      if (ids[i].first == ids[i - 1].first) {
        log_.Add(Corrupt("columns {} and {} have the feature id {} (F-070)", ids[i - 1].second,
                         ids[i].second, ids[i].first),
                 "directory: columns");
      }
    }
  }

  const OpenFile& file_;
  MemoryBudget* budget_;
  DamageLog& log_;
  VerifiedDirectory out_;
  CountedVector<NameEntry> entries_;
};

}  // namespace

VerifiedDirectory VerifyDirectory(const OpenFile& file, MemoryBudget* budget, DamageLog* log) {
  return DirectoryVerifier(file, budget, log).Verify();
}

}  // namespace dsi::internal
