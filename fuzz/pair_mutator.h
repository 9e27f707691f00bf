// Mutations of two files in one input (file_pair.h): one of them changes as sealed_mutator.h does
// it. An overlay is then mostly bound to the other file anew, whose rows are others now, so that
// more than the fingerprint is looked at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "dsi/fuzz/file_pair.h"
#include "dsi/fuzz/sealed_mutator.h"
#include "dsi/io/file.h"
#include "dsi/reader/reader.h"
#include "dsi/tests/support/reseal.h"

namespace dsi::fuzz {

// Where `overlay` is one and both files open: of the rows that `base` has.
inline void BindTo(std::span<const std::byte> base, std::vector<std::byte>* overlay) {
  const auto open = [](std::span<const std::byte> bytes) {
    return Reader::Open(OpenMemoryFile({bytes.begin(), bytes.end()}, "file"));
  };
  const auto of_base = open(base);
  const auto of_overlay = open(*overlay);
  if (!of_base.ok() || !of_overlay.ok() || !(*of_overlay)->info().overlay) return;
  test::EditableFile file(*overlay);
  for (uint32_t i = 0; i < file.core().sections()->size(); ++i) {
    const wire::SectionRef& section = file.section(i);
    if (section.kind() != internal::kSectionOverlay) continue;
    file.Put(section.offset(), (*of_base)->info().rows_fingerprint);
    file.Put(section.offset() + 8, (*of_base)->info().num_rows);
  }
  *overlay = file.Reseal().bytes();
}

inline std::vector<std::byte> MutateFile(std::span<const std::byte> file, size_t max_size,
                                         unsigned int seed) {
  std::vector<std::byte> bytes(std::max(file.size(), max_size));
  std::copy(file.begin(), file.end(), bytes.begin());
  bytes.resize(internal::fuzz::MutateSealed(reinterpret_cast<uint8_t*>(bytes.data()), file.size(),
                                            bytes.size(), seed));
  return bytes;
}

inline size_t MutatePair(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  const FilePair pair = SplitPair({reinterpret_cast<const std::byte*>(data), size});
  if (!pair.is_pair) return internal::fuzz::MutateSealed(data, size, max_size, seed);
  std::mt19937 random(seed);
  const bool changes_first = random() % 2 == 0;
  const bool binds = random() % 8 != 0;
  const auto& changing = changes_first ? pair.first : pair.second;
  const size_t room = max_size - (size - changing.size());
  std::vector<std::byte> first(pair.first.begin(), pair.first.end());
  std::vector<std::byte> second(pair.second.begin(), pair.second.end());
  (changes_first ? first : second) = MutateFile(changing, room, seed + 1);
  if (binds) BindTo(first, &second);
  const std::vector<std::byte> input = JoinPair(first, second);
  if (input.size() > max_size) return size;
  std::copy(input.begin(), input.end(), reinterpret_cast<std::byte*>(data));
  return input.size();
}

}  // namespace dsi::fuzz
