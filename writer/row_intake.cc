#include "dsi/writer/row_intake_internal.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/writer/cluster/kept_order_internal.h"
#include "dsi/writer/cluster/stripe_cuts_internal.h"
#include "dsi/writer/rows/copy_rows_internal.h"

namespace dsi::internal {
namespace {

// Rows held once others are spilled: enough for a few blocks.
constexpr uint64_t kMostHeld = 4 << 20;

// The columns from a row on.
std::vector<FeatureColumns> ColumnsFrom(const Schema& schema, size_t row,
                                        std::span<const FeatureColumns> columns) {
  std::vector<FeatureColumns> rest(columns.begin(), columns.end());
  for (FeatureColumns& from : rest) {
    const FeatureSpec& spec = schema.features[from.feature];
    from.validity_offset += row;
    if (from.offsets32 != nullptr) from.offsets32 += row;
    if (from.offsets64 != nullptr) from.offsets64 += row;
    if (HasLengths(spec.kind, spec.columns[0].type)) continue;
    const size_t entries = row * (spec.kind == Kind::kEmbedding ? spec.fixed_length : 1);
    for (size_t c = 0; c < from.values.size(); ++c) {
      if (from.values[c] == nullptr) continue;
      from.values[c] = static_cast<const std::byte*>(from.values[c]) +
                       entries * static_cast<size_t>(TypeWidth(spec.columns[c].type));
    }
  }
  return rest;
}

}  // namespace

RowIntake::RowIntake(std::shared_ptr<const Schema> schema, const ClusterKeys& keys,
                     const WriterOptions& options, uint64_t memory_limit, std::string spill_folder)
    : schema_(std::move(schema)),
      keys_(keys),
      options_(options),
      finish_memory_(*schema_, keys, options),
      memory_limit_(memory_limit),
      spill_folder_(std::move(spill_folder)),
      sharing_(std::make_shared<ListSharing>(*schema_)),
      rows_(Empty()),
      rounding_(*schema_),
      repeats_(*schema_, finish_memory_.by_row()),
      keeps_order_(((keys.keys.empty() && keys.time < 0) || options.input_is_clustered) &&
                   !rounding_.needs_all()) {
  if (keeps_order_ && options.input_is_clustered)
    order_.emplace(*schema_, keys, internal::ClusterMemory{memory_limit, spill_folder_});
  totals_.features.resize(schema_->features.size());
  gone_.features.resize(schema_->features.size());
}

RowBatch RowIntake::Empty() {
  RowBatch rows(schema_);
  sharing_->ForgetAll();
  rows.sharing_ = sharing_;
  rows.admit_ = [this](uint64_t bytes, size_t num_rows) -> Status {
    refused_ = !takes_all_ && !Fits(bytes, num_rows);
    return refused_ ? Status(StatusCode::kResourceExhausted, "spill") : Status::Ok();
  };
  return rows;
}

bool RowIntake::Fits(uint64_t more_bytes, size_t more_rows) const {
  const uint64_t held = rows_.HeldBytes();
  const uint64_t bytes = held + more_bytes;
  if (spilled_ != nullptr) return bytes <= std::min(kMostHeld, memory_limit_ / 8);
  if (rows_.num_rows() == 0) return bytes <= memory_limit_;
  // What Finish will take grows with the rows.
  const uint64_t finish = finish_memory_.Bytes(TableTotals::Of(rows_, false), memory_limit_);
  const double growth =
      static_cast<double>(rows_.num_rows() + more_rows) / static_cast<double>(rows_.num_rows());
  const double by_bytes =
      static_cast<double>(bytes) / static_cast<double>(std::max<uint64_t>(held, 1));
  return bytes + static_cast<uint64_t>(static_cast<double>(finish) * std::max(growth, by_bytes)) <=
         memory_limit_;
}

StripesAtHand RowIntake::StripesWithin(const StripeLimits& limits) const {
  if (spilled_ != nullptr) return finish_memory_.SpilledStripes(totals_, limits, memory_limit_);
  return {.encoded = finish_memory_.Stripes(TableTotals::Of(rows_, false), memory_limit_,
                                            rows_.HeldBytes())};
}

Status RowIntake::CheckCount(size_t more) const {
  if (more <= UINT32_MAX - num_rows()) return Status::Ok();
  return Error(StatusCode::kResourceExhausted, "{} rows and {} more, expected at most {} in a file",
               num_rows(), more, UINT32_MAX);
}

template <typename Add>
Result<bool> RowIntake::AddWithin(bool whatever_it_takes, const Add& add) {
  takes_all_ = whatever_it_takes;
  refused_ = false;
  Status status = add();
  if (!status.ok() && refused_ && rows_.num_rows() != 0) {
    DSI_RETURN_IF_ERROR(SpillHeld());
    refused_ = false;
    status = add();
  }
  if (!status.ok() && refused_) return false;
  DSI_RETURN_IF_ERROR(status);
  return true;
}

Status RowIntake::Append(const RowBatch& rows) {
  DSI_RETURN_IF_ERROR(CheckCount(rows.num_rows()));
  const auto add = [&] { return rows_.Append(rows); };
  DSI_ASSIGN_OR_RETURN(const bool added, AddWithin(false, add));
  if (!added && !rounding_.rounds()) return Spill(rows);
  if (!added) DSI_RETURN_IF_ERROR(AddWithin(true, add).status());
  if (rows_.num_rows() != rows.num_rows()) return Status::Ok();
  std::optional<StagedRounding> rounding;
  const auto undo = [&] {
    if (rounding) rounding_ = *std::move(rounding);
    rows_.Clear();
  };
  try {
    rounding = rounding_;
    Status status = SpillExcess();
    if (!status.ok()) undo();
    return status;
  } catch (...) {
    undo();
    throw;
  }
}

Status RowIntake::Append(RowBatch&& rows) {
  DSI_RETURN_IF_ERROR(CheckCount(rows.num_rows()));
  const size_t num_rows = rows.num_rows();
  const auto add = [&] { return rows_.Append(std::move(rows)); };
  DSI_ASSIGN_OR_RETURN(const bool added, AddWithin(false, add));
  if (!added) DSI_RETURN_IF_ERROR(AddWithin(true, add).status());
  if (rows_.num_rows() != num_rows) return Status::Ok();
  if (rounding_.rounds() && !Fits(0, 0)) {
    // What is spilled is rounded in place: a copy, lest the caller's rows are when that fails.
    DSI_RETURN_IF_ERROR(rows.Append(std::move(rows_)));
    const Status status = Append(std::as_const(rows));
    if (status.ok()) rows.Clear();
    return status;
  }
  const Status status = NoThrow([this] { return SpillExcess(); });
  if (!status.ok()) {
    static_cast<void>(rows.Append(std::move(rows_)));
  } else {
    rows_.ShareLists();
  }
  return status;
}

Status RowIntake::AppendColumns(size_t num_rows, std::span<const FeatureColumns> columns) {
  DSI_RETURN_IF_ERROR(CheckCount(num_rows));
  const auto add = [&] { return rows_.AppendColumns(num_rows, columns); };
  DSI_ASSIGN_OR_RETURN(const bool added, AddWithin(false, add));
  if (added && rows_.num_rows() != num_rows) return Status::Ok();
  // They are sound, or nobody would have asked, and nothing else is held.
  const uint64_t before = spilled_rows();
  std::optional<TableTotals> totals;
  std::optional<StagedRounding> rounding;
  const auto undo = [&] {
    if (rounding) rounding_ = *std::move(rounding);
    if (totals) totals_ = *std::move(totals);
    if (spilled_ != nullptr) spilled_->CutBack(before);
    repeats_.Forget();
    row_bytes_.resize(std::min<size_t>(row_bytes_.size(), before));
    rows_.Clear();
  };
  try {
    rounding = rounding_;
    totals = totals_;
    Status status = added ? SpillExcess() : AddByHalves(num_rows, columns);
    if (!status.ok()) undo();
    return status;
  } catch (...) {
    undo();
    throw;
  }
}

Status RowIntake::AddByHalves(size_t num_rows, std::span<const FeatureColumns> columns) {
  const auto add = [&] { return rows_.AppendColumns(num_rows, columns); };
  DSI_ASSIGN_OR_RETURN(const bool added, AddWithin(num_rows == 1, add));
  if (added) return Status::Ok();
  const size_t half = num_rows / 2;
  DSI_RETURN_IF_ERROR(AddByHalves(half, columns));
  return AddByHalves(num_rows - half, ColumnsFrom(*schema_, half, columns));
}

Status RowIntake::SpillExcess() { return Fits(0, 0) ? Status::Ok() : SpillHeld(); }

std::vector<FeatureSource> RowIntake::SourcesOf(const RowBatch& rows) const {
  std::vector<FeatureSource> sources;
  for (size_t f = 0; f < schema_->features.size(); ++f)
    sources.push_back({.spec = &schema_->features[f], .rows = &rows.feature(f)});
  return sources;
}

void RowIntake::NoteRowBytes() {
  if (rows_.num_rows() != 0)
    AppendRowBytes(SourcesOf(rows_), row_bytes_.size() - spilled_rows(), rows_.num_rows(),
                   &row_bytes_);
}

// An add that fails takes away rows that came after the last time only.
Status RowIntake::NoteSessions() {
  const auto note = [this](std::span<const std::byte> records) {
    return order_->Add(records, [this](const ListedRow& row) {
      listed_.push_back(row);
      listed_.back().fresh_bytes = row.bytes;
      return Status::Ok();
    });
  };
  if (listed_.size() < spilled_rows())
    DSI_RETURN_IF_ERROR(spilled_->ForEachRecords(note, listed_.size()));
  const size_t first = listed_.size() - spilled_rows();
  if (first >= rows_.num_rows()) return Status::Ok();
  const std::vector<FeatureSource> sources = SourcesOf(rows_);
  std::vector<std::byte> records;
  AppendKeyRecords(sources, keys_, 0, RowBytes(sources, rows_.num_rows(), first), &records, first);
  return note(records);
}

Result<RowList> RowIntake::KeptRows(uint32_t most_rows) {
  const ClusterMemory memory = {.bytes = memory_limit_, .spill_folder = spill_folder_};
  if (order_) {
    DSI_RETURN_IF_ERROR(NoteSessions());
    return KeptOrder(!keys_.keys.empty(),
                     std::span(listed_).first(std::min<size_t>(listed_.size(), most_rows)), memory);
  }
  NoteRowBytes();
  return KeptOrder(std::span(row_bytes_).first(std::min<size_t>(row_bytes_.size(), most_rows)),
                   memory);
}

Status RowIntake::Gather() {
  is_rounded_ = true;
  if (spilled_ != nullptr) {
    DSI_RETURN_IF_ERROR(SpillHeld());
  } else {
    rounding_.BeforeSpill(gone_.num_rows, rows_.features_);
  }
  return rounding_.status();
}

Status RowIntake::LetGo(uint32_t num_rows) {
  const auto count = static_cast<uint32_t>(rows_here());
  TableTotals here = totals_;
  RowBatch all = std::exchange(rows_, Empty());
  if (spilled_ == nullptr) here.Add(TableTotals::Of(all, false));
  takes_all_ = true;
  if (spilled_ == nullptr) {
    DSI_RETURN_IF_ERROR(CopyRows(all.features_, num_rows, count, &rows_));
  } else {
    std::vector<uint32_t> rest(count - num_rows);
    std::iota(rest.begin(), rest.end(), num_rows);
    RowCollector collector(spilled_->codings());
    DSI_RETURN_IF_ERROR(spilled_->Collect(spilled_->all(), rest, &collector));
    DSI_RETURN_IF_ERROR(
        CopyRows(collector.features(), 0, static_cast<uint32_t>(rest.size()), &rows_));
    spilled_before_ += spilled_->spilled_bytes();
    spilled_.reset();
    totals_ = {};
    totals_.features.resize(schema_->features.size());
  }
  here.Subtract(TableTotals::Of(rows_, false));
  gone_.Add(here);
  if (order_) {
    listed_.erase(listed_.begin(), listed_.begin() + num_rows);
  } else {
    row_bytes_.erase(row_bytes_.begin(), row_bytes_.begin() + num_rows);
  }
  return Status::Ok();
}

Status RowIntake::Spill(const RowBatch& rows) {
  const size_t noted = row_bytes_.size();
  Status status = NoThrow([&] { return TrySpill(rows); });
  if (!status.ok()) {
    row_bytes_.resize(std::min(noted, row_bytes_.size()));
    repeats_.Forget();
  }
  return status;
}

std::vector<uint64_t> RowIntake::FindRepeats(std::span<const FeatureSource> sources,
                                             std::span<const std::byte> records,
                                             TableTotals* totals) {
  // Nothing else depends on it than stripes within a budget that is stated.
  std::vector<uint64_t> repeated;
  // Once some were let go of, stripes are cut by what rows take.
  if (options_.memory_bytes != 0 && !keys_.keys.empty() && gone_.num_rows == 0)
    repeats_.Add(sources, SessionsOf(keys_, records), &repeated, totals);
  return repeated;
}

Status RowIntake::TrySpill(const RowBatch& rows) {
  const std::vector<FeatureSource> sources = SourcesOf(rows);
  const std::vector<uint64_t> bytes = RowBytes(sources, rows.num_rows());
  if (keeps_order_ && !order_)
    AppendRowBytes(sources, row_bytes_.size() - spilled_rows(), rows.num_rows(), &row_bytes_);
  std::vector<std::byte> records;
  AppendKeyRecords(sources, keys_, static_cast<uint32_t>(spilled_rows()), bytes, &records);
  TableTotals totals = TableTotals::Of(rows, true);
  // Those of a stripe that is read share lists as far as these are found again.
  for (FeatureTotals& feature : totals.features) feature.num_repeated = 0;
  SubtractRepeats(keys_, FindRepeats(sources, records, &totals), records);
  if (spilled_ == nullptr) {
    auto spilled = std::make_unique<SpilledRows>(*schema_, spill_folder_, options_.threads);
    DSI_RETURN_IF_ERROR(spilled->Append(rows, bytes, records));
    spilled_ = std::move(spilled);
  } else {
    DSI_RETURN_IF_ERROR(spilled_->Append(rows, bytes, records));
  }
  totals_.Add(totals);
  return Status::Ok();
}

Status RowIntake::SpillHeld() {
  if (rows_.num_rows() == 0) return Status::Ok();
  rounding_.BeforeSpill(gone_.num_rows + spilled_rows(), rows_.features_);
  const bool is_first = spilled_ == nullptr;
  DSI_RETURN_IF_ERROR(Spill(rows_));
  // The rows held so far were many.
  if (is_first) {
    rows_ = Empty();
  } else {
    rows_.Clear();
  }
  return Status::Ok();
}

Status RowIntake::Close(const std::function<Status()>& poll, Schema* stored) {
  if (spilled_ == nullptr) {
    DSI_RETURN_IF_ERROR(rows_.PrepareOnce());  // None may have been added.
    totals_ = TableTotals::Of(rows_, true);
    if (finish_memory_.Limits(totals_).fresh_bytes != UINT64_MAX) {
      const std::vector<FeatureSource> sources = SourcesOf(rows_);
      std::vector<std::byte> records;
      AppendKeyRecords(sources, keys_, 0, RowBytes(sources, rows_.num_rows()), &records);
      repeated_ = FindRepeats(sources, records, &totals_);
    }
    if (is_rounded_) {
      DSI_RETURN_IF_ERROR(Gather());
      return rounding_.Finish(stored);
    }
    return RoundFloats(rows_.features_, options_.threads, poll, stored);
  }
  DSI_RETURN_IF_ERROR(SpillHeld());
  rows_ = RowBatch(schema_);
  // What sessions repeat is counted on: a stripe that is read must share it.
  sharing_ = std::make_shared<ListSharing>(*schema_, totals_.repeated_bytes == 0);
  if (rounding_.needs_all()) {
    const auto round = [&](uint64_t, RowCollector* piece) -> Status {
      DSI_RETURN_IF_ERROR(poll());
      return rounding_.AfterRead(piece->features());
    };
    DSI_RETURN_IF_ERROR(spilled_->ForEachPiece(round));
  }
  return rounding_.Finish(stored);
}

Status RowIntake::ForEachKeyRecords(
    const std::function<Status(std::span<const std::byte>)>& visit) const {
  if (spilled_ != nullptr) return spilled_->ForEachRecords(visit);
  const std::vector<FeatureSource> sources = SourcesOf(rows_);
  std::vector<std::byte> records;
  AppendKeyRecords(sources, keys_, 0, RowBytes(sources, rows_.num_rows()), &records);
  SubtractRepeats(keys_, repeated_, records);
  return visit(records);
}

}  // namespace dsi::internal
