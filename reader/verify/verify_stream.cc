#include "dsi/reader/verify/verify_stream_internal.h"

#include <algorithm>

#include "dsi/base/error_internal.h"
#include "dsi/format/stream_rules_internal.h"

namespace dsi::internal {

using enum IndexForm;

namespace {

const char* RuleOfRuns(IndexForm form) { return form == kAsOf ? "D-006" : "D-001"; }

}  // namespace

void StreamChecker::Start(StreamRole role, const StreamRecord& record, const ColumnRecord* column,
                          const StripeGroupRecord* group, uint32_t parent_unique, uint32_t num_rows,
                          MemoryBudget* budget) {
  *this = {};
  used_ = CountedVector<bool>(budget);
  role_ = role;
  record_ = record;
  column_ = column;
  if (group != nullptr) {
    form_ = group->form;
    num_unique_ = group->num_unique;
    if (form_ == kViaParent && record.num_values > parent_unique) {
      first_gap_ = parent_unique;
      end_of_gaps_ = first_gap_ + (record.num_values - first_gap_) / 2;
    }
  }
  num_rows_ = num_rows;
}

Status StreamChecker::AddShape(const void* values, size_t count) {
  const auto* narrow = static_cast<const uint8_t*>(values);
  const auto* wide = static_cast<const uint32_t*>(values);
  uint32_t greatest = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t code = record_.width == 1 ? narrow[i] : wide[i];
    greatest = std::max(greatest, code);
    sum_ += EntriesOfCode(*column_, code);  // At most 2^24 codes of 32 bits.
  }
  greatest_ = std::max(greatest_, greatest);
  if (greatest > record_.max) {
    return Corrupt("shape code {}, the stream states at most {} (D-010)", greatest, record_.max);
  }
  return Status::Ok();
}

Status StreamChecker::AddIndex(const void* values, size_t count) {
  const auto* bits = static_cast<const uint8_t*>(values);
  const auto* numbers = static_cast<const uint32_t*>(values);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t at = seen_ + i;
    if (form_ == kRunLengths || form_ == kAsOf) {
      if (numbers[i] == 0) return Corrupt("run {} of length 0 ({})", at, RuleOfRuns(form_));
      sum_ += numbers[i];
    } else if (form_ == kNewRowBits) {
      if (bits[i] > 1 || (at == 0 && bits[i] == 0)) {
        return Corrupt("row {}: new-row bit {} (D-001)", at, bits[i]);
      }
      sum_ += bits[i];
    } else if (at >= first_gap_ && at < end_of_gaps_) {
      DSI_RETURN_IF_ERROR(AddGaps(numbers[i], 1, at == first_gap_));
    } else if (form_ == kGeneral || form_ == kViaParent) {  // D-005 needs the parent's index.
      if (numbers[i] >= num_unique_) {
        return Corrupt("row {}: unique row {} of {} (D-001)", at, numbers[i], num_unique_);
      }
      if (used_.empty()) used_.resize(num_unique_);
      sum_ += used_[numbers[i]] ? 0 : 1;
      used_[numbers[i]] = true;
    }
  }
  return Status::Ok();
}

Status StreamChecker::AddGaps(uint32_t gap, uint64_t count, bool with_first) {
  exception_row_ += gap * count;
  if (exception_row_ < num_rows_ && (gap != 0 || (with_first && count == 1))) return Status::Ok();
  return Corrupt("an exception at row {} of {}, {} behind the one before (D-001)", exception_row_,
                 num_rows_, gap);
}

Status StreamChecker::Add(const void* values, size_t count) {
  Status status;
  if (role_ == StreamRole::kShape) {
    status = AddShape(values, count);
  } else if (role_ == StreamRole::kIndex) {
    status = AddIndex(values, count);
  } else if (role_ == StreamRole::kValues && column_->type == Type::kBool) {
    const auto* bits = static_cast<const uint8_t*>(values);
    const uint8_t* wrong = std::find_if(bits, bits + count, [](uint8_t b) { return b > 1; });
    if (wrong != bits + count) {
      status = Corrupt("value {}: {} in a bool column (S-011)", seen_ + (wrong - bits), *wrong);
    }
  }
  seen_ += count;
  return status;
}

Status StreamChecker::AddConstant() {
  // No loop over values: a record of 40 bytes may state 2^32 of them. What holds for the first
  // holds for all: lengths and bits add up, and in forms 3 and 4 one unique row is used.
  const auto one_byte = static_cast<uint8_t>(record_.constant);
  const auto four_bytes = static_cast<uint32_t>(record_.constant);
  const void* value = record_.width == 1 ? static_cast<const void*>(&one_byte) : &four_bytes;
  DSI_RETURN_IF_ERROR(Add(value, 1));
  if (role_ == StreamRole::kShape || form_ == kRunLengths || form_ == kAsOf || form_ == kNewRowBits)
    sum_ *= record_.num_values;
  if (first_gap_ < end_of_gaps_)
    DSI_RETURN_IF_ERROR(AddGaps(four_bytes, end_of_gaps_ - first_gap_, true));
  seen_ = record_.num_values;
  return Status::Ok();
}

Status StreamChecker::Finish() {
  if (role_ == StreamRole::kShape && greatest_ != record_.max) {
    return Corrupt("the greatest shape code is {}, the stream states {} (D-010)", greatest_,
                   record_.max);
  }
  if (role_ == StreamRole::kIndex && (form_ == kRunLengths || form_ == kAsOf) &&
      sum_ != num_rows_) {
    return Corrupt("runs of {} rows in all, the stripe has {} ({})", sum_, num_rows_,
                   RuleOfRuns(form_));
  }
  if (role_ == StreamRole::kIndex &&
      (form_ == kNewRowBits || form_ == kGeneral || form_ == kViaParent) && sum_ != num_unique_) {
    return Corrupt("{} unique rows are used, the group states {} (D-001, D-002)", sum_,
                   num_unique_);
  }
  sound_ = true;
  return Status::Ok();
}

}  // namespace dsi::internal
