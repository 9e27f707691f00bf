#include "dsi/reader/scan/row_picker_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/split_mix_internal.h"

namespace dsi::internal {
namespace {

// Rows looked at in one go; their flags and values stay in the first-level cache.
constexpr uint32_t kBlockRows = 4096;

bool HoldsOneNumber(const OpenColumn& column) {
  return !HasLengths(column.record.kind, column.record.type) &&
         column.record.kind != Kind::kEmbedding;
}

}  // namespace

Result<FilterColumns> FindFilterColumns(const OpenFile& file, const RowFilter& filter) {
  std::vector<const Predicate*> predicates;
  for (const Predicate& predicate : filter.where) predicates.push_back(&predicate);
  for (const Sampling& sampling : filter.sample) {
    for (const Predicate& predicate : sampling.when) predicates.push_back(&predicate);
  }
  FilterColumns found;
  for (const Predicate* const predicate : predicates) {
    DSI_ASSIGN_OR_RETURN(const std::vector<uint32_t> ordinals, file.FindColumns(predicate->column));
    if (ordinals.size() != 1) {
      return InvalidArgument("filter: \"{}\" stands for {} columns; name one of them",
                             predicate->column, ordinals.size());
    }
    const auto known =
        std::find_if(found.columns.begin(), found.columns.end(),
                     [&](const OpenColumn& column) { return column.ordinal == ordinals[0]; });
    found.of_predicate.push_back(static_cast<uint32_t>(known - found.columns.begin()));
    if (known != found.columns.end()) continue;
    DSI_ASSIGN_OR_RETURN(OpenColumn column, file.LoadColumn(ordinals[0]));
    if (!HoldsOneNumber(column)) {
      return InvalidArgument("filter: {} is a {} of {}; only one number per row can be compared",
                             column.name, KindName(column.record.kind),
                             TypeName(column.record.type));
    }
    found.columns.push_back(std::move(column));
  }
  return found;
}

Result<CountedVector<bool>> RuledOutStripes(const OpenFile& file, const RowFilter& filter,
                                            const FilterColumns& columns, size_t first, size_t end,
                                            MemoryBudget* budget) {
  CountedVector<bool> ruled_out(budget);
  for (size_t i = 0; i < filter.where.size(); ++i) {
    const OpenColumn& column = columns.columns[columns.of_predicate[i]];
    if (!HasStatistics(column.record.kind, column.record.type)) continue;
    DSI_ASSIGN_OR_RETURN(const CountedVector<ColumnStatistics> statistics,
                         file.LoadStatistics(column.ordinal, column.record.type, budget));
    if (statistics.empty()) continue;
    ruled_out.resize(end - first, false);
    const ReadyPredicate predicate(filter.where[i].compare, filter.where[i].value,
                                   column.record.type);
    for (size_t stripe = first; stripe < end; ++stripe) {
      if (!predicate.MayMatch(statistics[stripe], file.core().stripes[stripe].num_rows))
        ruled_out[stripe - first] = true;
    }
  }
  return ruled_out;
}

Result<std::unique_ptr<RowPicker>> RowPicker::Make(const OpenFile& file,
                                                   const ReaderOptions& reader_options,
                                                   const ScanOptions& options, uint64_t row_end,
                                                   size_t first_stripe, size_t end_stripe,
                                                   MemoryBudget* budget) {
  const RowFilter& filter = options.filter;
  DSI_ASSIGN_OR_RETURN(const FilterColumns found, FindFilterColumns(file, filter));
  std::unique_ptr<RowPicker> picker(new RowPicker(budget));
  picker->seed_ = SplitMix64(filter.seed, 1);
  picker->row_ = options.row_begin;
  picker->row_end_ = row_end;
  picker->stripe_ = picker->first_stripe_ = first_stripe;
  picker->shared_.file = &file;
  picker->shared_.reader_options = reader_options;
  if (!found.columns.empty()) {
    ScanOptions columns;
    for (const OpenColumn& column : found.columns)
      columns.features.push_back({.name = column.name, .width = 1, .dtype = {}});
    DSI_ASSIGN_OR_RETURN(picker->shared_.projection,
                         ResolveProjection(file, columns, first_stripe, end_stripe));
    picker->decoder_.emplace(&picker->shared_);
    DSI_ASSIGN_OR_RETURN(picker->is_ruled_out_,
                         RuledOutStripes(file, filter, found, first_stripe, end_stripe, budget));
  }

  size_t next = 0;
  const auto terms_of = [&](const std::vector<Predicate>& predicates) {
    std::vector<Term> terms;
    for (const Predicate& predicate : predicates) {
      const uint32_t column = found.of_predicate[next++];
      terms.push_back(
          {{predicate.compare, predicate.value, found.columns[column].record.type}, column});
    }
    return terms;
  };
  picker->where_ = terms_of(filter.where);
  for (const Sampling& sampling : filter.sample) {
    if (!(sampling.keep >= 0 && sampling.keep <= 1))
      return InvalidArgument("filter: keep is {}, 0 to 1 is possible", sampling.keep);
    Sample sample{.when = terms_of(sampling.when)};
    sample.all = sampling.keep == 1;
    if (!sample.all) sample.threshold = static_cast<uint64_t>(sampling.keep * 0x1p64);
    picker->samples_.push_back(std::move(sample));
  }
  picker->matches_.resize(kBlockRows);
  picker->passes_.resize(kBlockRows);
  picker->undecided_.resize(kBlockRows);
  return picker;
}

void RowPicker::DropTaken() {
  ready_.erase(ready_.begin(), ready_.begin() + static_cast<ptrdiff_t>(taken_));
  taken_ = 0;
}

Status RowPicker::AheadTo(uint64_t row) {
  if (row_ >= row) return Status::Ok();
  DropTaken();
  while (row_ < std::min(row, row_end_)) DSI_RETURN_IF_ERROR(NextBlock());
  return Status::Ok();
}

Status RowPicker::Ahead(size_t count) {
  if (ready_.size() - taken_ >= count) return Status::Ok();
  DropTaken();
  while (ready_.size() < count && row_ < row_end_) DSI_RETURN_IF_ERROR(NextBlock());
  return Status::Ok();
}

Status RowPicker::NextBlock() {
  const std::vector<StripeRef>& stripes = shared_.file->core().stripes;
  while (row_ >= stripes[stripe_].first_row + stripes[stripe_].num_rows) ++stripe_;
  const bool is_ruled_out = !is_ruled_out_.empty() && is_ruled_out_[stripe_ - first_stripe_];
  if (is_ruled_out || shared_.file->num_deleted(stripe_) == stripes[stripe_].num_rows) {
    const uint64_t end = std::min(stripes[stripe_].first_row + stripes[stripe_].num_rows, row_end_);
    rows_dropped_ += end - row_;
    row_ = end;
    ++stripes_skipped_;
    return Status::Ok();
  }
  DSI_RETURN_IF_ERROR(LoadMask());
  const auto first = static_cast<uint32_t>(row_ - stripes[stripe_].first_row);
  const auto count = static_cast<uint32_t>(
      std::min<uint64_t>(std::min(kBlockRows, stripes[stripe_].num_rows - first), row_end_ - row_));
  if (decoder_.has_value()) DSI_RETURN_IF_ERROR(Decode(first, count));

  std::fill_n(passes_.begin(), count, uint8_t{1});
  for (uint32_t i = 0; i < count && !is_deleted_.empty(); ++i) passes_[i] ^= is_deleted_[first + i];
  AndTerms(where_, passes_.data());
  std::copy_n(passes_.begin(), count, undecided_.begin());
  for (const Sample& sample : samples_) {
    std::copy_n(undecided_.begin(), count, matches_.begin());
    AndTerms(sample.when, matches_.data());
    for (uint32_t i = 0; i < count; ++i) {
      undecided_[i] = static_cast<uint8_t>(undecided_[i] & (matches_[i] ^ 1));
      const bool stays = sample.all || SplitMix64((row_ + i) ^ seed_, 1) < sample.threshold;
      passes_[i] = static_cast<uint8_t>(passes_[i] & ((matches_[i] ^ 1) | (stays ? 1 : 0)));
    }
  }

  // Written for every row, kept for those that pass.
  size_t size = ready_.size();
  const size_t size_before = size;
  ready_.resize(size + count);
  for (uint32_t i = 0; i < count; ++i) {
    ready_[size] = row_ + i;
    size += passes_[i];
  }
  ready_.resize(size);
  rows_dropped_ += count - (size - size_before);
  row_ += count;
  return Status::Ok();
}

Status RowPicker::LoadMask() {
  if (mask_stripe_ == stripe_) return Status::Ok();
  is_deleted_ = CountedVector<uint8_t>(is_deleted_.get_allocator());  // Gives its memory back.
  DSI_ASSIGN_OR_RETURN(is_deleted_, shared_.file->LoadDeleted(stripe_, shared_.budget));
  mask_stripe_ = stripe_;
  return Status::Ok();
}

Status RowPicker::Decode(uint32_t first, uint32_t num_rows) {
  if (decoder_stripe_ != stripe_) {
    // What was read ahead is of the first stripe.
    if (decoder_stripe_ != SIZE_MAX) shared_.file->ahead()->Forget();
    DSI_RETURN_IF_ERROR(decoder_->Start(stripe_, first, num_rows));
    decoder_stripe_ = stripe_;
    bytes_needed_ += decoder_->bytes_needed();
  }
  return decoder_->Advance(first, num_rows, {}, /*may_touch=*/false);
}

void RowPicker::AndTerms(std::span<const Term> terms, uint8_t* matches) const {
  for (const Term& term : terms) {
    const ScanOutput& output = shared_.projection->outputs[term.output];
    term.predicate.AndMatches(decoder_->values(output.values).values, decoder_->shape(output.shape),
                              decoder_->group(output.group).slots, matches);
  }
}

}  // namespace dsi::internal
