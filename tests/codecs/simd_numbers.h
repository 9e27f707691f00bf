// What the tests of SIMD kernels share: numbers at any alignment with a guard behind them, and all
// lengths and widths, with one test per kernel and target that this CPU runs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "dsi/codecs/simd_internal.h"
#include "dsi/codecs/width_internal.h"

namespace dsi::internal::test {

// Splitmix64: tests draw hundreds of millions of numbers, and sanitizers draw them slowly.
class FastRandom {
 public:
  uint64_t operator()() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  size_t Below(size_t limit) { return static_cast<size_t>((*this)() % limit); }

 private:
  uint64_t state_ = 11;
};

// Numbers of one width, so many bytes after an address that 64 divides. What a kernel writes has a
// guard behind it; what it reads ends where the allocation does, so that a sanitizer sees any
// excess.
class Numbers {
 public:
  static Numbers ToRead(size_t count, size_t width, size_t offset_bytes) {
    return Numbers(count, width, offset_bytes, 0);
  }
  static Numbers ToWrite(size_t count, size_t width, size_t offset_bytes) {
    return Numbers(count, width, offset_bytes, kGuardBytes);
  }
  static Numbers Random(FastRandom* random, size_t count, size_t width, size_t offset_bytes,
                        int bits) {
    Numbers numbers = ToRead(count, width, offset_bytes);
    const uint64_t mask = LowMask(bits);
    for (size_t i = 0; i < count; ++i) numbers.Set(i, (*random)() & mask);
    return numbers;
  }

  std::byte* data() { return bytes_.get() + offset_; }
  const std::byte* data() const { return bytes_.get() + offset_; }
  const uint8_t* u8() const { return reinterpret_cast<const uint8_t*>(data()); }
  const uint32_t* u32() const { return reinterpret_cast<const uint32_t*>(data()); }
  const uint64_t* u64() const { return reinterpret_cast<const uint64_t*>(data()); }
  size_t count() const { return count_; }

  uint64_t operator[](size_t i) const {
    return VisitWidth(width_, [&](auto number) {
      std::memcpy(&number, data() + i * sizeof(number), sizeof(number));
      return uint64_t{number};
    });
  }
  void Set(size_t i, uint64_t value) {
    VisitWidth(width_, [&](auto number) {
      number = static_cast<decltype(number)>(value);
      std::memcpy(data() + i * sizeof(number), &number, sizeof(number));
    });
  }
  void Clear() { std::memset(data(), 0, count_ * width_); }

  // Appends to a little-endian bit stream: `bits` of `value` from bit `at` on, where zeros are.
  void PutBits(size_t at, uint64_t value, int bits) {
    for (int left = bits; left > 0;) {
      const int in_byte = static_cast<int>(at % 8);
      const int taken = std::min(left, 8 - in_byte);
      data()[at / 8] |= static_cast<std::byte>((value & LowMask(taken)) << in_byte);
      value >>= taken;
      at += static_cast<size_t>(taken);
      left -= taken;
    }
  }

  // Values are as expected, and what is before and behind them as it was.
  bool Holds(const Numbers& expected) const {
    const size_t size = count_ * width_;
    const auto untouched = [](const std::byte* from, const std::byte* to) {
      return std::all_of(from, to, [](std::byte b) { return b == kGuard; });
    };
    return size == expected.count_ * expected.width_ &&
           std::memcmp(data(), expected.data(), size) == 0 && untouched(bytes_.get(), data()) &&
           untouched(data() + size, data() + size + guard_);
  }

 private:
  static constexpr std::byte kGuard{0xA5};
  static constexpr size_t kGuardBytes = 64;
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, kAlignment); }
  };

  Numbers(size_t count, size_t width, size_t offset_bytes, size_t guard)
      : count_(count), width_(width), offset_(offset_bytes), guard_(guard) {
    const size_t size = offset_ + count_ * width_ + guard_;
    bytes_.reset(static_cast<std::byte*>(::operator new[](size, kAlignment)));
    std::memset(bytes_.get(), static_cast<int>(kGuard), size);
  }

  size_t count_;
  size_t width_;
  size_t offset_;
  size_t guard_;
  std::unique_ptr<std::byte[], Free> bytes_;
};

// Each test runs once per target, so that ctest runs targets side by side.
class SimdTest : public testing::TestWithParam<int64_t> {
 protected:
  static constexpr size_t kLongest = 3000;
  static constexpr size_t kWidths[] = {1, 2, 4, 8};

  void SetUp() override { ForceSimdTarget(GetParam()); }
  void TearDown() override { ForceSimdTarget(0); }

  // Calls check(count, width) with every length and every width.
  template <typename Check>
  void OnEveryLength(const Check& check) {
    for (size_t count = 0; count <= kLongest; ++count) {
      for (const size_t width : kWidths) {
        SCOPED_TRACE(testing::Message() << count << " values of width " << width);
        check(count, width);
        if (HasFailure()) return;
      }
    }
  }

  // Any alignment in bytes that numbers of a width may have, as an offset from 64.
  size_t Offset(size_t width) { return random_.Below(64 / width) * width; }
  Numbers ToWrite(size_t count, size_t width) {
    return Numbers::ToWrite(count, width, Offset(width));
  }
  Numbers ToRead(size_t count, size_t width) {
    return Numbers::ToRead(count, width, Offset(width));
  }
  Numbers Random(size_t count, size_t width, int bits) {
    return Numbers::Random(&random_, count, width, Offset(width), bits);
  }
  // Number of bits in 0 … most, both ends often.
  int Bits(int most) {
    const int bits = static_cast<int>(random_.Below(static_cast<size_t>(most) + 3)) - 1;
    return std::clamp(bits, 0, most);
  }

  FastRandom random_;
};

inline std::string SimdTestName(const testing::TestParamInfo<int64_t>& info) {
  return SimdTargetName(info.param);
}

}  // namespace dsi::internal::test

// Follows the definition of a suite, a subclass of SimdTest.
#define DSI_ON_EVERY_SIMD_TARGET(suite)                                              \
  INSTANTIATE_TEST_SUITE_P(Targets, suite, testing::ValuesIn(RunnableSimdTargets()), \
                           test::SimdTestName)
