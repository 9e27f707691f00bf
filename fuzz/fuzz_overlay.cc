// A base and a second file (file_pair.h): where that is an overlay of it, both are rewritten as one
// file and told by a manifest; else its rows become an overlay of the base, in order and by a key,
// of all rows and of one stripe. Whatever the bytes, a call returns a value or a Status, memory
// stays bounded and nothing is left behind but the output. That is sound, fits its base, and adds
// no row to it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsi/dataset/comparison.h"
#include "dsi/dataset/dataset.h"
#include "dsi/fuzz/file_pair.h"
#include "dsi/fuzz/made_files.h"
#include "dsi/fuzz/pair_mutator.h"
#include "dsi/reader/reader.h"
#include "dsi/rewrite/overlay.h"
#include "dsi/rewrite/rewrite.h"

namespace {

// Columns that are read; of more, a file takes too long.
constexpr size_t kMaxColumns = 64;

using dsi::fuzz::Disagree;
using dsi::fuzz::Folder;
using dsi::fuzz::IsSound;
using dsi::fuzz::RequireFits;
using dsi::fuzz::RequireOutput;

// What the last input came to: words for FuzzReached.
std::string reached;

void Reach(bool is_there, const char* word) {
  if (is_there) reached += std::string(word) + " ";
}

dsi::Result<std::unique_ptr<dsi::Dataset>> Open(const std::vector<std::string>& names) {
  std::vector<std::string> paths;
  for (const std::string& name : names) paths.push_back(Folder().File(name));
  dsi::DatasetOptions options;
  options.threads = 1;
  return dsi::Dataset::Open(paths, options);
}

void Write(std::span<const std::byte> bytes, const std::string& name) {
  std::ofstream(Folder().File(name), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// A writer rounds columns that say so (F-081), which changes values that only claim to be rounded.
bool IsExact(const dsi::Dataset& dataset) {
  const auto columns = dataset.Columns();
  return columns.ok() &&
         std::all_of(columns->begin(), columns->end(), [](const dsi::ColumnInfo& column) {
           return column.precision == dsi::Precision::kExact;
         });
}

void RequireSameRows(const dsi::Dataset& one, const dsi::Dataset& other, const char* what) {
  dsi::CompareOptions options;
  options.memory_bytes = dsi::fuzz::kMemoryBytes;
  options.threads = 1;
  const auto both = dsi::CompareDatasets(one, other, options);
  RequireFits(true, what, both.status());
  if (both.ok() && !both->has_same_rows) Disagree(std::string(what) + ": other rows");
}

// A base with its overlay.
void Fold(const dsi::Dataset& both, bool is_sound) {
  dsi::RewriteOptions options;
  options.writer = dsi::fuzz::SmallWriter();
  const auto folded = dsi::Rewrite(both, Folder().File("folded.dsi"), options);
  RequireFits(is_sound, "Rewrite", folded.status());
  RequireOutput("folded.dsi", folded.status());
  Reach(folded.ok() && folded->num_rows > 0, "folded");
  if (is_sound && folded.ok() && IsExact(both))
    RequireSameRows(both, **Open({"folded.dsi"}), "folded");

  const auto manifest = both.Manifest(Folder().path());
  RequireFits(is_sound, "Manifest", manifest.status());
  if (!manifest.ok()) return;
  std::ofstream(Folder().File("both.json")) << *manifest;
  const auto told = Open({"both.json"});
  if (is_sound && !told.ok()) Disagree("what was told: " + told.status().ToString());
  if (!told.ok()) return;
  if ((*told)->num_rows() != both.num_rows() || (*told)->files().size() != both.files().size() ||
      (*told)->files()[0].overlays.size() != both.files()[0].overlays.size())
    Disagree("a manifest tells of other files");
  if (is_sound) RequireSameRows(both, **told, "told");
}

// A column of both by which rows may find each other; empty: there is none.
std::string KeyOf(const dsi::Dataset& rows, const dsi::Reader& base) {
  const auto columns = rows.Columns();
  if (!columns.ok()) return {};
  for (const dsi::ColumnInfo& column : *columns) {
    const bool has_one = !dsi::IsListKind(column.kind) && column.kind != dsi::Kind::kEmbedding;
    if (has_one && !dsi::IsFloat(column.type) && base.FindColumn(column.name).ok())
      return column.name;
  }
  return {};
}

// The rows as an overlay of the base; false: refused.
bool Overlay(const dsi::Dataset& rows, const dsi::Reader& base, bool is_sound,
             dsi::OverlayOptions options) {
  options.writer = dsi::fuzz::SmallWriter();
  options.writer.overwrite = true;
  std::filesystem::remove(Folder().File("made.dsi"));
  const auto made =
      dsi::WriteOverlay(rows, Folder().File("base.dsi"), Folder().File("made.dsi"), options);
  RequireFits(is_sound, "WriteOverlay", made.status());
  RequireOutput("made.dsi", made.status());
  if (!made.ok()) return false;
  if (made->num_given + made->num_deleted > made->write.num_rows ||
      made->write.num_rows > base.info().num_rows)
    Disagree("rows that do not add up");
  const auto both = Open({"base.dsi", "made.dsi"});
  if (!both.ok()) Disagree("an overlay does not fit its base: " + both.status().ToString());
  if ((*both)->num_rows() != base.info().num_rows || (*both)->files()[0].overlays.size() != 1)
    Disagree("an overlay that is none");
  Fold(**both, is_sound);
  std::filesystem::remove(Folder().File("folded.dsi"));
  return true;
}

void OverlayInAllWays(const dsi::Dataset& rows, const dsi::Reader& base, bool is_sound) {
  Reach(Overlay(rows, base, is_sound, {}), "written");
  const auto stripes = base.stripes();
  dsi::OverlayOptions options;
  options.key = KeyOf(rows, base);
  if (options.key.empty()) return;
  Reach(Overlay(rows, base, is_sound, options), "keyed");
  options.broadcast = true;
  Reach(Overlay(rows, base, is_sound, options), "broadcast");
  if (stripes.empty()) return;
  const dsi::StripeInfo& last = stripes.back();
  options.rows = {{last.first_row, last.first_row + last.num_rows}};
  Reach(Overlay(rows, base, is_sound, options), "stripe");
}

}  // namespace

// For seeds that say what they come to.
extern "C" const char* FuzzReached() { return reached.c_str(); }

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  return dsi::fuzz::MutatePair(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  reached.clear();
  for (const std::string& name : Folder().Names()) std::filesystem::remove(Folder().File(name));
  const auto pair = dsi::fuzz::SplitPair({reinterpret_cast<const std::byte*>(data), size});
  Write(pair.first, "base.dsi");
  Write(pair.second, "second.dsi");
  const auto base = dsi::Reader::Open(Folder().File("base.dsi"));
  if (!base.ok() || (*base)->info().num_columns > kMaxColumns) return 0;
  const bool is_sound = IsSound(Folder().File("base.dsi")) && IsSound(Folder().File("second.dsi"));
  const auto binding = dsi::BindOverlay(**base);
  if (binding.ok() != (!(*base)->info().overlay && (*base)->info().num_rows > 0))
    Disagree("BindOverlay: " + binding.status().ToString());
  const auto both = Open({"base.dsi", "second.dsi"});
  if (!both.ok()) return 0;
  const auto columns = (*both)->Columns();
  if (!columns.ok() || columns->size() > kMaxColumns) return 0;
  if (!(*both)->files()[0].overlays.empty()) {
    Fold(**both, is_sound);
  } else if (const auto rows = Open({"second.dsi"}); rows.ok()) {
    OverlayInAllWays(**rows, **base, is_sound);
  }
  dsi::fuzz::RequireNames({"base.dsi", "second.dsi", "made.dsi", "folded.dsi", "both.json"});
  return 0;
}
