// Values that suit one encoding or another, made up: the same for the same call.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace dsi::bench {

using Next = std::function<uint64_t(std::mt19937_64&)>;
// Makes a fresh source; a source may remember its last value.
using Source = std::function<Next()>;

// Numbers of so many random bits above a base.
inline Source Bits(int bits, uint64_t base = 0) {
  const uint64_t mask = bits == 0 ? 0 : ~uint64_t{0} >> (64 - bits);
  return [=] { return [=](std::mt19937_64& random) { return base + (random() & mask); }; };
}

// Steps up and down of so many bits.
inline Source Steps(int bits) {
  return [=] {
    return [value = uint64_t{1} << 40, bits](std::mt19937_64& random) mutable {
      return value += (random() >> (64 - bits)) - (uint64_t{1} << (bits - 1));
    };
  };
}

// A clock whose pace drifts by steps of so many bits.
inline Source Clock(int bits) {
  return [=] {
    return
        [=, time = uint64_t{1} << 30, pace = uint64_t{1} << 20](std::mt19937_64& random) mutable {
          pace += (random() >> (64 - bits)) - (uint64_t{1} << (bits - 1));
          return time += pace;
        };
  };
}

// The id of a rank: looks like a hash.
inline uint64_t IdOf(size_t rank) { return (uint64_t{rank} + 1) * 0x9E3779B97F4A7C15ULL >> 1; }

// A rank below `size`, the first ones most often (Zipf's law, roughly).
inline size_t ZipfRank(size_t size, std::mt19937_64& random) {
  const auto uniform = static_cast<double>(random() >> 11) * 0x1p-53;
  return static_cast<size_t>(std::pow(static_cast<double>(size), uniform) - 1);
}

// Ranks by frequency, as a dictionary's codes are.
inline Source ZipfCodes(size_t size) {
  return [=] { return [=](std::mt19937_64& random) { return uint64_t{ZipfRank(size, random)}; }; };
}

inline Source ZipfIds(size_t size) {
  return [=] { return [=](std::mt19937_64& random) { return IdOf(ZipfRank(size, random)); }; };
}

// Every one of `size` ids before any comes again, each time in another order.
inline Source EvenIds(size_t size) {
  return [=] {
    return [at = size, order = std::vector<size_t>(size)](std::mt19937_64& random) mutable {
      if (at == order.size()) {
        std::iota(order.begin(), order.end(), size_t{0});
        for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
        at = 0;
      }
      return IdOf(order[at++]);
    };
  };
}

// Every second from one source, the others from another.
inline Source Alternating(const Source& one, const Source& other) {
  return [=] {
    return [next = one(), then = other()](std::mt19937_64& random) mutable {
      std::swap(next, then);
      return then(random);
    };
  };
}

// One in so many is a number seen nowhere else.
inline Source WithStrangers(const Source& source, unsigned one_in) {
  return [=] {
    return [=, next = source()](std::mt19937_64& random) {
      return random() % one_in == 0 ? random() : next(random);
    };
  };
}

// Each value `length` times in the mean.
inline Source Repeats(unsigned length, int bits) {
  return [=] {
    return [=, value = uint64_t{0}](std::mt19937_64& random) mutable {
      if (random() % length == 0) value = random() >> (64 - bits);
      return value;
    };
  };
}

inline Source MostlyZero(unsigned one_in) {
  return [=] {
    return [=](std::mt19937_64& random) {
      return random() % one_in == 0 ? random() & 0xFFFF : uint64_t{0};
    };
  };
}

// Standard normal float32 with so many zero bits at the end.
inline Source Floats(int zero_bits) {
  return [=] {
    return [=, normal = std::normal_distribution<float>()](std::mt19937_64& random) mutable {
      const float value = normal(random);
      uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      return uint64_t{bits >> zero_bits << zero_bits};
    };
  };
}

// Prices of so many random bits of cents: float or double.
template <typename T>
Source Prices(int bits) {
  return [=] {
    return [=](std::mt19937_64& random) {
      const T price = static_cast<T>(random() >> (64 - bits)) / T{100};
      uint64_t pattern = 0;
      std::memcpy(&pattern, &price, sizeof(T));
      return pattern;
    };
  };
}

}  // namespace dsi::bench
