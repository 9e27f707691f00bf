#include "dsi/rewrite/overlay_job_internal.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/base/machine_memory_internal.h"
#include "dsi/io/nameless_file_internal.h"
#include "dsi/io/open.h"
#include "dsi/io/uri_internal.h"
#include "dsi/rewrite/base_rows_internal.h"
#include "dsi/rewrite/copy_rows_internal.h"
#include "dsi/rewrite/overlay_outputs_internal.h"

namespace dsi::internal {
namespace {

using Phase = RewriteProgress::Phase;

// By this feature rows are sorted before they become an overlay: the row of it that each is.
constexpr char kRowName[] = "__row";

// Bytes that a row of a base takes while rows are found by a key.
constexpr uint64_t kBytesOfKey = 96;
constexpr uint64_t kShareOfKeys = 4;  // Of the memory.

class Job {
 public:
  Job(const Dataset& from, const OverlayOptions& options) : from_(from), options_(options) {}

  // `writes_empty`: also overlays of bases of which no row is given.
  Result<OverlaysReport> Run(std::vector<OverlayTarget> targets, bool writes_empty) {
    if (options_.writer.input_is_clustered)
      return InvalidArgument("rows of an overlay stand as those of its base, and have no keys");
    if (options_.broadcast && options_.key.empty())
      return InvalidArgument("broadcast is of rows that share a key, and none is named");
    if (targets.empty()) return InvalidArgument("the bases have no rows");
    targets_ = std::move(targets);
    uint64_t first = 0;
    for (OverlayTarget& target : targets_) {
      target.first = first;
      first = target.end();
    }
    DSI_RETURN_IF_ERROR(FindFeatures());
    outputs_.emplace(OverlayOutputs::Input{.schema = &plan_.schema,
                                           .writer = ToldWriter(),
                                           .targets = targets_,
                                           .writes_empty = writes_empty,
                                           .begins = [this](size_t i) { Begins(i); }});
    progress_.num_shards = static_cast<uint32_t>(targets_.size());
    OverlaysReport report;
    Status status = options_.key.empty() ? WriteInOrder() : WriteByKey(&report.num_unused);
    if (status.ok()) status = outputs_->FinishBefore(first);
    report.bases = outputs_->TakeReports();
    if (status.ok()) return report;
    return Failed(status, report.bases);
  }

 private:
  // With the overlays that stay.
  Status Failed(const Status& status, const std::vector<BaseOverlay>& bases) const {
    const auto written =
        static_cast<size_t>(std::count_if(bases.begin(), bases.end(), [](const BaseOverlay& made) {
          return made.is_written && made.report.write.num_rows != 0;
        }));
    if (written == 0) return status;
    return {status.code(), fmt::format("{}; {} of {} overlays were written before",
                                       status.message(), written, targets_.size())};
  }

  void Begins(size_t target) { progress_.shard = static_cast<uint32_t>(target); }

  Status FindFeatures() {
    FeatureChanges changes = options_.features;
    const auto names_key = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), options_.key) != names.end();
    };
    if (!options_.key.empty() && !changes.schema && !names_key(changes.only) &&
        !names_key(changes.drop))
      changes.drop.push_back(options_.key);
    DSI_ASSIGN_OR_RETURN(plan_, PlanFeatures(from_, changes));
    plan_.schema.cluster_by.clear();
    const bool has_any = std::any_of(plan_.sources.begin(), plan_.sources.end(),
                                     [](const auto& of_feature) { return !of_feature.empty(); });
    if (!has_any)
      return InvalidArgument("the rows have no feature beside {}, so that there is nothing to add",
                             QuoteForMessage(options_.key));
    // What is given for a key is the state of that: it repeats together.
    if (options_.broadcast && plan_.schema.groups.empty()) {
      GroupSpec& group = plan_.schema.groups.emplace_back();
      group.name = options_.key;
      for (const FeatureSpec& feature : plan_.schema.features)
        group.features.push_back(feature.name);
    }
    return Status::Ok();
  }

  bool Tell() const { return !options_.progress || options_.progress(progress_); }

  Status WriteInOrder() {
    uint64_t given = 0;
    DSI_ASSIGN_OR_RETURN(given, CountGiven());
    uint64_t wanted = 0;
    uint64_t deleted = 0;
    for (const OverlayTarget& target : targets_) {
      wanted += target.num_rows - target.num_deleted;
      deleted += target.num_deleted;
    }
    if (given != wanted) {
      return InvalidArgument(
          "{} rows for {} of the base{}{}; without a key each stands for one, in the base's order",
          given, wanted, targets_.size() == 1 ? "" : "s",
          deleted == 0 ? "" : " that are not deleted");
    }
    size_t target = 0;
    std::vector<uint64_t> kept;  // Of a base.
    size_t at = 0;
    std::vector<uint64_t> places;
    const auto take = [&](BatchColumns* columns, std::span<const uint64_t> numbers) -> Status {
      places.clear();
      while (places.size() < numbers.size()) {
        for (; at == kept.size(); ++target, at = 0) {
          if (target == targets_.size()) return Changed();
          DSI_ASSIGN_OR_RETURN(kept, PlacesInOrder(targets_[target]));
        }
        places.push_back(kept[at++]);
      }
      return outputs_->Put(columns, places);
    };
    return CopyBatches(CopyOf(from_, plan_), take);
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

  static Status Changed() { return InvalidArgument("the rows changed while they were read"); }

  Status WriteByKey(uint64_t* num_unused) {
    const KeyMatch match{options_.key, options_.broadcast};
    const uint64_t memory =
        options_.writer.memory_bytes != 0 ? options_.writer.memory_bytes : MachineMemory() / 4 * 3;
    const uint64_t most_rows = memory / kShareOfKeys / kBytesOfKey;
    std::vector<bool> used;
    for (size_t begin = 0; begin < targets_.size();) {
      size_t end = begin + 1;
      while (end < targets_.size() && targets_[end].end() - targets_[begin].first <= most_rows)
        ++end;
      const std::span<const OverlayTarget> bases(&targets_[begin], end - begin);
      progress_.phase = Phase::kKeys;
      progress_.shard = static_cast<uint32_t>(begin);
      progress_.rows_total = bases.back().end() - bases.front().first + from_.num_rows();
      const auto progress = [this](uint64_t rows_done) {
        progress_.rows_done = rows_done;
        return Tell();
      };
      DSI_ASSIGN_OR_RETURN(KeyedPlaces places, PlacesByKey(bases, from_, match, progress, &used));
      DSI_RETURN_IF_ERROR(places.is_ascending ? Place(from_, plan_, places.of_row)
                                              : SortAndPlace(bases.front(), std::move(places)));
      DSI_RETURN_IF_ERROR(outputs_->FinishBefore(bases.back().end()));
      begin = end;
    }
    *num_unused = static_cast<uint64_t>(std::count(used.begin(), used.end(), false));
    return Status::Ok();
  }

  WriterOptions ToldWriter() {
    WriterOptions writer = WritersShare(options_.writer);
    writer.cluster_by.clear();
    writer.progress = [this](const WriteProgress& now) {
      progress_.phase = Phase::kWrite;
      progress_.write = now;
      return Tell();
    };
    return writer;
  }

  RowCopy CopyOf(const Dataset& from, const RewritePlan& plan) {
    RowCopy copy = NewRowCopy(from, plan, options_.writer);
    copy.progress = [this, total = from.num_rows()](uint64_t rows_done) {
      progress_.phase = Phase::kRead;
      progress_.rows_done = rows_done;
      progress_.rows_total = total;
      return Tell();
    };
    return copy;
  }

  // Hands all rows to `take`, with the place of each.
  template <typename Take>
  Status CopyPlaced(const Dataset& from, const RewritePlan& plan, std::span<const uint64_t> places,
                    const Take& take) {
    return CopyBatches(CopyOf(from, plan),
                       [&](BatchColumns* columns, std::span<const uint64_t> numbers) -> Status {
                         if (numbers.size() > places.size()) return Changed();
                         DSI_RETURN_IF_ERROR(take(columns, places.first(numbers.size())));
                         places = places.subspan(numbers.size());
                         return Status::Ok();
                       });
  }

  // Of rows whose places ascend.
  Status Place(const Dataset& from, const RewritePlan& plan, std::span<const uint64_t> places) {
    return CopyPlaced(from, plan, places,
                      [&](BatchColumns* columns, std::span<const uint64_t> own) {
                        return outputs_->Put(columns, own);
                      });
  }

  // The rows that are used, sorted by the writer in a file of its own, and then as Place.
  Status SortAndPlace(const OverlayTarget& first, KeyedPlaces places) {
    WriterOptions writer = ToldWriter();
    writer.dedup = writer.find_groups = writer.verify_after_encode = false;
    if (writer.spill_folder.empty()) writer.spill_folder = FolderOf(first.path);
    DSI_ASSIGN_OR_RETURN(const auto sorted, NamelessFile::Create(writer.spill_folder));
    RewritePlan plan = plan_;
    FeatureSpec& row = plan.schema.features.emplace_back();
    row.name = kRowName;
    row.kind = Kind::kTimestamp;
    row.columns = {
        {.name = "", .type = Type::kInt64, .id_space = "", .time_unit = TimeUnit::kSeconds}};
    plan.schema.cluster_by = {kRowName};
    plan.schema.groups.clear();
    // What is rounded is rounded once, in the end.
    for (FeatureSpec& feature : plan.schema.features) {
      for (ColumnSpec& column : feature.columns) {
        column.precision = Precision::kExact;
        column.max_error = 0;
      }
    }
    DSI_ASSIGN_OR_RETURN(const auto sorter, Writer::Create(sorted.Write(), plan.schema, writer));
    DSI_RETURN_IF_ERROR(CopyPlaced(from_, plan_, places.of_row,
                                   [&](BatchColumns* columns, std::span<const uint64_t> own) {
                                     return AppendNumbered(places, own, columns, sorter.get());
                                   }));
    DSI_RETURN_IF_ERROR(sorter->Finish().status());
    const std::vector<uint64_t> all = places.All();
    places = {};
    DSI_ASSIGN_OR_RETURN(const auto again, Dataset::Open(sorted.path()));
    return Place(*again, PlanOfSorted(), all);
  }

  // The sorted file has features under the names, and of the types, that the overlay gives them.
  RewritePlan PlanOfSorted() const {
    RewritePlan plan{.schema = plan_.schema, .sources = {}};
    for (size_t f = 0; f < plan_.sources.size(); ++f) {
      std::vector<Projection>& asked = plan.sources.emplace_back();
      for (size_t c = 0; c < plan_.sources[f].size(); ++c)
        asked.push_back(AskForColumn(plan_.schema.features[f], c));
    }
    return plan;
  }

  // The rows that are used, each as often as it has places, with these behind the other features:
  // first one of each row, then another of those that have more, so that rows stay together.
  static Status AppendNumbered(const KeyedPlaces& places, std::span<const uint64_t> of_row,
                               BatchColumns* columns, Writer* sorter) {
    const size_t number = sorter->schema()->features.size() - 1;
    std::vector<uint64_t> left(of_row.begin(), of_row.end());
    std::vector<int64_t> numbers;
    std::vector<FeatureColumns> numbered;
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (size_t row = 0; row < left.size();) {
        size_t end = row;
        numbers.clear();
        for (; end < left.size() && left[end] != kNoRow; ++end) {
          numbers.push_back(static_cast<int64_t>(left[end]));
          left[end] = places.After(left[end]);
          is_done = is_done && left[end] == kNoRow;
        }
        if (end != row) {
          const std::span<const FeatureColumns> own = columns->Rows(row, end);
          numbered.assign(own.begin(), own.end());
          FeatureColumns& of_number = numbered.emplace_back();
          of_number.feature = number;
          of_number.values = {numbers.data()};
          DSI_RETURN_IF_ERROR(sorter->AppendColumns(end - row, numbered));
        }
        row = std::max(end, row + 1);
      }
    }
    return Status::Ok();
  }

  const Dataset& from_;
  const OverlayOptions& options_;
  std::vector<OverlayTarget> targets_;
  RewritePlan plan_;
  std::optional<OverlayOutputs> outputs_;
  RewriteProgress progress_;
};

}  // namespace

Result<OverlaysReport> WriteTargets(const Dataset& from, std::vector<OverlayTarget> targets,
                                    bool writes_empty, const OverlayOptions& options) {
  return Job(from, options).Run(std::move(targets), writes_empty);
}

}  // namespace dsi::internal
