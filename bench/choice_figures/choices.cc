// What the writer chose for the streams of a file, beside the best that a patient search finds.
// `bench/choices` runs it; one JSON object per stream and stripe, and per searched page, comes out.
//   choices FILE.dsi TUNING PAGES STRIPES THREADS
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dsi/bench/choice_figures/file_streams.h"
#include "dsi/bench/choice_figures/search.h"
#include "dsi/bench/choice_figures/stream_entropy.h"
#include "dsi/codecs/choice/tuning_internal.h"
#include "dsi/format/types.h"

namespace dsi::bench {
namespace {

using namespace internal;

struct Options {
  std::string path;
  EncodeTuning tuning;
  size_t pages = 0;  // Of a stream and stripe that are searched.
  uint32_t stripes = 0;
  unsigned threads = 0;
};

// A page to search.
struct Task {
  size_t stream = 0;
  size_t stripe = 0;
  int levels = 0;
  EncodeTuning tuning;
  Page page;
  NodeCost chosen;
  BestTrees best;
};

// What is found is what its plan really encodes to; where that is not better than what was chosen,
// the choice was the best.
void Confirm(const Task& task, Tree* tree, bool by_bytes) {
  std::vector<std::byte> node;
  EncodeNode(task.page.values.view(), tree->plan, task.tuning, &node);
  tree->cost = CostOfNode(node);
  const double price = by_bytes ? 1e9 : task.tuning.ns_per_byte;
  if (tree->cost.At(price) < task.chosen.At(price)) return;
  tree->cost = task.chosen;
  tree->plan = {};
}

void SearchAll(unsigned threads, std::vector<Task>* tasks) {
  // Large pages first, so that threads end together.
  std::stable_sort(tasks->begin(), tasks->end(), [](const Task& a, const Task& b) {
    return a.page.values.bytes.size() > b.page.values.bytes.size();
  });
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < tasks->size(); i = next++) {
      Task& task = (*tasks)[i];
      task.chosen = CostOfNode(task.page.node);
      task.best = Search(task.tuning).Find(task.page.values.view(), task.levels);
      Confirm(task, &task.best.by_cost, false);
      Confirm(task, &task.best.by_bytes, true);
    }
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

// First, last, and evenly between.
bool IsSearched(size_t page, size_t pages, size_t searched) {
  if (pages <= searched) return true;
  if (searched == 1) return page == pages / 2;
  for (size_t i = 0; i < searched; ++i) {
    if (page == i * (pages - 1) / (searched - 1)) return true;
  }
  return false;
}

void Print(const Stream& stream, size_t stripe) {
  const StreamEntropy entropy = EntropyOf(stream);
  std::printf(
      "{\"stream\": \"%s\", \"stripe\": %zu, \"values\": %llu, \"pages\": %zu, \"bytes\": %llu, "
      "\"width\": %d, \"entropy\": %.0f, \"distinct\": %zu, \"steps_entropy\": %.0f, "
      "\"distinct_steps\": %zu}\n",
      stream.name.c_str(), stripe, static_cast<unsigned long long>(stream.num_values()),
      stream.pages.size(), static_cast<unsigned long long>(stream.num_bytes()),
      stream.pages[0].values.width, entropy.values.bytes, entropy.values.distinct,
      entropy.steps.bytes, entropy.steps.distinct);
}

void Print(const std::string& name, const Task& task) {
  const auto pair = [](const char* key, const NodeCost& cost) {
    std::printf(", \"%s\": {\"bytes\": %.0f, \"ns\": %.0f}", key, cost.bytes, cost.ns);
  };
  const Result<std::string> chosen = DescribeNode(task.page.node, task.page.values.count);
  const auto words = [](const Tree& tree) {
    const bool is_choice = tree.plan.encoding == Encoding::kRaw && tree.plan.children.empty();
    return is_choice ? std::string() : tree.plan.ToString();
  };
  std::printf(
      "{\"searched\": \"%s\", \"stripe\": %zu, \"values\": %zu, \"width\": %d, "
      "\"price\": %g, \"plan\": \"%s\", \"best_plan\": \"%s\", \"smallest_plan\": \"%s\"",
      name.c_str(), task.stripe, task.page.values.count, task.page.values.width,
      task.tuning.ns_per_byte, chosen.ok() ? chosen->c_str() : "?",
      words(task.best.by_cost).c_str(), words(task.best.by_bytes).c_str());
  pair("chosen", task.chosen);
  pair("best", task.best.by_cost.cost);
  pair("smallest", task.best.by_bytes.cost);
  std::printf("}\n");
}

Status Run(const Options& options) {
  std::vector<std::string> names;
  std::vector<Task> tasks;
  const auto search = [&] {
    SearchAll(options.threads, &tasks);
    for (const Task& task : tasks) Print(names[task.stream], task);
    std::fflush(stdout);
    tasks.clear();
  };
  size_t last_stripe = 0;
  DSI_RETURN_IF_ERROR(
      VisitStreams(options.path, options.stripes, [&](size_t stripe, Stream stream) {
        if (stripe != last_stripe) search();
        last_stripe = stripe;
        Print(stream, stripe);
        EncodeTuning tuning = options.tuning;
        tuning.ns_per_byte *= stream.readers;
        for (size_t k = 0; k < stream.pages.size(); ++k) {
          if (!IsSearched(k, stream.pages.size(), options.pages)) continue;
          tasks.push_back({names.size(),
                           stripe,
                           stream.is_inner ? 5 : 6,
                           tuning,
                           std::move(stream.pages[k]),
                           {},
                           {}});
        }
        names.push_back(std::move(stream.name));
      }));
  search();
  return Status::Ok();
}

}  // namespace
}  // namespace dsi::bench

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "choices FILE.dsi nvme|network|archive PAGES STRIPES THREADS\n");
    return 2;
  }
  dsi::Tuning tuning = dsi::Tuning::kNvme;
  dsi::ParseTuning(argv[2], &tuning);
  const dsi::Status status = dsi::bench::Run(
      {argv[1], dsi::internal::TuningOf(tuning), std::strtoull(argv[3], nullptr, 10),
       static_cast<uint32_t>(std::atoi(argv[4])), static_cast<unsigned>(std::atoi(argv[5]))});
  if (!status.ok()) std::fprintf(stderr, "choices: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
