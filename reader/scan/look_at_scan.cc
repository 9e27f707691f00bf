#include "dsi/reader/scan/look_at_scan_internal.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "dsi/base/no_throw_internal.h"
#include "dsi/reader/plan/page_plan_internal.h"
#include "dsi/reader/scan/filter_source_internal.h"

namespace dsi::internal {
namespace {

// Of a first batch, so many rows at most; the pages of the others are read as they are needed.
constexpr uint32_t kMostRows = 1 << 16;

class ScanLooker {
 public:
  ScanLooker(const OpenFile& file, const ReaderOptions& reader_options, const ScanOptions& options,
             const RowRange& range, LookFor look_for)
      : file_(file),
        ahead_(file.ahead()),
        reader_options_(reader_options),
        options_(options),
        range_(range),
        look_for_(look_for) {
    pending_.resize(options.features.size());
    std::iota(pending_.begin(), pending_.end(), size_t{0});
    columns_.resize(pending_.size());
    is_known_.resize(pending_.size());
  }

  // Once through all lookups.
  void Look() {
    MemoryBudget budget{.limit = options_.memory_bytes};
    const size_t stripe = FirstStripe(&budget);
    if (stripe < range_.end_stripe) ahead_->set_stripe(stripe);
    if (look_for_ != LookFor::kRows) LookAtFeatures();
    if (stripe >= range_.end_stripe) return;
    if (file_.num_deleted(stripe) != 0) (void)file_.LoadDeleted(stripe, &budget);
    // Whoever decodes a stripe plans it; here only what else is to be read along.
    if (!ahead_->has_notes()) return;
    LookAtStripe(stripe, &budget);
    file_.LookAtDirectory();
    file_.LookAtStripe(stripe);
  }

  // As the last call that noted something found the pages, and the last of all the columns.
  LookedAt Take() {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!is_known_[i]) columns_[i].clear();
    }
    return {knows_pages_, std::move(columns_)};
  }

 private:
  // The first that is read, as far as statistics are known.
  size_t FirstStripe(MemoryBudget* budget) {
    size_t stripe = range_.first_stripe;
    Result<FilterColumns> found = FindFilterColumns(file_, options_.filter);
    filter_columns_.clear();
    if (!found.ok()) return stripe;
    const auto ruled_out = RuledOutStripes(file_, options_.filter, *found, range_.first_stripe,
                                           range_.end_stripe, budget);
    filter_columns_ = std::move(found->columns);
    const auto is_skipped = [&](size_t s) {
      return (ruled_out.ok() && !ruled_out->empty() && (*ruled_out)[s - range_.first_stripe]) ||
             file_.is_all_deleted(s);
    };
    while (stripe < range_.end_stripe && is_skipped(stripe)) ++stripe;
    return stripe;
  }

  // Features that were found without anything being noted are not looked up again.
  void LookAtFeatures() {
    if (options_.features.empty()) NoteEverything();
    std::erase_if(pending_, [&](size_t feature) {
      const size_t notes_before = ahead_->num_notes();
      std::vector<OpenColumn>& columns = columns_[feature];
      const bool is_whole = LookAtFeature(options_.features[feature], &columns);
      const bool is_found = ahead_->num_notes() == notes_before;
      is_known_[feature] = is_found && is_whole;
      return is_found;
    });
  }

  // False: not all of its columns are known.
  bool LookAtFeature(const Projection& projection, std::vector<OpenColumn>* columns) {
    columns->clear();
    const auto ordinals = file_.FindColumns(projection.name);
    if (!ordinals.ok()) return false;
    for (const uint32_t ordinal : *ordinals) {
      file_.LookAtColumn(ordinal);
      auto column = file_.LoadColumn(ordinal);
      if (!column.ok()) continue;
      if (NeedsWidth(projection, *column)) LookAtWidths(*column);
      column->blank = projection.blank;
      columns->push_back(*std::move(column));
    }
    return columns->size() == ordinals->size();
  }

  // A padded output without a width has that of the longest list (Projection::width).
  static bool NeedsWidth(const Projection& projection, const OpenColumn& column) {
    const ColumnRecord& r = column.record;
    return (projection.layout == Layout::kPadded || projection.layout == Layout::kPaddedIkjt) &&
           projection.width == 0 && r.max_length == 0 && HasLengths(r.kind, r.type);
  }
  void LookAtWidths(const OpenColumn& column) {
    for (size_t s = range_.first_stripe; s < range_.end_stripe; ++s)
      (void)file_.LoadStream(s, column.shape_slot());
  }

  // What a scan of all features verifies, and looks up after that.
  void NoteEverything() {
    const Core& core = file_.core();
    const auto note = [this](const TableRef& table) {
      ahead_->Note(table.offset, TableBytes(table));
    };
    for (const TableRef* table :
         {&core.columns, &core.name_index, &core.names, &core.groups, &core.id_spaces})
      note(*table);
    for (const StripeRef& stripe : core.stripes) {
      for (const TableRef* table : {&stripe.groups, &stripe.streams, &stripe.pages}) note(*table);
    }
    for (const SectionRef& section : core.sections)
      ahead_->Note(section.offset, SectionBytes(section));
  }

  void LookAtStripe(size_t stripe, MemoryBudget* budget) {
    // The time, which a group of form 6 needs.
    if (!file_.core().cluster_keys.empty()) {
      file_.LookAtColumn(file_.core().cluster_keys.back());
      (void)file_.LoadAnyColumn(file_.core().cluster_keys.back());
    }
    const StripeRef& ref = file_.core().stripes[stripe];
    const uint64_t begin = std::max(range_.begin, ref.first_row) - ref.first_row;
    const uint64_t end =
        std::min<uint64_t>(ref.num_rows, begin + std::min(options_.batch_size, kMostRows));
    const StripeRows rows{static_cast<uint32_t>(begin), static_cast<uint32_t>(end), ref.num_rows};
    // Rows that a filter drops are not read: the filter's columns come first.
    const bool is_filtered = !options_.filter.empty();
    std::vector<OpenColumn> columns;
    for (const std::vector<OpenColumn>& of_feature : columns_)
      columns.insert(columns.end(), of_feature.begin(), of_feature.end());
    Look(is_filtered ? filter_columns_ : columns, stripe, rows, /*pages=*/true, budget);
    if (is_filtered) Look(columns, stripe, rows, /*pages=*/false, budget);
  }

  void Look(const std::vector<OpenColumn>& columns, size_t stripe, const StripeRows& rows,
            bool pages, MemoryBudget* budget) {
    const auto plan = PlanStripe(file_, columns, stripe, reader_options_, budget);
    if (!pages) return;
    knows_pages_ = plan.ok() && columns.size() != 0;
    if (knows_pages_ && look_for_ != LookFor::kPlan) NotePages(*plan, rows, budget, ahead_);
  }

  const OpenFile& file_;
  LookAhead* const ahead_;
  const ReaderOptions& reader_options_;
  const ScanOptions& options_;
  const RowRange& range_;
  const LookFor look_for_;
  bool knows_pages_ = false;
  std::vector<size_t> pending_;  // Features that are not found yet.
  // By feature: its columns, as far as they are known, and whether that is all of them.
  std::vector<std::vector<OpenColumn>> columns_;
  std::vector<bool> is_known_;
  std::vector<OpenColumn> filter_columns_;
};

}  // namespace

Result<LookedAt> LookAtScan(const OpenFile& file, const ReaderOptions& reader_options,
                            const ScanOptions& options, const RowRange& range, LookFor look_for) {
  if (!file.ahead()->pays()) return LookedAt{};
  ScanLooker looker(file, reader_options, options, range, look_for);
  const Status status = LookTogether(file.ahead(), [&] {
    // A budget that is too small for this is said to be by who needs it.
    (void)NoThrow([&] {
      looker.Look();
      return Status::Ok();
    });
    return Status::Ok();
  });
  if (!status.ok()) return status;
  return looker.Take();
}

}  // namespace dsi::internal
