#include "dsi/writer/finish_memory_internal.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "dsi/writer/encode/source_choice_internal.h"
#include "dsi/writer/layout/file_layout_internal.h"
#include "dsi/writer/rows/source_internal.h"

namespace dsi::internal {
namespace {

// What is not counted: it is there however few the rows are.
constexpr uint64_t kUncounted = 32ULL << 20;
// Of a thread that encodes: pages, their choices, compressors.
constexpr uint64_t kThreadBytes = 6ULL << 20;
// Order of rows (RowOrder and its inverse), for each row.
constexpr uint64_t kOrderBytes = 20;
// Beside it while rows are put in order: times, ranks, positions; and for each key that no other
// row has, its place in a table of keys.
constexpr uint64_t kSortBytes = 32;
constexpr uint64_t kKeyBytes = 96;
// A slice of a feature (FeatureSlice), and what is known of it while groups are sought.
constexpr uint64_t kSliceBytes = 12;
constexpr uint64_t kSearchBytes = 10;
constexpr uint64_t kMostSearchBytes = 2ULL << 30;
// Ids of a space in one stripe: codes, and a table of those that differ with up to four slots each.
constexpr uint64_t kIdSpaceFactor = 6;
// A source of lists, and tables of its grams and values; what each thread looks for in it.
constexpr uint64_t kSourceFactor = 6;
constexpr uint64_t kBorrowerFactor = 2;

struct Sums {
  uint64_t values = 0;       // Bytes, of all features.
  uint64_t lists = 0;        // Bytes, of lists alone.
  uint64_t largest = 0;      // Bytes, of one feature.
  uint64_t largest_ids = 0;  // Bytes, of one id space.
  uint64_t found_ids = 0;    // Bytes, of columns that may be found to share one.
  uint64_t index = 0;        // Bytes of lengths and row numbers.
  uint64_t num_sliced = 0;   // Features whose slices are arrays.
};

Sums Add(const RowBatch& rows) {
  Sums sums;
  std::map<std::string_view, uint64_t> spaces;
  for (size_t f = 0; f < rows.schema().features.size(); ++f) {
    const FeatureSpec& spec = rows.schema().features[f];
    const RowBatch::FeatureBuffer& buffer = rows.feature(f);
    uint64_t bytes = 0;
    for (size_t c = 0; c < buffer.values.size(); ++c) {
      const uint64_t size = buffer.values[c].size();
      bytes += size;
      const bool is_list = IsListKind(spec.kind);
      if (!IsInteger(spec.columns[c].type)) continue;
      if (!spec.columns[c].id_space.empty()) {
        sums.largest_ids = std::max(sums.largest_ids, spaces[spec.columns[c].id_space] += size);
      } else if (is_list) {
        sums.largest_ids = std::max(sums.largest_ids, size);
        sums.found_ids += size;
      } else if (spec.kind == Kind::kKey) {
        sums.found_ids += size;
      }
    }
    sums.values += bytes;
    if (IsListKind(spec.kind)) sums.lists += bytes;
    sums.largest = std::max(sums.largest, bytes);
    sums.index += (buffer.lengths.size() + buffer.rows.size()) * sizeof(uint32_t);
    if (!buffer.all_present || FeatureSource{&spec, &buffer}.entries_per_row() != 1)
      ++sums.num_sliced;
  }
  return sums;
}

}  // namespace

uint64_t FinishMemory(const RowBatch& rows, const ClusterKeys& keys, const WriterOptions& options) {
  const uint64_t num_rows = rows.num_rows();
  if (num_rows == 0) return 0;
  const Sums sums = Add(rows);
  // ClusteredFeature: 8 bytes for each 4 of lengths and of row numbers.
  uint64_t held = num_rows * kOrderBytes + 2 * sums.index;
  if (options.keep_position) held += num_rows * 2 * sizeof(uint64_t);

  const uint64_t sorting = num_rows * kSortBytes + (keys.keys.empty() ? 0 : num_rows * kKeyBytes);

  // One stripe: its rows by number, half as many more in the last, or by bytes.
  const auto share =
      std::min({1.0, 1.5 * static_cast<double>(options.stripe_rows) / static_cast<double>(num_rows),
                static_cast<double>(options.stripe_bytes) /
                    static_cast<double>(std::max<uint64_t>(rows.size_bytes(), 1))});
  const auto of_stripe = [share](uint64_t bytes) {
    return static_cast<uint64_t>(share * static_cast<double>(bytes));
  };
  const auto threads = static_cast<uint64_t>(std::max(options.threads, 1));
  const uint64_t slices =
      std::min(sums.num_sliced * of_stripe(num_rows) * kSliceBytes, kMostSearchBytes);
  const uint64_t searching = std::min(
      sums.num_sliced * of_stripe(num_rows) * (kSliceBytes + kSearchBytes), kMostSearchBytes);
  const uint64_t source = std::min(of_stripe(sums.largest), kMostSourceValues * sizeof(uint64_t));
  // Pools of windows wait for all features; pages wait until the stripe is whole; each thread has a
  // feature at hand, or an id space.
  const uint64_t ids =
      std::max(of_stripe(sums.largest_ids), std::min(of_stripe(sums.found_ids), kMostSharedBytes));
  const uint64_t encoding = of_stripe(sums.lists + sums.values) +
                            std::max({ids * kIdSpaceFactor, slices,
                                      source * (kSourceFactor + threads * kBorrowerFactor)}) +
                            threads * (kThreadBytes + of_stripe(num_rows) * 2 * kSliceBytes) +
                            of_stripe(sums.largest);
  const uint64_t finish = held + std::max({sorting, searching, encoding});
  return finish > kUncounted ? finish - kUncounted : 0;
}

int ThreadsWithin(uint64_t memory_bytes, int threads) {
  constexpr uint64_t kShare = 4;  // Of the memory, in all threads.
  const uint64_t most = std::max<uint64_t>(memory_bytes / (kShare * kThreadBytes), 1);
  return static_cast<int>(std::min<uint64_t>(most, static_cast<uint64_t>(threads)));
}

}  // namespace dsi::internal
