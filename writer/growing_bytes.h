// Bytes that grow at their end, as std::vector<std::byte> with two differences that matter where
// columns become large: growing moves pages in place of copying them, so that none is touched
// twice, and bytes added by resize are not written first.
//
// Thread safety: as of a vector. Errors: std::bad_alloc, which changes nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace dsi {

class GrowingBytes {
 public:
  GrowingBytes() = default;
  explicit GrowingBytes(std::span<const std::byte> bytes) { append(bytes); }
  GrowingBytes(const GrowingBytes& other) : GrowingBytes(std::span<const std::byte>(other)) {}
  GrowingBytes(GrowingBytes&& other) noexcept { swap(other); }
  GrowingBytes& operator=(GrowingBytes other) noexcept {
    swap(other);
    return *this;
  }
  ~GrowingBytes() { std::free(data_); }

  void swap(GrowingBytes& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  std::byte* begin() { return data_; }
  std::byte* end() { return data_ + size_; }
  const std::byte* begin() const { return data_; }
  const std::byte* end() const { return data_ + size_; }

  void clear() { size_ = 0; }
  void reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    // Of the C library: large blocks are moved by mapping their pages elsewhere.
    void* const grown = std::realloc(data_, capacity);
    if (grown == nullptr) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(grown);
    capacity_ = capacity;
  }
  // New bytes have any value.
  void resize(size_t size) {
    if (size > capacity_) reserve(std::max(size, capacity_ + capacity_ / 2 + 16));
    size_ = size;
  }
  // `bytes` may not be of this object.
  void append(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    resize(size_ + bytes.size());
    std::memcpy(data_ + size_ - bytes.size(), bytes.data(), bytes.size());
  }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace dsi
