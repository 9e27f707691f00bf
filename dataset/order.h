// In which order the rows of a dataset come, and which part of them one of several readers takes.
//
// The order is a function of (snapshot of the dataset, OrderOptions, batch size) alone: no world
// size, number of threads or projection changes it, unless mixing_bytes goes by that. It is worked
// out by arithmetic, so that a scan begins anywhere in it at the same cost, and its place is a few
// integers (spec/dataset-order.md).
#pragma once

#include <cstdint>

namespace dsi {

// What is put in another order; inside a unit rows keep that of the file.
enum class OrderUnit : uint8_t {
  kNone,    // Nothing: files in the order of the dataset, rows in that of the file.
  kBlock,   // Blocks of block_rows rows, counted from the first row of the dataset.
  kStripe,  // Stripes of the files.
  kFile,    // Whole files.
};

// What is dealt out inside a window.
enum class Mix : uint8_t {
  kSessions,  // Whole sessions, so that batches keep what they save by deduplication.
  kRows,      // Single rows: as many sessions in a batch as in a random sample.
};

struct OrderOptions {
  OrderUnit unit = OrderUnit::kNone;
  uint64_t seed = 0;
  uint64_t epoch = 0;  // Another epoch, another order.
  // kBlock: rows of a unit. Smaller mixes more and reads more than once: a part of a stripe costs
  // what its pages do, and lists whose rows share one pool cost the stripe's.
  uint32_t block_rows = 65536;
  // So many rows at a time (rounded up to whole batches) are taken in the order of the units, mixed
  // and cut into batches. They are held decoded until their batches are handed out. 0: no mixing.
  uint32_t mixing_rows = 0;
  Mix mix = Mix::kSessions;
  // In place of mixing_rows: as many whole batches, one at least, as are expected to take so many
  // bytes, held as unique rows of the features asked for. Directories of eight stripes tell, which
  // are read when a scan begins without a state; a filter, and what a pipeline makes of rows (not
  // of values while they are decoded), are not counted. A state says how many rows it was, and its
  // epoch goes on with them; the next one may have others, where features or this library have
  // changed: mixing_rows pins them. Less than memory_bytes: blocks take up to twice as much, for
  // more stripes are open. 0: by mixing_rows.
  uint64_t mixing_bytes = 0;
};

// What becomes of batches that do not go round, so that a collective step never waits for one.
enum class Remainder : uint8_t {
  kDrop,  // Left out: every rank has batches / world.
  // Ranks that have one less hand out the batch before once more: their last one, or where they
  // have none, the last of all. The scan says which are repeated.
  kPad,
  kUneven,  // Handed out: some ranks have one more.
};

// Rank `rank` of `world` takes a run of batches that follow each other in the order, so that each
// part of a file is decoded by one rank.
struct ShardOptions {
  uint32_t rank = 0;
  uint32_t world = 1;
  Remainder remainder = Remainder::kDrop;
};

}  // namespace dsi
