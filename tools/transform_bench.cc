// A pipeline on unique rows, as a scan runs it, against the same steps on expanded rows, as a
// trainer would that gets a batch of plain lists.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dsi/base/error_internal.h"
#include "dsi/tools/inspect_internal.h"
#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"
#include "dsi/tools/progress_internal.h"
#include "dsi/tools/text_table_internal.h"
#include "dsi/tools/transform_internal.h"

namespace dsi::tools {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

struct Round {
  uint64_t rows = 0;
  uint64_t batches = 0;
  double seconds = 0;
  double step_seconds = 0;  // Of it, steps on expanded rows.
};

double RateOf(const Round& round) {
  return round.seconds == 0 ? 0 : static_cast<double>(round.rows) / round.seconds;
}

// Features of the plan as rows of a batch: lists jagged, numbers one in each row.
class ExpandedRows {
 public:
  explicit ExpandedRows(const TransformPlan& plan) : plan_(plan) {}

  // Each column once: ids may be taken with their weights and by themselves.
  std::vector<Projection> Projections() {
    std::vector<Projection> projections;
    const auto place = [&](const std::string& name, Layout layout, Type type) {
      const auto [at, is_new] = places_.emplace(name, projections.size());
      if (!is_new) return at->second;
      Projection projection = {.name = name, .layout = layout, .dtype = type};
      if (layout == Layout::kPadded) projection.width = 1;
      projection.bit_cast = type == Type::kInt64;
      projections.push_back(std::move(projection));
      return at->second;
    };
    inputs_.clear();
    places_.clear();
    for (const TransformFeature& feature : plan_.features()) {
      const bool is_number = feature.type.shape == RowShape::kNumber;
      const bool is_scored = feature.type.shape == RowShape::kScored;
      Input& input = inputs_.emplace_back();
      input.values = place(is_scored ? feature.name + ".ids" : feature.name,
                           is_number ? Layout::kPadded : Layout::kJagged, feature.type.type);
      if (is_scored)
        input.scores = place(feature.name + ".weights", Layout::kJagged, Type::kFloat32);
    }
    return projections;
  }

  // A batch of these projections.
  Status Run(const Batch& batch) {
    views_.clear();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      RowsView& view = views_.emplace_back();
      view.type = plan_.features()[i].type;
      view.num_rows = batch.num_rows();
      if (view.type.shape == RowShape::kNumber) {
        DSI_ASSIGN_OR_RETURN(const PaddedView padded, batch.Padded(inputs_[i].values));
        view.values = padded.values;
        view.present = padded.present;
        continue;
      }
      DSI_ASSIGN_OR_RETURN(const JaggedView jagged, batch.Jagged(inputs_[i].values));
      view.values = jagged.values;
      view.present = jagged.present;
      view.begins = jagged.offsets;
      view.ends = jagged.offsets + 1;
      if (view.type.shape != RowShape::kScored) continue;
      DSI_ASSIGN_OR_RETURN(const JaggedView scores, batch.Jagged(inputs_[i].scores));
      view.scores = static_cast<const float*>(scores.values);
    }
    return plan_.Run(views_, &results_);
  }

 private:
  struct Input {  // Positions in the projections.
    size_t values = 0;
    size_t scores = 0;
  };

  const TransformPlan& plan_;
  std::vector<Input> inputs_;
  std::map<std::string, size_t> places_;
  std::vector<RowsView> views_;
  std::vector<RowsBuilder> results_;
};

class Measurement {
 public:
  Measurement(const TransformJob& job, uint64_t num_rows, Progress* progress)
      : job_(job), num_rows_(num_rows), progress_(progress), expanded_rows_(job.plan) {}

  // Lists that the pipeline makes in this layout; numbers one in each row.
  Result<Round> OnUniqueRows(Layout layout) {
    DatasetScanOptions options;
    options.pipeline = job_.pipeline;
    options.scan = job_.scan;
    for (const size_t stage : job_.plan.outputs()) {
      const TransformStage& made = job_.plan.stages()[stage];
      const bool is_number = made.type.shape == RowShape::kNumber;
      options.scan.features.push_back(
          {.name = made.name, .layout = is_number ? Layout::kPadded : layout});
    }
    return Scan(options, [](const Batch&) { return Status::Ok(); });
  }

  Result<Round> OnExpandedRows() {
    DatasetScanOptions options;
    options.scan = job_.scan;
    options.scan.features = expanded_rows_.Projections();
    return Scan(options, [this](const Batch& batch) { return expanded_rows_.Run(batch); });
  }

 private:
  Result<Round> Scan(const DatasetScanOptions& options,
                     const std::function<Status(const Batch&)>& work) {
    Round round;
    const auto start = Clock::now();
    DSI_ASSIGN_OR_RETURN(const auto scan, job_.dataset->NewScan(options));
    const uint64_t total = std::min(num_rows_, job_.dataset->num_rows());
    while (round.rows < num_rows_) {
      DSI_ASSIGN_OR_RETURN(const bool more, scan->Next(&batch_));
      if (!more) break;
      const auto before = Clock::now();
      DSI_RETURN_IF_ERROR(work(batch_));
      round.step_seconds += Seconds(before);
      round.rows += batch_.num_rows();
      ++round.batches;
      if (!progress_->Update("reading", round.rows, total, ProgressUnit::kRows))
        return CheckInterrupt();
    }
    round.seconds = Seconds(start);
    return round;
  }

  const TransformJob& job_;
  uint64_t num_rows_;
  Progress* progress_;
  ExpandedRows expanded_rows_;
  Batch batch_;
};

struct Rounds {
  Round unique;    // IKJT.
  Round spread;    // Made once per unique row, then jagged.
  Round expanded;  // Jagged, then made.
};

Status Print(const Rounds& best, Console* console) {
  const double unique = RateOf(best.unique);
  const double spread = RateOf(best.spread);
  const double expanded = RateOf(best.expanded);
  if (console->json) {
    return PrintJson({{"rows", best.unique.rows},
                      {"batches", best.unique.batches},
                      {"rows_per_second_ikjt", unique},
                      {"rows_per_second_jagged", spread},
                      {"rows_per_second_expanded", expanded},
                      {"step_seconds_expanded", best.expanded.step_seconds},
                      {"ratio_ikjt", expanded == 0 ? 0 : unique / expanded},
                      {"ratio_jagged", expanded == 0 ? 0 : spread / expanded}},
                     console);
  }
  using Align = TextTable::Align;
  TextTable table({{.title = "steps run on"},
                   {.title = "lists of a batch"},
                   {.title = "rows/s", .align = Align::kRight},
                   {.title = "against expanded", .align = Align::kRight}});
  table.AddRow({"unique rows", "unique rows and an index (IKJT)", RateText(unique),
                FactorText(unique, expanded)});
  table.AddRow(
      {"unique rows", "every row (jagged)", RateText(spread), FactorText(spread, expanded)});
  table.AddRow({"expanded rows", "every row (jagged)", RateText(expanded), "1.0x"});
  const double share =
      best.expanded.seconds == 0 ? 0 : best.expanded.step_seconds / best.expanded.seconds;
  return console->Print(
      fmt::format("{}, {}\n", CountOf(best.unique.batches, "batch"),
                  CountOf(best.unique.rows, "row")) +
      table.Render(*console) +
      fmt::format("Of the last, the steps take {:.0f} %, reading the rest.\n", 100 * share));
}

}  // namespace

Status BenchTransform(const TransformJob& job, uint64_t num_rows, uint32_t repeat,
                      Console* console) {
  Progress progress(*console);
  Measurement measurement(job, num_rows, &progress);
  Rounds best;
  const auto keep = [](const Round& round, Round* kept) {
    if (kept->seconds == 0 || round.seconds < kept->seconds) *kept = round;
  };
  for (uint32_t i = 0; i < repeat; ++i) {
    DSI_ASSIGN_OR_RETURN(const Round unique, measurement.OnUniqueRows(Layout::kIkjt));
    DSI_ASSIGN_OR_RETURN(const Round spread, measurement.OnUniqueRows(Layout::kJagged));
    DSI_ASSIGN_OR_RETURN(const Round expanded, measurement.OnExpandedRows());
    keep(unique, &best.unique);
    keep(spread, &best.spread);
    keep(expanded, &best.expanded);
  }
  progress.Clear();
  return Print(best, console);
}

}  // namespace dsi::tools
