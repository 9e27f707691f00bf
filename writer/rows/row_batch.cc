// Row by row. Values are appended to the columns as they are set; a row counts once EndRow has
// found it whole, and DropRow cuts the columns back to the last whole row. row_batch_columns.cc
// adds many rows at once.
#include "dsi/writer/row_batch.h"

#include <cstring>
#include <numeric>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/limits.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/writer/rows/append_values_internal.h"
#include "dsi/writer/rows/list_sharing_internal.h"

namespace dsi {
namespace {

using internal::InvalidArgument;
using internal::NoThrow;
using internal::QuoteForMessage;

// Makes room for one more, so that a later push_back cannot throw.
template <typename T>
void GrowForOne(std::vector<T>* values) {
  if (values->size() == values->capacity()) values->reserve(2 * values->size() + 16);
}

// Numbers of a hashed column, of 4 or 8 bytes.
void AppendIds(Type type, std::span<const std::string_view> texts, GrowingBytes* to) {
  const auto width = static_cast<size_t>(TypeWidth(type));
  const size_t size = to->size();
  to->resize(size + texts.size() * width);
  for (size_t i = 0; i < texts.size(); ++i) {
    const uint64_t id = IdOfText(texts[i], type);
    std::memcpy(to->data() + size + i * width, &id, width);
  }
}

Status RowBegun() {
  return NoThrow([] { return InvalidArgument("rows added before EndRow of the row begun"); });
}

}  // namespace

RowBatch::RowBatch(std::shared_ptr<const Schema> schema) noexcept : schema_(std::move(schema)) {}
RowBatch::RowBatch(RowBatch&& other) noexcept { *this = std::move(other); }
RowBatch::~RowBatch() = default;

RowBatch& RowBatch::operator=(RowBatch&& other) noexcept {
  if (this == &other) return *this;
  schema_ = std::exchange(other.schema_, {});
  num_rows_ = std::exchange(other.num_rows_, 0);
  size_bytes_ = std::exchange(other.size_bytes_, 0);
  features_ = std::exchange(other.features_, {});
  slots_ = std::exchange(other.slots_, {});
  column_serials_ = std::exchange(other.column_serials_, {});
  dense_ = std::exchange(other.dense_, {});
  touched_ = std::exchange(other.touched_, {});
  serial_ = other.serial_;
  admit_ = std::exchange(other.admit_, {});
  sharing_ = std::exchange(other.sharing_, {});
  return *this;
}

Status RowBatch::Prepare() {
  if (schema_ == nullptr) return InvalidArgument("a batch without a schema, or moved from");
  const size_t count = schema_->features.size();
  std::vector<FeatureBuffer> features(count);
  std::vector<Slot> slots;
  slots.reserve(count);
  uint32_t first_column = 0;
  for (size_t i = 0; i < count; ++i) {
    const FeatureSpec& spec = schema_->features[i];
    if (spec.columns.empty()) {
      return InvalidArgument("feature {}: no columns", QuoteForMessage(spec.name));
    }
    Slot slot{};
    slot.kind = spec.kind;
    slot.type = spec.columns[0].type;
    slot.has_lengths = HasLengths(spec.kind, slot.type);
    slot.num_columns = static_cast<uint32_t>(spec.columns.size());
    slot.fixed_length = spec.kind == Kind::kEmbedding ? spec.fixed_length : 0;
    slot.first_column = first_column;
    for (const ColumnSpec& column : spec.columns) {
      slot.row_bytes += static_cast<uint32_t>(TypeWidth(column.type));
    }
    first_column += slot.num_columns;
    features[i].values.resize(slot.num_columns);
    slots.push_back(slot);
  }
  std::vector<uint32_t> dense(count);
  std::iota(dense.begin(), dense.end(), 0U);
  column_serials_.assign(first_column, 0);
  features_ = std::move(features);
  slots_ = std::move(slots);
  dense_ = std::move(dense);
  return {};
}

void RowBatch::Clear() {
  dense_.clear();
  for (size_t i = 0; i < features_.size(); ++i) {
    FeatureBuffer& buffer = features_[i];
    buffer.all_present = true;
    buffer.rows.clear();
    buffer.lengths.clear();
    buffer.lists.clear();
    buffer.num_present = 0;
    for (GrowingBytes& values : buffer.values) values.clear();
    slots_[i].committed_entries = slots_[i].stored_entries = slots_[i].stored_lists = 0;
    if (Shares(i)) sharing_->Forget(i);
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
  return NoThrow([&]() -> Status {
    DSI_RETURN_IF_ERROR(PrepareOnce());
    DSI_RETURN_IF_ERROR(CheckSet(feature, 0, false));
    const Slot& slot = slots_[feature];
    const std::string& name = schema_->features[feature].name;
    if (slot.type == Type::kBytes) {
      return InvalidArgument("feature {}: a number set on type bytes", QuoteForMessage(name));
    }
    GrowForOne(&touched_);
    if (!internal::AppendAs<T>(slot.type, {&value, 1}, &features_[feature].values[0])) {
      return internal::DoesNotFit<T>(name, slot.type, {&value, 1});
    }
    touched_.push_back(static_cast<uint32_t>(feature));
    FinishSet(feature, 0, 1);
    return {};
  });
}

Status RowBatch::SetInt(size_t feature, int64_t value) { return SetScalar(feature, value); }
Status RowBatch::SetUint(size_t feature, uint64_t value) { return SetScalar(feature, value); }
Status RowBatch::SetDouble(size_t feature, double value) { return SetScalar(feature, value); }

Status RowBatch::SetBytes(size_t feature, std::string_view value) {
  return NoThrow([&]() -> Status {
    DSI_RETURN_IF_ERROR(PrepareOnce());
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
    GrowForOne(&touched_);
    const auto bytes = std::as_bytes(std::span(value));
    features_[feature].values[0].append(bytes);
    touched_.push_back(static_cast<uint32_t>(feature));
    FinishSet(feature, 0, value.size());
    return {};
  });
}

template <typename AppendTo>
Status RowBatch::SetList(size_t feature, size_t column, size_t length, const AppendTo& append) {
  return NoThrow([&]() -> Status {
    DSI_RETURN_IF_ERROR(PrepareOnce());
    DSI_RETURN_IF_ERROR(CheckSet(feature, column, true));
    const Slot& slot = slots_[feature];
    const FeatureSpec& spec = schema_->features[feature];
    if (slot.fixed_length != 0 && length != slot.fixed_length) {
      return internal::BadInput("feature {}: found {} numbers, expected {}",
                                QuoteForMessage(spec.name), length, slot.fixed_length);
    }
    if (length > kMaxListLength) {
      return internal::Error(StatusCode::kOutOfRange, "feature {}: {} entries, expected at most {}",
                             QuoteForMessage(spec.name), length, kMaxListLength);
    }
    const bool first = slot.serial != serial_;
    // Rows of wide tables cost a cache miss per line touched, and the specification is two more.
    const Type type = slot.num_columns == 1 ? slot.type : spec.columns[column].type;
    GrowForOne(&touched_);
    DSI_RETURN_IF_ERROR(append(type, &features_[feature].values[column]));
    if (first) touched_.push_back(static_cast<uint32_t>(feature));
    FinishSet(feature, column, length);
    return {};
  });
}

template <typename T>
Status RowBatch::SetMany(size_t feature, size_t column, std::span<const T> values) {
  return SetList(feature, column, values.size(), [&](Type type, GrowingBytes* to) -> Status {
    if (internal::AppendAs<T>(type, values, to)) [[likely]]
      return {};
    return internal::DoesNotFit<T>(ColumnName(schema_->features[feature], column), type, values);
  });
}

Status RowBatch::SetTexts(size_t feature, size_t column, std::span<const std::string_view> texts) {
  return SetList(feature, column, texts.size(), [&](Type type, GrowingBytes* to) -> Status {
    const FeatureSpec& spec = schema_->features[feature];
    if (!spec.columns[column].hashed) {
      return InvalidArgument("feature {}: texts set on type {}, which is not hashed",
                             QuoteForMessage(ColumnName(spec, column)), TypeName(type));
    }
    AppendIds(type, texts, to);
    return {};
  });
}

Status RowBatch::SetInts(size_t feature, size_t column, std::span<const int64_t> values) {
  return SetMany(feature, column, values);
}
Status RowBatch::SetInts(size_t feature, size_t column, std::span<const int32_t> values) {
  return SetMany(feature, column, values);
}
Status RowBatch::SetUints(size_t feature, size_t column, std::span<const uint64_t> values) {
  return SetMany(feature, column, values);
}
Status RowBatch::SetDoubles(size_t feature, size_t column, std::span<const double> values) {
  return SetMany(feature, column, values);
}
Status RowBatch::SetFloats(size_t feature, size_t column, std::span<const float> values) {
  return SetMany(feature, column, values);
}

template <typename Work>
Status RowBatch::AddRows(const Work& work) {
  Status status = NoThrow([&]() -> Status {
    DSI_RETURN_IF_ERROR(PrepareOnce());
    return work();
  });
  if (!status.ok()) {
    DropRow();
    UnlistRows();
  }
  return status;
}

Status RowBatch::EndRow() {
  return AddRows([this] { return CommitRow(); });
}

Status RowBatch::AppendColumns(size_t num_rows, std::span<const FeatureColumns> columns) {
  if (!touched_.empty()) return RowBegun();
  return AddRows([&] { return AppendBuffers(num_rows, columns); });
}

Status RowBatch::Append(const RowBatch& other) {
  if (!touched_.empty()) return RowBegun();
  return AddRows([&] { return AppendRows(other); });
}

Status RowBatch::Append(RowBatch&& other) {
  if (!touched_.empty()) return RowBegun();
  if (&other == this) return InvalidArgument("a batch moved into itself");
  if (num_rows_ == 0) return NoThrow([&] { return TakeRows(&other); });
  DSI_RETURN_IF_ERROR(Append(static_cast<const RowBatch&>(other)));
  other.Clear();
  return {};
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
