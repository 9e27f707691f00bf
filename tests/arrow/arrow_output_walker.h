// Reads Arrow structs as their specification says it, one text per row, and expects them to be
// sound: buffers that are there, offsets that ascend, null counts that are exact.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "dsi/arrow/abi.h"

namespace dsi::test {

// Releases an Arrow struct at its end; moves as Arrow's structs do.
template <typename Struct>
class OwnedArrow {
 public:
  OwnedArrow() = default;
  explicit OwnedArrow(Struct* moved_from) : value_(*moved_from) { moved_from->release = nullptr; }
  OwnedArrow(OwnedArrow&& other) noexcept : OwnedArrow(&other.value_) {}
  OwnedArrow& operator=(OwnedArrow&& other) noexcept {
    Release();
    value_ = std::exchange(other.value_, {});
    return *this;
  }
  ~OwnedArrow() { Release(); }
  void Release() {
    if (value_.release != nullptr) value_.release(&value_);
  }
  Struct* get() { return &value_; }
  Struct& operator*() { return value_; }
  Struct* operator->() { return &value_; }

 private:
  Struct value_ = {};
};

template <typename T>
std::string TextOfNumber(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.17g", static_cast<double>(value));
    return value != value ? "nan" : text;  // Of either sign.
  } else {
    return std::to_string(value);
  }
}

template <typename T>
T LoadAt(const void* values, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(values) + i * sizeof(T), sizeof(T));
  return value;
}

inline bool BitAt(const void* bits, size_t i) {
  return (static_cast<const uint8_t*>(bits)[i / 8] >> (i % 8) & 1) != 0;
}

inline std::string NumberAt(std::string_view format, const void* values, size_t i) {
  if (format.starts_with("ts")) format = "l";
  switch (format[0]) {
    case 'b':
      return BitAt(values, i) ? "1" : "0";
    case 'c':
      return TextOfNumber(LoadAt<int8_t>(values, i));
    case 's':
      return TextOfNumber(LoadAt<int16_t>(values, i));
    case 'i':
      return TextOfNumber(LoadAt<int32_t>(values, i));
    case 'l':
      return TextOfNumber(LoadAt<int64_t>(values, i));
    case 'C':
      return TextOfNumber(LoadAt<uint8_t>(values, i));
    case 'S':
      return TextOfNumber(LoadAt<uint16_t>(values, i));
    case 'I':
      return TextOfNumber(LoadAt<uint32_t>(values, i));
    case 'L':
      return TextOfNumber(LoadAt<uint64_t>(values, i));
    case 'f':
      return TextOfNumber(LoadAt<float>(values, i));
    case 'g':
      return TextOfNumber(LoadAt<double>(values, i));
    default:
      ADD_FAILURE() << "format " << format;
      return "";
  }
}

std::vector<std::string> RowTexts(const ArrowSchema& schema, const ArrowArray& array);

inline std::string ListText(const std::vector<std::string>& entries, size_t begin, size_t end) {
  std::string text = "[";
  for (size_t i = begin; i < end; ++i) text += (i == begin ? "" : ",") + entries.at(i);
  return text + "]";
}

inline std::vector<std::string> ValidRowTexts(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string_view format = schema.format;
  const auto rows = static_cast<size_t>(array.length);
  std::vector<std::string> texts;
  if (array.dictionary != nullptr) {
    EXPECT_EQ(format, "i");
    const std::vector<std::string> unique = RowTexts(*schema.dictionary, *array.dictionary);
    for (size_t i = 0; i < rows; ++i) {
      const auto at = static_cast<size_t>(LoadAt<int32_t>(array.buffers[1], i));
      EXPECT_LT(at, unique.size());
      texts.push_back(unique.at(at));
    }
  } else if (format == "U" || format == "Z" || format == "+L") {
    EXPECT_EQ(array.n_buffers, format == "+L" ? 2 : 3);
    const bool is_list = format == "+L";
    std::vector<std::string> entries;
    if (is_list) entries = RowTexts(*schema.children[0], *array.children[0]);
    for (size_t i = 0; i < rows; ++i) {
      const auto begin = LoadAt<int64_t>(array.buffers[1], i);
      const auto end = LoadAt<int64_t>(array.buffers[1], i + 1);
      EXPECT_TRUE(begin <= end && (i != 0 || begin == 0));
      texts.push_back(is_list
                          ? ListText(entries, static_cast<size_t>(begin), static_cast<size_t>(end))
                          : std::string(static_cast<const char*>(array.buffers[2]) + begin,
                                        static_cast<size_t>(end - begin)));
    }
  } else if (format.starts_with("+w:")) {
    EXPECT_EQ(array.n_buffers, 1);
    const auto width = static_cast<size_t>(std::stoul(std::string(format.substr(3))));
    const std::vector<std::string> entries = RowTexts(*schema.children[0], *array.children[0]);
    EXPECT_EQ(entries.size(), rows * width);
    for (size_t i = 0; i < rows; ++i)
      texts.push_back(ListText(entries, i * width, (i + 1) * width));
  } else {
    EXPECT_EQ(array.n_buffers, 2);
    EXPECT_NE(array.buffers[1], nullptr);
    for (size_t i = 0; i < rows; ++i) texts.push_back(NumberAt(format, array.buffers[1], i));
  }
  return texts;
}

// Of each row: a number, bytes as they are, "[1,2]", or "null".
inline std::vector<std::string> RowTexts(const ArrowSchema& schema, const ArrowArray& array) {
  EXPECT_NE(array.release, nullptr);
  EXPECT_EQ(array.offset, 0);
  EXPECT_EQ(array.n_children, schema.n_children);
  EXPECT_EQ(array.dictionary == nullptr, schema.dictionary == nullptr);
  std::vector<std::string> texts = ValidRowTexts(schema, array);
  const void* const validity = array.buffers[0];
  int64_t nulls = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (validity == nullptr || BitAt(validity, i)) continue;
    texts[i] = "null";
    ++nulls;
  }
  EXPECT_EQ(array.null_count, nulls);
  return texts;
}

}  // namespace dsi::test
