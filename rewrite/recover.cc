#include "dsi/rewrite/recover.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/same_file_internal.h"
#include "dsi/rewrite/copy_rows_internal.h"
#include "dsi/rewrite/readable_rows_internal.h"
#include "dsi/rewrite/rewritten_schema_internal.h"

namespace dsi {
namespace {

using internal::ReadableRows;
using Phase = RewriteProgress::Phase;

// A row without it would be clustered, counted or learned from as another one.
bool MustBeThere(const FeatureSpec& feature) {
  return feature.kind == Kind::kKey || feature.kind == Kind::kLabel ||
         feature.kind == Kind::kTimestamp;
}

class Recovery {
 public:
  Recovery(const Dataset& from, const RecoverOptions& options, uint32_t reading_quarters,
           bool* needs_more)
      : from_(from),
        options_(options),
        reading_quarters_(reading_quarters),
        needs_more_(needs_more) {
    progress_.rows_total = from.num_rows();
  }

  Result<RecoverReport> Run(const std::string& to) {
    DSI_RETURN_IF_ERROR(CheckIsAnother(to));
    DSI_ASSIGN_OR_RETURN(plan_, internal::PlanRewrite(from_, {}, options_.writer));
    for (const auto& of_feature : plan_.sources) num_features_ += of_feature.empty() ? 0 : 1;
    DSI_ASSIGN_OR_RETURN(const auto writer, NewWriter(to));
    internal::RowCopy trial = NewCopy(plan_);
    trial.progress = [this](uint64_t rows_done) { return Tell(Phase::kCheck, rows_done); };
    DSI_ASSIGN_OR_RETURN(std::vector<ReadableRows> parts, internal::FindReadableRows(trial));
    for (const ReadableRows& part : parts) NoteLost(part);
    std::erase_if(parts, [this](const ReadableRows& part) { return IsLeftOut(part); });
    if (parts.empty() && !report_.lost.empty()) {
      const Status& why = report_.lost[0].why;
      const std::string_view of = options_.keep_rows ? "" : " in all features";
      return Status(why.code(), fmt::format("no row can be read{}: {}", of, why.message()));
    }
    DSI_RETURN_IF_ERROR(Copy(parts, writer.get()));
    DSI_ASSIGN_OR_RETURN(report_.written, writer->Finish());
    return std::move(report_);
  }

 private:
  bool Tell(Phase phase, uint64_t rows_done) {
    progress_.phase = phase;
    progress_.rows_done = rows_done;
    return !options_.progress || options_.progress(progress_);
  }

  // What is lost now may be read by somebody later.
  Status CheckIsAnother(const std::string& to) const {
    const auto check = [&](const std::string& path) {
      if (!internal::IsSameFile(to, path)) return Status::Ok();
      return internal::InvalidArgument(
          "{}: one of the files that are read, which stay as they are; name another one", to);
    };
    for (const DatasetFile& file : from_.files()) {
      DSI_RETURN_IF_ERROR(check(file.path));
      for (const std::string& overlay : file.overlays) DSI_RETURN_IF_ERROR(check(overlay));
    }
    return Status::Ok();
  }

  bool IsLeftOut(const ReadableRows& part) const {
    if (part.unreadable.empty()) return false;
    return !options_.keep_rows || part.unreadable.size() == num_features_ ||
           std::any_of(part.unreadable.begin(), part.unreadable.end(), [this](size_t feature) {
             return MustBeThere(plan_.schema.features[feature]);
           });
  }

  void NoteLost(const ReadableRows& part) {
    if (part.unreadable.empty()) return;
    const uint64_t first_row = from_.files()[part.file].first_row;
    LostRows& lost = report_.lost.emplace_back();
    lost.file = part.file;
    lost.begin = part.rows.begin - first_row;
    lost.end = part.rows.end - first_row;
    for (const size_t feature : part.unreadable)
      lost.features.push_back(plan_.schema.features[feature].name);
    lost.left_out = IsLeftOut(part);
    lost.why = part.why;
  }

  Result<std::unique_ptr<Writer>> NewWriter(const std::string& to) {
    WriterOptions writer_options = internal::WritersShare(options_.writer, reading_quarters_);
    writer_options.progress = [this](const WriteProgress& now) {
      progress_.write = now;
      return Tell(Phase::kWrite, rows_read_);
    };
    return Writer::Create(to, plan_.schema, writer_options);
  }

  internal::RowCopy NewCopy(const internal::RewritePlan& plan) const {
    internal::RowCopy copy = internal::NewRowCopy(from_, plan, options_.writer);
    copy.reading_quarters = reading_quarters_;
    copy.needs_more = needs_more_;
    return copy;
  }

  Status Copy(std::span<const ReadableRows> parts, Writer* writer) {
    while (!parts.empty()) DSI_RETURN_IF_ERROR(CopyAlike(&parts, writer));
    return Status::Ok();
  }

  // The first of these parts, and those behind it that have the same features, in one scan.
  Status CopyAlike(std::span<const ReadableRows>* parts, Writer* writer) {
    internal::RewritePlan readable = plan_;
    const std::vector<size_t>& unreadable = parts->front().unreadable;
    for (const size_t feature : unreadable) readable.sources[feature].clear();
    internal::RowCopy copy = NewCopy(readable);
    for (; !parts->empty(); *parts = parts->subspan(1)) {
      if (parts->front().unreadable != unreadable) break;
      copy.ranges.push_back(parts->front().rows);
    }
    const uint64_t before = rows_read_;
    copy.progress = [&](uint64_t rows_done) {
      rows_read_ = before + rows_done;
      return Tell(Phase::kRead, rows_read_);
    };
    return internal::CopyRows(copy, [&](size_t num_rows, std::span<const FeatureColumns> columns,
                                        std::span<const uint64_t> /*numbers*/) {
      return writer->AppendColumns(num_rows, columns);
    });
  }

  const Dataset& from_;
  const RecoverOptions& options_;
  const uint32_t reading_quarters_;
  bool* const needs_more_;
  internal::RewritePlan plan_;
  size_t num_features_ = 0;  // That the dataset has.
  RewriteProgress progress_;
  RecoverReport report_;
  uint64_t rows_read_ = 0;
};

}  // namespace

Result<RecoverReport> Recover(const Dataset& from, const std::string& to,
                              const RecoverOptions& options) {
  return internal::NoThrow([&] {
    uint32_t quarters = 1;
    return internal::WithEnoughToRead(&quarters, [&](uint32_t of_reading, bool* needs_more) {
      return Recovery(from, options, of_reading, needs_more).Run(to);
    });
  });
}

}  // namespace dsi
