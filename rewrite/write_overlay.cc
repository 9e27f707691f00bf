#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/io/nameless_file_internal.h"
#include "dsi/io/open.h"
#include "dsi/rewrite/base_rows_internal.h"
#include "dsi/rewrite/copy_rows_internal.h"
#include "dsi/rewrite/overlay.h"

namespace dsi {
namespace {

using internal::BatchColumns;
using internal::InvalidArgument;
using internal::kNoRow;
using Phase = RewriteProgress::Phase;

// By this feature rows are sorted before they become an overlay: the row of it that each is.
constexpr char kRowName[] = "__row";

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

class Job {
 public:
  Job(const Dataset& from, const OverlayOptions& options) : from_(from), options_(options) {}

  Result<OverlayReport> Run(const std::string& base, const std::string& to) {
    DSI_ASSIGN_OR_RETURN(auto file, OpenUri(base));
    DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(std::move(file)));
    auto binding = BindOverlay(*reader, options_.rows);
    if (!binding.ok()) return binding.status().At(base);
    DSI_RETURN_IF_ERROR(PlanFeatures());
    DSI_RETURN_IF_ERROR(FindRows(*reader, *binding));
    OverlayReport report;
    report.num_given = rows_.place.size() - rows_.num_unused;
    report.num_deleted = rows_.num_deleted;
    report.num_unused = rows_.num_unused;
    WriterOptions writer = WritersShare();
    writer.overlay = *std::move(binding);
    writer.progress = [this](const WriteProgress& now) {
      progress_.phase = Phase::kWrite;
      progress_.write = now;
      return !options_.progress || options_.progress(progress_);
    };
    DSI_ASSIGN_OR_RETURN(const auto out, Writer::Create(to, plan_.schema, writer));
    DSI_RETURN_IF_ERROR(rows_.is_ascending ? Place(from_, plan_, rows_.place, out.get())
                                           : SortAndPlace(to, out.get()));
    DSI_ASSIGN_OR_RETURN(report.write, out->Finish());
    return report;
  }

 private:
  Status PlanFeatures() {
    FeatureChanges changes = options_.features;
    const auto names_key = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), options_.key) != names.end();
    };
    if (!options_.key.empty() && !changes.schema && !names_key(changes.only) &&
        !names_key(changes.drop))
      changes.drop.push_back(options_.key);
    DSI_ASSIGN_OR_RETURN(plan_, internal::PlanFeatures(from_, changes));
    plan_.schema.cluster_by.clear();
    const bool has_any = std::any_of(plan_.sources.begin(), plan_.sources.end(),
                                     [](const auto& of_feature) { return !of_feature.empty(); });
    if (has_any) return Status::Ok();
    return InvalidArgument("the rows have no feature beside {}, so that there is nothing to add",
                           internal::QuoteForMessage(options_.key));
  }

  Status FindRows(const Reader& base, const OverlayBinding& binding) {
    if (options_.key.empty()) {
      uint64_t num_given = 0;
      DSI_ASSIGN_OR_RETURN(num_given, CountGiven());
      DSI_ASSIGN_OR_RETURN(rows_, internal::RowsInOrder(base, binding, num_given));
      return Status::Ok();
    }
    progress_.phase = Phase::kKeys;
    progress_.rows_total = binding.base_rows + from_.num_rows();
    const auto progress = [this](uint64_t rows_done) {
      progress_.rows_done = rows_done;
      return !options_.progress || options_.progress(progress_);
    };
    DSI_ASSIGN_OR_RETURN(rows_, internal::RowsByKey(base, binding, from_, options_.key, progress));
    return Status::Ok();
  }

  // Those that no file of them has deleted.
  Result<uint64_t> CountGiven() const {
    uint64_t rows = 0;
    for (const DatasetFile& file : from_.files()) {
      DSI_ASSIGN_OR_RETURN(auto opened, OpenUri(file.path));
      DSI_ASSIGN_OR_RETURN(const auto reader, Reader::Open(std::move(opened)));
      rows += reader->info().num_rows - reader->info().num_deleted_rows;
    }
    return rows;
  }

  WriterOptions WritersShare() const {
    WriterOptions writer = options_.writer;
    writer.cluster_by.clear();
    writer.memory_bytes -= writer.memory_bytes / 4;
    return writer;
  }

  internal::RowCopy CopyOf(const Dataset& from, const internal::RewritePlan& plan) {
    internal::RowCopy copy;
    copy.from = &from;
    copy.plan = &plan;
    copy.memory_bytes = options_.writer.memory_bytes;
    copy.threads = static_cast<uint32_t>(std::max(0, options_.writer.threads));
    copy.progress = [this, total = from.num_rows()](uint64_t rows_done) {
      progress_.phase = Phase::kRead;
      progress_.rows_done = rows_done;
      progress_.rows_total = total;
      return !options_.progress || options_.progress(progress_);
    };
    return copy;
  }

  // Writes rows of which the i-th becomes row place[i] of the overlay, ascending but for those that
  // are not used, and rows without values between them.
  Status Place(const Dataset& from, const internal::RewritePlan& plan,
               std::span<const uint64_t> place, Writer* out) {
    uint64_t next = 0;
    const auto skip_to = [&](uint64_t row) -> Status {
      while (next < row) {
        const auto count = static_cast<size_t>(std::min<uint64_t>(row - next, 1U << 16));
        DSI_RETURN_IF_ERROR(out->AppendColumns(count, {}));
        next += count;
      }
      return Status::Ok();
    };
    const auto take = [&](BatchColumns* columns, std::span<const uint64_t> numbers) -> Status {
      if (numbers.size() > place.size())
        return InvalidArgument("the rows changed while they were read");
      for (size_t row = 0; row < numbers.size();) {
        size_t end = row + 1;
        if (place[row] == kNoRow) {
          row = end;
          continue;
        }
        DSI_RETURN_IF_ERROR(skip_to(place[row]));
        while (end < numbers.size() && place[end] == place[row] + (end - row)) ++end;
        DSI_RETURN_IF_ERROR(out->AppendColumns(end - row, columns->Rows(row, end)));
        next += end - row;
        row = end;
      }
      place = place.subspan(numbers.size());
      return Status::Ok();
    };
    DSI_RETURN_IF_ERROR(internal::CopyBatches(CopyOf(from, plan), take));
    return skip_to(rows_.num_rows);
  }

  // The rows that are used, sorted by the writer in a file of its own, and then as Place.
  Status SortAndPlace(const std::string& to, Writer* out) {
    WriterOptions writer = WritersShare();
    writer.dedup = writer.find_groups = writer.verify_after_encode = false;
    if (writer.spill_folder.empty()) writer.spill_folder = FolderOf(to);
    DSI_ASSIGN_OR_RETURN(const auto sorted, internal::NamelessFile::Create(writer.spill_folder));
    internal::RewritePlan plan = plan_;
    FeatureSpec& row = plan.schema.features.emplace_back();
    row.name = kRowName;
    row.kind = Kind::kTimestamp;
    row.time_unit = TimeUnit::kSeconds;
    row.columns = {{.name = "", .type = Type::kInt64, .id_space = ""}};
    plan.schema.cluster_by = {kRowName};
    plan.schema.groups.clear();
    // What is rounded is rounded once, in the end.
    for (FeatureSpec& feature : plan.schema.features) {
      for (ColumnSpec& column : feature.columns) column.precision = Precision::kExact;
    }
    DSI_ASSIGN_OR_RETURN(const auto sorter, Writer::Create(sorted.Write(), plan.schema, writer));
    DSI_RETURN_IF_ERROR(AppendNumbered(plan.schema.features.size() - 1, sorter.get()));
    DSI_RETURN_IF_ERROR(sorter->Finish().status());
    DSI_ASSIGN_OR_RETURN(const auto again, Dataset::Open(sorted.path()));
    std::erase(rows_.place, kNoRow);
    std::sort(rows_.place.begin(), rows_.place.end());
    return Place(*again, plan_, rows_.place, out);
  }

  // The rows that are used, with where they are to stand as feature `number`.
  Status AppendNumbered(size_t number, Writer* sorter) {
    std::span<const uint64_t> place = rows_.place;
    std::vector<int64_t> places;
    std::vector<FeatureColumns> with_places;
    const auto take = [&](BatchColumns* columns, std::span<const uint64_t> numbers) -> Status {
      if (numbers.size() > place.size())
        return InvalidArgument("the rows changed while they were read");
      for (size_t row = 0; row < numbers.size();) {
        size_t end = row;
        places.clear();
        for (; end < numbers.size() && place[end] != kNoRow; ++end)
          places.push_back(static_cast<int64_t>(place[end]));
        if (end != row) {
          const std::span<const FeatureColumns> own = columns->Rows(row, end);
          with_places.assign(own.begin(), own.end());
          FeatureColumns& of_row = with_places.emplace_back();
          of_row.feature = number;
          of_row.values = {places.data()};
          DSI_RETURN_IF_ERROR(sorter->AppendColumns(end - row, with_places));
        }
        row = end + 1;
      }
      place = place.subspan(numbers.size());
      return Status::Ok();
    };
    return internal::CopyBatches(CopyOf(from_, plan_), take);
  }

  const Dataset& from_;
  const OverlayOptions& options_;
  internal::RewritePlan plan_;
  internal::BaseRows rows_;
  RewriteProgress progress_;
};

}  // namespace

Result<OverlayReport> WriteOverlay(const Dataset& from, const std::string& base,
                                   const std::string& to, const OverlayOptions& options) {
  return internal::NoThrow([&] { return Job(from, options).Run(base, to); });
}

}  // namespace dsi
