// Many rows at once: from column buffers, or from another batch. Everything is checked first, then
// copied behind the rows held, then counted; running out of memory on the way cuts the copies off.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "dsi/base/bit_runs_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/format/limits.h"
#include "dsi/writer/row_batch.h"
#include "dsi/writer/rows/list_sharing_internal.h"

namespace dsi {
namespace {

using internal::InvalidArgument;
using internal::QuoteForMessage;

// Calls run(begin, end) for each run of rows that have the feature.
template <typename Run>
void ForEachRun(const FeatureColumns& from, size_t num_rows, const Run& run) {
  internal::ForEachRunOfBits(from.validity, from.validity_offset, num_rows, run);
}

template <typename Offset>
Status CheckOffsets(const Offset* offsets, size_t num_rows) {
  if (offsets[0] < 0) return InvalidArgument("offset {} of row 0, expected 0 or more", offsets[0]);
  bool ascending = true;
  bool short_enough = true;
  for (size_t i = 0; i < num_rows; ++i) {
    ascending &= offsets[i + 1] >= offsets[i];
    short_enough &=
        static_cast<uint64_t>(offsets[i + 1]) - static_cast<uint64_t>(offsets[i]) <= kMaxListLength;
  }
  if (ascending && short_enough) return {};
  for (size_t i = 0; i < num_rows; ++i) {
    if (offsets[i + 1] < offsets[i]) {
      return InvalidArgument("row {}: offset {} after {}, expected ascending ones", i,
                             offsets[i + 1], offsets[i]);
    }
  }
  return InvalidArgument("a list of more than {} entries", kMaxListLength);
}

template <typename Offset>
void AppendLengths(const Offset* offsets, size_t begin, size_t end, std::vector<uint32_t>* out) {
  const size_t at = out->size();
  out->resize(at + (end - begin));
  uint32_t* to = out->data() + at;
  for (size_t i = begin; i < end; ++i) {
    to[i - begin] = static_cast<uint32_t>(offsets[i + 1] - offsets[i]);
  }
}

uint64_t OffsetAt(const FeatureColumns& from, size_t row) {
  return from.offsets32 != nullptr ? static_cast<uint64_t>(from.offsets32[row])
                                   : static_cast<uint64_t>(from.offsets64[row]);
}

void AppendRange(uint64_t begin, uint64_t end, std::vector<uint32_t>* rows) {
  const size_t at = rows->size();
  rows->resize(at + (end - begin));
  std::iota(rows->begin() + static_cast<std::ptrdiff_t>(at), rows->end(),
            static_cast<uint32_t>(begin));
}

}  // namespace

void RowBatch::ListRows(FeatureBuffer* buffer) {
  buffer->rows.resize(buffer->num_present);
  std::iota(buffer->rows.begin(), buffer->rows.end(), 0U);
  buffer->all_present = false;
  size_bytes_ += buffer->num_present * sizeof(uint32_t);
}

void RowBatch::ListUntouched() {
  for (const uint32_t feature : dense_) {
    FeatureBuffer& buffer = features_[feature];
    if (buffer.all_present && slots_[feature].serial != serial_) ListRows(&buffer);
  }
  std::erase_if(dense_, [this](uint32_t feature) { return !features_[feature].all_present; });
}

// ListUntouched takes a feature from dense_ when all is done, so those there had no gap before.
void RowBatch::UnlistRows() {
  for (const uint32_t feature : dense_) {
    FeatureBuffer& buffer = features_[feature];
    if (buffer.all_present) continue;
    buffer.all_present = true;
    buffer.rows.clear();
    size_bytes_ -= buffer.num_present * sizeof(uint32_t);
  }
}

void RowBatch::Truncate(size_t feature) {
  FeatureBuffer& buffer = features_[feature];
  if (!buffer.all_present) buffer.rows.resize(buffer.num_present);
  const Slot& slot = slots_[feature];
  const bool shares = Shares(feature);
  if (shares) {
    sharing_->Forget(feature);
    if (!buffer.lists.empty()) buffer.lists.resize(buffer.num_present);
  }
  if (slot.has_lengths) buffer.lengths.resize(shares ? slot.stored_lists : buffer.num_present);
  const uint64_t entries = shares ? slot.stored_entries : slot.committed_entries;
  const FeatureSpec& spec = schema_->features[feature];
  for (size_t c = 0; c < buffer.values.size(); ++c) {
    const auto width = static_cast<size_t>(TypeWidth(spec.columns[c].type));
    buffer.values[c].resize(entries * width);
  }
}

void RowBatch::CommitRows(size_t num_rows) {
  for (const uint32_t feature : touched_) {
    Slot& slot = slots_[feature];
    FeatureBuffer& buffer = features_[feature];
    const uint64_t stored = buffer.values[0].size() / static_cast<size_t>(TypeWidth(slot.type));
    const size_t present = !slot.has_lengths ? stored / std::max<uint32_t>(slot.fixed_length, 1)
                           : buffer.lists.empty() ? buffer.lengths.size()
                                                  : buffer.lists.size();
    uint64_t entries = stored;
    if (!buffer.lists.empty()) {
      entries = slot.committed_entries;
      for (size_t i = buffer.num_present; i < present; ++i)
        entries += buffer.lengths[buffer.lists[i]];
    }
    const size_t per_row = (slot.has_lengths ? 4 : 0) + (buffer.all_present ? 0 : 4);
    size_bytes_ += (entries - slot.committed_entries) * slot.row_bytes +
                   (present - buffer.num_present) * per_row;
    slot.committed_entries = entries;
    slot.stored_entries = stored;
    slot.stored_lists = buffer.lengths.size();
    buffer.num_present = present;
  }
  touched_.clear();
  ++serial_;
  num_rows_ += num_rows;
}

uint64_t RowBatch::BytesOf(const RowBatch& other) const {
  uint64_t bytes = 0;
  for (size_t f = 0; f < features_.size(); ++f) {
    const FeatureBuffer& to = features_[f];
    const uint64_t present = other.features_[f].num_present;
    bytes += other.slots_[f].committed_entries * slots_[f].row_bytes;
    if (slots_[f].has_lengths) bytes += present * sizeof(uint32_t);
    if (to.all_present && present == other.num_rows_) continue;
    bytes += (present + (to.all_present ? to.num_present : 0)) * sizeof(uint32_t);
  }
  return bytes;
}

// Of columns that were checked.
uint64_t RowBatch::BytesOf(size_t num_rows, std::span<const FeatureColumns> columns) const {
  uint64_t bytes = 0;
  size_t stay_dense = 0;
  for (const FeatureColumns& from : columns) {
    const Slot& slot = slots_[from.feature];
    uint64_t present = 0;
    uint64_t entries = 0;
    ForEachRun(from, num_rows, [&](size_t begin, size_t end) {
      present += end - begin;
      if (slot.has_lengths) entries += OffsetAt(from, end) - OffsetAt(from, begin);
    });
    if (!slot.has_lengths) entries = present * std::max<uint32_t>(slot.fixed_length, 1);
    bytes += entries * slot.row_bytes;
    if (slot.has_lengths) bytes += present * sizeof(uint32_t);
    if (features_[from.feature].all_present && present == num_rows) {
      ++stay_dense;
    } else {
      bytes += present * sizeof(uint32_t);
    }
  }
  return bytes + (dense_.size() - stay_dense) * num_rows_ * sizeof(uint32_t);
}

Status RowBatch::CheckColumns(size_t num_rows, const FeatureColumns& from) const {
  const Slot& slot = slots_[from.feature];
  if (from.values.size() != slot.num_columns) {
    return InvalidArgument("{} value buffers, expected {}", from.values.size(), slot.num_columns);
  }
  const int num_offsets = (from.offsets32 != nullptr) + (from.offsets64 != nullptr);
  if (num_rows == 0) return {};
  if (num_offsets != (slot.has_lengths ? 1 : 0)) {
    return InvalidArgument("{} offset buffers, expected {}", num_offsets,
                           slot.has_lengths ? "one" : "none");
  }
  if (from.offsets32 != nullptr) DSI_RETURN_IF_ERROR(CheckOffsets(from.offsets32, num_rows));
  if (from.offsets64 != nullptr) DSI_RETURN_IF_ERROR(CheckOffsets(from.offsets64, num_rows));
  const bool any = !slot.has_lengths || OffsetAt(from, num_rows) > OffsetAt(from, 0);
  const std::vector<ColumnSpec>& columns = schema_->features[from.feature].columns;
  for (size_t c = 0; c < from.values.size(); ++c) {
    if (from.values[c] == nullptr) {
      // Arrow leaves out the buffer of an array without entries.
      if (!any) continue;
      return InvalidArgument("values of column {} are null", c);
    }
    if (columns[c].type != Type::kBool) continue;
    // S-011: a bool is 0 or 1.
    bool fits = true;
    const auto* bools = static_cast<const uint8_t*>(from.values[c]);
    const size_t per_row = std::max<uint32_t>(slot.fixed_length, 1);
    ForEachRun(from, num_rows, [&](size_t begin, size_t end) {
      const uint64_t first = slot.has_lengths ? OffsetAt(from, begin) : begin * per_row;
      const uint64_t last = slot.has_lengths ? OffsetAt(from, end) : end * per_row;
      for (uint64_t i = first; i < last; ++i) fits &= bools[i] <= 1;
    });
    if (!fits) return InvalidArgument("a bool that is neither 0 nor 1");
  }
  return {};
}

void RowBatch::CopyColumns(size_t num_rows, const FeatureColumns& from) {
  const Slot& slot = slots_[from.feature];
  FeatureBuffer& buffer = features_[from.feature];
  const std::vector<ColumnSpec>& columns = schema_->features[from.feature].columns;
  size_t present = 0;
  ForEachRun(from, num_rows, [&](size_t begin, size_t end) { present += end - begin; });
  if (present < num_rows && buffer.all_present) ListRows(&buffer);
  const size_t per_row = std::max<uint32_t>(slot.fixed_length, 1);
  const bool shares = Shares(from.feature);
  std::vector<uint32_t> shared_lengths;
  std::vector<const std::byte*> shared_values(columns.size());
  ForEachRun(from, num_rows, [&](size_t begin, size_t end) {
    uint64_t first = begin * per_row;
    uint64_t last = end * per_row;
    shared_lengths.clear();
    if (slot.has_lengths) {
      first = OffsetAt(from, begin);
      last = OffsetAt(from, end);
      std::vector<uint32_t>* const lengths = shares ? &shared_lengths : &buffer.lengths;
      if (from.offsets32 != nullptr) {
        AppendLengths(from.offsets32, begin, end, lengths);
      } else {
        AppendLengths(from.offsets64, begin, end, lengths);
      }
    }
    if (!buffer.all_present) AppendRange(num_rows_ + begin, num_rows_ + end, &buffer.rows);
    if (shares) {
      for (size_t c = 0; c < columns.size() && last > first; ++c)
        shared_values[c] = static_cast<const std::byte*>(from.values[c]) +
                           first * static_cast<size_t>(TypeWidth(columns[c].type));
      return sharing_->Append(from.feature, shared_lengths, shared_values, &buffer);
    }
    for (size_t c = 0; c < columns.size() && last > first; ++c) {
      const auto width = static_cast<size_t>(TypeWidth(columns[c].type));
      const auto* bytes = static_cast<const std::byte*>(from.values[c]);
      buffer.values[c].append({bytes + first * width, bytes + last * width});
    }
  });
}

Status RowBatch::AppendBuffers(size_t num_rows, std::span<const FeatureColumns> columns) {
  DSI_RETURN_IF_ERROR(CheckRoom(num_rows));
  for (const FeatureColumns& from : columns) {
    if (from.feature >= slots_.size()) {
      return InvalidArgument("feature {}: expected an ordinal below {}", from.feature,
                             slots_.size());
    }
    const std::string where = "feature " + QuoteForMessage(schema_->features[from.feature].name);
    if (slots_[from.feature].serial == serial_) return InvalidArgument("{} is named twice", where);
    DSI_RETURN_IF_ERROR(CheckColumns(num_rows, from).At(where));
    touched_.push_back(static_cast<uint32_t>(from.feature));
    slots_[from.feature].serial = serial_;
  }
  if (num_rows == 0) {
    DropRow();
    return {};
  }
  if (admit_) DSI_RETURN_IF_ERROR(admit_(BytesOf(num_rows, columns), num_rows));
  for (const FeatureColumns& from : columns) CopyColumns(num_rows, from);
  ListUntouched();
  CommitRows(num_rows);
  return {};
}

void RowBatch::CopyFeature(size_t feature, const RowBatch& other) {
  const FeatureBuffer& from = other.features_[feature];
  FeatureBuffer& to = features_[feature];
  if (!from.all_present && to.all_present) ListRows(&to);
  if (!to.all_present) {
    if (from.all_present) {
      AppendRange(num_rows_, num_rows_ + other.num_rows_, &to.rows);
    } else {
      const size_t at = to.rows.size();
      to.rows.resize(at + from.rows.size());
      const auto base = static_cast<uint32_t>(num_rows_);
      for (size_t i = 0; i < from.rows.size(); ++i) to.rows[at + i] = from.rows[i] + base;
    }
  }
  if (Shares(feature)) {
    std::vector<const std::byte*> values;
    for (const GrowingBytes& column : from.values) values.push_back(column.data());
    return sharing_->Append(feature, from.lengths, values, &to);
  }
  const uint64_t entries = other.slots_[feature].committed_entries;
  to.lengths.insert(to.lengths.end(), from.lengths.begin(), from.lengths.end());
  const std::vector<ColumnSpec>& columns = schema_->features[feature].columns;
  for (size_t c = 0; c < columns.size(); ++c) {
    // A row that the other batch has begun is not part of it.
    const auto width = static_cast<size_t>(TypeWidth(columns[c].type));
    to.values[c].append({from.values[c].data(), entries * width});
  }
}

Status RowBatch::TakeRows(RowBatch* other) {
  DSI_RETURN_IF_ERROR(PrepareOnce());
  DSI_RETURN_IF_ERROR(CheckSchema(*other));
  if (other->num_rows_ == 0) return {};
  if (admit_) DSI_RETURN_IF_ERROR(admit_(BytesOf(*other), other->num_rows_));
  other->DropRow();
  std::swap(features_, other->features_);
  std::swap(slots_, other->slots_);
  std::swap(column_serials_, other->column_serials_);
  std::swap(dense_, other->dense_);
  std::swap(num_rows_, other->num_rows_);
  std::swap(size_bytes_, other->size_bytes_);
  std::swap(serial_, other->serial_);
  for (size_t f = 0; f < slots_.size(); ++f) {
    slots_[f].stored_entries = slots_[f].committed_entries;
    slots_[f].stored_lists = features_[f].num_present;
    if (Shares(f)) sharing_->Forget(f);
  }
  return {};
}

bool RowBatch::Shares(size_t feature) const {
  return sharing_ != nullptr && sharing_->Shares(feature);
}

void RowBatch::ShareLists() {
  for (size_t f = 0; f < features_.size(); ++f) {
    FeatureBuffer& buffer = features_[f];
    if (!Shares(f) || !buffer.lists.empty() || buffer.lengths.empty()) continue;
    std::vector<const std::byte*> values;
    FeatureBuffer shared;
    const Status status = internal::NoThrow([&]() -> Status {
      for (const GrowingBytes& column : buffer.values) values.push_back(column.data());
      shared.values.resize(values.size());
      sharing_->Append(f, buffer.lengths, values, &shared);
      return {};
    });
    if (!status.ok()) {
      sharing_->Forget(f);
      continue;
    }
    std::swap(buffer.values, shared.values);
    std::swap(buffer.lengths, shared.lengths);
    std::swap(buffer.lists, shared.lists);
    slots_[f].stored_entries =
        buffer.values[0].size() / static_cast<size_t>(TypeWidth(slots_[f].type));
    slots_[f].stored_lists = buffer.lengths.size();
  }
}

uint64_t RowBatch::HeldBytes() const {
  uint64_t bytes = 0;
  for (const FeatureBuffer& buffer : features_) {
    bytes += (buffer.rows.size() + buffer.lengths.size() + buffer.lists.size()) * sizeof(uint32_t);
    for (const GrowingBytes& values : buffer.values) bytes += values.size();
  }
  return bytes;
}

Status RowBatch::CheckSchema(const RowBatch& other) const {
  if (other.schema_ == schema_) return {};
  return InvalidArgument("Append of a batch of another schema object");
}

Status RowBatch::AppendRows(const RowBatch& other) {
  DSI_RETURN_IF_ERROR(CheckSchema(other));
  DSI_RETURN_IF_ERROR(CheckRoom(other.num_rows_));
  if (other.num_rows_ == 0) return {};
  if (&other == this) {
    const RowBatch copy = other;
    return AppendRows(copy);
  }
  if (admit_) DSI_RETURN_IF_ERROR(admit_(BytesOf(other), other.num_rows_));
  for (size_t i = 0; i < features_.size(); ++i) {
    if (other.features_[i].num_present == 0) continue;
    touched_.push_back(static_cast<uint32_t>(i));
    slots_[i].serial = serial_;
    CopyFeature(i, other);
  }
  ListUntouched();
  CommitRows(other.num_rows_);
  return {};
}

}  // namespace dsi
