// The log is simulated event by event: users come, have sessions of several requests, are shown
// several items a request, view and click some, and leave. What a row carries is the state just
// before its request, so histories shift as users go on and items change as others view them.

#include "dsi/tools/generate/clicks_internal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "dsi/tools/generate/clicks_user_internal.h"
#include "dsi/tools/generate/log_generator_internal.h"
#include "dsi/tools/generate/schema_text_internal.h"

namespace dsi::tools {
namespace {

constexpr uint64_t kArrivalStream = 0x53;
constexpr int64_t kLogStartMs = 1'700'000'000'000;
constexpr uint32_t kFirstUsers = 2400;

// A user stays for about 6 sessions, 8.5 hours apart: with one new user in this time there are
// always about kFirstUsers around, and memory does not grow with the rows.
constexpr double kMeanArrivalMs = 76'000;
constexpr double kMeanSessionGapMs = 8 * 3'600'000.0;
constexpr double kMeanRequestGapMs = 40'000;
constexpr double kMeanRequests = 5;
constexpr uint32_t kMostImpressions = 6;
constexpr double kViewRate = 0.12;
constexpr double kQueryCoverage = 0.8;

int64_t ExponentialFromBits(uint64_t bits, double mean) {
  return 1 + static_cast<int64_t>(-std::log(UnitFromBits(bits) + 0x1p-54) * mean);
}

class ClicksLog : public LogGenerator {
 public:
  explicit ClicksLog(const GenerateOptions& options)
      : LogGenerator(options),
        seed_(options.seed),
        ids_(options.hash_ids),
        arrival_key_(DeriveKey(options.seed, kArrivalStream)),
        catalogue_(options.seed, options.items.value_or(20'000), kFirstUsers, ids_) {
    for (uint32_t i = 0; i < kFirstUsers; ++i) AddUser(kLogStartMs);
    events_.push({kLogStartMs, 0, nullptr});
  }

  std::string SchemaJson() const override;

 private:
  struct Impression {
    uint32_t item;
    bool clicked;
  };

  // An event without a user is the arrival of a new one.
  struct Event {
    int64_t time_ms;
    uint32_t number;
    ClicksUser* user;
    bool operator>(const Event& other) const {
      return std::pair(time_ms, number) > std::pair(other.time_ms, other.number);
    }
  };

  void AddUser(int64_t now_ms) {
    const uint32_t number = next_user_++;
    users_.push_back(std::make_unique<ClicksUser>(seed_, number, now_ms, catalogue_));
    ClicksUser* user = users_.back().get();
    events_.push({now_ms + ExponentialFromBits(user->Bits(), kMeanSessionGapMs), number, user});
  }

  void RemoveUser(const ClicksUser* user) {
    const auto at = std::find_if(users_.begin(), users_.end(),
                                 [user](const auto& u) { return u.get() == user; });
    std::swap(*at, users_.back());
    users_.pop_back();
  }

  void RunEvent() override {
    const Event event = events_.top();
    events_.pop();
    if (event.user == nullptr) {
      AddUser(event.time_ms);
      const uint64_t bits = DrawBits(arrival_key_, next_user_);
      events_.push({event.time_ms + ExponentialFromBits(bits, kMeanArrivalMs), 0, nullptr});
      return;
    }
    ClicksUser* user = event.user;
    if (!user->in_session()) {
      user->StartSession(++last_session_, GeometricFromBits(user->Bits(), kMeanRequests));
    }
    RunRequest(event.time_ms, user);
    if (user->EndRequest(event.time_ms)) {
      const int64_t gap = ExponentialFromBits(user->Bits(), kMeanRequestGapMs);
      events_.push({event.time_ms + gap, event.number, user});
      return;
    }
    EndSession(user->session());
    if (!user->HasSessionsLeft()) {
      RemoveUser(user);
      return;
    }
    // Half an hour without a request is what ends a session.
    const int64_t gap = 1'800'000 + ExponentialFromBits(user->Bits(), kMeanSessionGapMs);
    events_.push({event.time_ms + gap, event.number, user});
  }

  void RunRequest(int64_t now_ms, ClicksUser* user) {
    std::array<Impression, kMostImpressions> shown;
    const uint32_t count = 1 + BoundedFromBits(user->Bits(), kMostImpressions);
    for (uint32_t i = 0; i < count; ++i) {
      shown[i].item = user->DrawItem(catalogue_);
      const bool liked = user->LikesCategory(catalogue_.CategoryOf(shown[i].item));
      const double rate = (liked ? 0.052 : 0.032) * (1.2 - 0.08 * i);
      shown[i].clicked = Happens(user->Bits(), ProbabilityThreshold(rate));
    }
    RenderContext(user);
    ++last_request_;
    for (uint32_t i = 0; i < count; ++i) {
      JsonText* out = AddRow(user->session());
      if (out == nullptr) break;
      AppendRow(now_ms, user, i, shown[i], out);
    }
    for (uint32_t i = 0; i < count; ++i) {
      const bool viewed = Happens(user->Bits(), ProbabilityThreshold(kViewRate));
      if (!shown[i].clicked && !viewed) continue;
      catalogue_.View(shown[i].item, user->number(), user->LastItem(), shown[i].clicked);
      user->Remember(shown[i].item, catalogue_.CategoryOf(shown[i].item), now_ms);
    }
  }

  void RenderContext(ClicksUser* user) {
    context_.Clear();
    context_.Append("\"page\":[");
    ids_.Append(1 + BoundedFromBits(user->Bits(), 40), IdWriter::kOther, &context_);
    context_.Append(']');
    if (!Happens(user->Bits(), ProbabilityThreshold(kQueryCoverage))) return;
    context_.Append(",\"query\":[");
    const uint32_t words = BoundedFromBits(user->Bits(), 5);
    for (uint32_t i = 0; i < words; ++i) {
      if (i != 0) context_.Append(',');
      ids_.Append(1 + BoundedFromBits(user->Bits(), 2000), IdWriter::kWord, &context_);
    }
    context_.Append(']');
  }

  void AppendRow(int64_t now_ms, ClicksUser* user, uint32_t position, Impression shown,
                 JsonText* out) const;

  uint64_t seed_;
  IdWriter ids_;
  uint64_t arrival_key_;
  mutable Catalogue catalogue_;  // Its texts are rendered when they are first asked for.
  std::vector<std::unique_ptr<ClicksUser>> users_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint32_t next_user_ = 1;
  uint64_t last_session_ = 0;
  uint64_t last_request_ = 0;
  JsonText context_;
};

void ClicksLog::AppendRow(int64_t now_ms, ClicksUser* user, uint32_t position, Impression shown,
                          JsonText* out) const {
  out->Append("{\"session_id\":");
  ids_.Append(user->session(), IdWriter::kSession, out);
  out->Append(",\"request_id\":");
  out->AppendInteger(static_cast<int64_t>(last_request_));
  out->Append(",\"user_id\":");
  ids_.Append(user->number(), IdWriter::kUser, out);
  out->Append(",\"item_id\":");
  ids_.Append(shown.item, IdWriter::kItem, out);
  out->Append(",\"timestamp\":");
  out->AppendInteger(now_ms);
  out->Append(shown.clicked ? ",\"label\":1,\"dense\":{" : ",\"label\":0,\"dense\":{");
  out->Append("\"position\":");
  out->AppendFloat(static_cast<float>(position));
  out->Append(",\"hour\":");
  out->AppendFloat(static_cast<float>(now_ms / 3'600'000 % 24));
  out->Append(",\"log_gap\":");
  const auto gap_ms = static_cast<double>(user->MillisecondsSinceRequest(now_ms));
  out->AppendFloat(ClearLowBits(std::log1p(gap_ms / 1000)));
  out->Append(',');
  out->Append(user->DenseText(ids_));
  out->Append(',');
  out->Append(catalogue_.DenseText(shown.item));
  out->Append("},\"context\":{");
  out->Append(context_.View());
  out->Append("},\"user\":{");
  out->Append(user->ListsText(ids_));
  out->Append("},\"item\":{");
  out->Append(catalogue_.ListsText(shown.item));
  out->Append("}}\n");
}

std::string ClicksLog::SchemaJson() const {
  SchemaText schema;
  for (const char* name : {"session_id", "request_id", "user_id", "item_id"}) schema.AddKey(name);
  schema.AddTimestamp("timestamp");
  schema.AddLabel("label");
  for (const char* name : {"position", "hour", "log_gap", "user_days", "user_age", "user_views",
                           "item_price", "item_views", "item_clicks", "item_click_rate"}) {
    schema.AddDense(std::string("dense.") + name);
  }
  struct List {
    const char* name;
    const char* id_space;
  };
  for (const List& list : {List{"context.page", ""},
                           {"context.query", "word"},
                           {"user.hist_item", "item"},
                           {"user.hist_cat", "category"},
                           {"user.hist_gap", ""},
                           {"user.last_session", "item"},
                           {"user.interests", "category"},
                           {"user.segments", ""},
                           {"item.id", "item"},
                           {"item.cats", "category"},
                           {"item.words", "word"},
                           {"item.brand", ""},
                           {"item.seen_with", "item"},
                           {"item.recent_users", "user"}}) {
    schema.AddList(list.name, list.id_space, false);
  }
  return schema.Finish();
}

}  // namespace

std::unique_ptr<RowGenerator> MakeClicks(const GenerateOptions& options) {
  return std::make_unique<ClicksLog>(options);
}

}  // namespace dsi::tools
