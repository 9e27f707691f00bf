#include "dsi/reader/scan/row_picker_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/split_mix_internal.h"

namespace dsi::internal {
namespace {

// Rows looked at in one go; their flags and values stay in the first-level cache.
constexpr uint32_t kBlockRows = 4096;

}  // namespace

RowPicker::Source::Source(File of, MemoryBudget* budget, ScanWorkers* workers)
    : file(std::move(of)), shared(budget, workers) {
  shared.file = file.file;
  shared.stored_file = file.stored_file;
  shared.reader_options = file.reader_options;
  shared.owner = file.owner;
  shared.projection = file.source->projection();
  if (shared.projection != nullptr) decoder.emplace(&shared);
}

Result<std::unique_ptr<RowPicker>> RowPicker::Make(std::vector<File> files, const RowFilter& filter,
                                                   std::span<const uint32_t> of_predicate,
                                                   const RowRange& range, MemoryBudget* budget) {
  std::unique_ptr<RowPicker> picker(new RowPicker(budget));
  picker->seed_ = SplitMix64(filter.seed, 1);
  picker->row_ = range.begin;
  picker->row_end_ = range.end;
  picker->stripe_ = range.first_stripe;
  for (File& file : files) {
    picker->sources_.push_back(
        std::make_unique<Source>(std::move(file), budget, &picker->workers_));
  }
  DSI_RETURN_IF_ERROR(picker->AddTerms(filter, of_predicate));
  return picker;
}

void RowPicker::ReadFrom(StripeFetcher* fetcher, const VisitKey& visit) {
  for (const auto& source : sources_) source->shared.fetcher = fetcher;
  visit_ = visit;
}

bool RowPicker::PassesOver(size_t stripe) const {
  if (file().is_all_deleted(stripe)) return true;
  for (const auto& source : sources_) {
    if (source->file.source->RulesOut(source == sources_[0] ? stripe : source->file.stripe))
      return true;
  }
  return false;
}

// From predicate number *next of the filter on, which moves on over them.
std::vector<RowPicker::Clause> RowPicker::ClausesOf(const std::vector<Predicate>& predicates,
                                                    bool is_where,
                                                    std::span<const uint32_t> of_predicate,
                                                    size_t* next) {
  std::vector<Clause> clauses;
  for (const Predicate& predicate : predicates) {
    Clause& clause = clauses.emplace_back();
    const size_t count = AlternativesOf(predicate).size();
    // As SplitFilter has put them.
    const bool must_pass =
        is_where && (of_predicate.empty() || IsOfOneFile(of_predicate.subspan(*next, count)));
    for (size_t i = 0; i < count; ++i) {
      const uint32_t at = of_predicate.empty() ? 0 : of_predicate[*next];
      ++*next;
      Source& source = *sources_[at];
      const FilterColumns& found = source.file.source->columns();
      const size_t number =
          must_pass ? source.num_where++ : source.file.source->num_where() + source.num_others++;
      clause.push_back({&found.predicates[number], at, found.of_predicate[number]});
    }
  }
  return clauses;
}

Status RowPicker::AddTerms(const RowFilter& filter, std::span<const uint32_t> of_predicate) {
  size_t next = 0;
  where_ = ClausesOf(filter.where, true, of_predicate, &next);
  for (const Sampling& sampling : filter.sample) {
    if (!(sampling.keep >= 0 && sampling.keep <= 1))
      return InvalidArgument("filter: keep is {}, 0 to 1 is possible", sampling.keep);
    Sample sample{.when = ClausesOf(sampling.when, false, of_predicate, &next)};
    sample.all = sampling.keep == 1;
    if (!sample.all) sample.threshold = static_cast<uint64_t>(sampling.keep * 0x1p64);
    samples_.push_back(std::move(sample));
  }
  for (std::vector<uint8_t>* flags : {&matches_, &passes_, &undecided_, &either_, &any_})
    flags->resize(kBlockRows);
  return Status::Ok();
}

PageWork RowPicker::work() const {
  PageWork sum = past_;
  for (const auto& source : sources_) {
    if (source->decoder) sum += source->decoder->work();
  }
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
  while (row_ >= stripes[stripe_].first_row + stripes[stripe_].num_rows) {
    NoteStripe();
    ++stripe_;
  }
  if (PassesOver(stripe_)) {
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
  AndClauses(where_, count, passes_.data());
  std::copy_n(passes_.begin(), count, undecided_.begin());
  for (const Sample& sample : samples_) {
    std::copy_n(undecided_.begin(), count, matches_.begin());
    AndClauses(sample.when, count, matches_.data());
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
  was_looked_at_ = true;
  if (size != size_before && !std::exchange(has_passing_, true) && guess_ != nullptr)
    guess_->Note(true);
  return Status::Ok();
}

// That none passed is known when it has been left.
void RowPicker::NoteStripe() {
  if (was_looked_at_ && !has_passing_ && guess_ != nullptr) guess_->Note(false);
  was_looked_at_ = has_passing_ = false;
}

Status RowPicker::LoadMask() {
  if (mask_stripe_ == stripe_) return Status::Ok();
  is_deleted_ = CountedVector<uint8_t>(is_deleted_.get_allocator());  // Gives its memory back.
  DSI_ASSIGN_OR_RETURN(is_deleted_, file().LoadDeleted(stripe_, budget_));
  mask_stripe_ = stripe_;
  return Status::Ok();
}

Status RowPicker::Decode(uint32_t first, uint32_t num_rows) {
  for (size_t i = 0; i < sources_.size(); ++i) {
    Source& source = *sources_[i];
    if (!source.decoder.has_value()) continue;
    StripeDecoder& decoder = *source.decoder;
    if (source.decoder_stripe != stripe_) {
      // What was read ahead is of the first stripe.
      if (source.decoder_stripe != SIZE_MAX) source.file.file->ahead()->Forget();
      VisitKey visit = visit_;
      visit.stripe = stripe_;
      visit.member = static_cast<uint32_t>(i);
      if (source.shared.fetcher != nullptr) source.shared.fetcher->Pass(visit);
      past_ += decoder.work();
      decoder.Park();
      DSI_RETURN_IF_ERROR(
          decoder.Start(i == 0 ? stripe_ : source.file.stripe, first, num_rows, &visit));
      source.decoder_stripe = stripe_;
      bytes_needed_ += decoder.bytes_needed();
    }
    DSI_RETURN_IF_ERROR(decoder.Advance(first, num_rows, {}, /*may_touch=*/false));
  }
  return Status::Ok();
}

void RowPicker::AndTerm(const Term& term, uint8_t* matches) const {
  const Source& source = *sources_[term.source];
  const ScanOutput& output = source.shared.projection->outputs[term.output];
  const bool has_values = output.values != kNone32;
  term.predicate->AndMatches(has_values ? source.decoder->values(output.values).values : nullptr,
                             source.decoder->shape(output.shape),
                             source.decoder->group(output.group).slots, matches);
}

void RowPicker::AndClauses(std::span<const Clause> clauses, uint32_t num_rows, uint8_t* matches) {
  for (const Clause& clause : clauses) {
    if (clause.size() == 1) {
      AndTerm(clause[0], matches);
      continue;
    }
    std::fill_n(any_.begin(), num_rows, uint8_t{0});
    for (const Term& term : clause) {
      std::fill_n(either_.begin(), num_rows, uint8_t{1});
      AndTerm(term, either_.data());
      for (uint32_t i = 0; i < num_rows; ++i) any_[i] |= either_[i];
    }
    for (uint32_t i = 0; i < num_rows; ++i) matches[i] &= any_[i];
  }
}

}  // namespace dsi::internal
