#include "dsi/tools/row_value_internal.h"

#include <nlohmann/json.hpp>

namespace dsi::tools {
namespace {

template <typename T>
void AddValues(const JaggedView& view, size_t begin, size_t end, bool is_number,
               internal::TextBuffer* text) {
  const auto* values = static_cast<const T*>(view.values);
  if (is_number) return text->AddNumber(values[begin]);
  text->AddList<T>(reinterpret_cast<const std::byte*>(values + begin), end - begin);
}

}  // namespace

void AddRowValue(const JaggedView& view, size_t row, bool is_number, internal::TextBuffer* text) {
  const auto begin = static_cast<size_t>(view.offsets[row]);
  const auto end = static_cast<size_t>(view.offsets[row + 1]);
  const auto add = [&]<typename T>(T) { AddValues<T>(view, begin, end, is_number, text); };
  switch (view.dtype) {
    case Type::kBool:
      return add(bool{});
    case Type::kInt8:
      return add(int8_t{});
    case Type::kInt16:
      return add(int16_t{});
    case Type::kInt32:
      return add(int32_t{});
    case Type::kInt64:
      return add(int64_t{});
    case Type::kUint8:
      return add(uint8_t{});
    case Type::kUint16:
      return add(uint16_t{});
    case Type::kUint32:
      return add(uint32_t{});
    case Type::kUint64:
      return add(uint64_t{});
    case Type::kFloat32:
      return add(float{});
    case Type::kFloat64:
      return add(double{});
    case Type::kBytes:
      // A file may hold what is no UTF-8, and so no JSON.
      return text->Add(
          nlohmann::json(std::string(static_cast<const char*>(view.values) + begin, end - begin))
              .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

}  // namespace dsi::tools
