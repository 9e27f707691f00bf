// What bench/datasets runs: scans of one file as a dataset, in several orders or with a pipeline,
// each so many times in turn. Prints a line of JSON for each case: its name and the rows per second
// of every round.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsi/dataset/dataset.h"

namespace {

using namespace dsi;
using Clock = std::chrono::steady_clock;

struct Case {
  std::string name;
  DatasetScanOptions options = {};
  // Done with each batch, as a consumer would; false: it failed.
  std::function<bool(const Batch&)> use = {};
  std::vector<double> rows_per_second = {};
};

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool Run(const Dataset& dataset, Case* one) {
  const auto start = Clock::now();
  auto scan = dataset.NewScan(one->options);
  if (!scan.ok()) {
    std::fprintf(stderr, "%s\n", scan.status().ToString().c_str());
    return false;
  }
  static Batch batch;
  uint64_t rows = 0;
  for (;;) {
    const auto more = (*scan)->Next(&batch);
    if (!more.ok()) {
      std::fprintf(stderr, "%s\n", more.status().ToString().c_str());
      return false;
    }
    if (!*more) break;
    rows += batch.num_rows();
    if (one->use && !one->use(batch)) return false;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  one->rows_per_second.push_back(static_cast<double>(rows) / seconds);
  return true;
}

std::vector<Case> OrderCases(const std::vector<std::string>& lists) {
  std::vector<Case> cases;
  const std::pair<const char*, OrderOptions> orders[] = {
      {"file order", {}},
      {"stripes, sessions of 16 Ki rows", {.unit = OrderUnit::kStripe, .mixing_rows = 16384}},
      {"stripes, sessions of 64 Ki rows", {.unit = OrderUnit::kStripe, .mixing_rows = 65536}},
      {"stripes, rows of 64 Ki rows",
       {.unit = OrderUnit::kStripe, .mixing_rows = 65536, .mix = Mix::kRows}},
      {"blocks of 64 Ki, sessions of 256 Ki rows",
       {.unit = OrderUnit::kBlock, .block_rows = 65536, .mixing_rows = 262144}},
  };
  for (const Layout layout : {Layout::kPadded, Layout::kIkjt}) {
    for (const auto& [name, order] : orders) {
      Case one;
      one.name = std::string(layout == Layout::kPadded ? "padded" : "IKJT") + "; " + name;
      for (const std::string& list : lists)
        one.options.scan.features.push_back({.name = list, .layout = layout});
      one.options.order = order;
      cases.push_back(std::move(one));
    }
  }
  return cases;
}

// Hashes of lists, buckets and logarithms of numbers.
Pipeline MakePipeline(const std::vector<std::string>& lists,
                      const std::vector<std::string>& numbers) {
  Pipeline pipeline;
  for (const std::string& list : lists) {
    pipeline.steps.push_back({.output = list + ".hashed",
                              .op = TransformOp::kSigridHash,
                              .inputs = {list},
                              .salt = 7,
                              .max = 1'000'000});
  }
  for (const std::string& number : numbers) {
    pipeline.steps.push_back({.output = number + ".bucket",
                              .op = TransformOp::kBucketize,
                              .inputs = {number},
                              .borders = {-2, -1, -.5, 0, .25, .5, 1, 2, 4}});
    pipeline.steps.push_back(
        {.output = number + ".log", .op = TransformOp::kLog1p, .inputs = {number}});
  }
  return pipeline;
}

// The same plan over all rows of a jagged batch.
class Expanded {
 public:
  Expanded(const Pipeline& pipeline, const std::vector<std::string>& lists,
           const std::vector<std::string>& numbers)
      : plan_(*pipeline.Resolve(Types(lists, numbers))) {}

  bool operator()(const Batch& batch) {
    views_.resize(plan_.features().size());
    for (size_t i = 0; i < views_.size(); ++i) {
      RowsView& view = views_[i];
      view = {};
      view.type = plan_.features()[i].type;
      view.num_rows = batch.num_rows();
      if (view.type.shape == RowShape::kNumber) {
        const auto padded = batch.Padded(plan_.features()[i].name);
        if (!padded.ok()) return false;
        view.values = padded->values;
        view.present = padded->present;
        continue;
      }
      const auto jagged = batch.Jagged(plan_.features()[i].name);
      if (!jagged.ok()) return false;
      view.values = jagged->values;
      view.begins = jagged->offsets;
      view.ends = jagged->offsets + 1;
      view.present = jagged->present;
    }
    return plan_.Run(views_, &results_).ok();
  }

 private:
  static std::vector<TransformFeature> Types(const std::vector<std::string>& lists,
                                             const std::vector<std::string>& numbers) {
    std::vector<TransformFeature> features;
    for (const std::string& list : lists)
      features.push_back({list, {RowShape::kList, Type::kInt64}});
    for (const std::string& number : numbers)
      features.push_back({number, {RowShape::kNumber, Type::kFloat64}});
    return features;
  }

  TransformPlan plan_;
  std::vector<RowsView> views_;
  std::vector<RowsBuilder> results_;
};

std::vector<Case> TransformCases(const std::vector<std::string>& lists,
                                 const std::vector<std::string>& numbers) {
  const Pipeline pipeline = MakePipeline(lists, numbers);
  Case unique{.name = "on unique rows"};
  unique.options.pipeline = pipeline;
  for (const TransformStep& step : pipeline.steps)
    unique.options.scan.features.push_back({.name = step.output, .layout = Layout::kIkjt});
  Case plain{.name = "on expanded rows"};
  Case reading{.name = "without transforms, IKJT"};
  Case reading_rows{.name = "without transforms, expanded"};
  for (const std::string& list : lists) {
    plain.options.scan.features.push_back({.name = list, .layout = Layout::kJagged});
    reading.options.scan.features.push_back({.name = list, .layout = Layout::kIkjt});
  }
  for (const std::string& number : numbers) {
    plain.options.scan.features.push_back({.name = number, .layout = Layout::kPadded, .width = 1});
    reading.options.scan.features.push_back({.name = number, .layout = Layout::kIkjt});
  }
  reading_rows.options = plain.options;
  plain.use = [expanded = std::make_shared<Expanded>(pipeline, lists, numbers)](
                  const Batch& batch) { return (*expanded)(batch); };
  // As Python's loader shuffles.
  const OrderOptions shuffled = {
      .unit = OrderUnit::kBlock, .block_rows = 32768, .mixing_rows = 131072};
  Case unique_blocks{.name = "on unique rows, in blocks", .options = unique.options};
  Case reading_blocks{.name = "without transforms, in blocks", .options = reading.options};
  unique_blocks.options.order = reading_blocks.options.order = shuffled;
  return {std::move(unique),       std::move(plain),         std::move(reading),
          std::move(reading_rows), std::move(unique_blocks), std::move(reading_blocks)};
}

}  // namespace

// dataset_scans WHERE LISTS [NUMBERS] ROUNDS; lists and numbers by commas.
int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto dataset = Dataset::Open(std::string(argv[1]));
  if (!dataset.ok()) {
    std::fprintf(stderr, "%s\n", dataset.status().ToString().c_str());
    return 1;
  }
  const std::vector<std::string> lists = Split(argv[2]);
  std::vector<Case> cases = argc == 4 ? OrderCases(lists) : TransformCases(lists, Split(argv[3]));
  const int rounds = std::atoi(argv[argc - 1]);
  for (int round = 0; round < rounds; ++round) {
    for (Case& one : cases) {
      if (!Run(**dataset, &one)) return 1;
    }
  }
  for (const Case& one : cases) {
    std::printf("{\"case\": \"%s\", \"rows_per_second\": [", one.name.c_str());
    for (size_t i = 0; i < one.rows_per_second.size(); ++i)
      std::printf("%s%.0f", i == 0 ? "" : ", ", one.rows_per_second[i]);
    std::printf("]}\n");
  }
  return 0;
}
