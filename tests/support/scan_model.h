// A table held as plainly as can be, and the file made of it: what scans are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsi/format/schema.h"
#include "dsi/reader/reader.h"
#include "dsi/writer/writer.h"

namespace dsi::test {

// One column: per row its entries as bits, or nothing where the row lacks the feature.
struct ModelColumn {
  std::string name;
  Kind kind = Kind::kDense;
  Type type = Type::kInt64;
  bool nested = true;
  std::vector<std::optional<std::vector<uint64_t>>> rows;
};

struct ModelTable {
  Schema schema;
  size_t num_rows = 0;
  std::vector<ModelColumn> columns;  // In the order of the file's columns.

  const ModelColumn& Column(const std::string& name) const;
};

// What stands where no value is asked for: NaN where a float is missing, 0 where another number is,
// beside the entries of lists and for missing embeddings. Of features without a default.
inline uint64_t UnfilledBits(Kind kind, Type type) {
  if (IsListKind(kind) || kind == Kind::kEmbedding) return 0;
  if (type == Type::kFloat32) return 0x7FC00000U;
  return type == Type::kFloat64 ? 0x7FF8000000000000U : 0;
}

// All kinds and types; sessions of 1 to `max_session` rows; features of sessions, of items and of
// rows; missing, empty, NaN with payload, -0.0.
ModelTable RandomTable(uint64_t seed, size_t num_rows, size_t max_session);

// Writes the rows in the order that the options ask for.
std::vector<std::byte> WriteRows(const ModelTable& table, const WriterOptions& options);
// Writes the rows in their own order.
std::vector<std::byte> WriteTable(const ModelTable& table, WriterOptions options);
std::unique_ptr<Reader> OpenTable(const ModelTable& table, const WriterOptions& options);

inline WriterOptions StripesOf(uint32_t rows, uint32_t page_values = 1024) {
  WriterOptions options;
  options.stripe_rows = rows;
  options.page_values = page_values;
  return options;
}

}  // namespace dsi::test
