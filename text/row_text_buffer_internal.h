// A growing buffer of JSON text: numbers in the shortest form that reads back to the same bits,
// strings escaped.
//
// Not a std::string: numbers are written in place, which a string allows only by clearing the room
// first. Thread safety: one thread at a time.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dsi::internal {

class TextBuffer {
 public:
  // Whole numbers beyond 2^53 - 1 become strings, which a reader that has only doubles keeps.
  bool quotes_wide_integers = false;

  size_t size() const { return size_; }
  std::string_view text() const { return {data_.get(), size_}; }
  void Clear() { size_ = 0; }
  // Forgets everything from `size` on.
  void CutTo(size_t size) { size_ = size; }

  void Add(char c) {
    Room(1);
    data_[size_++] = c;
  }
  void Add(std::string_view text) {
    Room(text.size());
    if (!text.empty()) std::memcpy(&data_[size_], text.data(), text.size());
    size_ += text.size();
  }
  // A string with its quotes. The text is UTF-8.
  void AddQuoted(std::string_view text);

  template <typename T>
  void AddNumber(T value) {
    Room(kNumberRoom);
    AddNumberInRoom(value);
  }

  // "[1,2,3]". Values need no alignment.
  template <typename T>
  void AddList(const std::byte* values, size_t count) {
    Room(2 + count * (kNumberRoom + 1));
    data_[size_++] = '[';
    for (size_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, values + i * sizeof(T), sizeof(T));
      if (i != 0) data_[size_++] = ',';
      AddNumberInRoom(value);
    }
    data_[size_++] = ']';
  }

 private:
  static constexpr size_t kNumberRoom = 32;  // The longest number is a double of 24 characters.

  template <typename T>
  static bool IsWide(T value) {
    if constexpr (sizeof(T) < 8) return false;
    constexpr int64_t kMost = (int64_t{1} << 53) - 1;
    return std::cmp_greater(value, kMost) || std::cmp_less(value, -kMost);
  }

  template <typename T>
  void AddNumberInRoom(T value) {
    char* const begin = &data_[size_];
    if constexpr (std::is_same_v<T, bool>) {
      AddInRoom(value ? "true" : "false");
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) {
        AddInRoom(std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
        return;
      }
      char* end = std::to_chars(begin, begin + kNumberRoom, value).ptr;
      // A float stays one to who reads the text: 5.0, not 5.
      if (std::string_view(begin, static_cast<size_t>(end - begin)).find_first_of(".e") ==
          std::string_view::npos) {
        *end++ = '.';
        *end++ = '0';
      }
      size_ += static_cast<size_t>(end - begin);
    } else {
      const bool quoted = quotes_wide_integers && IsWide(value);
      char* end = begin;
      if (quoted) *end++ = '"';
      end = std::to_chars(end, begin + kNumberRoom, value).ptr;
      if (quoted) *end++ = '"';
      size_ += static_cast<size_t>(end - begin);
    }
  }

  void AddInRoom(std::string_view word) {
    std::memcpy(&data_[size_], word.data(), word.size());
    size_ += word.size();
  }

  void Room(size_t more) {
    if (more > capacity_ - size_) Grow(more);
  }
  void Grow(size_t more);

  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace dsi::internal
