#include "dsi/rewrite/key_set_internal.h"

#include <charconv>
#include <system_error>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"

namespace dsi::internal {

namespace {

Result<uint64_t> ParseWhole(const std::string& text, bool is_signed, bool* fits) {
  uint64_t bits = 0;
  const char* const end = text.data() + text.size();
  std::from_chars_result parsed{};
  if (is_signed) {
    int64_t value = 0;
    parsed = std::from_chars(text.data(), end, value);
    bits = static_cast<uint64_t>(value);
  } else {
    // A sign is no digit, and a negative number is in no row.
    const bool is_negative = text.starts_with('-');
    parsed = std::from_chars(text.data() + (is_negative ? 1 : 0), end, bits);
    *fits = !is_negative || bits == 0;
  }
  if (parsed.ptr != end || text.empty() || parsed.ec == std::errc::invalid_argument)
    return InvalidArgument("{} is no whole number, which the key is", QuoteForMessage(text));
  if (parsed.ec != std::errc()) *fits = false;
  return bits;
}

}  // namespace

Result<KeySet> KeySet::Make(const ColumnInfo& column, const std::vector<std::string>& values) {
  KeySet set;
  set.is_text_ = column.type == Type::kBytes;
  const bool is_one = column.kind == Kind::kKey || column.kind == Kind::kLabel ||
                      column.kind == Kind::kTimestamp || column.kind == Kind::kDense ||
                      column.kind == Kind::kString;
  if (!is_one || IsFloat(column.type)) {
    return InvalidArgument("column {} is a {} of {}, expected one whole number or string per row",
                           QuoteForMessage(column.name), KindName(column.kind),
                           TypeName(column.type));
  }
  for (const std::string& value : values) {
    if (set.is_text_) {
      set.texts_.insert(value);
      continue;
    }
    bool fits = true;
    DSI_ASSIGN_OR_RETURN(const uint64_t bits,
                         ParseWhole(value, IsSignedInteger(column.type), &fits));
    if (fits) set.numbers_.insert(bits);
  }
  return set;
}

template <typename T>
void KeySet::FindNumbers(const PaddedView& view, std::vector<size_t>* rows) const {
  const T* const values = static_cast<const T*>(view.values);
  for (size_t row = 0; row < view.rows; ++row) {
    // Sign-extended: as int64 has it.
    const auto bits = static_cast<uint64_t>(values[row]);
    if (view.present[row] != 0 && numbers_.contains(bits)) rows->push_back(row);
  }
}

Status KeySet::Find(const Batch& batch, std::vector<size_t>* rows) const {
  rows->clear();
  if (is_text_) {
    DSI_ASSIGN_OR_RETURN(const JaggedView view, batch.Jagged(0));
    const char* const text = static_cast<const char*>(view.values);
    for (size_t row = 0; row < view.rows; ++row) {
      const std::string_view value(text + view.offsets[row],
                                   static_cast<size_t>(view.offsets[row + 1] - view.offsets[row]));
      if (view.present[row] != 0 && texts_.contains(value)) rows->push_back(row);
    }
    return Status::Ok();
  }
  DSI_ASSIGN_OR_RETURN(const PaddedView view, batch.Padded(0));
  switch (view.dtype) {
    case Type::kInt8:
      FindNumbers<int8_t>(view, rows);
      break;
    case Type::kInt16:
      FindNumbers<int16_t>(view, rows);
      break;
    case Type::kInt32:
      FindNumbers<int32_t>(view, rows);
      break;
    case Type::kInt64:
      FindNumbers<int64_t>(view, rows);
      break;
    case Type::kUint16:
      FindNumbers<uint16_t>(view, rows);
      break;
    case Type::kUint32:
      FindNumbers<uint32_t>(view, rows);
      break;
    case Type::kUint64:
      FindNumbers<uint64_t>(view, rows);
      break;
    default:
      FindNumbers<uint8_t>(view, rows);
      break;  // And bool.
  }
  return Status::Ok();
}

}  // namespace dsi::internal
