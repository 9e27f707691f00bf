// What makes other files of a damaged one: recovers it, rewrites it, counts its values, compares it
// with itself and with what was made, and deletes rows. Whatever the bytes, a call returns a value
// or a Status, memory stays bounded, and no file is left behind but the output. That is sound, and
// of a sound file it has the same rows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dsi/dataset/comparison.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/value_counts.h"
#include "dsi/fuzz/made_files.h"
#include "dsi/fuzz/read_batches.h"
#include "dsi/fuzz/sealed_mutator.h"
#include "dsi/rewrite/delete_rows.h"
#include "dsi/rewrite/recover.h"
#include "dsi/rewrite/rewrite.h"

namespace {

// Columns that are read; of more, a file takes too long.
constexpr size_t kMaxColumns = 64;

using dsi::fuzz::BytesOf;
using dsi::fuzz::Disagree;
using dsi::fuzz::Folder;
using dsi::fuzz::IsSound;
using dsi::fuzz::kMemoryBytes;
using dsi::fuzz::RequireFits;
using dsi::fuzz::RequireNames;
using dsi::fuzz::RequireOutput;
using dsi::fuzz::SmallWriter;

// What the last input came to: words for FuzzReached.
std::string reached;

void Reach(bool is_there, const char* word) {
  if (is_there) reached += std::string(word) + " ";
}

// Both make the same of a sound file.
void MakeFiles(const dsi::Dataset& from, bool is_sound) {
  dsi::RecoverOptions recover;
  recover.writer = SmallWriter();
  const auto recovered = dsi::Recover(from, Folder().File("recovered.dsi"), recover);
  RequireFits(is_sound, "Recover", recovered.status());
  RequireOutput("recovered.dsi", recovered.status());
  Reach(recovered.ok() && recovered->written.num_rows > 0, "recovered");
  Reach(recovered.ok() && !recovered->lost.empty(), "lost");
  if (is_sound && recovered.ok() && !recovered->lost.empty())
    Disagree("lost rows of a sound file: " + recovered->lost[0].why.ToString());
  dsi::RewriteOptions rewrite;
  rewrite.writer = SmallWriter();
  const auto rewritten = dsi::Rewrite(from, Folder().File("rewritten.dsi"), rewrite);
  RequireFits(is_sound, "Rewrite", rewritten.status());
  RequireOutput("rewritten.dsi", rewritten.status());
  Reach(rewritten.ok() && rewritten->num_rows > 0, "rewritten");
  RequireNames({"input.dsi", "recovered.dsi", "rewritten.dsi"});
  const bool both = recovered.ok() && rewritten.ok();
  if (is_sound && both &&
      BytesOf(Folder().File("recovered.dsi")) != BytesOf(Folder().File("rewritten.dsi")))
    Disagree("Recover and Rewrite make other files of a sound one");
}

// A writer rounds columns that say so (F-081), which changes values that only claim to be rounded.
bool IsExact(const std::vector<dsi::ColumnInfo>& columns) {
  return std::all_of(columns.begin(), columns.end(), [](const dsi::ColumnInfo& column) {
    return column.precision == dsi::Precision::kExact;
  });
}

// With itself, and with what was made of it.
void Compare(const dsi::Dataset& dataset, bool is_sound, bool is_exact) {
  dsi::CompareOptions options;
  options.memory_bytes = kMemoryBytes;
  options.threads = 1;
  const auto itself = dsi::CompareDatasets(dataset, dataset, options);
  RequireFits(is_sound, "CompareDatasets", itself.status());
  if (itself.ok() && (itself->differing > 0 || !itself->has_same_rows))
    Disagree("a file differs from itself");
  if (!is_sound || !std::filesystem::exists(Folder().File("rewritten.dsi"))) return;
  const auto made = dsi::Dataset::Open(Folder().File("rewritten.dsi"));
  if (!made.ok()) Disagree("rewritten: " + made.status().ToString());
  const auto both = dsi::CompareDatasets(dataset, **made, options);
  RequireFits(is_sound, "CompareDatasets", both.status());
  Reach(both.ok() && both->pairs > 0, "compared");
  if (is_exact && both.ok() && !both->has_same_rows) Disagree("what was rewritten has other rows");
}

void Count(const dsi::Dataset& dataset, bool is_sound,
           const std::vector<dsi::ColumnInfo>& columns) {
  dsi::CountOptions options;
  for (const dsi::ColumnInfo& column : columns)
    options.scan.scan.features.push_back({.name = column.name});
  options.scan.scan.memory_bytes = kMemoryBytes;
  options.memory_bytes = kMemoryBytes;
  const auto counts = dsi::CountValues(dataset, options);
  RequireFits(is_sound, "CountValues", counts.status());
  if (!counts.ok()) return;
  Reach(!counts->empty(), "counted");
  for (const dsi::ValueCounts& column : *counts) {
    uint64_t entries = 0;
    for (const uint64_t count : column.counts) entries += count;
    if (entries != column.entries || column.missing > column.rows)
      Disagree(column.column + ": counts that do not add up");
  }
}

// Those that have a value of one column; of a file that was sound another sound one.
void Delete(const dsi::ColumnInfo& column, bool is_sound) {
  const std::string path = Folder().File("input.dsi");
  dsi::DeleteOptions options;
  options.memory_bytes = kMemoryBytes;
  const std::vector<char> before = BytesOf(path);
  const auto deleted = dsi::DeleteRows(path, dsi::fuzz::FilterOf(column).where, options);
  // What a later version wrote may be read and copied, and not changed (F-030).
  const bool is_later = deleted.status().code() == dsi::StatusCode::kUnsupported;
  RequireFits(is_sound && !is_later, "DeleteRows", deleted.status());
  Reach(deleted.ok() && deleted->num_deleted > 0, "deleted");
  if (!deleted.ok() && BytesOf(path) != before) Disagree("changed by a call that failed");
  if (is_sound && !IsSound(path)) Disagree("damaged by DeleteRows");
  if (!is_sound || !deleted.ok()) return;
  const auto again = dsi::DeleteRows(path, dsi::fuzz::FilterOf(column).where, options);
  if (!again.ok() || again->num_deleted != 0) Disagree("deleted rows are found again");
}

}  // namespace

// For seeds that say what they come to.
extern "C" const char* FuzzReached() { return reached.c_str(); }

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  return dsi::internal::fuzz::MutateSealed(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  reached.clear();
  const std::string input = Folder().File("input.dsi");
  for (const std::string& name : Folder().Names()) std::filesystem::remove(Folder().File(name));
  std::ofstream(input, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const bool is_sound = IsSound(input);
  dsi::DatasetOptions open;
  open.threads = 1;
  const auto dataset = dsi::Dataset::Open(input, open);
  if (!dataset.ok()) return 0;
  const auto columns = (*dataset)->Columns();
  if (!columns.ok() || columns->size() > kMaxColumns) return 0;
  MakeFiles(**dataset, is_sound);
  Compare(**dataset, is_sound, IsExact(*columns));
  Count(**dataset, is_sound, *columns);
  if (!columns->empty()) Delete((*columns)[size / 8 % columns->size()], is_sound);
  RequireNames({"input.dsi", "recovered.dsi", "rewritten.dsi"});
  return 0;
}
