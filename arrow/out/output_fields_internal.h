// What the columns of a scan are in Arrow. Immutable once made; schemas and arrays share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dsi/arrow/arrow_output.h"

namespace dsi::internal {

struct OutputField {
  enum class Shape : uint8_t { kNumber, kBytes, kList, kFixedList };

  std::string name;
  std::string metadata;  // In Arrow's form.
  Shape shape = Shape::kNumber;
  Layout layout = Layout::kPadded;
  Type dtype = Type::kInt64;
  uint32_t width = 0;  // Padded.
  TimeUnit time_unit = TimeUnit::kNone;

  // Has one child: its entries.
  bool is_nested() const { return shape == Shape::kList || shape == Shape::kFixedList; }
  // Is the index of a dictionary that has this shape.
  bool is_dictionary() const { return layout == Layout::kIkjt || layout == Layout::kPaddedIkjt; }
  size_t num_nodes() const { return size_t{1} + is_nested() + is_dictionary(); }
};

struct OutputFields {
  std::vector<OutputField> fields;  // Parallel to Scan::columns().
  size_t num_nodes = 0;             // Of all fields; the root besides.
  size_t num_links = 0;             // Pointers to children, those of the root too.
  bool binary = false;
};

// kInvalidArgument. Throws std::bad_alloc.
Result<std::shared_ptr<const OutputFields>> MakeOutputFields(std::span<const ScanColumn> scanned,
                                                             std::span<const ColumnInfo> columns,
                                                             const ArrowOutputOptions& options);

// kInvalidArgument: a scan of other columns.
Status CheckScanned(const OutputFields& fields, std::span<const ScanColumn> scanned);

// Fills *out, whose `release` frees it. Throws std::bad_alloc.
void ExportFields(std::shared_ptr<const OutputFields> fields, ArrowSchema* out);

}  // namespace dsi::internal
