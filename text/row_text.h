// Rows back as JSON Lines: the inverse of text/text_input.h. Nested objects come back nested,
// missing features are left out, empty lists are [], whole numbers keep all 64 bits, floats are
// written in the shortest form that reads back to the same bits (NaN and infinities, which JSON
// lacks, as the strings "NaN", "Infinity",
// "-Infinity").
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dsi/base/export.h"
#include "dsi/dataset/dataset.h"
#include "dsi/reader/reader.h"

namespace dsi {

struct RowTextOptions {
  // Names or globs; empty: all. "__position" is left out unless named.
  std::vector<std::string> features = {};
  uint64_t row_begin = 0;
  uint64_t row_end = UINT64_MAX;
  RowFilter filter = {};               // Only rows of the range that pass.
  uint64_t memory_bytes = 4ULL << 30;  // As ScanOptions::memory_bytes; the text comes on top.
  // Whole numbers beyond +-(2^53 - 1) as strings: readers that hold every number as a double, as
  // JavaScript and jq do, would round them. TextInput takes such strings for no number.
  bool wide_integers_as_strings = false;
};

// Thread safety: one thread at a time. The Reader, or Dataset, must outlive it.
class DSI_EXPORT RowText {
 public:
  static Result<std::unique_ptr<RowText>> Create(const Reader& reader,
                                                 const RowTextOptions& options);
  // Rows are counted over the files of the dataset, and so are row_begin and row_end; "__position",
  // which each file counts for itself, is nobody's order here.
  static Result<std::unique_ptr<RowText>> Create(const Dataset& dataset,
                                                 const RowTextOptions& options);
  // Rows as a scan hands them out: its batches, those of its shard, in its order, from its state
  // on. Features, filter and memory_bytes are those of `options`, row_begin and row_end count not.
  static Result<std::unique_ptr<RowText>> Create(const Dataset& dataset,
                                                 const RowTextOptions& options,
                                                 const DatasetScanOptions& order);
  ~RowText();
  // Appends the lines of up to one batch of rows to *out; false at the end. *positions (may be
  // null) receives each row's "__position" where the file has it, else its row number. After an
  // error there are no more rows.
  Result<bool> Next(std::string* out, std::vector<uint64_t>* positions);
  // Row after the last one given; at first row_begin. A RowText that begins there gives
  // the rest, and how far it is tells the progress where a filter leaves rows out.
  uint64_t next_row() const noexcept;

 private:
  class Impl;
  explicit RowText(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace dsi
