#include "dsi/text/infer/rows_together_internal.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "dsi/base/no_throw_internal.h"
#include "dsi/base/parallel_internal.h"
#include "dsi/base/worker_team_internal.h"
#include "dsi/text/lines/text_blocks_internal.h"

namespace dsi::internal {
namespace {

// One thread's looker, and what it looked at.
struct Part {
  explicit Part(const InferOptions& options) : lines(options.text.max_line_bytes) {}

  RowLooker* looker = nullptr;
  LineSource lines;
  TextBlock block;
  uint64_t rows = 0;

  // False where a row cannot be read.
  bool LookAtBlock(const std::string& file) {
    lines.StartBlock(block, file);
    if (!looker->StartFile(&lines, static_cast<uint32_t>(block.file), true).ok()) return false;
    while (true) {
      const Result<bool> more = looker->LookAtRow();
      if (!more.ok()) return false;
      if (!*more) return block.end.ok();
      ++rows;
    }
  }
};

class Together {
 public:
  Together(TextFiles files, const InferOptions& options)
      : blocks_(std::move(files), options.text, no_schema_, {}), options_(options) {}

  Status Open() { return blocks_.OpenNext(); }

  // Looks at blocks for as long as there are some and `wants` more.
  template <typename Wants>
  Status Look(Part* part, const Wants& wants) {
    while (!starts_anew_ && wants()) {
      {
        const std::lock_guard lock(mutex_);
        if (!blocks_.Read(&part->block)) break;
      }
      if (!part->LookAtBlock(blocks_.Name(part->block.file))) starts_anew_ = true;
      // In the caller's thread.
      if (!options_.progress || WorkerTeam::current() != 0) continue;
      if (options_.progress(part->block.bytes_done, blocks_.bytes_total())) continue;
      starts_anew_ = true;
      return {StatusCode::kCancelled, "cancelled while finding a schema"};
    }
    return {};
  }
  bool starts_anew() const { return starts_anew_; }

 private:
  std::mutex mutex_;
  const Schema no_schema_;
  TextBlocks blocks_;
  const InferOptions& options_;
  std::atomic<bool> starts_anew_ = false;
};

}  // namespace

Result<bool> LookTogether(RowLooker* first, const std::function<std::unique_ptr<RowLooker>()>& make,
                          TextFiles files, const InferOptions& options, InferReport* report) {
  Together together(std::move(files), options);
  if (!together.Open().ok()) return false;
  // Keys are looked for in the first rows alone.
  Part own(options);
  own.looker = first;
  DSI_RETURN_IF_ERROR(together.Look(&own, [&] { return !first->sample().is_full(); }));
  if (together.starts_anew()) return false;
  report->rows = own.rows;
  if (!first->sample().is_full()) return true;

  const auto threads = static_cast<size_t>(NumThreads(options.text.threads));
  std::vector<std::unique_ptr<RowLooker>> others;
  std::vector<std::unique_ptr<Part>> parts;
  for (size_t i = 0; i < threads; ++i) {
    others.push_back(make());
    others.back()->NoteOffers();
    others.back()->sample().Close();
    parts.push_back(std::make_unique<Part>(options));
    parts.back()->looker = others.back().get();
  }
  WorkerTeam team(threads);
  DSI_RETURN_IF_ERROR(team.Run(
      threads, [&](size_t i) { return together.Look(parts[i].get(), [] { return true; }); }));
  if (together.starts_anew() || !first->MergeAll(others)) return false;
  for (const auto& part : parts) report->rows += part->rows;
  return true;
}

}  // namespace dsi::internal
