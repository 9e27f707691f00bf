// Arrays of every shape, and nodes built by hand, for the tests of codecs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "dsi/codecs/registry_internal.h"
#include "dsi/codecs/scratch_internal.h"
#include "dsi/base/bytes_internal.h"

namespace dsi::internal::test {

using Bytes = std::vector<std::byte>;

// Values of any width, kept as u64 and narrowed into aligned memory.
struct Array {
  Array(int the_width, const std::vector<uint64_t>& values)
      : width(the_width), count(values.size()) {
    words.resize(count + 1);
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(bytes() + i * static_cast<size_t>(width), &values[i], static_cast<size_t>(width));
    }
  }

  std::byte* bytes() { return reinterpret_cast<std::byte*>(words.data()); }
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(words.data()); }
  size_t size() const { return count * static_cast<size_t>(width); }
  ArrayView view(bool is_float = false) const { return {words.data(), count, width, is_float}; }
  uint64_t at(size_t i) const {
    uint64_t value = 0;
    std::memcpy(&value, bytes() + i * static_cast<size_t>(width), static_cast<size_t>(width));
    return value;
  }

  int width;
  size_t count;
  std::vector<uint64_t> words;
};

inline std::vector<uint64_t> Generate(size_t count, const std::function<uint64_t(size_t)>& value) {
  std::vector<uint64_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = value(i);
  return values;
}

// Named shapes of data; each looks at a width for its boundaries.
struct Shape {
  std::string name;
  std::function<std::vector<uint64_t>(size_t count, int width, uint64_t seed)> make;
};

inline const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> kShapes = {
      {"random",
       [](size_t n, int, uint64_t seed) {
         std::mt19937_64 random(seed);
         return Generate(n, [&](size_t) { return random(); });
       }},
      {"zero",
       [](size_t n, int, uint64_t) { return Generate(n, [](size_t) { return uint64_t{0}; }); }},
      {"all ones",
       [](size_t n, int, uint64_t) { return Generate(n, [](size_t) { return ~uint64_t{0}; }); }},
      {"around the sign",
       [](size_t n, int width, uint64_t seed) {
         std::mt19937_64 random(seed);
         const uint64_t middle = uint64_t{1} << (8 * width - 1);
         return Generate(n, [&](size_t) { return middle + random() % 7 - 3; });
       }},
      {"around zero",
       [](size_t n, int, uint64_t seed) {
         std::mt19937_64 random(seed);
         return Generate(n, [&](size_t) { return random() % 7 - 3; });
       }},
      {"bits",
       [](size_t n, int, uint64_t seed) {
         std::mt19937_64 random(seed);
         return Generate(n, [&](size_t) { return random() & 1; });
       }},
      {"runs",
       [](size_t n, int, uint64_t seed) {
         std::mt19937_64 random(seed);
         uint64_t value = random();
         return Generate(n, [&](size_t) { return random() % 10 == 0 ? value = random() : value; });
       }},
      {"few values",
       [](size_t n, int, uint64_t seed) {
         std::mt19937_64 random(seed);
         std::vector<uint64_t> pool = Generate(11, [&](size_t) { return random(); });
         return Generate(n, [&](size_t) { return pool[random() % pool.size()]; });
       }},
      {"mostly one",
       [](size_t n, int, uint64_t seed) {
         std::mt19937_64 random(seed);
         return Generate(n, [&](size_t) { return random() % 50 == 0 ? random() : uint64_t{77}; });
       }},
      {"ascending",
       [](size_t n, int, uint64_t seed) {
         std::mt19937_64 random(seed);
         uint64_t value = random();
         return Generate(n, [&](size_t) { return value += random() % 9; });
       }},
      {"zeros below",
       [](size_t n, int width, uint64_t seed) {
         std::mt19937_64 random(seed);
         return Generate(n, [&](size_t) { return random() << (4 * width); });
       }},
      {"decimals",  // With exceptions, where the width is one of floats.
       [](size_t n, int width, uint64_t seed) {
         std::mt19937_64 random(seed);
         return Generate(n, [&](size_t) {
           const auto cents = static_cast<double>(random() % 20000) - 3000;
           if (random() % 40 == 0) return random();
           return width == 4 ? std::bit_cast<uint32_t>(static_cast<float>(cents / 100))
                             : std::bit_cast<uint64_t>(cents / 100);
         });
       }},
      {"words",  // Of bytes, with others now and then.
       [](size_t n, int, uint64_t seed) {
         std::mt19937_64 random(seed);
         const std::vector<std::string> words = {"user_", "item-", "https://", "00", "1", "a"};
         std::string text;
         while (text.size() < n) {
           text += words[random() % words.size()];
           if (random() % 30 == 0) text += static_cast<char>(random());
         }
         return Generate(n, [&](size_t i) { return static_cast<uint8_t>(text[i]); });
       }},
      {"widths change",
       [](size_t n, int, uint64_t seed) {
         std::mt19937_64 random(seed);
         return Generate(n, [&](size_t i) { return random() >> (i / 1024 * 7 % 64); });
       }},
  };
  return kShapes;
}

inline EncodePlan Plan(Encoding encoding, std::vector<EncodePlan> children = {}, int param = 0,
                       int shift = 0) {
  EncodePlan plan;
  plan.encoding = encoding;
  plan.param = static_cast<uint8_t>(param);
  plan.shift = static_cast<uint8_t>(shift);
  plan.children = std::move(children);
  return plan;
}

inline Bytes Encode(const Array& array, const EncodePlan& plan, const EncodeTuning& tuning = {}) {
  Bytes out;
  EncodeNode(array.view(), plan, tuning, &out);
  return out;
}

// Decodes from and into memory of exactly the right size, so that a sanitizer sees any excess: a
// vector's memory may go on behind its end. Empty on error.
inline Status Decode(std::span<const std::byte> node, int width, size_t count,
                     std::vector<uint8_t>* values, const SharedDictionary& dictionary = {}) {
  DecodeScratch scratch;
  std::unique_ptr<std::byte[]> src(new std::byte[node.size()]);
  std::copy(node.begin(), node.end(), src.get());
  std::unique_ptr<std::byte[]> dst(new std::byte[count * static_cast<size_t>(width)]);
  const Status status =
      DecodeNode({src.get(), node.size()}, width, count, dictionary, &scratch, dst.get());
  values->clear();
  if (status.ok()) {
    const auto* from = reinterpret_cast<const uint8_t*>(dst.get());
    values->assign(from, from + count * static_cast<size_t>(width));
  }
  return status;
}

inline bool TookMemory(DecodeScratch* scratch) {
  const auto& buffers = scratch->state()->buffers;
  return scratch->state()->decompressor != nullptr ||
         std::any_of(buffers.begin(), buffers.end(),
                     [](const auto& b) { return b->capacity != 0; });
}

inline bool SameBytes(const std::vector<uint8_t>& decoded, const Array& array) {
  return decoded.size() == array.size() &&
         std::memcmp(decoded.data(), array.bytes(), array.size()) == 0;
}

// A node with any header, its payload padded with zeros (E-001).
struct HandMadeNode {
  int encoding = 0;
  int width = 4;
  int param = 0;
  int flags = 0;
  uint64_t count = 1;
  uint64_t aux = 0;
  Bytes payload = {};

  Bytes bytes() const {
    Bytes out(AlignUp(kNodeHeaderSize + payload.size(), 8));
    out[0] = static_cast<std::byte>(encoding);
    out[1] = static_cast<std::byte>(width);
    out[2] = static_cast<std::byte>(param);
    out[3] = static_cast<std::byte>(flags);
    StoreLE(&out[4], static_cast<uint32_t>(count));
    StoreLE(&out[8], static_cast<uint32_t>(payload.size()));
    StoreLE(&out[12], static_cast<uint32_t>(aux));
    std::copy(payload.begin(), payload.end(), out.begin() + kNodeHeaderSize);
    return out;
  }
};

inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Bytes Number(uint64_t value, size_t size = 8) {
  Bytes out;
  AppendLE(&out, value);
  out.resize(size);
  return out;
}

inline Bytes RawNode(int width, const std::vector<uint64_t>& values) {
  HandMadeNode node{.encoding = 0, .width = width, .count = values.size()};
  const Array array(width, values);
  node.payload.assign(array.bytes(), array.bytes() + array.size());
  return node.bytes();
}

inline std::string_view EncodingName(Encoding encoding) {
  return FindEncoding(static_cast<uint8_t>(encoding))->name;
}

}  // namespace dsi::internal::test
