#include "dsi/tools/generate/feature_stream_internal.h"

#include "dsi/tools/generate/counter_rng_internal.h"

namespace dsi::tools {
namespace {

constexpr uint64_t kChangeStream = 0x21;
constexpr uint64_t kLengthStream = 0x22;
constexpr uint64_t kValueStream = 0x23;

// Counters of a value's stream that no position in a list reaches.
constexpr uint64_t kLengthCounter = uint64_t{1} << 62;
constexpr uint64_t kEmptyCounter = kLengthCounter + 1;

}  // namespace

FeatureStream::FeatureStream(const FeatureClass& spec, uint64_t seed, uint64_t index,
                             uint64_t id_space)
    : spec_(spec),
      prefix_(",\"" + spec.name + "\":"),
      change_key_(DeriveKey(DeriveKey(seed, kChangeStream), spec.change_group)),
      length_key_(DeriveKey(DeriveKey(seed, kLengthStream), spec.change_group)),
      value_key_(DeriveKey(DeriveKey(seed, kValueStream), index)),
      id_space_(id_space),
      change_threshold_(ProbabilityThreshold(spec.change)),
      shift_threshold_(ProbabilityThreshold(spec.shift_share)),
      empty_threshold_(ProbabilityThreshold(spec.empty_share)) {}

std::string_view FeatureStream::Text(uint64_t session, uint32_t step) {
  const bool same_session = valid_ && session == session_;
  if (same_session && step == step_) return text_.View();
  if (!same_session) session_change_key_ = DeriveKey(change_key_, session);
  Version version;
  if (same_session && step == step_ + 1) {
    version = version_;
    Apply(session_change_key_, step, &version);
  } else {
    version = Find(session_change_key_, step);
  }
  if (!same_session || version != version_) Render(session, version);
  valid_ = true;
  session_ = session;
  step_ = step;
  version_ = version;
  return text_.View();
}

// Brings `*version` from the row before `step` to `step`; true if a whole draw happens there.
bool FeatureStream::Apply(uint64_t change_key, uint32_t step, Version* version) const {
  const uint64_t bits = DrawBits(change_key, step);
  if (!Happens(bits, change_threshold_)) return false;
  if (Happens(bits << 32, shift_threshold_)) {
    version->shifted += spec_.shift;
    return false;
  }
  *version = {step, 0};
  return true;
}

FeatureStream::Version FeatureStream::Find(uint64_t change_key, uint32_t step) const {
  Version version;
  for (uint32_t at = step; at > 0; --at) {
    Version here;
    const bool drawn = Apply(change_key, at, &here);
    version.shifted += here.shifted;
    if (drawn) {
      version.drawn_at = at;
      break;
    }
  }
  return version;
}

uint32_t FeatureStream::ListLength(uint64_t session, uint64_t value_key) const {
  if (Happens(DrawBits(value_key, kEmptyCounter), empty_threshold_)) return 0;
  const uint64_t bits = spec_.length_of_session ? DrawBits(length_key_, session)
                                                : DrawBits(value_key, kLengthCounter);
  return spec_.min_length + BoundedFromBits(bits, spec_.max_length - spec_.min_length + 1);
}

void FeatureStream::Render(uint64_t session, const Version& version) {
  const uint64_t key = DeriveKey(DeriveKey(value_key_, session), version.drawn_at);
  text_.Clear();
  text_.Append(prefix_);
  if (!spec_.is_list) {
    text_.AppendFloat(ClearLowBits(NormalFromBits(DrawBits(key, 0))));
    return;
  }
  const uint32_t length = ListLength(session, key);
  text_.Append('[');
  for (uint32_t i = 0; i < length; ++i) {
    if (i != 0) text_.Append(',');
    const uint64_t position = i - version.shifted;  // Wraps below zero: the newest ids.
    text_.AppendInteger(HashedId(ParetoRankFromBits(DrawBits(key, position)), id_space_));
  }
  text_.Append(']');
}

}  // namespace dsi::tools
