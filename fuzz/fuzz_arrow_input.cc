// Reads tables of Arrow of any structure, sound or broken. They are refused or read; what was read
// is whole, and no struct of the caller's is released. arrow_table_maker.h makes them of the input.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "dsi/arrow/arrow_input.h"
#include "dsi/fuzz/arrow_table_maker.h"

namespace {

using dsi::fuzz::ArrowTableMaker;

constexpr const char* kTarget = R"({"features": [
    {"name": "a", "kind": "dense", "type": "int32"},
    {"name": "b", "kind": "list", "type": "int16"},
    {"name": "v", "kind": "embedding", "type": "float32", "length": 3},
    {"name": "h", "kind": "sequence", "columns": [{"name": "item", "type": "int64", "hashed": true},
                                                  {"name": "time", "type": "uint32"}]},
    {"name": "t", "kind": "weighted", "type": "int64", "hashed": true},
    {"name": "item", "kind": "string"},
    {"name": "time", "kind": "timestamp", "unit": "ms"},
    {"name": "session_id", "kind": "key", "type": "int64"},
    {"name": "ids", "kind": "list", "type": "bool"},
    {"name": "l", "kind": "list", "type": "int32", "hashed": true},
    {"name": "l_lengths", "kind": "list", "type": "int32"},
    {"name": "g", "kind": "sequence", "columns": [{"name": "item", "type": "int64"},
                                                  {"name": "tags_lengths", "type": "int64"}]},
    {"name": "g.tags", "kind": "list", "type": "int16", "nested": false}]})";

// What was read to its end of the last input, by the schema found in it: words for FuzzReached.
std::string reached;

void Require(bool holds) {
  if (!holds) std::abort();
}

// Every feature has as many values as its rows say. Returns how many entries its lists have.
uint64_t RequireWhole(const dsi::RowBatch& batch) {
  uint64_t in_lists = 0;
  for (size_t f = 0; f < batch.schema().features.size(); ++f) {
    const dsi::FeatureSpec& spec = batch.schema().features[f];
    const dsi::RowBatch::FeatureBuffer& rows = batch.feature(f);
    uint64_t entries = rows.num_present * std::max<uint64_t>(spec.fixed_length, 1);
    if (dsi::HasLengths(spec.kind, spec.columns[0].type)) {
      Require(rows.lengths.size() == rows.num_present);
      entries = 0;
      for (const uint32_t length : rows.lengths) entries += length;
      if (spec.columns[0].type != dsi::Type::kBytes) in_lists += entries;
    }
    for (size_t c = 0; c < spec.columns.size(); ++c) {
      Require(rows.values[c].size() ==
              entries * static_cast<size_t>(dsi::TypeWidth(spec.columns[c].type)));
    }
  }
  return in_lists;
}

// Returns how many entries of lists were read.
uint64_t Read(const ArrowTableMaker& table, std::shared_ptr<const dsi::Schema> target, bool ignore,
              dsi::NullEntries nulls) {
  const auto input = dsi::ArrowInput::Create(
      table.schema(), target,
      {.ignore_unknown = ignore, .null_entries = nulls, .memory_bytes = 1 << 20});
  Require(input.ok() || !input.status().message().empty());
  if (!input.ok()) return 0;
  dsi::RowBatch batch(std::move(target));
  for (int times = 0; times < 2; ++times) {
    const size_t before = batch.num_rows();
    const dsi::Status status = (*input)->Append(table.array(), &batch);
    Require(batch.num_rows() ==
            before + (status.ok() ? static_cast<size_t>(table.array().length) : 0));
    Require(status.ok() || !status.message().empty());
  }
  return batch.num_rows() > 0 ? RequireWhole(batch) : 0;
}

// What the table has, of which entries were read.
std::string Words(const ArrowTableMaker& table) {
  std::string words;
  const auto add = [&](const char* format, const char* word) {
    if (table.formats().find(format) != std::string::npos) words += std::string(word) + " ";
  };
  add(" +vl ", "list_view");
  add(" +vL ", "large_list_view");
  add(" +m ", "map");
  return words;
}

}  // namespace

// For seeds that say what they come to.
extern "C" const char* FuzzReached() { return reached.c_str(); }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto target = std::make_shared<const dsi::Schema>(*dsi::Schema::FromJson(kTarget));
  reached.clear();
  const ArrowTableMaker table(data, size);
  constexpr std::array kAll = {dsi::NullEntries::kFail, dsi::NullEntries::kDrop,
                               dsi::NullEntries::kFill};
  for (const dsi::NullEntries nulls : kAll) Read(table, target, true, nulls);
  dsi::Result<dsi::Schema> found = dsi::SchemaFromArrow(table.schema());
  if (dsi::Result<dsi::Schema> by_rows = dsi::SchemaFromArrow(table.schema(), &table.array());
      by_rows.ok()) {
    Require(found.ok());
    found = std::move(by_rows);
  }
  // What was found takes every table that is sound.
  if (!found.ok()) return 0;
  const auto own = std::make_shared<const dsi::Schema>(*std::move(found));
  for (const dsi::NullEntries nulls : kAll) {
    if (Read(table, own, false, nulls) > 0) reached = Words(table);
  }
  return 0;
}
