// What a reader of Parquet or Feather does after it has Arrow arrays: copy lists into padded
// tensors, or hash and deduplicate the rows of a batch (RecD's reader). Plain C++ as a careful user
// would write it; called from compare.py through ctypes.
#if defined(DSI_XXHASH_HAS_DISPATCH)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

#if defined(DSI_XXHASH_HAS_DISPATCH)
__attribute__((target("avx"))) void ClearUpperHalves() { __builtin_ia32_vzeroupper(); }
#endif

// XXH3 as the library has it: the widest vectors of the CPU, and no upper halves of registers left
// dirty, after which this code would run slower.
uint64_t Hash(const std::byte* data, uint64_t size, uint64_t seed = 0) {
#if defined(DSI_XXHASH_HAS_DISPATCH)
  const uint64_t hash = XXH3_64bits_withSeed_dispatch(data, size, seed);
  if (size > 240 && __builtin_cpu_supports("avx2")) ClearUpperHalves();
  return hash;
#else
  return XXH3_64bits_withSeed(data, size, seed);
#endif
}

// One list column of Arrow: 32-bit offsets into 8-byte values (4-byte with width 4).
struct ListColumn {
  const int32_t* offsets;
  const std::byte* values;
  uint64_t width;
  uint64_t length;      // L of the padded tensor.
  uint64_t keep_first;  // Entries kept of a longer list: the first or the last.
};

void PadRow(const ListColumn& column, uint64_t row, std::byte* out) {
  const int32_t begin = column.offsets[row];
  const auto size = static_cast<uint64_t>(column.offsets[row + 1] - begin);
  const uint64_t kept = std::min(size, column.length);
  const uint64_t first = static_cast<uint64_t>(begin) + (column.keep_first != 0 ? 0 : size - kept);
  std::memcpy(out, column.values + first * column.width, kept * column.width);
  std::memset(out + kept * column.width, 0, (column.length - kept) * column.width);
}

// Deduplicates rows by XXH3 and comparison; buffers are reused from batch to batch.
struct Deduplicator {
  std::vector<uint32_t> table;
  std::vector<uint64_t> hashes;
  std::vector<std::byte> values;
  std::vector<int64_t> offsets;
  std::vector<int32_t> inverse;
  std::vector<uint32_t> first_row;

  uint64_t Run(const ListColumn& column, uint64_t begin_row, uint64_t num_rows) {
    uint64_t slots = 1;
    while (slots < num_rows * 2) slots *= 2;
    table.assign(slots, UINT32_MAX);
    hashes.resize(num_rows);
    inverse.resize(num_rows);
    offsets.assign(1, 0);
    first_row.clear();
    const auto total =
        static_cast<uint64_t>(column.offsets[begin_row + num_rows] - column.offsets[begin_row]);
    if (values.size() < total * column.width) values.resize(total * column.width);
    uint64_t used = 0;
    for (uint64_t r = 0; r < num_rows; ++r) {
      const uint64_t row = begin_row + r;
      const std::byte* data =
          column.values + static_cast<uint64_t>(column.offsets[row]) * column.width;
      const uint64_t size =
          static_cast<uint64_t>(column.offsets[row + 1] - column.offsets[row]) * column.width;
      const uint64_t hash = Hash(data, size);
      uint64_t at = hash & (slots - 1);
      for (;; at = (at + 1) & (slots - 1)) {
        const uint32_t unique = table[at];
        if (unique == UINT32_MAX) break;
        const uint64_t other = first_row[unique];
        const uint64_t other_size =
            static_cast<uint64_t>(column.offsets[other + 1] - column.offsets[other]) * column.width;
        if (hashes[other - begin_row] == hash && other_size == size &&
            std::memcmp(column.values + static_cast<uint64_t>(column.offsets[other]) * column.width,
                        data, size) == 0) {
          break;
        }
      }
      hashes[r] = hash;
      if (table[at] == UINT32_MAX) {
        table[at] = static_cast<uint32_t>(first_row.size());
        first_row.push_back(static_cast<uint32_t>(row));
        std::memcpy(values.data() + used, data, size);
        used += size;
        offsets.push_back(static_cast<int64_t>(used / column.width));
      }
      inverse[r] = static_cast<int32_t>(table[at]);
    }
    return first_row.size();
  }
};

}  // namespace

extern "C" {

// Pads rows [0, num_rows) in batches of batch_size into `out`, which holds one batch of all
// columns, one tensor after another. When `hashes` is not null, it receives a running XXH3 per
// column, to compare outputs. Returns bytes written.
[[gnu::visibility("default")]] uint64_t PeerPad(const ListColumn* columns, uint64_t num_columns,
                                                uint64_t num_rows, uint64_t batch_size,
                                                std::byte* out, uint64_t* hashes) {
  uint64_t written = 0;
  for (uint64_t begin = 0; begin < num_rows; begin += batch_size) {
    const uint64_t rows = std::min(batch_size, num_rows - begin);
    std::byte* at = out;
    for (uint64_t c = 0; c < num_columns; ++c) {
      const uint64_t row_bytes = columns[c].length * columns[c].width;
      for (uint64_t r = 0; r < rows; ++r) {
        PadRow(columns[c], begin + r, at + r * row_bytes);
        if (hashes != nullptr) hashes[c] = Hash(at + r * row_bytes, row_bytes, hashes[c]);
      }
      at += rows * row_bytes;
      written += rows * row_bytes;
    }
  }
  return written;
}

// Deduplicates rows batch by batch, column by column (each its own group). Returns unique rows in
// all. `hashes` as above, over each row's values after expansion.
[[gnu::visibility("default")]] uint64_t PeerIkjt(const ListColumn* columns, uint64_t num_columns,
                                                 uint64_t num_rows, uint64_t batch_size,
                                                 uint64_t* hashes) {
  static thread_local std::vector<Deduplicator> deduplicators;
  deduplicators.resize(std::max<size_t>(deduplicators.size(), num_columns));
  uint64_t unique = 0;
  for (uint64_t begin = 0; begin < num_rows; begin += batch_size) {
    const uint64_t rows = std::min(batch_size, num_rows - begin);
    for (uint64_t c = 0; c < num_columns; ++c) {
      Deduplicator& d = deduplicators[c];
      unique += d.Run(columns[c], begin, rows);
      if (hashes == nullptr) continue;
      for (uint64_t r = 0; r < rows; ++r) {
        const auto u = static_cast<uint64_t>(d.inverse[r]);
        const auto size = static_cast<uint64_t>(d.offsets[u + 1] - d.offsets[u]) * columns[c].width;
        hashes[c] = Hash(d.values.data() + static_cast<uint64_t>(d.offsets[u]) * columns[c].width,
                         size, hashes[c]);
      }
    }
  }
  return unique;
}

// Copies `bytes` from one buffer to another, `times` times: the yardstick for padded output.
[[gnu::visibility("default")]] void CopyMany(std::byte* to, const std::byte* from, uint64_t bytes,
                                             uint64_t times) {
  for (uint64_t i = 0; i < times; ++i) {
    std::memcpy(to, from, bytes);
    __asm__ volatile("" : : "r"(to) : "memory");
  }
}

}  // extern "C"
