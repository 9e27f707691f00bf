// Which codec to offer for an array. Compressing all of its bytes is most of what a choice costs,
// so parts of them are tried first.
#include <algorithm>
#include <cmath>
#include <vector>

#include "dsi/codecs/choice/choose_internal.h"
#include "dsi/codecs/compressed/compressed_internal.h"
#include "dsi/codecs/width_internal.h"
#include "dsi/base/logarithm_internal.h"

namespace dsi::internal {
namespace {

// Bytes of the first trial. Trials are of the middle: pages often start unlike the rest.
constexpr size_t kFirstTrial = 4096;

// Half the level finds nearly the same in a fraction of the time.
int TrialLevel(const EncodeTuning& tuning) { return std::max(1, tuning.zstd_level / 2); }

// How a codec is used.
struct CodecUse {
  uint8_t codec = 0;
  bool literals_only = false;
};

std::span<const std::byte> Middle(std::span<const std::byte> bytes, size_t size) {
  if (size >= bytes.size()) return bytes;
  return bytes.subspan((bytes.size() - size) / 2 / 8 * 8, size);
}

// Hardly fewer bytes came out.
bool IsNoise(size_t frame, size_t part) { return frame > part - part / 64; }

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
    double fewest = 0;
    if (tuning_.zstd_level != 0) {
      fewest = Offer({kZstdCodec, false});
      if (MayNeedNoSearch()) fewest = std::min(fewest, Offer({kZstdCodec, true}));
    }
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

  // The frame of a part of the bytes; SIZE_MAX where the codec fails.
  size_t Try(const CodecUse& use, size_t part) {
    frame_.clear();
    const bool done = frames_.Append(use.codec, TrialLevel(tuning_), use.literals_only,
                                     Middle(bytes_, part), &frame_);
    return done ? frame_.size() : SIZE_MAX;
  }

  // Entropy coding alone does as well on a part of the bytes as with a search for matches. It sees
  // bytes, and makes little of wider values.
  bool MayNeedNoSearch() {
    if (width_ != 1) return false;
    const size_t part = std::min(kFirstTrial, bytes_.size());
    const size_t with = Try({kZstdCodec, false}, part);
    return !IsNoise(with, part) && Try({kZstdCodec, true}, part) <= with;
  }

  // Offers one codec, unless a part of the bytes already shows that nothing comes of it. Returns
  // the size of the frame, or the least hoped for.
  double Offer(const CodecUse& use) {
    const EncodePlan plan = PlanOf(use);
    double last_rate = 0;
    for (size_t part = kFirstTrial; 4 * part <= bytes_.size(); part *= 4) {
      const size_t frame = Try(use, part);
      if (frame == SIZE_MAX) return bytes();
      // What is noise in a part may repeat farther away than the part is long.
      if (IsNoise(frame, part)) break;
      const double rate = static_cast<double>(frame) / static_cast<double>(part);
      const double least = LeastRate(part, rate, last_rate) * bytes();
      if (!WouldWin(plan, least)) return least;
      last_rate = rate;
    }
    const size_t frame = Try(use, bytes_.size());
    if (frame == SIZE_MAX) return bytes();
    const auto payload = static_cast<double>(frame);
    if (IsAccepted(frame, bytes_.size(), tuning_)) chooser_.Offer(plan, payload * scale_, width_);
    return payload;
  }

  // More matches are found in more bytes: a frame of four times as many saves at most three times
  // what the last step saved, or a tenth; the first step may save any share up to a limit.
  double LeastRate(size_t part, double rate, double last_rate) const {
    constexpr double kLeast = 0.25;
    const double share = static_cast<double>(part) / bytes();
    if (last_rate == 0) return (kLeast + (1 - kLeast) * std::sqrt(share)) * rate;
    const double steps = -Log2(share) / 2;
    const double last_step = std::min(rate / last_rate, 0.9);
    return std::max(kLeast, Pow(last_step, 3 * steps)) * rate;
  }

  Chooser& chooser_;
  const EncodeTuning& tuning_;
  FrameEncoder& frames_;
  int width_;
  std::span<const std::byte> bytes_;
  double scale_;  // Bytes of the array that is chosen for, for one of these.
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
