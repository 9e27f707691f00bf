// Row by row. Values are appended to the columns as they are set; a row counts once EndRow has
// found it whole, and DropRow cuts the columns back to the last whole row. row_batch_columns.cc
// adds many rows at once.
#include "dsi/writer/row_batch.h"

#include <cstring>
#include <new>
#include <utility>

#include "dsi/format/error_internal.h"
#include "dsi/format/json_position_internal.h"
#include "dsi/format/limits.h"
#include "dsi/format/number_fit_internal.h"

namespace dsi {
namespace {

using internal::InvalidArgument;
using internal::QuoteForMessage;

Status OutOfMemory() { return {StatusCode::kResourceExhausted, "out of memory"}; }

// Makes room for one more, so that a later push_back cannot throw.
template <typename T>
void GrowForOne(std::vector<T>* values) {
  if (values->size() == values->capacity()) values->reserve(2 * values->size() + 16);
}

template <typename To, typename From>
bool AppendConverted(std::span<const From> from, std::vector<std::byte>* out) {
  const size_t at = out->size();
  if constexpr (std::is_same_v<To, From>) {
    const auto bytes = std::as_bytes(from);
    out->insert(out->end(), bytes.begin(), bytes.end());
    return true;
  }
  out->resize(at + from.size() * sizeof(To));
  std::byte* to = out->data() + at;
  bool fits = true;
  for (size_t i = 0; i < from.size(); ++i) {
    To value{};
    fits &= internal::ConvertNumber(from[i], &value);
    std::memcpy(to + i * sizeof(To), &value, sizeof(To));
  }
  if (!fits) out->resize(at);
  return fits;
}

template <typename From>
bool AppendBools(std::span<const From> from, std::vector<std::byte>* out) {
  const size_t at = out->size();
  out->resize(at + from.size());
  bool fits = true;
  for (size_t i = 0; i < from.size(); ++i) {
    fits &= from[i] == 0 || from[i] == 1;
    (*out)[at + i] = std::byte{from[i] == 1};
  }
  if (!fits) out->resize(at);
  return fits;
}

// Appends all or, when one does not fit the type, nothing.
template <typename From>
bool AppendAs(Type type, std::span<const From> from, std::vector<std::byte>* out) {
  switch (type) {
    case Type::kBool:
      return AppendBools(from, out);
    case Type::kInt8:
      return AppendConverted<int8_t>(from, out);
    case Type::kInt16:
      return AppendConverted<int16_t>(from, out);
    case Type::kInt32:
      return AppendConverted<int32_t>(from, out);
    case Type::kInt64:
      return AppendConverted<int64_t>(from, out);
    case Type::kUint8:
      return AppendConverted<uint8_t>(from, out);
    case Type::kUint16:
      return AppendConverted<uint16_t>(from, out);
    case Type::kUint32:
      return AppendConverted<uint32_t>(from, out);
    case Type::kUint64:
      return AppendConverted<uint64_t>(from, out);
    case Type::kFloat32:
      return AppendConverted<float>(from, out);
    case Type::kFloat64:
      return AppendConverted<double>(from, out);
    case Type::kBytes:
      return false;
  }
  return false;
}

template <typename From>
Status DoesNotFit(const std::string& name, Type type, std::span<const From> from) {
  std::vector<std::byte> scratch;
  for (const From& value : from) {
    if (!AppendAs<From>(type, {&value, 1}, &scratch)) {
      if (std::is_integral_v<From> && IsFloat(type)) {
        return internal::Error(StatusCode::kOutOfRange, "feature {}: found {}, {}",
                               QuoteForMessage(name), value, internal::AdviceOnWhole(type));
      }
      return internal::Error(StatusCode::kOutOfRange,
                             "feature {}: found {}, expected a value that fits type {}",
                             QuoteForMessage(name), value, TypeName(type));
    }
  }
  return {};
}

}  // namespace

RowBatch::RowBatch(std::shared_ptr<const Schema> schema) : schema_(std::move(schema)) {
  const size_t count = schema_->features.size();
  features_.resize(count);
  slots_.reserve(count);
  uint32_t first_column = 0;
  for (size_t i = 0; i < count; ++i) {
    const FeatureSpec& spec = schema_->features[i];
    Slot slot{};
    slot.kind = spec.kind;
    slot.type = spec.columns.empty() ? Type::kInt64 : spec.columns[0].type;
    slot.has_lengths = HasLengths(spec.kind, slot.type);
    slot.num_columns = static_cast<uint32_t>(spec.columns.size());
    slot.fixed_length = spec.kind == Kind::kEmbedding ? spec.fixed_length : 0;
    slot.first_column = first_column;
    for (const ColumnSpec& column : spec.columns) {
      slot.row_bytes += static_cast<uint32_t>(TypeWidth(column.type));
    }
    first_column += slot.num_columns;
    features_[i].values.resize(slot.num_columns);
    slots_.push_back(slot);
    dense_.push_back(static_cast<uint32_t>(i));
  }
  column_serials_.resize(first_column);
}

void RowBatch::Clear() {
  dense_.clear();
  for (size_t i = 0; i < features_.size(); ++i) {
    FeatureBuffer& buffer = features_[i];
    buffer.all_present = true;
    buffer.rows.clear();
    buffer.lengths.clear();
    buffer.num_present = 0;
    for (std::vector<std::byte>& values : buffer.values) values.clear();
    slots_[i].committed_entries = 0;
    dense_.push_back(static_cast<uint32_t>(i));
  }
  touched_.clear();
  ++serial_;
  num_rows_ = 0;
  size_bytes_ = 0;
}

Status RowBatch::CheckSet(size_t feature, size_t column, bool many) const {
  if (feature >= slots_.size()) {
    return InvalidArgument("feature {}: expected an ordinal below {}", feature, slots_.size());
  }
  const Slot& slot = slots_[feature];
  const std::string& name = schema_->features[feature].name;
  if (many != (IsListKind(slot.kind) || slot.kind == Kind::kEmbedding)) {
    return InvalidArgument("feature {}: {} set on kind {}", QuoteForMessage(name),
                           many ? "a list" : "one value", KindName(slot.kind));
  }
  if (column >= slot.num_columns) {
    return InvalidArgument("feature {}: column {}, expected one below {}", QuoteForMessage(name),
                           column, slot.num_columns);
  }
  const uint64_t set_in =
      slot.num_columns == 1 ? slot.serial : column_serials_[slot.first_column + column];
  if (set_in == serial_) {
    return InvalidArgument("feature {} is set twice in a row",
                           QuoteForMessage(ColumnName(schema_->features[feature], column)));
  }
  return {};
}

void RowBatch::FinishSet(size_t feature, size_t column, size_t length) {
  Slot& slot = slots_[feature];
  if (slot.num_columns > 1) column_serials_[slot.first_column + column] = serial_;
  if (slot.serial != serial_) {
    slot.serial = serial_;
    slot.length = static_cast<uint32_t>(length);
    slot.columns_set = 1;
    slot.unequal = false;
    return;
  }
  ++slot.columns_set;
  slot.unequal |= slot.length != length;
}

template <typename T>
Status RowBatch::SetScalar(size_t feature, T value) {
  DSI_RETURN_IF_ERROR(CheckSet(feature, 0, false));
  const Slot& slot = slots_[feature];
  const std::string& name = schema_->features[feature].name;
  if (slot.type == Type::kBytes) {
    return InvalidArgument("feature {}: a number set on type bytes", QuoteForMessage(name));
  }
  try {
    GrowForOne(&touched_);
    if (!AppendAs<T>(slot.type, {&value, 1}, &features_[feature].values[0])) {
      return DoesNotFit<T>(name, slot.type, {&value, 1});
    }
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
  touched_.push_back(static_cast<uint32_t>(feature));
  FinishSet(feature, 0, 1);
  return {};
}

Status RowBatch::SetInt(size_t feature, int64_t value) { return SetScalar(feature, value); }
Status RowBatch::SetUint(size_t feature, uint64_t value) { return SetScalar(feature, value); }
Status RowBatch::SetDouble(size_t feature, double value) { return SetScalar(feature, value); }

Status RowBatch::SetBytes(size_t feature, std::string_view value) {
  DSI_RETURN_IF_ERROR(CheckSet(feature, 0, false));
  const std::string& name = schema_->features[feature].name;
  if (slots_[feature].type != Type::kBytes) {
    return InvalidArgument("feature {}: bytes set on type {}", QuoteForMessage(name),
                           TypeName(slots_[feature].type));
  }
  if (value.size() > kMaxListLength) {
    return internal::Error(StatusCode::kOutOfRange, "feature {}: {} bytes, expected at most {}",
                           QuoteForMessage(name), value.size(), kMaxListLength);
  }
  try {
    GrowForOne(&touched_);
    const auto bytes = std::as_bytes(std::span(value));
    std::vector<std::byte>& values = features_[feature].values[0];
    values.insert(values.end(), bytes.begin(), bytes.end());
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
  touched_.push_back(static_cast<uint32_t>(feature));
  FinishSet(feature, 0, value.size());
  return {};
}

template <typename T>
Status RowBatch::SetMany(size_t feature, size_t column, std::span<const T> values) {
  DSI_RETURN_IF_ERROR(CheckSet(feature, column, true));
  const Slot& slot = slots_[feature];
  const FeatureSpec& spec = schema_->features[feature];
  if (slot.fixed_length != 0 && values.size() != slot.fixed_length) {
    return internal::BadInput("feature {}: found {} numbers, expected {}",
                              QuoteForMessage(spec.name), values.size(), slot.fixed_length);
  }
  if (values.size() > kMaxListLength) {
    return internal::Error(StatusCode::kOutOfRange, "feature {}: {} entries, expected at most {}",
                           QuoteForMessage(spec.name), values.size(), kMaxListLength);
  }
  const bool first = slot.serial != serial_;
  // Rows of wide tables cost a cache miss per line touched, and the specification is two more.
  const Type type = slot.num_columns == 1 ? slot.type : spec.columns[column].type;
  try {
    GrowForOne(&touched_);
    if (!AppendAs<T>(type, values, &features_[feature].values[column])) {
      return DoesNotFit<T>(ColumnName(spec, column), type, values);
    }
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
  if (first) touched_.push_back(static_cast<uint32_t>(feature));
  FinishSet(feature, column, values.size());
  return {};
}

Status RowBatch::SetInts(size_t feature, size_t column, std::span<const int64_t> values) {
  return SetMany(feature, column, values);
}
Status RowBatch::SetUints(size_t feature, size_t column, std::span<const uint64_t> values) {
  return SetMany(feature, column, values);
}
Status RowBatch::SetDoubles(size_t feature, size_t column, std::span<const double> values) {
  return SetMany(feature, column, values);
}

Status RowBatch::EndRow() {
  Status status;
  try {
    status = CommitRow();
  } catch (const std::bad_alloc&) {
    status = OutOfMemory();
  }
  if (!status.ok()) DropRow();
  return status;
}

void RowBatch::DropRow() {
  for (const uint32_t feature : touched_) Truncate(feature);
  touched_.clear();
  ++serial_;
}

Status RowBatch::CheckRoom(size_t num_rows) const {
  if (num_rows <= UINT32_MAX - num_rows_) return {};
  return internal::Error(StatusCode::kResourceExhausted,
                         "{} rows and {} more, expected at most {} in a batch", num_rows_, num_rows,
                         UINT32_MAX);
}

Status RowBatch::CheckWhole(const Slot& slot, size_t feature) const {
  if (slot.columns_set == slot.num_columns && !slot.unequal) return {};
  const FeatureSpec& spec = schema_->features[feature];
  if (slot.unequal) {
    return internal::BadInput(
        "feature {}: lists of unequal lengths, expected the {} of all columns",
        QuoteForMessage(spec.name), slot.length);
  }
  for (size_t c = 0; c < spec.columns.size(); ++c) {
    if (column_serials_[slot.first_column + c] == serial_) continue;
    return internal::BadInput("feature {}: column {} is missing, expected all {} columns or none",
                              QuoteForMessage(spec.name), QuoteForMessage(spec.columns[c].name),
                              slot.num_columns);
  }
  return {};
}

// The first pass checks and allocates, so that the second cannot fail in the middle of a row.
Status RowBatch::CommitRow() {
  DSI_RETURN_IF_ERROR(CheckRoom(1));
  size_t dense_touched = 0;
  for (const uint32_t feature : touched_) {
    const Slot& slot = slots_[feature];
    FeatureBuffer& buffer = features_[feature];
    DSI_RETURN_IF_ERROR(CheckWhole(slot, feature));
    if (slot.has_lengths) GrowForOne(&buffer.lengths);
    if (buffer.all_present) {
      ++dense_touched;
    } else {
      GrowForOne(&buffer.rows);
    }
  }
  if (dense_touched < dense_.size()) ListUntouched();
  for (const uint32_t feature : touched_) {
    Slot& slot = slots_[feature];
    FeatureBuffer& buffer = features_[feature];
    const uint64_t entries = slot.has_lengths || slot.fixed_length != 0 ? slot.length : 1;
    slot.committed_entries += entries;
    size_bytes_ += entries * slot.row_bytes;
    if (slot.has_lengths) {
      buffer.lengths.push_back(slot.length);
      size_bytes_ += sizeof(uint32_t);
    }
    if (!buffer.all_present) {
      buffer.rows.push_back(static_cast<uint32_t>(num_rows_));
      size_bytes_ += sizeof(uint32_t);
    }
    ++buffer.num_present;
  }
  touched_.clear();
  ++serial_;
  ++num_rows_;
  return {};
}

}  // namespace dsi
