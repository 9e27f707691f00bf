// What files have together with their overlays (spec DS-042): as far as other overlays cover other
// stripes of a file, these are variants of it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "dsi/base/status.h"
#include "dsi/dataset/files/file_facts_internal.h"
#include "dsi/dataset/files/file_overlays_internal.h"
#include "dsi/dataset/files/file_schema_internal.h"

namespace dsi::internal {

// Stripes of a file that the same overlays cover.
struct FileVariant {
  uint32_t schema = 0;
  // Those that have columns of it: positions in FileOverlays::overlays.
  std::vector<uint32_t> overlays = {};
  // By column of the schema: 0, the file has it, or 1 + a position in `overlays`. Empty: the file
  // has all.
  std::vector<uint16_t> members = {};
};

struct OverlaidFile {
  std::vector<FileVariant> variants;
  std::vector<uint64_t> stripe_ends;  // Rows up to there.
  std::vector<uint32_t> of_stripe;    // Which variant.
};

// Which file has which schema.
struct SchemasOfFiles {
  std::vector<FileSchema> schemas;  // In the order of the first file that has each.
  std::vector<uint32_t> of_file;    // Of those with overlays, that of their first variant.
  std::unordered_map<size_t, OverlaidFile> overlaid = {};  // By file.

  size_t num_variants(size_t file) const {
    const auto found = overlaid.find(file);
    return found == overlaid.end() ? 1 : found->second.variants.size();
  }
  FileVariant variant(size_t file, size_t i) const {
    const auto found = overlaid.find(file);
    return found == overlaid.end() ? FileVariant{of_file[file]} : found->second.variants[i];
  }
  uint32_t schema_of(size_t file, size_t variant) const {
    const auto found = overlaid.find(file);
    return found == overlaid.end() ? of_file[file] : found->second.variants[variant].schema;
  }
  // Of a row of the file.
  size_t VariantAt(size_t file, uint64_t row) const;
};

// `stored`: of the files, and behind them of the overlays. kBadInput: features that cannot stand
// beside each other; names the overlay.
Result<SchemasOfFiles> AddOverlays(const SchemasOfFiles& stored, const FileOverlays& overlays,
                                   std::span<const FileFacts> facts);

}  // namespace dsi::internal
