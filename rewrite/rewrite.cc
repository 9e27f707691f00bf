#include "dsi/rewrite/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/rewrite/copy_rows_internal.h"
#include "dsi/rewrite/rewritten_schema_internal.h"
#include "dsi/rewrite/session_shards_internal.h"
#include "dsi/rewrite/shard_folder_internal.h"

namespace dsi {
namespace {

using Phase = RewriteProgress::Phase;

// What one call holds together.
struct Job {
  const RewriteOptions* options = nullptr;
  internal::RewritePlan plan;
  internal::RowCopy copy;
  RewriteProgress progress;

  void Start(const Dataset& from, const RewriteOptions& given);
  // Tells the caller of rows read for `phase`.
  void TellOfRows(Phase phase, uint64_t rows_total);
  Result<WriteReport> Write(const std::string& path);
  // What was enough for one shard is given to the next.
  template <typename Work>
  auto WithEnoughToRead(const Work& work) {
    return internal::WithEnoughToRead(&copy.reading_quarters,
                                      [&](uint32_t /*quarters*/, bool* needs_more) {
                                        copy.needs_more = needs_more;
                                        return work();
                                      });
  }

 private:
  Result<WriteReport> WriteOnce(const std::string& path);
};

void Job::Start(const Dataset& from, const RewriteOptions& given) {
  options = &given;
  copy = internal::NewRowCopy(from, plan, given.writer);
  copy.filter = given.filter;
}

void Job::TellOfRows(Phase phase, uint64_t rows_total) {
  copy.progress = [this, phase, rows_total](uint64_t rows_done) {
    progress.phase = phase;
    progress.rows_done = rows_done;
    progress.rows_total = rows_total;
    return !options->progress || options->progress(progress);
  };
}

Result<WriteReport> Job::Write(const std::string& path) {
  return WithEnoughToRead([&] { return WriteOnce(path); });
}

Result<WriteReport> Job::WriteOnce(const std::string& path) {
  WriterOptions writer_options = internal::WritersShare(options->writer, copy.reading_quarters);
  writer_options.progress = [this](const WriteProgress& now) {
    progress.phase = Phase::kWrite;
    progress.write = now;
    return !options->progress || options->progress(progress);
  };
  DSI_ASSIGN_OR_RETURN(const auto writer, Writer::Create(path, plan.schema, writer_options));
  DSI_RETURN_IF_ERROR(
      internal::CopyRows(copy,
                         [&](size_t num_rows, std::span<const FeatureColumns> columns,
                             std::span<const uint64_t> /*numbers*/) -> Status {
                           return writer->AppendColumns(num_rows, columns);
                         }));
  return writer->Finish();
}

// How many rows of the files take so many bytes there.
uint64_t RowsOf(const Dataset& from, uint64_t bytes) {
  uint64_t all = 0;
  for (const DatasetFile& file : from.files()) all += file.bytes;
  if (all == 0) return UINT64_MAX;
  return static_cast<uint64_t>(static_cast<double>(bytes) * static_cast<double>(from.num_rows()) /
                               static_cast<double>(all));
}

Result<uint64_t> MaxRows(const Dataset& from, const ShardSize& size) {
  if (size.rows == 0 && size.bytes == 0)
    return internal::InvalidArgument("shards have no limit, expected one of rows or bytes");
  uint64_t rows = size.rows == 0 ? UINT64_MAX : size.rows;
  if (size.bytes != 0) rows = std::min(rows, RowsOf(from, size.bytes));
  return std::max<uint64_t>(rows, 1);
}

}  // namespace

Result<WriteReport> Rewrite(const Dataset& from, const std::string& to,
                            const RewriteOptions& options) {
  return internal::NoThrow([&]() -> Result<WriteReport> {
    Job job;
    job.Start(from, options);
    DSI_ASSIGN_OR_RETURN(job.plan, internal::PlanRewrite(from, options.features, options.writer));
    job.TellOfRows(Phase::kRead, from.num_rows());
    return job.Write(to);
  });
}

Result<std::vector<RewrittenShard>> RewriteShards(const Dataset& from, const std::string& folder,
                                                  const ShardSize& size,
                                                  const RewriteOptions& options) {
  return internal::NoThrow([&]() -> Result<std::vector<RewrittenShard>> {
    DSI_ASSIGN_OR_RETURN(const uint64_t max_rows, MaxRows(from, size));
    Job job;
    job.Start(from, options);
    DSI_ASSIGN_OR_RETURN(job.plan, internal::PlanRewrite(from, options.features, options.writer));
    DSI_ASSIGN_OR_RETURN(internal::ShardFolder files, internal::ShardFolder::Make(folder));
    job.TellOfRows(Phase::kKeys, from.num_rows());
    DSI_ASSIGN_OR_RETURN(const internal::SessionShards shards, job.WithEnoughToRead([&] {
      return internal::FindSessionShards(job.copy, max_rows);
    }));
    job.progress.num_shards = static_cast<uint32_t>(shards.ends.size());
    std::vector<RewrittenShard> written;
    for (size_t shard = 0; shard < shards.ends.size(); ++shard) {
      job.progress.shard = static_cast<uint32_t>(shard);
      job.copy.rows = shards.Rows(shard);
      job.TellOfRows(Phase::kRead, job.copy.rows.size());
      const std::string name = fmt::format("part-{:05}.dsi", shard);
      DSI_ASSIGN_OR_RETURN(WriteReport report, job.Write(files.File(name)));
      written.push_back({folder + "/" + name, std::move(report)});
    }
    DSI_RETURN_IF_ERROR(files.Publish());
    return written;
  });
}

}  // namespace dsi
