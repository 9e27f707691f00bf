#include "dsi/dataset/files/file_overlays_internal.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/format/overlay_internal.h"
#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

// Beside one file; that many are more than anybody has.
constexpr size_t kMostOverlays = 1000;

std::vector<uint64_t> EndsOf(const std::vector<uint32_t>& stripe_rows) {
  std::vector<uint64_t> ends;
  uint64_t rows = 0;
  for (const uint32_t of_stripe : stripe_rows) ends.push_back(rows += of_stripe);
  return ends;
}

class Matcher {
 public:
  Matcher(const std::vector<DatasetFile>& files, std::vector<FileFacts>* facts,
          const FileOverlays::FingerprintOf& fingerprint_of)
      : files_(files), facts_(*facts), fingerprint_of_(fingerprint_of) {}

  // The files that an overlay is of, of which those that are equal are several.
  Result<std::vector<size_t>> BasesOf(size_t overlay) {
    const OverlayBinding& binding = *facts_[overlay].overlay;
    std::vector<size_t> bases;
    std::optional<size_t> other;  // Has as many rows, and others.
    for (size_t i = 0; i < files_.size(); ++i) {
      FileFacts& base = facts_[i];
      if (base.overlay || base.num_rows != binding.base_rows) continue;
      if (!facts_[overlay].base_path.empty() && facts_[overlay].base_path != files_[i].path)
        continue;
      const bool is_told = !facts_[overlay].base_path.empty();
      if (!is_told) {
        // What is cut otherwise need not be opened.
        if (!StripesOfBase(binding, EndsOf(base.stripe_rows)).ok()) {
          other = other.value_or(i);
          continue;
        }
        if (!base.rows_fingerprint) {
          DSI_ASSIGN_OR_RETURN(base.rows_fingerprint, fingerprint_of_(i));
        }
        if (*base.rows_fingerprint != binding.base_fingerprint) {
          other = other.value_or(i);
          continue;
        }
      }
      bases.push_back(i);
    }
    if (!bases.empty()) return bases;
    const std::string wanted =
        fmt::format("{}: an overlay of {} rows whose fingerprint is {:016x}",
                    ShownName(files_[overlay].path), binding.base_rows, binding.base_fingerprint);
    if (!other)
      return BadInput("{}, and no file here has them: name its base beside it (DS-041)", wanted);
    return BadInput(
        "{}; {} has as many, but other ones: if that is its base, it was written anew "
        "since, and so the overlay is to be (DS-041)",
        wanted, ShownName(files_[*other].path));
  }

 private:
  const std::vector<DatasetFile>& files_;
  std::vector<FileFacts>& facts_;
  const FileOverlays::FingerprintOf& fingerprint_of_;
};

}  // namespace

Result<FileOverlays> FileOverlays::Take(std::vector<DatasetFile>* files,
                                        std::vector<FileFacts>* facts,
                                        const FingerprintOf& fingerprint_of) {
  FileOverlays taken;
  const auto is_overlay = [&](size_t i) { return (*facts)[i].overlay.has_value(); };
  const size_t num_all = files->size();
  std::vector<size_t> kept;  // By position among all: that among those that stay.
  size_t num_kept = 0;
  for (size_t i = 0; i < num_all; ++i) kept.push_back(is_overlay(i) ? num_kept : num_kept++);
  if (num_kept == num_all) return taken;
  taken.of_file_.resize(num_kept);
  Matcher matcher(*files, facts, fingerprint_of);
  for (size_t i = 0; i < num_all; ++i) {
    if (!is_overlay(i)) continue;
    const OverlayBinding& binding = *(*facts)[i].overlay;
    DSI_ASSIGN_OR_RETURN(const std::vector<size_t> bases, matcher.BasesOf(i));
    for (const size_t base : bases) {
      auto stripes = StripesOfBase(binding, EndsOf((*facts)[base].stripe_rows));
      if (!stripes.ok()) return stripes.status().At(ShownName((*files)[i].path));
      std::vector<PlacedOverlay>& of_base = taken.of_file_[kept[base]];
      if (of_base.size() == kMostOverlays)
        return BadInput("{}: more than {} overlays; rewrite the file with them",
                        ShownName((*files)[base].path), kMostOverlays);
      of_base.push_back({static_cast<uint32_t>(taken.overlays_.size()), *std::move(stripes)});
      (*files)[base].overlays.push_back((*files)[i].path);
    }
    OverlayFile& overlay = taken.overlays_.emplace_back();
    overlay = {(*files)[i].path, (*facts)[i]};
    overlay.facts.base_path = bases.size() == 1 ? (*files)[bases[0]].path : "";
  }
  for (size_t i = 0; i < num_all; ++i) {
    if (is_overlay(i) || kept[i] == i) continue;
    (*files)[kept[i]] = std::move((*files)[i]);
    (*facts)[kept[i]] = std::move((*facts)[i]);
  }
  files->resize(num_kept);
  facts->resize(num_kept);
  return taken;
}

}  // namespace dsi::internal
