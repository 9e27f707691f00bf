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

std::vector<RowFilter> SplitFilter(const RowFilter& filter, std::span<const uint32_t> of_predicate,
                                   size_t num_files) {
  std::vector<RowFilter> parts(num_files);
  size_t next = 0;
  for (const Predicate& predicate : filter.where)
    parts[of_predicate[next++]].where.push_back(predicate);
  for (const Sampling& sampling : filter.sample) {
    for (const Predicate& predicate : sampling.when) {
      RowFilter& part = parts[of_predicate[next++]];
      if (part.sample.empty()) part.sample.emplace_back();
      part.sample[0].when.push_back(predicate);
    }
  }
  return parts;
}

Result<std::unique_ptr<RowPicker>> RowPicker::Make(const OpenFile& file,
                                                   const ReaderOptions& reader_options,
                                                   const ScanOptions& options, uint64_t row_end,
                                                   size_t first_stripe, size_t end_stripe,
                                                   MemoryBudget* budget) {
  std::unique_ptr<RowPicker> picker(new RowPicker(budget));
  picker->seed_ = SplitMix64(options.filter.seed, 1);
  picker->row_ = options.row_begin;
  picker->row_end_ = row_end;
  picker->stripe_ = picker->first_stripe_ = first_stripe;
  DSI_RETURN_IF_ERROR(
      picker->AddSource(file, reader_options, options.filter, first_stripe, end_stripe));
  DSI_RETURN_IF_ERROR(picker->AddTerms(options.filter, {}));
  return picker;
}

Result<std::unique_ptr<RowPicker>> RowPicker::MakeBeside(
    const OpenFile& file, const ReaderOptions& reader_options, const ScanOptions& options,
    uint64_t row_end, size_t stripe, std::span<const PickedFile> beside,
    std::span<const uint32_t> of_predicate, MemoryBudget* budget) {
  std::unique_ptr<RowPicker> picker(new RowPicker(budget));
  picker->seed_ = SplitMix64(options.filter.seed, 1);
  picker->row_ = options.row_begin;
  picker->row_end_ = row_end;
  picker->stripe_ = picker->first_stripe_ = stripe;
  std::vector<RowFilter> parts = SplitFilter(options.filter, of_predicate, 1 + beside.size());
  DSI_RETURN_IF_ERROR(
      picker->AddSource(file, reader_options, std::move(parts[0]), stripe, stripe + 1));
  for (size_t i = 0; i < beside.size(); ++i) {
    const PickedFile& other = beside[i];
    DSI_RETURN_IF_ERROR(picker->AddSource(*other.file, other.reader_options,
                                          std::move(parts[i + 1]), other.stripe, other.stripe + 1));
    picker->sources_.back()->stripe = other.stripe;
  }
  DSI_RETURN_IF_ERROR(picker->AddTerms(options.filter, of_predicate));
  return picker;
}

Status RowPicker::AddSource(const OpenFile& file, const ReaderOptions& reader_options,
                            RowFilter filter, size_t first_stripe, size_t end_stripe) {
  Source& source = *sources_.emplace_back(std::make_unique<Source>(budget_, &workers_));
  source.filter = std::move(filter);
  source.shared.file = &file;
  source.shared.reader_options = reader_options;
  DSI_ASSIGN_OR_RETURN(source.found, FindFilterColumns(file, source.filter));
  if (source.found.columns.empty()) return Status::Ok();
  ScanOptions columns;
  for (const OpenColumn& column : source.found.columns)
    columns.features.push_back({.name = column.name, .width = 1, .dtype = {}});
  DSI_ASSIGN_OR_RETURN(source.shared.projection,
                       ResolveProjection(file, columns, first_stripe, end_stripe));
  source.decoder.emplace(&source.shared);
  DSI_ASSIGN_OR_RETURN(
      const CountedVector<bool> ruled_out,
      RuledOutStripes(file, source.filter, source.found, first_stripe, end_stripe, budget_));
  if (is_ruled_out_.empty()) is_ruled_out_.assign(ruled_out.begin(), ruled_out.end());
  for (size_t i = 0; i < ruled_out.size(); ++i) is_ruled_out_[i] = is_ruled_out_[i] || ruled_out[i];
  return Status::Ok();
}

Status RowPicker::AddTerms(const RowFilter& filter, std::span<const uint32_t> of_predicate) {
  size_t next = 0;
  const auto terms_of = [&](const std::vector<Predicate>& predicates) {
    std::vector<Term> terms;
    for (const Predicate& predicate : predicates) {
      const uint32_t at = of_predicate.empty() ? 0 : of_predicate[next++];
      Source& source = *sources_[at];
      const uint32_t column = source.found.of_predicate[source.next++];
      terms.push_back(
          {{predicate.compare, predicate.value, source.found.columns[column].record.type},
           at,
           column});
    }
    return terms;
  };
  where_ = terms_of(filter.where);
  for (const Sampling& sampling : filter.sample) {
    if (!(sampling.keep >= 0 && sampling.keep <= 1))
      return InvalidArgument("filter: keep is {}, 0 to 1 is possible", sampling.keep);
    Sample sample{.when = terms_of(sampling.when)};
    sample.all = sampling.keep == 1;
    if (!sample.all) sample.threshold = static_cast<uint64_t>(sampling.keep * 0x1p64);
    samples_.push_back(std::move(sample));
  }
  matches_.resize(kBlockRows);
  passes_.resize(kBlockRows);
  undecided_.resize(kBlockRows);
  return Status::Ok();
}

uint64_t RowPicker::bytes_read() const {
  uint64_t sum = 0;
  for (const auto& source : sources_)
    sum += source->decoder ? source->decoder->pages().bytes_read() : 0;
  return sum;
}

uint64_t RowPicker::reads() const {
  uint64_t sum = 0;
  for (const auto& source : sources_) sum += source->decoder ? source->decoder->pages().reads() : 0;
  return sum;
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
  const std::vector<StripeRef>& stripes = file().core().stripes;
  while (row_ >= stripes[stripe_].first_row + stripes[stripe_].num_rows) ++stripe_;
  const bool is_ruled_out = !is_ruled_out_.empty() && is_ruled_out_[stripe_ - first_stripe_];
  if (is_ruled_out || file().num_deleted(stripe_) == stripes[stripe_].num_rows) {
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
  DSI_RETURN_IF_ERROR(Decode(first, count));

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
  DSI_ASSIGN_OR_RETURN(is_deleted_, file().LoadDeleted(stripe_, budget_));
  mask_stripe_ = stripe_;
  return Status::Ok();
}

Status RowPicker::Decode(uint32_t first, uint32_t num_rows) {
  for (const auto& source : sources_) {
    if (!source->decoder.has_value()) continue;
    StripeDecoder& decoder = *source->decoder;
    if (source->decoder_stripe != stripe_) {
      // What was read ahead is of the first stripe.
      if (source->decoder_stripe != SIZE_MAX) source->shared.file->ahead()->Forget();
      const size_t own = source->stripe != SIZE_MAX ? source->stripe : stripe_;
      DSI_RETURN_IF_ERROR(decoder.Start(own, first, num_rows));
      source->decoder_stripe = stripe_;
      bytes_needed_ += decoder.bytes_needed();
    }
    DSI_RETURN_IF_ERROR(decoder.Advance(first, num_rows, {}, /*may_touch=*/false));
  }
  return Status::Ok();
}

void RowPicker::AndTerms(std::span<const Term> terms, uint8_t* matches) const {
  for (const Term& term : terms) {
    const Source& source = *sources_[term.source];
    const ScanOutput& output = source.shared.projection->outputs[term.output];
    term.predicate.AndMatches(source.decoder->values(output.values).values,
                              source.decoder->shape(output.shape),
                              source.decoder->group(output.group).slots, matches);
  }
}

}  // namespace dsi::internal
