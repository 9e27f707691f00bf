// Which codec to offer for an array. Compressing all of its bytes is most of what a choice costs,
// so parts of them are tried first.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "dsi/codecs/choose_internal.h"
#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/codecs/repeats_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/logarithm_internal.h"

namespace dsi::internal {
namespace {

// Bytes of the first trial. Trials are of the middle: pages often start unlike the rest.
constexpr size_t kFirstTrial = 4096;

// Half the level finds nearly the same in a fraction of the time.
int TrialLevel(const EncodeTuning& tuning) { return std::max(1, tuning.zstd_level / 2); }

// How a codec is used, and what it made of the first trial, if that is known.
struct CodecUse {
  uint8_t codec = 0;
  bool literals_only = false;
  std::optional<size_t> first_frame = {};
};

// What a codec made of a part of the bytes.
struct Trial {
  size_t part = 0;
  size_t frame = 0;

  double rate() const { return static_cast<double>(frame) / static_cast<double>(part); }
  // Hardly fewer bytes came out.
  bool is_noise() const { return frame > part - part / 64; }
};

std::span<const std::byte> Middle(std::span<const std::byte> bytes, size_t size) {
  if (size >= bytes.size()) return bytes;
  return bytes.subspan((bytes.size() - size) / 2 / 8 * 8, size);
}

class CodecSearch {
 public:
  explicit CodecSearch(Chooser* chooser)
      : chooser_(*chooser),
        tuning_(chooser->tuning()),
        frames_(chooser->context()->frames),
        width_(chooser->sample().width),
        // Matches may lie farther apart than a sample is long, so that only the whole array tells
        // what they save.
        bytes_(BytesOf(chooser->whole())),
        scale_(chooser->total_count() / static_cast<double>(chooser->whole().count)) {}

  void Run() {
    // Entropy coding alone sees bytes, and makes little of wider values.
    double fewest = 0;
    if (tuning_.zstd_level != 0) fewest = width_ == 1 ? OfferOnBytes() : Offer({kZstdCodec});
    // LZ4 finds no more than Zstandard does, and codes it in whole bytes.
    if (tuning_.lz4 && WouldWin(PlanOf({kLz4Codec}), fewest)) Offer({kLz4Codec});
  }

 private:
  static EncodePlan PlanOf(const CodecUse& use) {
    EncodePlan plan;
    plan.encoding = Encoding::kCompressed;
    plan.param = use.codec;
    plan.literals_only = use.literals_only;
    plan.children.emplace_back();
    return plan;
  }

  bool WouldWin(const EncodePlan& plan, double payload) const {
    return chooser_.WouldWin(plan, payload * scale_, width_);
  }

  double bytes() const { return static_cast<double>(bytes_.size()); }

  // Nothing where the codec fails.
  std::optional<Trial> Try(const CodecUse& use, size_t part) {
    part = std::min(part, bytes_.size());
    if (part == std::min(kFirstTrial, bytes_.size()) && use.first_frame)
      return Trial{part, *use.first_frame};
    frame_.clear();
    if (!frames_.Append(use.codec, TrialLevel(tuning_), use.literals_only, Middle(bytes_, part),
                        &frame_))
      return std::nullopt;
    return Trial{part, frame_.size()};
  }

  // Zstandard on bytes: entropy coding alone where that does as well on a part of them as with a
  // search for matches.
  double OfferOnBytes() {
    const std::optional<Trial> with = Try({kZstdCodec}, kFirstTrial);
    if (!with) return bytes();
    const CodecUse search = {kZstdCodec, false, with->frame};
    if (with->is_noise()) return Offer(search);
    // Chance matches cost no more than this share.
    Trial hoped = *with;
    hoped.frame -= hoped.frame / 5;
    if (const std::optional<double> least = LeastOfAll(PlanOf({kZstdCodec}), hoped, 0))
      return *least;
    const std::optional<Trial> without = Try({kZstdCodec, true}, kFirstTrial);
    if (!without || without->frame > with->frame || without->is_noise()) return Offer(search);
    const double least = Offer({kZstdCodec, true, without->frame});
    return HidesRepeats(with->part) ? std::min(least, Offer(search)) : least;
  }

  // Offers one codec, unless a part of the bytes already shows that nothing comes of it. Returns
  // the size of the frame, or the least hoped for.
  double Offer(const CodecUse& use) {
    const EncodePlan plan = PlanOf(use);
    double first_rate = 0;
    double last_rate = 0;
    for (size_t part = kFirstTrial; 4 * part <= bytes_.size(); part *= 4) {
      const std::optional<Trial> trial = Try(use, part);
      if (!trial) return bytes();
      if (first_rate == 0) first_rate = trial->rate();
      if (const std::optional<double> least = LeastOfAll(plan, *trial, last_rate)) return *least;
      // Noise that repeats farther away than this part is long.
      if (trial->is_noise()) break;
      last_rate = trial->rate();
    }
    const std::optional<Trial> trial = Try(use, bytes_.size());
    if (!trial) return bytes();
    if (use.codec == kZstdCodec && !use.literals_only && first_rate != 0)
      search_shrinks_ = std::min(1.0, trial->rate() / first_rate);
    const auto payload = static_cast<double>(trial->frame);
    if (IsAccepted(trial->frame, bytes_.size(), tuning_))
      chooser_.Offer(plan, payload * scale_, width_);
    return payload;
  }

  // The fewest bytes that a frame of all may take, where even those would lose.
  std::optional<double> LeastOfAll(const EncodePlan& plan, const Trial& trial, double last_rate) {
    if (trial.is_noise()) {
      constexpr double kLeastRepeats = 1.0 / 64;
      if (RepeatsIn(bytes_.size()) < kLeastRepeats) return bytes();
      return std::nullopt;
    }
    const double by_steps = std::max(LeastBySteps(trial, last_rate), LeastBySearch(trial));
    if (!WouldWin(plan, by_steps)) return by_steps;
    // Repeats take a look at all bytes. Is there a chance that they say something?
    if (trial.part == bytes_.size() || WouldWin(plan, trial.rate() * bytes())) return std::nullopt;
    const double by_repeats = LeastByRepeats(plan.param, trial);
    if (!WouldWin(plan, by_repeats)) return by_repeats;
    return std::nullopt;
  }

  // More matches are found in more bytes: a frame of four times as many saves at most three times
  // what the last step saved, or a tenth; the first step may save any share up to a limit.
  double LeastBySteps(const Trial& trial, double last_rate) const {
    constexpr double kLeast = 0.25;
    const double share = static_cast<double>(trial.part) / bytes();
    const double first_step = kLeast + (1 - kLeast) * std::sqrt(share);
    if (last_rate == 0) return first_step * trial.rate() * bytes();
    const double steps = -Log2(share) / 2;
    const double last_step = std::min(trial.rate() / last_rate, 0.9);
    return std::max(kLeast, Pow(last_step, 3 * steps)) * trial.rate() * bytes();
  }

  // What another codec's matches made of all bytes, if it was tried: LZ4 finds no more. 0: not
  // tried.
  double LeastBySearch(const Trial& trial) const {
    constexpr double kSlack = 0.2;
    return (1 - kSlack) * search_shrinks_ * trial.rate() * bytes();
  }

  // What takes room are the values that were not met before: fewer of all bytes than of a part.
  // Measured on thousands of arrays of click tables: hardly a frame takes less than this.
  double LeastByRepeats(uint8_t codec, const Trial& trial) {
    constexpr double kSlack = 0.05;
    constexpr double kSlackOfRepeats = 0.2;
    // Tables of a frame, which weigh less in a larger one.
    const double tables = codec == kZstdCodec ? 100 : 20;
    const auto frame = static_cast<double>(trial.frame);
    const double in_part = RepeatsIn(trial.part);
    const double in_all = RepeatsIn(bytes_.size());
    const double shrinks = std::min(1.0, (1 - in_all + kSlack) / (1 - in_part + kSlack));
    const double rate = std::max(frame - tables, frame / 4) / static_cast<double>(trial.part);
    return (1 - kSlack - kSlackOfRepeats * in_all) * shrinks * rate * bytes();
  }

  // Whether matches are found in all bytes that a part does not show.
  bool HidesRepeats(size_t part) {
    return RepeatsIn(bytes_.size()) - RepeatsIn(part) > kHiddenRepeats;
  }

  // What repeats in the middle `part` bytes. Every use of every codec asks again.
  double RepeatsIn(size_t part) {
    const auto [known, is_new] = repeats_.try_emplace(part);
    if (is_new) known->second = RepeatShare(Middle(bytes_, part), width_);
    return known->second;
  }

  Chooser& chooser_;
  const EncodeTuning& tuning_;
  FrameEncoder& frames_;
  int width_;
  std::span<const std::byte> bytes_;
  double scale_;                      // Bytes of the array that is chosen for, for one of these.
  std::map<size_t, double> repeats_;  // By part.
  // What Zstandard's matches made of all bytes, of what they made of the first part; 0: not tried.
  double search_shrinks_ = 0;
  std::vector<std::byte> frame_;
};

}  // namespace

void ConsiderCodecs(Chooser* chooser) {
  constexpr double kFewestBytes = 256;
  const double bytes = chooser->total_count() * chooser->sample().width;
  if (bytes < kFewestBytes || !chooser->HasRoomBelow(1)) return;
  CodecSearch(chooser).Run();
}

}  // namespace dsi::internal
