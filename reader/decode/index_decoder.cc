#include "dsi/reader/decode/index_decoder_internal.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/dedup/owner_rows_internal.h"

namespace dsi::internal {
namespace {

// Rows skipped at a time: few enough for the slots to stay in cache.
constexpr uint32_t kSkipRows = 4096;
constexpr int64_t kMaxVersion = (1 << 24) - 1;  // D-005.

int64_t FromZigzag(uint32_t code) { return int64_t{code >> 1} ^ -int64_t{code & 1}; }

}  // namespace

Status GroupIndexDecoder::Start(const StripeContext* context, const StripeGroupRecord& record,
                                const PlannedStream* stream, const GroupIndexDecoder* parent,
                                RowsByTime* by_time, uint32_t stripe_rows, bool want_touched) {
  form_ = record.form;
  DSI_RETURN_IF_ERROR(CheckIndexForm(context->plan->stripe, form_));
  num_unique_ = record.num_unique;
  stripe_rows_ = stripe_rows;
  want_touched_ = want_touched;
  row_ = uniques_seen_ = run_left_ = run_rows_ = 0;
  rows_ = {};
  if (form_ != IndexForm::kIdentity) {
    if (stream == nullptr)
      return Corrupt("group of form {} has no index stream (D-001)", static_cast<uint32_t>(form_));
    window_.Start(context, stream, nullptr, nullptr, false);
  }
  kept_all_ = false;
  // As many unique rows as rows: each is one of them (D-002).
  if (general() && want_touched) renumber_.Reset(num_unique_, num_unique_ == stripe_rows);
  if (form_ == IndexForm::kViaParent) return MapParent(*parent);
  if (form_ == IndexForm::kVersions) return CountVersions(*parent);
  if (form_ == IndexForm::kAsOf) return FollowTime(*parent, by_time);
  return Status::Ok();
}

Status GroupIndexDecoder::KeepAll() {
  if (kept_all_) return Status::Ok();
  if (form_ != IndexForm::kGeneral) DSI_RETURN_IF_ERROR(MakeAllFit());
  switch (form_) {
    case IndexForm::kRunLengths:
      DSI_RETURN_IF_ERROR(AllOfRuns());
      break;
    case IndexForm::kNewRowBits:
      DSI_RETURN_IF_ERROR(AllOfBits());
      break;
    case IndexForm::kGeneral: {
      // They are nowhere else: the window stays as it is.
      DSI_RETURN_IF_ERROR(window_.Require(0, stripe_rows_));
      const auto* const codes = reinterpret_cast<const uint32_t*>(window_.At(0));
      DSI_RETURN_IF_ERROR(CheckCodes(codes, 0, stripe_rows_));
      all_rows_ = {codes, stripe_rows_};
      kept_all_ = true;
      return Status::Ok();
    }
    default:  // Identity; others are kept since Start.
      std::iota(all(0), all(stripe_rows_), 0U);
      break;
  }
  KeptAll();
  return Status::Ok();
}

// Everything is in all_ now, and another window may have the memory.
void GroupIndexDecoder::KeptAll() {
  all_rows_ = {all(0), stripe_rows_};
  kept_all_ = true;
  if (form_ != IndexForm::kIdentity) window_.Release();
}

Status GroupIndexDecoder::AllOfRuns() {
  DSI_RETURN_IF_ERROR(window_.Require(0, num_unique_));
  const auto* const lengths = reinterpret_cast<const uint32_t*>(window_.At(0));
  for (uint32_t run = 0; run < num_unique_; ++run) {
    DSI_RETURN_IF_ERROR(CheckRun(run, lengths[run]));
    run_rows_ += lengths[run];
  }
  if (run_rows_ != stripe_rows_) return TooFewRows(num_unique_);
  RunsToInverse({lengths, num_unique_}, {}, {all(0), stripe_rows_});
  return Status::Ok();
}

Status GroupIndexDecoder::AllOfBits() {
  DSI_RETURN_IF_ERROR(window_.Require(0, stripe_rows_));
  const auto* const bits = reinterpret_cast<const uint8_t*>(window_.At(0));
  DSI_RETURN_IF_ERROR(CheckBits(bits, stripe_rows_));
  uniques_seen_ = BitsToInverse({bits, stripe_rows_}, 0, all(0));
  return CheckOnes(stripe_rows_);
}

Status GroupIndexDecoder::MapParent(const GroupIndexDecoder& parent) {
  const uint64_t num_values = window_.num_values();
  DSI_RETURN_IF_ERROR(window_.Require(0, num_values));
  const auto* const codes = reinterpret_cast<const uint32_t*>(window_.At(0));
  const uint32_t num_codes = parent.num_unique();
  const auto num_exceptions = static_cast<uint32_t>((num_values - num_codes) / 2);
  const uint32_t* const gaps = codes + num_codes;
  const uint32_t* const others = gaps + num_exceptions;
  DSI_RETURN_IF_ERROR(CheckCodes(codes, 0, num_codes));
  DSI_RETURN_IF_ERROR(CheckCodes(others, uint64_t{num_codes} + num_exceptions, num_exceptions));
  const std::span<const uint32_t> owners = parent.all();
  DSI_RETURN_IF_ERROR(MakeAllFit());
  TakeOfOwners({codes, num_codes}, owners, all(0));
  uint64_t row = 0;
  for (uint32_t i = 0; i < num_exceptions; ++i) {
    row += gaps[i];
    if (row >= stripe_rows_ || (i != 0 && gaps[i] == 0)) {
      return Corrupt("{}: exception {} is row {} of {}, {} behind the one before (D-001)",
                     window_.Describe(), i, row, stripe_rows_, gaps[i]);
    }
    if (*all(row) == others[i]) {
      return Corrupt("{}: exception {}, row {}, is unique row {} as the parent has it (D-001)",
                     window_.Describe(), i, row, others[i]);
    }
    *all(row) = others[i];
  }
  KeptAll();
  return Status::Ok();
}

Status GroupIndexDecoder::CountVersions(const GroupIndexDecoder& parent) {
  DSI_RETURN_IF_ERROR(window_.Require(0, stripe_rows_));
  const auto* const steps = reinterpret_cast<const uint32_t*>(window_.At(0));
  const std::span<const uint32_t> owners = parent.all();
  DSI_RETURN_IF_ERROR(MakeAllFit());
  // Per owner: its current version, and in the end how many it has.
  version_.assign(parent.num_unique(), 0);
  const uint32_t bits = BitsOfCodes({steps, stripe_rows_});
  const bool is_sound = (bits & 1) == 0 && bits >> 1 <= kMaxVersion ? OnlyForward(steps, owners)
                                                                    : ForthAndBack(steps, owners);
  if (!is_sound) return BadVersion(steps, owners);
  // From here on: where the owner's unique rows start.
  uint64_t total = 0;
  for (uint32_t& start : version_) {
    const uint32_t count = start;
    start = static_cast<uint32_t>(total);
    total += count;
    if (total > num_unique_) break;
  }
  if (total != num_unique_)
    return Corrupt(
        "{}: the versions of all owners are {} or more, the group has {} unique rows "
        "(D-005)",
        window_.Describe(), total, num_unique_);
  AddOfOwners(version_, owners, all(0));
  KeptAll();
  return Status::Ok();
}

// Fills all_ with versions and version_ with the count of each owner, where no step leads back and
// none is greater than a version may be. False: some version is.
bool GroupIndexDecoder::OnlyForward(const uint32_t* steps, std::span<const uint32_t> owners) {
  uint32_t* const next = version_.data();  // 1 + the version; 0 where there is none yet.
  uint32_t* const all_rows = all(0);
  uint32_t bits = 0;
  for (size_t row = 0; row < owners.size(); ++row) {
    uint32_t& owner = next[owners[row]];
    const uint32_t version = owner - std::min(owner, 1U) + (steps[row] >> 1);
    owner = version + 1;
    all_rows[row] = version;
    bits |= version;  // A version above the greatest has a higher bit before it could wrap.
  }
  return bits <= kMaxVersion;
}

bool GroupIndexDecoder::ForthAndBack(const uint32_t* steps, std::span<const uint32_t> owners) {
  other_version_.assign(version_.size(), 0);
  uint32_t* const current = other_version_.data();
  uint32_t* const count = version_.data();
  uint32_t* const all_rows = all(0);
  for (size_t row = 0; row < owners.size(); ++row) {
    const uint32_t owner = owners[row];
    const int64_t version = current[owner] + FromZigzag(steps[row]);
    if (version < 0 || version > kMaxVersion) return false;
    const auto v = static_cast<uint32_t>(version);
    current[owner] = v;
    count[owner] = std::max(count[owner], v + 1);
    all_rows[row] = v;
  }
  return true;
}

Status GroupIndexDecoder::BadVersion(const uint32_t* steps, std::span<const uint32_t> owners) {
  std::fill(version_.begin(), version_.end(), 0U);
  for (size_t row = 0; row < owners.size(); ++row) {
    const int64_t version = version_[owners[row]] + FromZigzag(steps[row]);
    if (version < 0 || version > kMaxVersion)
      return Corrupt("{}: row {} is version {} (D-005)", window_.Describe(), row, version);
    version_[owners[row]] = static_cast<uint32_t>(version);
  }
  return Corrupt("{}: a version is too great (D-005)", window_.Describe());
}

Status GroupIndexDecoder::FollowTime(const GroupIndexDecoder& parent, RowsByTime* by_time) {
  DSI_RETURN_IF_ERROR(window_.Require(0, num_unique_));
  const auto* const served = reinterpret_cast<const uint32_t*>(window_.At(0));
  const std::span<const uint32_t> owners = parent.all();
  version_.assign(parent.num_unique(), 0);
  DSI_RETURN_IF_ERROR(by_owner_.Reserve(uint64_t{stripe_rows_} * 4, 0));
  auto* const by_owner = reinterpret_cast<uint32_t*>(by_owner_.data());
  OrderRows(by_time, owners, version_, by_owner);
  const uint32_t* const ends = version_.data();
  DSI_RETURN_IF_ERROR(MakeAllFit());
  uint32_t* const all_rows = all(0);
  uint32_t at = 0;
  uint32_t owner = 0;
  for (uint32_t u = 0; u < num_unique_; ++u) {
    while (owner < parent.num_unique() && ends[owner] == at) ++owner;
    const uint32_t left = owner < parent.num_unique() ? ends[owner] - at : 0;
    const uint32_t count = served[u];
    if (count == 0 || count > left) {
      return Corrupt("{}: unique row {} is {} rows, 1 to {} of owner {} are left (D-006)",
                     window_.Describe(), u, count, left, owner);
    }
    for (const uint32_t end = at + count; at < end; ++at) all_rows[by_owner[at]] = u;
  }
  if (at != stripe_rows_) {
    return Corrupt("{}: {} unique rows are {} of {} rows (D-006)", window_.Describe(), num_unique_,
                   at, stripe_rows_);
  }
  KeptAll();
  return Status::Ok();
}

Status GroupIndexDecoder::Skip(uint32_t num_rows) {
  const bool want_touched = want_touched_;
  want_touched_ = false;
  while (num_rows != 0) {
    const uint32_t step = std::min(num_rows, kSkipRows);
    DSI_RETURN_IF_ERROR(Next(step));
    num_rows -= step;
  }
  want_touched_ = want_touched;
  return Status::Ok();
}

Status GroupIndexDecoder::Next(uint32_t num_rows, std::span<const uint32_t> chosen,
                               bool may_touch) {
  DSI_RETURN_IF_ERROR(NextRows(num_rows));
  if (!chosen.empty()) {
    Choose(chosen, may_touch);
  } else if (general() && want_touched_ && may_touch) {
    MakeListsFit(num_rows);
    const size_t count = renumber_.Renumber(rows_.slots, inverse_.data(), touched_.data());
    rows_.touched = std::span(touched_).first(count);
    rows_.inverse = std::span(inverse_).first(num_rows);
  }
  return Status::Ok();
}

Status GroupIndexDecoder::NextRows(uint32_t num_rows) {
  rows_ = {};
  rows_.num_rows = num_rows;
  if (kept_all_ && form_ != IndexForm::kIdentity) {
    if (general()) {
      SetGeneral(all_rows_.subspan(row_, num_rows));
    } else {
      NextRunsOfAll(num_rows);
    }
    row_ += num_rows;
    return Status::Ok();
  }
  if (slots_.size() < num_rows) {
    slots_.resize(num_rows);
    iota_ready_ = 0;
  }
  rows_.slots = std::span(slots_).first(num_rows);
  switch (form_) {
    case IndexForm::kIdentity:
      NextIdentity(num_rows);
      break;
    case IndexForm::kRunLengths:
      DSI_RETURN_IF_ERROR(NextRuns(num_rows));
      break;
    case IndexForm::kNewRowBits:
      DSI_RETURN_IF_ERROR(NextBits(num_rows));
      break;
    case IndexForm::kGeneral:
      DSI_RETURN_IF_ERROR(NextGeneral(num_rows));
      break;
    case IndexForm::kViaParent:
    case IndexForm::kVersions:
    case IndexForm::kAsOf:
      break;  // Kept whole since Start.
  }
  row_ += num_rows;
  return Status::Ok();
}

void GroupIndexDecoder::NextRunsOfAll(uint32_t num_rows) {
  if (slots_.size() < num_rows) slots_.resize(num_rows);
  if (run_ends_.size() < num_rows) run_ends_.resize(num_rows);
  if (num_rows == 0) return;
  iota_ready_ = 0;
  const uint32_t* const all = all_rows_.data() + row_;
  const uint32_t first = all[0];
  uint32_t* const slots = slots_.data();
  uint32_t* const ends = run_ends_.data();
  // The last row of a run has the last word on its end.
  for (uint32_t i = 0; i < num_rows; ++i) {
    slots[i] = all[i] - first;
    ends[slots[i]] = i + 1;
  }
  rows_.first_unique = first;
  rows_.num_unique = slots[num_rows - 1] + 1;
  rows_.slots = std::span(slots_).first(num_rows);
  rows_.run_ends = std::span(run_ends_).first(rows_.num_unique);
}

void GroupIndexDecoder::SetGeneral(std::span<const uint32_t> slots) {
  rows_.scattered = true;
  rows_.num_unique = num_unique_;
  rows_.slots = slots;
}

void GroupIndexDecoder::MakeListsFit(size_t num_rows) {
  if (touched_.size() >= num_rows) return;
  touched_.resize(num_rows);
  inverse_.resize(num_rows);
}

// From here on nobody can see the rows that were not chosen, nor unique rows that only those were.
void GroupIndexDecoder::Choose(std::span<const uint32_t> chosen, bool may_touch) {
  if (chosen_slots_.size() < chosen.size()) chosen_slots_.resize(chosen.size());
  for (size_t i = 0; i < chosen.size(); ++i) chosen_slots_[i] = rows_.slots[chosen[i]];
  rows_.num_rows = static_cast<uint32_t>(chosen.size());
  rows_.slots = std::span(chosen_slots_).first(chosen.size());
  rows_.identity = false;
  rows_.scattered = true;
  rows_.run_ends = {};
  if (!want_touched_ || !may_touch) return;
  MakeListsFit(chosen.size());
  size_t count = 0;
  if (general()) {
    count = renumber_.Renumber(rows_.slots, inverse_.data(), touched_.data());
  } else {
    count = RenumberAscending(rows_.slots, inverse_.data(), touched_.data());
  }
  rows_.touched = std::span(touched_).first(count);
  rows_.inverse = std::span(inverse_).first(chosen.size());
}

void GroupIndexDecoder::NextIdentity(uint32_t num_rows) {
  // The slots of a batch are 0, 1, 2, … and stay so from batch to batch.
  if (iota_ready_ < num_rows) {
    std::iota(slots_.begin(), slots_.end(), 0U);
    iota_ready_ = static_cast<uint32_t>(slots_.size());
  }
  rows_.identity = true;
  rows_.first_unique = row_;
  rows_.num_unique = num_rows;
}

Status GroupIndexDecoder::NextRuns(uint32_t num_rows) {
  if (num_rows == 0) return Status::Ok();
  iota_ready_ = 0;
  if (run_ends_.size() < num_rows) run_ends_.resize(num_rows);
  uint32_t* const ends = run_ends_.data();
  // A run that the rows before have begun is the first; no batch needs more runs than rows.
  const uint32_t begun = run_left_ != 0 ? 1 : 0;
  const uint32_t first = uniques_seen_ - begun;
  const uint32_t ahead = std::min(num_unique_ - first, num_rows);
  DSI_RETURN_IF_ERROR(window_.Require(first, uint64_t{first} + ahead));
  const auto* const lengths = reinterpret_cast<const uint32_t*>(window_.At(first));
  uint32_t end = run_left_;
  if (begun != 0) ends[0] = end;
  uint32_t runs = begun;
  for (; end < num_rows; ++runs) {
    if (runs == ahead) return TooFewRows(num_unique_);
    const uint32_t length = lengths[runs];
    DSI_RETURN_IF_ERROR(CheckRun(first + runs, length));
    run_rows_ += length;
    end += length;
    ends[runs] = end;
  }
  ends[runs - 1] = num_rows;
  uniques_seen_ = first + runs;
  const uint32_t rows_before = begun != 0 ? lengths[0] - run_left_ : 0;
  RunsToInverse({lengths, runs}, {0, rows_before}, std::span(slots_).first(num_rows));
  run_left_ = end - num_rows;
  if (run_rows_ == stripe_rows_ && uniques_seen_ != num_unique_) {
    return Corrupt("{}: {} of {} runs cover all rows (D-001)", window_.Describe(), uniques_seen_,
                   num_unique_);
  }
  rows_.first_unique = first;
  rows_.num_unique = runs;
  rows_.run_ends = std::span(run_ends_).first(runs);
  return Status::Ok();
}

Status GroupIndexDecoder::NextBits(uint32_t num_rows) {
  if (num_rows == 0) return Status::Ok();
  iota_ready_ = 0;
  if (run_ends_.size() < num_rows) run_ends_.resize(num_rows);
  DSI_RETURN_IF_ERROR(window_.Require(row_, uint64_t{row_} + num_rows));
  const auto* const bits = reinterpret_cast<const uint8_t*>(window_.At(row_));
  DSI_RETURN_IF_ERROR(CheckBits(bits, num_rows));
  // The first row belongs to the unique row before it unless its bit is set; it is slot 0.
  const uint32_t first = uniques_seen_ - 1 + bits[0];
  const uint32_t count = BitsToInverse({bits, num_rows}, 1U - bits[0], slots_.data());
  // A slot ends where the next one begins, the last with the rows.
  uint32_t* const ends = run_ends_.data();
  ends[OnesToPlaces({bits + 1, num_rows - 1}, 1, ends)] = num_rows;
  uniques_seen_ = first + count;
  DSI_RETURN_IF_ERROR(CheckOnes(num_rows));
  rows_.first_unique = first;
  rows_.num_unique = count;
  rows_.run_ends = std::span(run_ends_).first(count);
  return Status::Ok();
}

// An error unless run `run` may have so many rows behind run_rows_.
Status GroupIndexDecoder::CheckRun(uint32_t run, uint32_t length) const {
  if (length != 0 && length <= stripe_rows_ - run_rows_) return Status::Ok();
  return Corrupt("{}: run {} has {} rows, 1 to {} are left (D-001)", window_.Describe(), run,
                 length, stripe_rows_ - run_rows_);
}

Status GroupIndexDecoder::TooFewRows(uint32_t num_runs) const {
  return Corrupt("{}: {} runs cover {} of {} rows (D-001)", window_.Describe(), num_runs, run_rows_,
                 stripe_rows_);
}

// Bits of the next rows.
Status GroupIndexDecoder::CheckBits(const uint8_t* bits, uint32_t num_rows) const {
  if (row_ == 0 && bits[0] != 1)
    return Corrupt("{}: the first new-row bit is {}, not 1 (D-001)", window_.Describe(), bits[0]);
  uint8_t all = 0;
  for (uint32_t i = 0; i < num_rows; ++i) all |= bits[i];
  if (all <= 1) return Status::Ok();
  return Corrupt("{}: rows {} to {} hold a new-row bit that is neither 0 nor 1 (D-001)",
                 window_.Describe(), row_, row_ + num_rows);
}

// uniques_seen_ is up to the end of the next rows.
Status GroupIndexDecoder::CheckOnes(uint32_t num_rows) const {
  if (uniques_seen_ == num_unique_ ||
      (uniques_seen_ < num_unique_ && row_ + num_rows != stripe_rows_)) {
    return Status::Ok();
  }
  return Corrupt("{}: {} new-row bits are set up to row {}, the group has {} unique rows (D-001)",
                 window_.Describe(), uniques_seen_, row_ + num_rows, num_unique_);
}

Status GroupIndexDecoder::NextGeneral(uint32_t num_rows) {
  DSI_RETURN_IF_ERROR(window_.Require(row_, uint64_t{row_} + num_rows));
  const auto* const codes = reinterpret_cast<const uint32_t*>(window_.At(row_));
  DSI_RETURN_IF_ERROR(CheckCodes(codes, row_, num_rows));
  SetGeneral({codes, num_rows});
  return Status::Ok();
}

Status GroupIndexDecoder::CheckCodes(const uint32_t* codes, uint64_t first, uint64_t count) const {
  if (GreatestCode({codes, count}) < num_unique_) return Status::Ok();
  const uint32_t* const bad =
      std::find_if(codes, codes + count, [&](uint32_t code) { return code >= num_unique_; });
  return Corrupt("{}: value {} is unique row {} of {} (D-001)", window_.Describe(),
                 first + static_cast<uint64_t>(bad - codes), *bad, num_unique_);
}

}  // namespace dsi::internal
