// Which rows and entries repeat those of the same session or owner.
#include <algorithm>
#include <numeric>
#include <utility>

#include "dsi/tools/dedup/report_internal.h"
#include "dsi/tools/interrupt_internal.h"

namespace dsi::tools {
namespace {

constexpr double kRepeating = 1.05;  // Rows for each value of a key that may own something.
constexpr size_t kMaxOwners = 16;    // That features are held against.

double Per(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

// Rows for each value that is met in a unit; units are runs of places that end at `ends`.
double RowsPerValue(const RowCodes& owner, std::span<const uint32_t> order,
                    const std::vector<uint64_t>& ends) {
  std::vector<uint32_t> met_in(owner.num_values, kNoCode);
  uint64_t met = 0;
  uint32_t unit = 0;
  for (size_t place = 0; place < order.size(); ++place) {
    while (unit + 1 < ends.size() && place >= ends[unit]) ++unit;
    const uint32_t code = owner.codes[order[place]];
    if (code == kNoCode || met_in[code] == unit) continue;
    met_in[code] = unit;
    ++met;
  }
  return Per(owner.num_present, met);
}

// Rows in the order given, each against the one before of the same owner.
Repeats Compare(FeatureRows* rows, const RowCodes& owner, std::span<const uint32_t> order) {
  Repeats found;
  std::vector<uint32_t> last(owner.num_values, kNoCode);
  for (const uint32_t row : order) {
    if (!rows->present(row)) continue;
    const uint32_t code = owner.codes[row];
    const uint32_t before = code == kNoCode ? kNoCode : std::exchange(last[code], row);
    if (before == kNoCode) {
      ++found.owners;
      continue;
    }
    if (rows->Equal(before, row)) {
      ++found.equal_rows;
      found.equal_entries += rows->length(row);
      found.covered_entries += rows->length(row);
    } else {
      found.covered_entries += rows->Overlap(before, row);
    }
  }
  return found;
}

class RepeatMeter {
 public:
  RepeatMeter(const SampledTable& table, DedupReport* report, Progress* progress)
      : table_(table), report_(*report), progress_(*progress) {}

  Status Run() {
    places_.resize(table_.num_rows);
    std::iota(places_.begin(), places_.end(), 0U);
    DSI_ASSIGN_OR_RETURN(by_time_, RowsByTime(*table_.reader, table_.time, table_.num_rows));
    for (const StripeInfo& stripe : table_.reader->stripes()) {
      if (stripe.first_row >= table_.num_rows) break;
      stripe_ends_.push_back(stripe.first_row + stripe.num_rows);
    }
    report_.stripes = stripe_ends_.size();
    for (uint64_t end = kDedupBatchRows; end < table_.num_rows + kDedupBatchRows;
         end += kDedupBatchRows)
      batch_ends_.push_back(end);
    DSI_RETURN_IF_ERROR(FindOwners());
    return MeasureFeatures();
  }

 private:
  Status Update(std::string_view what, uint64_t done, uint64_t total) {
    return progress_.Update(what, done, total, ProgressUnit::kRows) ? Status::Ok()
                                                                    : CheckInterrupt();
  }

  void ReportOwner(const RowCodes& owner, bool is_session) {
    report_.owners.push_back({.name = owner.name,
                              .is_session = is_session,
                              .is_list = owner.is_list && !is_session,
                              .rows = owner.num_present,
                              .values = owner.num_values,
                              .per_file = Per(owner.num_present, owner.num_values),
                              .per_stripe = RowsPerValue(owner, places_, stripe_ends_),
                              .per_batch = RowsPerValue(owner, places_, batch_ends_),
                              .per_batch_by_time = RowsPerValue(owner, by_time_, batch_ends_)});
  }

  // Keys, and lists of ids that all rows have one of. Lengths say which lists are worth a look.
  Status FindOwners() {
    if (table_.sessions.num_values != 0) ReportOwner(table_.sessions, true);
    DSI_ASSIGN_OR_RETURN(const auto features, table_.reader->Dedup());
    const auto one_each = [&](const FeatureSpec& spec) {
      const auto at = std::find_if(features.begin(), features.end(),
                                   [&](const FeatureDedup& f) { return f.feature == spec.name; });
      return at != features.end() && at->rows_present != 0 && at->row_entries == at->rows_present;
    };
    for (const FeatureSpec& spec : table_.schema.features) {
      const bool is_key = spec.kind == Kind::kKey;
      if (!is_key && (spec.kind != Kind::kList || !IsInteger(spec.columns[0].type))) continue;
      if (!is_key && !one_each(spec)) continue;
      if (table_.session_keys.size() == 1 && table_.session_keys[0] == spec.name) continue;
      DSI_RETURN_IF_ERROR(Update("finding owners", 0, 0));
      DSI_ASSIGN_OR_RETURN(RowCodes codes, LoadCodes(*table_.reader, spec, table_.num_rows));
      if (!codes.repeats() && !(is_key && codes.num_values != 0)) continue;
      ReportOwner(codes, false);
      if (report_.owners.back().per_file >= kRepeating && owners_.size() < kMaxOwners)
        owners_.push_back(std::move(codes));
    }
    return Status::Ok();
  }

  Status MeasureFeatures() {
    std::vector<const FeatureSpec*> lists;
    for (const FeatureSpec& spec : table_.schema.features) {
      if (IsListKind(spec.kind) && spec.kind != Kind::kString) lists.push_back(&spec);
    }
    const uint64_t total = lists.size() * table_.num_rows;
    for (size_t i = 0; i < lists.size(); ++i) {
      DSI_RETURN_IF_ERROR(Update("comparing lists", i * table_.num_rows, total));
      DSI_RETURN_IF_ERROR(MeasureFeature(*lists[i]));
    }
    std::stable_sort(report_.features.begin(), report_.features.end(),
                     [](const FeatureReport& a, const FeatureReport& b) {
                       return a.entries * a.entry_bytes > b.entries * b.entry_bytes;
                     });
    return Status::Ok();
  }

  Status MeasureFeature(const FeatureSpec& spec) {
    DSI_ASSIGN_OR_RETURN(FeatureRows rows,
                         FeatureRows::Load(*table_.reader, spec, table_.num_rows));
    FeatureReport& feature = report_.features.emplace_back();
    feature.name = spec.name;
    feature.kind = spec.kind;
    feature.num_columns = static_cast<uint32_t>(spec.columns.size());
    feature.entry_bytes = 0;
    for (const ColumnSpec& column : spec.columns)
      feature.entry_bytes += static_cast<uint32_t>(TypeWidth(column.type));
    feature.rows = rows.num_present();
    feature.entries = rows.num_entries();
    feature.batch_entries = rows.batch_entries();
    feature.session.owners = feature.rows;
    if (table_.sessions.num_values != 0) feature.session = Compare(&rows, table_.sessions, places_);
    feature.of_owner = feature.session;
    for (const RowCodes& owner : owners_) {
      DSI_RETURN_IF_ERROR(CheckInterrupt());
      if (owner.name == spec.name) continue;  // Equal to itself by definition.
      const Repeats found = Compare(&rows, owner, by_time_);
      const bool more = found.covered_entries != feature.of_owner.covered_entries
                            ? found.covered_entries > feature.of_owner.covered_entries
                            : found.equal_entries > feature.of_owner.equal_entries;
      if (!more) continue;
      feature.of_owner = found;
      feature.owner = owner.name;
    }
    return Status::Ok();
  }

  const SampledTable& table_;
  DedupReport& report_;
  Progress& progress_;
  std::vector<uint32_t> places_;   // 0, 1, 2, …
  std::vector<uint32_t> by_time_;  // Rows, oldest first.
  std::vector<uint64_t> stripe_ends_, batch_ends_;
  std::vector<RowCodes> owners_;
};

}  // namespace

double FeatureReport::S() const { return Per(rows, session.owners); }

double FeatureReport::d() const { return Per(session.equal_rows, rows - session.owners); }

double FeatureReport::formula() const { return rows == 0 ? 1 : S() / (1 + (S() - 1) * (1 - d())); }

double FeatureReport::measured() const {
  return entries == session.equal_entries ? 1 : Per(entries, entries - session.equal_entries);
}

Status MeasureRepeats(const SampledTable& table, DedupReport* report, Progress* progress) {
  return RepeatMeter(table, report, progress).Run();
}

}  // namespace dsi::tools
