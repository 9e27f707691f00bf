// Mutations of whole files that reach beyond their seals: what a seal protects is changed, and the
// seal made anew. For libFuzzer and for replay_main alike: a target calls MutateSealed from its
// LLVMFuzzerCustomMutator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "dsi/format/core_generated.h"
#include "dsi/format/wire_internal.h"
#include "dsi/tests/support/reseal.h"

// libFuzzer's, or that of replay_main.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace dsi::internal::fuzz {

// Header and trailer made to fit, and all seals that the core footer leads to. False: no file can
// be made of so few bytes.
inline bool MakeSealsAnew(std::vector<std::byte>* bytes) {
  if (bytes->size() < kHeaderSize + kTrailerSize + 8 || bytes->size() % 8 != 0) return false;
  test::EditableFile file(*bytes);
  const uint64_t trailer = bytes->size() - kTrailerSize;
  const auto salt = file.Get<uint64_t>(16);
  const Header header{.salt = salt};
  header.EncodeTo(std::span<std::byte, kHeaderSize>(bytes->data(), kHeaderSize));
  Trailer t;
  const auto size = file.Get<uint32_t>(trailer + 8);
  const uint64_t room = bytes->size() - kHeaderSize - kTrailerSize;
  t.core_size = size % 8 == 0 && size >= 8 && size <= room ? size : 8;
  t.core_offset = trailer - t.core_size;
  t.file_size = bytes->size();
  t.salt = salt;
  t.EncodeTo(std::span<std::byte, kTrailerSize>(bytes->data() + trailer, kTrailerSize));
  std::vector<uint64_t> aligned((t.core_size + 7) / 8);
  std::memcpy(aligned.data(), bytes->data() + t.core_offset, t.core_size);
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(aligned.data()), t.core_size, 8,
                                 64);
  const auto is_aligned = [](const uint8_t* p) { return reinterpret_cast<uintptr_t>(p) % 8 == 0; };
  test::EditableFile sealed(*bytes);
  if (verifier.VerifyBuffer<wire::CoreFooter>(nullptr) &&
      is_aligned(sealed.core().stripes()->Data()) && is_aligned(sealed.core().sections()->Data())) {
    sealed.Reseal();
  } else {
    sealed.ResealFooter();
  }
  *bytes = sealed.bytes();
  return true;
}

// One field of any width becomes a number that is near its own, or at an edge. All fields of a file
// stand at multiples of their width.
inline void ChangeField(std::mt19937* random, std::vector<std::byte>* bytes) {
  constexpr uint64_t kEdges[] = {0,          1,          2,    3,          7,
                                 8,          255,        1024, 65535,      0x01000000,
                                 0x10000000, 0x80000000, ~0U,  1ULL << 32, ~0ULL};
  const size_t width = size_t{1} << (*random)() % 4;
  if (bytes->size() < width) return;
  const size_t at = (*random)() % (bytes->size() / width) * width;
  uint64_t value = 0;
  std::memcpy(&value, bytes->data() + at, width);
  switch ((*random)() % 4) {
    case 0:
      value += (*random)() % 2 == 0 ? 1 : ~uint64_t{0};
      break;
    case 1:
      value ^= uint64_t{1} << (*random)() % (8 * width);
      break;
    case 2:
      value = (*random)() % 24;
      break;
    default:
      value = kEdges[(*random)() % std::size(kEdges)];
  }
  std::memcpy(bytes->data() + at, &value, width);
}

// Half of the time fields change and every seal is right; else any bytes, now and then sealed.
inline size_t MutateSealed(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  std::mt19937 random(seed);
  const bool fields = random() % 2 == 0;
  const bool seals = fields || random() % 2 == 0;
  if (!fields) size = LLVMFuzzerMutate(data, size, max_size);
  const auto* const begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  for (size_t times = fields ? 1 + random() % 3 : 0; times > 0; --times)
    ChangeField(&random, &bytes);
  if (seals) MakeSealsAnew(&bytes);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(data));
  return bytes.size();
}

}  // namespace dsi::internal::fuzz
