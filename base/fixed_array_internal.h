// Objects that stand one behind the other and never move: those of a scan's columns, which every
// batch walks through.
#pragma once

#include <cstddef>
#include <memory>

namespace dsi::internal {

template <typename T>
class FixedArray {
 public:
  FixedArray() = default;
  ~FixedArray() {
    while (size_ != 0) std::destroy_at(items_ + --size_);
    if (items_ != nullptr) std::allocator<T>().deallocate(items_, capacity_);
  }
  FixedArray(const FixedArray&) = delete;
  FixedArray& operator=(const FixedArray&) = delete;

  // Makes `count` objects, each of the same arguments. Once. Throws what allocation and they throw.
  template <typename... Args>
  void Make(size_t count, const Args&... args) {
    items_ = std::allocator<T>().allocate(count);
    capacity_ = count;
    for (; size_ != count; ++size_) std::construct_at(items_ + size_, args...);
  }

  size_t size() const { return size_; }
  T& operator[](size_t i) { return items_[i]; }
  const T& operator[](size_t i) const { return items_[i]; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }

 private:
  T* items_ = nullptr;
  size_t capacity_ = 0;
  size_t size_ = 0;
};

}  // namespace dsi::internal
