#include "dsi/writer/encode/encode_stripes_internal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <numeric>
#include <utility>

#include "dsi/base/parallel_internal.h"
#include "dsi/base/task_graph_internal.h"

namespace dsi::internal {
namespace {

using Clock = std::chrono::steady_clock;

// i * step % count meets each number below `count` once, and spreads the first few over all.
size_t SpreadStep(size_t count) {
  constexpr double kGoldenSection = 0.618;
  size_t step =
      std::max<size_t>(1, static_cast<size_t>(static_cast<double>(count) * kGoldenSection));
  while (std::gcd(step, count) > 1) ++step;
  return step;
}

using Task = TaskGraph::Task;

// The tasks of a stripe.
struct StripeTasks {
  explicit StripeTasks(const FileLayout& layout)
      : indexes(layout.groups.size(), TaskGraph::kNone),
        values(layout.features.size(), TaskGraph::kNone),
        own(layout.features.size(), TaskGraph::kNone),
        spaces(layout.id_spaces.size(), TaskGraph::kNone),
        features(layout.features.size(), TaskGraph::kNone) {}

  std::vector<Task> indexes;  // By group.
  std::vector<Task> values;   // By feature; what it stores.
  std::vector<Task> own;      // By feature; its own streams.
  Task sources = TaskGraph::kNone;
  std::vector<Task> spaces;    // By id space.
  std::vector<Task> features;  // By feature that may lend.
};

// A task to be, and where to note it.
struct Piece {
  Task* task;
  std::function<void()> work;
  std::array<Task, 2> after;
};

class StripesEncoder {
 public:
  StripesEncoder(const FileLayout& layout, std::span<const StripeInput> stripes,
                 const StripeOptions& options, const std::function<Status()>& poll)
      : layout_(layout), features_(stripes[0].features), options_(options), poll_(poll) {
    for (const StripeInput& rows : stripes) stripes_.emplace_back(layout, rows, options);
  }

  Result<EncodedStripes> Encode(const std::function<Status()>& beside) {
    if (beside) graph_.Add(beside, {});
    FindLevels();
    StripeTasks before(layout_);
    for (StripeEncoder& stripe : stripes_) {
      StripeTasks tasks(layout_);
      for (uint32_t level = 1; level <= num_levels_; ++level)
        AddIndexesAndValues(level, before, &stripe, &tasks);
      AddOwnStreams(before, &stripe, &tasks);
      AddSources(before, &stripe, &tasks);
      AddTheRest(before, &stripe, &tasks);
      before = std::move(tasks);
    }
    DSI_RETURN_IF_ERROR(graph_.Run(options_.threads, poll_));
    EncodedStripes encoded;
    for (StripeEncoder& stripe : stripes_) {
      DSI_ASSIGN_OR_RETURN(encoded.stripes.emplace_back(), stripe.End());
    }
    encoded.encode_seconds = std::chrono::duration<double>(Clock::duration(busy_.load())).count();
    return encoded;
  }

 private:
  // A group comes a level after its parent; features by what a search for their windows takes.
  void FindLevels() {
    level_.assign(layout_.groups.size(), 0);
    for (size_t g = 1; g < level_.size(); ++g) {
      level_[g] = level_[layout_.groups[g].parent] + 1;
      num_levels_ = std::max(num_levels_, level_[g] + 1);
    }
    features_by_size_.resize(features_.size());
    std::iota(features_by_size_.begin(), features_by_size_.end(), 0U);
    std::stable_sort(
        features_by_size_.begin(), features_by_size_.end(),
        [&](uint32_t a, uint32_t b) { return EntriesInWindows(a) > EntriesInWindows(b); });
  }

  uint64_t EntriesInWindows(uint32_t f) const {
    return stripes_[0].HasWindows(f) ? features_[f].source().totals->num_entries : 0;
  }

  template <typename Work>
  Task Add(const Work& work, std::span<const Task> after) {
    const auto timed = [this, work] {
      const Clock::time_point start = Clock::now();
      Status status = work();
      busy_ += (Clock::now() - start).count();
      return status;
    };
    return graph_.Add(timed, after);
  }

  void Add(const Piece& piece, std::span<const Task> after) {
    const auto work = [work = piece.work] {
      work();
      return Status::Ok();
    };
    *piece.task = Add(work, after);
  }

  // Pieces that do not wait for each other. Where streams share plans, they wait for all that was
  // added before, and what they chose is shared after them; in the first stripe they go in rounds
  // then, which double and are spread over all pieces, as the streams of one round may take the
  // plans of those before. The first `num_long` pieces take longest: they start the last round.
  void AddAll(const std::vector<Piece>& pieces, size_t num_long = 0) {
    if (!options_.plans->shares()) {
      for (const Piece& piece : pieces) Add(piece, piece.after);
      return;
    }
    constexpr size_t kFirstRound = 16;
    const size_t num_short = pieces.size() - num_long;
    const size_t step = options_.is_first ? SpreadStep(num_short) : 1;
    for (size_t first = 0, end = 0;; first = end) {
      end = first == 0 ? kFirstRound : 2 * first;
      const bool is_last = !options_.is_first || end >= num_short;
      if (is_last) end = num_short;
      std::vector<Task> round;
      const auto add = [&](const Piece& piece) {
        Add(piece, {&shared_, 1});
        round.push_back(*piece.task);
      };
      for (size_t i = 0; is_last && i < num_long; ++i) add(pieces[i]);
      for (size_t i = first; i < end; ++i) add(pieces[num_long + i * step % num_short]);
      if (!round.empty()) shared_ = AddSharing(round);
      if (is_last) break;
    }
  }

  Task AddSharing(std::span<const Task> after) {
    const auto share = [this] {
      options_.plans->Share();
      return Status::Ok();
    };
    return Add(share, after);
  }

  // Indexes of a level, and beside them the values of the level before; the longest lists with
  // windows first.
  void AddIndexesAndValues(uint32_t level, const StripeTasks& before, StripeEncoder* stripe,
                           StripeTasks* tasks) {
    std::vector<Piece> pieces;
    for (uint32_t g = 1; g < level_.size(); ++g) {
      if (level_[g] != level) continue;
      pieces.push_back({&tasks->indexes[g],
                        [=] { stripe->BuildIndex(g); },
                        {tasks->indexes[layout_.groups[g].parent], before.indexes[g]}});
    }
    for (const uint32_t f : features_by_size_) {
      const uint32_t group = layout_.features[f].group;
      if (level_[group] + 1 != level) continue;
      pieces.push_back({&tasks->values[f],
                        [=] { stripe->FindValues(f); },
                        {tasks->indexes[group], TaskGraph::kNone}});
    }
    AddAll(pieces);
  }

  void AddOwnStreams(const StripeTasks& before, StripeEncoder* stripe, StripeTasks* tasks) {
    std::vector<Piece> pieces;
    for (const uint32_t f : features_by_size_) {
      pieces.push_back({&tasks->own[f],
                        [=] { stripe->EncodeOwnStreams(f); },
                        {tasks->values[f], before.own[f]}});
    }
    AddAll(pieces);
  }

  // One task, as each source is chosen among those that the ones before left. Beside other stripes
  // it takes one thread.
  void AddSources(const StripeTasks& before, StripeEncoder* stripe, StripeTasks* tasks) {
    const int threads = stripes_.size() == 1 ? options_.threads : 1;
    const auto find = [this, stripe, threads] {
      return stripe->FindSources([&](size_t count, const std::function<void(size_t)>& work) {
        const auto call = [&](size_t i) {
          work(i);
          return Status::Ok();
        };
        return ParallelFor(count, threads, call, [] { return Status::Ok(); });
      });
    };
    std::vector<Task> after = tasks->own;
    after.push_back(before.sources);
    if (options_.plans->shares()) after.push_back(shared_);
    tasks->sources = Add(find, after);
    if (options_.plans->shares()) shared_ = AddSharing({&tasks->sources, 1});
  }

  // Id spaces that several columns share take longest.
  void AddTheRest(const StripeTasks& before, StripeEncoder* stripe, StripeTasks* tasks) {
    std::vector<Piece> pieces;
    for (size_t i = 0; i < layout_.id_spaces.size(); ++i) {
      pieces.push_back(
          {&tasks->spaces[i], [=] { stripe->EncodeSpace(i); }, {tasks->sources, before.spaces[i]}});
    }
    const auto others = std::partition(pieces.begin(), pieces.end(), [&](const Piece& piece) {
      return layout_.id_spaces[static_cast<size_t>(piece.task - tasks->spaces.data())]
                 .columns.size() > 1;
    });
    const auto num_long = static_cast<size_t>(others - pieces.begin());
    for (uint32_t f = 0; f < features_.size(); ++f) {
      if (!stripe->MayLend(f)) continue;
      pieces.push_back({&tasks->features[f],
                        [=] { stripe->EncodeFeature(f); },
                        {tasks->sources, before.features[f]}});
    }
    AddAll(pieces, num_long);
  }

  const FileLayout& layout_;
  std::span<const ClusteredFeature> features_;  // Of the first stripe.
  const StripeOptions& options_;
  const std::function<Status()>& poll_;
  std::deque<StripeEncoder> stripes_;
  std::vector<uint32_t> level_;  // By group.
  uint32_t num_levels_ = 1;
  std::vector<uint32_t> features_by_size_;
  TaskGraph graph_;
  Task shared_ = TaskGraph::kNone;  // After which plans were shared last.
  std::atomic<Clock::rep> busy_ = 0;
};

}  // namespace

Result<EncodedStripes> EncodeStripes(const FileLayout& layout, std::span<const StripeInput> stripes,
                                     const StripeOptions& options,
                                     const std::function<Status()>& poll,
                                     const std::function<Status()>& beside) {
  return StripesEncoder(layout, stripes, options, poll).Encode(beside);
}

}  // namespace dsi::internal
