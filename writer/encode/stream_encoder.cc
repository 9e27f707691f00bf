#include "dsi/writer/encode/stream_encoder_internal.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "dsi/writer/encode/verify_stream_internal.h"

namespace dsi::internal {
namespace {

constexpr double kWorth = 1024;          // Bytes that a choice must save.
constexpr size_t kFewestToLook = 16384;  // Bytes of a page whose looks may be worth a choice.

const std::byte* At(const ArrayView& values, size_t i) {
  return static_cast<const std::byte*>(values.values) + i * static_cast<size_t>(values.width);
}

// All values equal the first: comparing the array with itself shifted by one value says so at
// memory speed.
bool IsConstant(const ArrayView& values) {
  return std::memcmp(At(values, 0), At(values, 1),
                     (values.count - 1) * static_cast<size_t>(values.width)) == 0;
}

ArrayView Page(const ArrayView& values, size_t first, size_t count) {
  ArrayView page = values;
  page.values = At(values, first);
  page.count = count;
  return page;
}

// Whether pages have become so unlike the one that the plan was chosen on that another may do
// better by more than a choice is worth: they take more than expected, or this one much less.
// Counts what this one takes.
bool AddsUpToDrift(RememberedPlan* remembered, size_t bytes, size_t count) {
  constexpr double kMostGrowth = 1.1;
  constexpr double kMostShrinkage = 0.7;
  const auto found = static_cast<double>(bytes);
  const double expected = remembered->proven.bytes_per_value * static_cast<double>(count);
  remembered->excess += std::max(0.0, found - expected * kMostGrowth);
  return remembered->excess > kWorth ||
         (!remembered->shrinks &&
          found < expected * kMostShrinkage - std::min(kWorth, expected / 2));
}

// Of a page of `count` values, by the plan that it was encoded by.
double CostOf(std::span<const std::byte> node, const ProvenPlan& proven, size_t count,
              const EncodeTuning& tuning) {
  return static_cast<double>(node.size()) * tuning.ns_per_byte +
         proven.ns_per_value * static_cast<double>(count);
}

// Encodes one page of a stream by what is remembered, by what an alike stream has, or by a new
// choice, which is then remembered.
class PageEncoder {
 public:
  PageEncoder(const ArrayView& page, const EncodeTuning& tuning, RememberedPlan* remembered,
              int levels_above)
      : page_(page),
        tuning_(tuning),
        remembered_(*remembered),
        encoder_(page, tuning, levels_above) {}

  std::vector<std::byte> Encode() {
    if (!remembered_.is_known) {
      remembered_.is_known = true;
      FollowAnother();
      remembered_.glances = std::make_unique<KnownGlances>();
      remembered_.glances->Add(GlanceAt(page_));
      return std::move(node_);
    }
    const Fit fit = FollowRemembered();
    if (fit == Fit::kReplaced || (fit == Fit::kFits && node_.size() <= kFewestToLook))
      return std::move(node_);
    const PageGlance glance = GlanceAt(page_);
    if (fit == Fit::kDrifted || !remembered_.glances->Has(glance)) {
      KeepTheCheaper(fit == Fit::kDrifted);
      remembered_.glances->Add(glance);
    }
    return std::move(node_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  EncodeOutcome Follow(const EncodePlan& plan) {
    node_.clear();
    return encoder_.Encode(plan, &node_);
  }

  enum class Fit {
    kFits,
    kDrifted,   // In size.
    kReplaced,  // By another plan, as this one could not be followed.
  };

  Fit FollowRemembered() {
    EncodeOutcome outcome = Follow(remembered_.proven.plan);
    remembered_.choose_seconds += outcome.choose_seconds;
    if (outcome.instead) {
      remembered_.profile.reset();
      Remember(*std::move(outcome.instead));
      return Fit::kReplaced;
    }
    return AddsUpToDrift(&remembered_, node_.size(), page_.count) ? Fit::kDrifted : Fit::kFits;
  }

  void FollowAnother() {
    remembered_.profile.reset();
    // Of fewer values a choice costs no more than to look for what is alike.
    constexpr size_t kFewestToShare = 4096;
    const bool shares = remembered_.memory != nullptr && page_.count >= kFewestToShare;
    if (!shares || !FollowAlike()) Choose();
  }

  // Of what the plan makes of a page that has drifted, or looks otherwise, and of what another
  // does. A sample may promise what the page does not hold, and plans that do as well would only
  // change places.
  void KeepTheCheaper(bool has_drifted) {
    constexpr double kWorthAChange = 0.98;
    ProvenPlan before = remembered_.proven;
    const double excess = remembered_.excess;
    const bool shrinks = remembered_.shrinks;
    std::unique_ptr<PageProfile> profile = std::move(remembered_.profile);
    std::vector<std::byte> node = std::move(node_);
    FollowAnother();
    if (Cost(node, before) * kWorthAChange > Cost(node_, remembered_.proven)) return;
    node_ = std::move(node);
    if (!has_drifted) {
      remembered_.proven = std::move(before);
      remembered_.excess = excess;
      remembered_.shrinks = shrinks;
      remembered_.profile = std::move(profile);
      return;
    }
    // Pages that are large and small by turns choose once for either.
    remembered_.shrinks = BytesPerValue() < before.bytes_per_value;
    if (remembered_.shrinks) {
      remembered_.profile.reset();
    } else {
      before.bytes_per_value = BytesPerValue();
    }
    remembered_.proven = std::move(before);
  }

  double Cost(std::span<const std::byte> node, const ProvenPlan& proven) const {
    return CostOf(node, proven, page_.count, tuning_);
  }

  double BytesPerValue() const {
    return static_cast<double>(node_.size()) / static_cast<double>(page_.count);
  }

  // False where no stream is alike, or the page does not come to the same size by its plan. Keeps
  // the page's profile then.
  bool FollowAlike() {
    Clock::time_point start = Clock::now();
    auto profile = std::make_unique<PageProfile>(ProfileOf(page_, tuning_));
    const std::vector<const ProvenPlan*> all_alike = remembered_.memory->FindAlike(*profile);
    AddSecondsSince(start);
    const auto count = static_cast<double>(page_.count);
    for (const ProvenPlan* alike : all_alike) {
      start = Clock::now();
      if (!Follow(alike->plan).instead &&
          AreClose(static_cast<double>(node_.size()), alike->bytes_per_value * count)) {
        Adopt(*alike);
        return true;
      }
      AddSecondsSince(start);
    }
    remembered_.profile = std::move(profile);
    return false;
  }

  void Choose() {
    const Clock::time_point start = Clock::now();
    EncodePlan plan = encoder_.Choose();
    AddSecondsSince(start);
    EncodeOutcome outcome = Follow(plan);
    remembered_.choose_seconds += outcome.choose_seconds;
    Remember(outcome.instead ? *std::move(outcome.instead) : std::move(plan));
  }

  // The plan by which the page was encoded.
  void Remember(EncodePlan plan) {
    const double ns_per_value = plan.estimated_ns / static_cast<double>(page_.count);
    Adopt({std::move(plan), BytesPerValue(), ns_per_value});
  }

  // From here on drift counts anew.
  void Adopt(ProvenPlan proven) {
    remembered_.proven = std::move(proven);
    remembered_.excess = 0;
    remembered_.shrinks = false;
  }

  void AddSecondsSince(Clock::time_point start) {
    remembered_.choose_seconds += std::chrono::duration<double>(Clock::now() - start).count();
  }

  const ArrayView& page_;
  const EncodeTuning& tuning_;
  RememberedPlan& remembered_;
  ArrayEncoder encoder_;
  std::vector<std::byte> node_;
};

std::vector<std::byte> EncodePage(const ArrayView& page, const EncodeTuning& tuning,
                                  RememberedPlan* remembered, int levels_above = 0) {
  return PageEncoder(page, tuning, remembered, levels_above).Encode();
}

}  // namespace

double PricePage(const ArrayView& page, const EncodeTuning& tuning, RememberedPlan* remembered,
                 int levels_above) {
  const double excess = remembered->excess;
  const std::vector<std::byte> node = EncodePage(page, tuning, remembered, levels_above);
  // The page is priced, not stored: that it takes more counts once.
  remembered->excess = std::min(remembered->excess, excess);
  return CostOf(node, remembered->proven, page.count, tuning);
}

EncodedStream EncodeStream(const ArrayView& values, uint32_t page_values,
                           const StreamTuning& tuning, RememberedPlan* remembered,
                           uint32_t larger_pages) {
  EncodedStream stream;
  stream.record.num_values = values.count;
  stream.record.width = static_cast<uint8_t>(values.width);
  if (values.count == 0) return stream;
  if (IsConstant(values)) {
    stream.record.form = StreamForm::kConstant;
    std::memcpy(&stream.record.constant, values.values, static_cast<size_t>(values.width));
    return stream;
  }
  stream.record.form = StreamForm::kPaged;
  if (larger_pages > page_values && values.count > page_values) stream.record.size = larger_pages;
  const uint32_t per_page = stream.record.PageValues(page_values);
  for (size_t first = 0; first < values.count; first += per_page) {
    const size_t count = std::min<size_t>(values.count - first, per_page);
    EncodedStream::Node& node = stream.nodes.emplace_back();
    node.num_values = static_cast<uint32_t>(count);
    node.bytes = EncodePage(Page(values, first, count), tuning, remembered);
  }
  stream.is_damaged = tuning.verify && !DecodesTo(stream, values, page_values);
  return stream;
}

EncodedStream EncodeCodeStream(const CodedIds& ids, uint32_t page_values,
                               const StreamTuning& tuning, RememberedPlan* codes_plan,
                               RememberedPlan* literals_plan) {
  EncodedStream stream;
  stream.record.num_values = ids.codes.size();
  stream.record.width = static_cast<uint8_t>(ids.literals.width);
  if (ids.codes.empty()) return stream;
  stream.record.form = StreamForm::kPaged;
  const auto inner = [&](RememberedPlan* remembered) {
    return [&tuning, remembered](const ArrayView& page) {
      return EncodePage(page, tuning, remembered, 1);
    };
  };
  size_t first_literal = 0;
  for (size_t first = 0; first < ids.codes.size(); first += page_values) {
    const size_t count = std::min<size_t>(ids.codes.size() - first, page_values);
    const std::span<const uint32_t> codes = ids.codes.subspan(first, count);
    const auto num_literals =
        static_cast<size_t>(std::count(codes.begin(), codes.end(), ids.literal));
    EncodedStream::Node& node = stream.nodes.emplace_back();
    node.num_values = static_cast<uint32_t>(count);
    EncodeSharedCodes(codes, inner(codes_plan), Page(ids.literals, first_literal, num_literals),
                      inner(literals_plan), &node.bytes);
    first_literal += num_literals;
  }
  stream.is_damaged = tuning.verify && !DecodesTo(stream, ids, page_values);
  return stream;
}

}  // namespace dsi::internal
