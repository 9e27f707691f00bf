#include "dsi/rewrite/compact_table.h"

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/dataset.h"
#include "dsi/dataset/dataset_access_internal.h"
#include "dsi/dataset/files/dataset_files_internal.h"
#include "dsi/dataset/files/manifest_internal.h"
#include "dsi/dataset/files/snapshot_head_internal.h"
#include "dsi/rewrite/cancelled_internal.h"
#include "dsi/rewrite/rewrite.h"
#include "dsi/rewrite/table_files_internal.h"

namespace dsi {
namespace {

class Compaction {
 public:
  Compaction(Table* table, const CompactOptions& options)
      : table_(*table), options_(options), job_("compact-" + internal::RandomDigits()) {}

  Result<CompactReport> Run() {
    DSI_ASSIGN_OR_RETURN(report_.snapshot, table_.Newest());
    if (report_.snapshot.num_files == 0) return std::move(report_);
    DSI_ASSIGN_OR_RETURN(const auto dataset, internal::OpenSnapshot(table_, report_.snapshot));
    const internal::DatasetFiles& files = internal::DatasetAccess::Files(*dataset);
    FindRuns(files);
    if (report_.merged.empty() || options_.dry_run) return std::move(report_);
    DSI_ASSIGN_OR_RETURN(const internal::ManifestContent content, files.Content({}));
    uint64_t total = 0;
    for (const std::vector<std::string>& run : report_.merged) total += run.size();
    uint64_t done = 0;
    for (size_t i = 0; i < report_.merged.size(); ++i) {
      if (options_.progress && !options_.progress(done, total))
        return internal::CancelledByProgress();
      const std::vector<std::string>& run = report_.merged[i];
      std::set<std::string> paths;
      for (const std::string& name : run) paths.insert(table_.where() + name);
      DSI_ASSIGN_OR_RETURN(const auto from, internal::SomeOf(files, content, paths));
      DSI_RETURN_IF_ERROR(Merge(*from, run, job_ + "-" + std::to_string(i)));
      done += report_.merged[i].size();
    }
    return std::move(report_);
  }

 private:
  // With a file of equal rows, which would be left without them.
  static bool SharesOverlays(const internal::DatasetFiles& files, size_t i) {
    return std::ranges::any_of(files.overlays_of(i), [&](const internal::PlacedOverlay& placed) {
      return files.overlays()[placed.overlay].facts.base_path.empty();
    });
  }

  void FindRuns(const internal::DatasetFiles& files) {
    std::vector<std::string> run;
    uint64_t bytes = 0;
    bool is_worth_it = false;
    const auto end_run = [&] {
      if (is_worth_it) {
        report_.merged.push_back(run);
        report_.bytes_before += bytes;
      }
      run.clear();
      bytes = 0;
      is_worth_it = false;
    };
    for (size_t i = 0; i < files.files().size(); ++i) {
      const DatasetFile& file = files.files()[i];
      const std::span<const internal::PlacedOverlay> overlays = files.overlays_of(i);
      uint64_t all_bytes = file.bytes;
      for (const internal::PlacedOverlay& placed : overlays)
        all_bytes += files.overlays()[placed.overlay].facts.bytes;
      const bool stays = overlays.empty() ? file.bytes > options_.file_bytes / 4 * 3
                                          : !options_.fold_overlays || SharesOverlays(files, i);
      if (stays || bytes + all_bytes > options_.file_bytes) end_run();
      if (stays) continue;
      is_worth_it |= !run.empty() || !overlays.empty();
      run.push_back(internal::NameInTable(table_, file.path));
      for (const std::string& overlay : file.overlays)
        run.push_back(internal::NameInTable(table_, overlay));
      bytes += all_bytes;
    }
    end_run();
  }

  Status Merge(const Dataset& from, const std::vector<std::string>& names, const std::string& job) {
    DSI_ASSIGN_OR_RETURN(const auto staged, table_.Stage(job, "compact"));
    RewriteOptions rewrite;
    rewrite.writer = options_.writer;
    DSI_ASSIGN_OR_RETURN(const WriteReport written, Rewrite(from, staged->path(), rewrite));
    DSI_ASSIGN_OR_RETURN(const std::string message, staged->Finish());
    const std::vector<std::string> messages = {message};
    const TableCommitOptions commit{
        .operation = TableOperation::kReplace, .replaced = names, .message = options_.message};
    DSI_ASSIGN_OR_RETURN(report_.snapshot, table_.Commit(job, messages, commit));
    report_.bytes_after += written.file_bytes;
    return Status::Ok();
  }

  Table& table_;
  const CompactOptions& options_;
  const std::string job_;
  CompactReport report_;
};

}  // namespace

Result<CompactReport> CompactTable(Table* table, const CompactOptions& options) {
  return internal::NoThrow([&] { return Compaction(table, options).Run(); });
}

}  // namespace dsi
