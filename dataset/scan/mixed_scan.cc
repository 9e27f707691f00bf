// Several scans, one of which gives each batch (spec DO-016, DO-017).
#include "dsi/dataset/mixed_scan.h"

#include <algorithm>
#include <utility>

#include "dsi/base/cancellation_internal.h"
#include "dsi/base/error_internal.h"
#include "dsi/base/no_throw_internal.h"
#include "dsi/dataset/order/mixed_state_internal.h"
#include "dsi/dataset/order/weighted_turns_internal.h"

namespace dsi {

using internal::InvalidArgument;
using internal::MixedState;
using internal::WeightedTurns;

class MixedScan::Impl {
 public:
  Impl(std::vector<MixedSource> given, Exhausted exhausted)
      : sources_(given.size()), exhausted_(exhausted) {
    for (size_t i = 0; i < given.size(); ++i) sources_[i].given = std::move(given[i]);
  }

  ~Impl() { cancellation_.Cancel(); }

  void Cancel() { cancellation_.Cancel(); }

  Status Open(const std::string& state) {
    const internal::Cancellation::Scope scope(&cancellation_);
    DSI_RETURN_IF_ERROR(CheckSources());
    uint64_t turn = 0;
    if (!state.empty()) {
      DSI_ASSIGN_OR_RETURN(const MixedState from, MixedState::FromJson(state));
      DSI_RETURN_IF_ERROR(GoOnFrom(from));
      turn = from.turn;
    } else {
      for (Source& source : sources_) DSI_RETURN_IF_ERROR(OpenSource(&source, 0, ""));
    }
    if (!AllEnded()) turns_ = WeightedTurns(Weights(), turn);
    num_batches_ = CountBatches();
    return {};
  }

  Result<bool> Next(Batch* batch) {
    const internal::Cancellation::Scope scope(&cancellation_);
    while (!over_ && !AllEnded()) {
      const size_t next = turns_.Next();
      Source& source = sources_[next];
      if (source.left == 0) {
        DSI_RETURN_IF_ERROR(Exhaust(&source));
        continue;
      }
      DSI_ASSIGN_OR_RETURN(const bool more, source.scan->Next(batch));
      if (!more) {
        return internal::Error(StatusCode::kCancelled,
                               "source {} ended with {} batches left of those it said it has", next,
                               source.left);
      }
      --source.left;
      turns_.Take(next);
      last_ = next;
      return true;
    }
    return false;
  }

  Result<std::string> StateText() const {
    MixedState state;
    state.exhausted = exhausted_;
    state.turn = AllEnded() ? 0 : turns_.time();
    for (const Source& source : sources_) {
      auto& of_source = state.sources.emplace_back();
      of_source.weight = source.given.weight;
      of_source.round = source.round;
      of_source.ended = source.ended;
      if (source.ended) continue;
      DSI_ASSIGN_OR_RETURN(of_source.state, source.scan->state());
    }
    return state.ToJson();
  }

  void GiveUp() { over_ = true; }
  size_t last() const { return last_; }
  DatasetScan* scan(size_t i) { return i < sources_.size() ? sources_[i].scan.get() : nullptr; }
  uint64_t num_batches() const { return num_batches_; }

 private:
  struct Source {
    MixedSource given;
    std::unique_ptr<DatasetScan> scan;
    uint64_t round = 0;
    uint64_t left = 0;  // Batches of this round.
    bool ended = false;
  };

  Status CheckSources() const {
    if (sources_.empty() || sources_.size() > internal::kMaxSources) {
      return InvalidArgument("{} sources, expected 1 to {}", sources_.size(),
                             internal::kMaxSources);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < sources_.size(); ++i) {
      const MixedSource& given = sources_[i].given;
      if (given.weight == 0) return InvalidArgument("source {}: weight 0, expected 1 or more", i);
      if (!given.open) return InvalidArgument("source {}: no callback that opens it", i);
      sum += given.weight;
    }
    if (sum <= internal::kMaxWeights) return {};
    return InvalidArgument("weights sum up to {}, at most {} are allowed", sum,
                           internal::kMaxWeights);
  }

  Status OpenSource(Source* source, uint64_t round, const std::string& state) {
    const std::string where = "source " + std::to_string(source - sources_.data());
    Result<std::unique_ptr<DatasetScan>> scan = source->given.open(round, state);
    if (!scan.ok()) return scan.status().At(where);
    if (*scan == nullptr) return InvalidArgument("{}: the callback made no scan", where);
    source->scan = *std::move(scan);
    source->round = round;
    source->left = source->scan->num_batches();
    return {};
  }

  Status GoOnFrom(const MixedState& state) {
    if (state.exhausted != exhausted_) {
      return internal::BadInput("the state is of a mixture with another policy at exhaustion");
    }
    if (state.sources.size() != sources_.size()) {
      return internal::BadInput("the state is of {} sources, there are {}", state.sources.size(),
                                sources_.size());
    }
    for (size_t i = 0; i < sources_.size(); ++i) {
      const auto& of_source = state.sources[i];
      if (of_source.weight != sources_[i].given.weight) {
        return internal::BadInput("source {}: weight {} in the state, {} here", i, of_source.weight,
                                  sources_[i].given.weight);
      }
      sources_[i].ended = of_source.ended;
      if (of_source.ended) continue;
      DSI_RETURN_IF_ERROR(OpenSource(&sources_[i], of_source.round, of_source.state));
    }
    return {};
  }

  // It is the turn of a source without batches.
  Status Exhaust(Source* source) {
    if (exhausted_ == Exhausted::kStop) {
      over_ = true;
      return {};
    }
    if (exhausted_ == Exhausted::kRepeat) {
      DSI_RETURN_IF_ERROR(OpenSource(source, source->round + 1, ""));
      if (source->left > 0) return {};
      return InvalidArgument(
          "source {}: round {} has no batches for this rank; smaller ones, or the remainder "
          "\"pad\", "
          "give each rank some",
          source - sources_.data(), source->round);
    }
    source->ended = true;
    if (!AllEnded()) turns_ = WeightedTurns(Weights());
    return {};
  }

  bool AllEnded() const { return std::ranges::all_of(sources_, &Source::ended); }

  std::vector<uint32_t> Weights() const {
    std::vector<uint32_t> weights;
    for (const Source& source : sources_) {
      weights.push_back(source.ended ? 0 : source.given.weight);
    }
    return weights;
  }

  uint64_t CountBatches() const {
    if (AllEnded()) return 0;
    if (exhausted_ == Exhausted::kRepeat) return kWithoutEnd;
    std::vector<uint64_t> left;
    uint64_t sum = 0;
    for (const Source& source : sources_) {
      left.push_back(source.left);
      sum += source.left;
    }
    return exhausted_ == Exhausted::kDrop ? sum : turns_.CountUntilOneLacks(left);
  }

  internal::Cancellation cancellation_;  // The scans of the sources end before it does.
  std::vector<Source> sources_;
  Exhausted exhausted_;
  WeightedTurns turns_{{}};  // Of the sources that have not ended.
  uint64_t num_batches_ = 0;
  size_t last_ = 0;
  bool over_ = false;
};

MixedScan::MixedScan(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MixedScan::~MixedScan() = default;

Result<std::unique_ptr<MixedScan>> MixedScan::Make(std::vector<MixedSource> sources,
                                                   const MixedScanOptions& options) {
  return internal::NoThrow([&]() -> Result<std::unique_ptr<MixedScan>> {
    auto impl = std::make_unique<Impl>(std::move(sources), options.exhausted);
    DSI_RETURN_IF_ERROR(impl->Open(options.state));
    return std::unique_ptr<MixedScan>(new MixedScan(std::move(impl)));
  });
}

Result<bool> MixedScan::Next(Batch* batch) {
  Result<bool> more = internal::NoThrow([&] { return impl_->Next(batch); });
  if (!more.ok()) impl_->GiveUp();
  return more;
}

void MixedScan::Cancel() noexcept { impl_->Cancel(); }
size_t MixedScan::source() const noexcept { return impl_->last(); }
DatasetScan* MixedScan::scan(size_t source) noexcept { return impl_->scan(source); }
uint64_t MixedScan::num_batches() const noexcept { return impl_->num_batches(); }

Result<std::string> MixedScan::state() const {
  return internal::NoThrow([&] { return impl_->StateText(); });
}

}  // namespace dsi
