#include "dsi/dataset/scan/scan_files_internal.h"

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/access_log.h"
#include "dsi/reader/reader_access_internal.h"

namespace dsi::internal {
namespace {

// Of files that the current window does not use, so many stay open.
constexpr size_t kIdleFiles = 8;

}  // namespace

Result<std::unique_ptr<ScanFiles>> ScanFiles::Make(const DatasetFiles* dataset,
                                                   const DatasetScanOptions& options,
                                                   bool wants_sessions, ScanWorkers* workers,
                                                   MemoryBudget* budget) {
  std::unique_ptr<ScanFiles> files(new ScanFiles(dataset, wants_sessions, workers, budget));
  const RowFilter& filter = options.scan.filter;
  files->coming_ = ComingRowsOf(*dataset, options);
  DSI_ASSIGN_OR_RETURN(files->asked_, AskedOutputs::Make(*dataset, options));
  DSI_ASSIGN_OR_RETURN(files->joint_, files->asked_->NewProjection());
  if (!filter.where.empty()) {
    DSI_ASSIGN_OR_RETURN(files->skipper_, FileSkipper::Make(*dataset, filter));
  }
  if (!options.access_log.empty())
    DSI_RETURN_IF_ERROR(AppendAccess(options.access_log, files->asked_->StoredColumns()));
  return files;
}

Result<ScanFile*> ScanFiles::Open(size_t file, uint64_t row) {
  const size_t variant = asked_->schemas().VariantAt(file, row);
  const auto known = std::find_if(opened_.begin(), opened_.end(), [&](const Opened& opened) {
    return opened.file == file && opened.variant == variant;
  });
  if (known != opened_.end()) {
    known->window = window_;
    return known->scanned.get();
  }
  DSI_ASSIGN_OR_RETURN(std::shared_ptr<ScanFile> made, OpenAhead(file, variant));
  SetUsed(file, variant);
  opened_.push_back({file, variant, window_, std::move(made)});
  ScanFile* const scanned = opened_.back().scanned.get();
  if (joint_.Add(scanned->places())) {
    for (const Opened& other : opened_)
      other.scanned->SetMap(joint_.MapOf(other.scanned->places()));
  } else {
    scanned->SetMap(joint_.MapOf(scanned->places()));
  }
  return scanned;
}

Result<std::shared_ptr<ScanFile>> ScanFiles::OpenAhead(size_t file, size_t variant) {
  std::unique_lock lock(mutex_);
  const auto find = [&] {
    return std::find_if(openings_.begin(), openings_.end(), [&](const Opening& opening) {
      return opening.file == file && opening.variant == variant;
    });
  };
  for (auto known = find(); known != openings_.end(); known = find()) {
    if (known->made != nullptr) return known->made;
    changed_.wait(lock);
  }
  openings_.push_back({.file = file, .variant = variant, .made = nullptr});
  lock.unlock();
  // Others wait for it, whatever happens.
  auto made = NoThrow([&] { return Make(file, variant); });
  lock.lock();
  if (made.ok()) {
    find()->made = *made;
  } else {
    openings_.erase(find());
  }
  changed_.notify_all();
  return made;
}

Result<std::shared_ptr<ScanFile>> ScanFiles::Make(size_t file, size_t variant) {
  FileRequest request = asked_->RequestOf(*dataset_, file, variant);
  request.wants_sessions = wants_sessions_;
  std::vector<std::unique_ptr<ScanMember>> members;
  DSI_ASSIGN_OR_RETURN(std::shared_ptr<const Reader> reader, dataset_->Acquire(file));
  members.push_back(ScanMember::Make(std::move(reader), {}, workers_, budget_));
  for (const uint32_t overlay : request.overlays) {
    DSI_ASSIGN_OR_RETURN(reader, dataset_->AcquireOverlay(overlay));
    const std::span<const PlacedOverlay> placed = dataset_->overlays_of(file);
    const auto at = std::find_if(placed.begin(), placed.end(),
                                 [&](const PlacedOverlay& one) { return one.overlay == overlay; });
    members.push_back(ScanMember::Make(std::move(reader), at->stripes, workers_, budget_));
  }
  auto opened =
      ScanFile::Open(std::move(members), std::move(request), asked_->plan(), coming_, budget_);
  if (!opened.ok()) return opened.status().At(dataset_->files()[file].path);
  (*opened)->SetFilterReading(filter_fetcher_, &guess_);
  for (const std::unique_ptr<ScanMember>& member : (*opened)->members()) {
    member->shared()->fetcher = fetcher_;
    member->shared()->owner = *opened;
  }
  return opened;
}

bool ScanFiles::MayOpenAhead(size_t file) {
  const std::lock_guard lock(mutex_);
  size_t unused = 0;
  for (const Opening& opening : openings_) {
    if (opening.file == file) return true;
    unused += opening.is_used ? 0 : 1;
  }
  return unused < kIdleFiles;
}

void ScanFiles::SetUsed(size_t file, size_t variant) {
  const std::lock_guard lock(mutex_);
  for (Opening& opening : openings_) {
    if (opening.file == file && opening.variant == variant) opening.is_used = true;
  }
}

void ScanFiles::Forget(size_t file, size_t variant) {
  const std::lock_guard lock(mutex_);
  std::erase_if(openings_, [&](const Opening& opening) {
    return opening.file == file && opening.variant == variant;
  });
}

void ScanFiles::CloseUnused() {
  size_t idle = 0;
  for (const Opened& opened : opened_) idle += opened.window != window_ ? 1 : 0;
  while (idle > kIdleFiles) {
    const auto oldest =
        std::min_element(opened_.begin(), opened_.end(),
                         [](const Opened& a, const Opened& b) { return a.window < b.window; });
    Forget(oldest->file, oldest->variant);
    opened_.erase(oldest);
    --idle;
  }
}

}  // namespace dsi::internal
