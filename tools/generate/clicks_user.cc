#include "dsi/tools/generate/clicks_user_internal.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace dsi::tools {
namespace {

constexpr uint64_t kUserStream = 0x52;
constexpr double kMeanSessions = 6;
constexpr double kCoverage = 0.8;
constexpr uint32_t kSegments = 500;
constexpr int64_t kDayMs = 86'400'000;

}  // namespace

ClicksUser::ClicksUser(uint64_t seed, uint32_t number, int64_t now_ms, const Catalogue& catalogue)
    : key_(DeriveKey(DeriveKey(seed, kUserStream), number)),
      number_(number),
      sessions_left_(GeometricFromBits(Bits(), kMeanSessions)),
      last_view_ms_(now_ms - BoundedFromBits(Bits(), kDayMs)),
      last_request_ms_(last_view_ms_) {
  for (uint32_t i = 1 + BoundedFromBits(Bits(), 6); i > 0; --i) {
    interests_.push_back(catalogue.CategoryOf(catalogue.DrawItem(Bits())));
  }
  const uint32_t past = BoundedFromBits(Bits(), 8) == 0 ? 0 : BoundedFromBits(Bits(), 80);
  for (uint32_t i = 0; i < std::min<uint32_t>(past, kHistoryLength); ++i) {
    const uint32_t item = DrawItem(catalogue);
    history_.push_back({item, catalogue.CategoryOf(item), 3 + BoundedFromBits(Bits(), 14)});
  }
  views_ = past;
}

void ClicksUser::StartSession(uint64_t session, uint32_t requests) {
  session_ = session;
  requests_left_ = requests;
  --sessions_left_;
  last_session_ = std::move(this_session_);
  this_session_.clear();
  rendered_ = false;
}

bool ClicksUser::EndRequest(int64_t now_ms) {
  last_request_ms_ = now_ms;
  return --requests_left_ != 0;
}

int64_t ClicksUser::MillisecondsSinceRequest(int64_t now_ms) const {
  return now_ms - last_request_ms_;
}

// A third of what is shown was viewed before, a third is of the user's interests, and the rest is
// what is popular.
uint32_t ClicksUser::DrawItem(const Catalogue& catalogue) {
  const uint32_t how = BoundedFromBits(Bits(), 6);
  const uint64_t bits = Bits();
  if (how < 2 && !history_.empty()) {
    return history_[BoundedFromBits(bits, static_cast<uint32_t>(history_.size()))].item;
  }
  if (how < 4) {
    const uint32_t which = BoundedFromBits(Bits(), static_cast<uint32_t>(interests_.size()));
    return catalogue.DrawItemOf(interests_[which], bits);
  }
  return catalogue.DrawItem(bits);
}

bool ClicksUser::LikesCategory(uint32_t category) const {
  return std::find(interests_.begin(), interests_.end(), category) != interests_.end();
}

void ClicksUser::Remember(uint32_t item, uint32_t category, int64_t now_ms) {
  const auto seconds = static_cast<uint64_t>(std::max<int64_t>(0, now_ms - last_view_ms_)) / 1000;
  if (history_.size() == kHistoryLength) history_.erase(history_.begin());
  history_.push_back({item, category, static_cast<uint32_t>(std::bit_width(seconds))});
  this_session_.push_back(item);
  last_view_ms_ = now_ms;
  ++views_;
  rendered_ = false;
}

std::string_view ClicksUser::ListsText(const IdWriter& ids) {
  if (fixed_dense_.empty()) RenderFixed(ids);
  if (!rendered_) Render(ids);
  return lists_.View();
}

std::string_view ClicksUser::DenseText(const IdWriter& ids) {
  ListsText(ids);
  return dense_.View();
}

void ClicksUser::RenderFixed(const IdWriter& ids) {
  const uint64_t key = DeriveKey(key_, 1);
  const uint64_t has_it = ProbabilityThreshold(kCoverage);
  if (Happens(DrawBits(key, 0), has_it)) {
    fixed_lists_.Append(",\"interests\":[");
    for (size_t i = 0; i < interests_.size(); ++i) {
      if (i != 0) fixed_lists_.Append(',');
      ids.Append(interests_[i], IdWriter::kCategory, &fixed_lists_);
    }
    fixed_lists_.Append(']');
  }
  if (Happens(DrawBits(key, 1), has_it)) {
    fixed_lists_.Append(",\"segments\":[");
    const uint32_t count = BoundedFromBits(DrawBits(key, 2), 12);
    for (uint32_t i = 0; i < count; ++i) {
      if (i != 0) fixed_lists_.Append(',');
      ids.Append(1 + BoundedFromBits(DrawBits(key, 16 + i), kSegments), IdWriter::kOther,
                 &fixed_lists_);
    }
    fixed_lists_.Append(']');
  }
  fixed_dense_.Append("\"user_days\":");
  fixed_dense_.AppendFloat(static_cast<float>(BoundedFromBits(DrawBits(key, 3), 1500)));
  if (Happens(DrawBits(key, 4), has_it)) {
    fixed_dense_.Append(",\"user_age\":");
    fixed_dense_.AppendFloat(static_cast<float>(18 + BoundedFromBits(DrawBits(key, 5), 60)));
  }
}

void ClicksUser::Render(const IdWriter& ids) {
  JsonText& t = lists_;
  t.Clear();
  t.Append("\"hist_item\":[");
  for (size_t i = 0; i < history_.size(); ++i) {
    if (i != 0) t.Append(',');
    ids.Append(history_[i].item, IdWriter::kItem, &t);
  }
  t.Append("],\"hist_cat\":[");
  for (size_t i = 0; i < history_.size(); ++i) {
    if (i != 0) t.Append(',');
    ids.Append(history_[i].category, IdWriter::kCategory, &t);
  }
  t.Append("],\"hist_gap\":[");
  for (size_t i = 0; i < history_.size(); ++i) {
    if (i != 0) t.Append(',');
    t.AppendInteger(history_[i].gap_bits);
  }
  t.Append("],\"last_session\":[");
  for (size_t i = 0; i < last_session_.size(); ++i) {
    if (i != 0) t.Append(',');
    ids.Append(last_session_[i], IdWriter::kItem, &t);
  }
  t.Append(']');
  t.Append(fixed_lists_.View());

  dense_.Clear();
  dense_.Append(fixed_dense_.View());
  dense_.Append(",\"user_views\":");
  dense_.AppendFloat(static_cast<float>(views_));
  rendered_ = true;
}

}  // namespace dsi::tools
