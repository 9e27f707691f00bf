// A growing buffer of JSON text. Unlike std::string it hands out room without clearing it first,
// and its numbers go through std::to_chars, so text is made at some hundred MB/s.
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace dsi::tools {

class JsonText {
 public:
  std::string_view View() const { return {data_.get(), size_}; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void Clear() { size_ = 0; }

  void Append(std::string_view text) {
    if (text.empty()) return;
    char* at = Room(text.size());
    std::memcpy(at, text.data(), text.size());
    size_ += text.size();
  }

  void Append(char c) {
    *Room(1) = c;
    ++size_;
  }

  void AppendInteger(int64_t value) {
    char* at = Room(kNumberBytes);
    size_ = static_cast<size_t>(std::to_chars(at, at + kNumberBytes, value).ptr - data_.get());
  }

  // The shortest text that reads back as the same float32. It always looks like a float, so that
  // a column without a declared type is not taken for whole numbers.
  void AppendFloat(float value) {
    char* at = Room(kNumberBytes);
    char* end = std::to_chars(at, at + kNumberBytes, value).ptr;
    if (std::memchr(at, '.', static_cast<size_t>(end - at)) == nullptr &&
        std::memchr(at, 'e', static_cast<size_t>(end - at)) == nullptr) {
      *end++ = '.';
      *end++ = '0';
    }
    size_ = static_cast<size_t>(end - data_.get());
  }

 private:
  static constexpr size_t kNumberBytes = 40;

  char* Room(size_t bytes) {
    if (capacity_ - size_ < bytes) Grow(bytes);
    return data_.get() + size_;
  }

  void Grow(size_t bytes) {
    const size_t capacity = std::bit_ceil(size_ + bytes + 64);
    std::unique_ptr<char[]> data(new char[capacity]);
    if (size_ != 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// The float that generated dense features hold: its 12 low bits are cleared, as features that
// were once half precision or quantised have them.
inline float ClearLowBits(double value) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(static_cast<float>(value)) & 0xFFFFF000u);
}

}  // namespace dsi::tools
