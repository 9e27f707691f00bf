// Scans of a damaged file or dataset, by one thread and by several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "dsi/format/types.h"
#include "dsi/reader/file_info.h"
#include "dsi/reader/row_filter.h"
#include "dsi/reader/scan.h"
#include "dsi/tests/support/file_answer.h"
#include "dsi/tests/support/tensor_bytes.h"

namespace dsi::fuzz {

inline constexpr uint64_t kMemoryBytes = 64 << 20;  // Of a scan.
inline constexpr int kMaxBatches = 64;

[[noreturn]] inline void Disagree(const std::string& what) {
  static_cast<void>(std::fprintf(stderr, "%s\n", what.c_str()));
  std::abort();
}

// Of the numbers or strings of a column those that are greater than one or missing, thinned where
// they are in a set; of other columns what exists.
inline RowFilter FilterOf(const ColumnInfo& column) {
  if (IsListKind(column.kind) || column.kind == Kind::kEmbedding)
    return {.where = {{column.name, Compare::kExists}}};
  const bool is_text = column.type == Type::kBytes;
  const FilterValue value = is_text ? FilterValue("c") : FilterValue(3);
  const std::vector<FilterValue> set =
      is_text ? std::vector<FilterValue>{"d", ""} : std::vector<FilterValue>{5, 1, 4};
  return {.where = {{.column = column.name,
                     .compare = Compare::kGreater,
                     .value = value,
                     .alternatives = {{column.name, Compare::kMissing}}}},
          .sample = {{.when = {{.column = column.name, .compare = Compare::kIn, .values = set}},
                      .keep = 0.5}}};
}

struct Batches {
  std::vector<std::vector<std::byte>> tensors;  // Of each.
  Status end = Status::Ok();
};

// The first kMaxBatches, or how the scan ended; look(scan, batch) is called with each.
template <typename AnyScan, typename Look>
Batches ReadBatches(const Result<std::unique_ptr<AnyScan>>& scan, const Look& look) {
  Batches read;
  read.end = scan.status();
  if (!scan.ok()) return read;
  Batch batch;
  for (int i = 0; i < kMaxBatches; ++i) {
    const auto more = (*scan)->Next(&batch);
    read.end = more.status();
    if (!more.ok() || !*more) break;
    // What was promised to be verified can be read: every byte of its tensors.
    read.tensors.push_back(test::TensorBytes((*scan)->columns(), batch));
    look(**scan, batch);
  }
  return read;
}

// The same batches, the same end.
inline void RequireSame(const Batches& one, const Batches& three) {
  // How much memory several threads take is not the same.
  for (const Batches* read : {&one, &three}) {
    if (test::OutcomeOf(read->end) == test::Outcome::kResource) return;
  }
  if (one.tensors != three.tensors || one.end.ok() != three.end.ok())
    Disagree("one thread: " + one.end.ToString() + ", three: " + three.end.ToString());
}

}  // namespace dsi::fuzz
