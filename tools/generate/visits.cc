// A log of places that people visit and rate. Most sessions are one visit, and users stay away for
// days, so that a session says little of its rows, and history and place say much. The category in
// one row of a thousand is not the place's own, as in logs where somebody mistyped it.

#include "dsi/tools/generate/visits_internal.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "dsi/tools/generate/counter_rng_internal.h"
#include "dsi/tools/generate/log_generator_internal.h"
#include "dsi/tools/generate/rank_law_internal.h"
#include "dsi/tools/generate/visits_row_internal.h"

namespace dsi::tools {
namespace {

constexpr uint64_t kEventStream = 0x71;
constexpr int64_t kStartMs = 1'600'000'000'000;
constexpr int64_t kHourMs = 3'600'000;
constexpr uint32_t kUsers = 20'000;
constexpr double kUserOffset = 1000;
constexpr double kCityOffset = 5;
constexpr double kPlaceOffset = 3;
constexpr double kMeanVisits = 1.15;
constexpr double kOtherCategory = 0.001;

// 1500 sessions a day: a user comes every few days to weeks, and never twice in 12 hours.
constexpr double kMeanArrivalMs = 24.0 * kHourMs / 1500;
constexpr int64_t kLeastAwayMs = 12 * kHourMs;
// Visits from before the log, so that it begins with histories.
constexpr uint64_t kVisitsBeforeLog = 200'000;

class VisitsLog final : public LogGenerator {
 public:
  explicit VisitsLog(const GenerateOptions& options)
      : LogGenerator(options),
        key_(DeriveKey(options.seed, kEventStream)),
        activity_(kUsers, kUserOffset),
        cities_(VisitPlaces::kCities, kCityOffset),
        places_of_city_(VisitPlaces::kPlacesPerCity, kPlaceOffset),
        places_(options.seed),
        users_(kUsers),
        row_(options.seed, IdWriter(options.hash_ids)) {
    for (uint32_t number = 1; number <= kUsers; ++number) At(number).home = cities_.Draw(Bits());
    events_.push({kStartMs, 0, 0});
    while (visits_ < kVisitsBeforeLog) RunEvent();
  }

  std::string SchemaJson() const override { return VisitRow::SchemaJson(); }

 private:
  // Without a user: the beginning of a session by somebody.
  struct Event {
    int64_t time_ms;
    uint64_t number;
    uint32_t user;
    bool operator>(const Event& other) const {
      return std::tie(time_ms, number) > std::tie(other.time_ms, other.number);
    }
  };

  uint64_t Bits() { return DrawBits(key_, draws_++); }
  VisitUser& At(uint32_t user) { return users_[user - 1]; }

  void RunEvent() override {
    const Event event = events_.top();
    events_.pop();
    if (event.user != 0) return RunVisit(event.time_ms, event.user);
    RunVisit(event.time_ms, StartSession(event.time_ms));
    events_.push({event.time_ms + WaitFromBits(Bits(), kMeanArrivalMs), ++last_event_, 0});
  }

  uint32_t StartSession(int64_t now_ms) {
    uint32_t user = 0;
    do {
      user = activity_.Draw(Bits());
    } while (At(user).session != 0 ||
             (At(user).visits != 0 && now_ms - At(user).last_visit_ms < kLeastAwayMs));
    At(user).session = ++last_session_;
    return user;
  }

  // A third of the visits are to places known; of the others most are in the user's own city.
  uint32_t DrawPlace(const VisitUser& user) {
    if (user.visited.size() != 0 && Happens(Bits(), ProbabilityThreshold(0.33))) {
      return user.visited.At(BoundedFromBits(Bits(), user.visited.size()));
    }
    const bool away = Happens(Bits(), ProbabilityThreshold(0.15));
    const uint32_t city = away ? cities_.Draw(Bits()) : user.home;
    return VisitPlaces::NumberOf(city, places_of_city_.Draw(Bits()));
  }

  void RunVisit(int64_t now_ms, uint32_t number) {
    VisitUser& user = At(number);
    const uint32_t place_number = DrawPlace(user);
    VisitPlace& place = places_.At(place_number);
    uint32_t category = place.category;
    const uint64_t other = 1 + BoundedFromBits(Bits(), VisitPlaces::kCategories - 1);
    if (Happens(Bits(), ProbabilityThreshold(kOtherCategory))) {
      category = static_cast<uint32_t>(1 + (category - 1 + other) % VisitPlaces::kCategories);
    }
    const double taste = UnitFromBits(Bits()) + UnitFromBits(Bits());
    const auto rating =
        static_cast<uint32_t>(std::clamp(1.2 + 2.8 * place.quality + 1.6 * taste, 1.0, 5.0));
    if (visits_++ >= kVisitsBeforeLog) {
      JsonText* out = AddRow(user.session);
      if (out != nullptr) {
        row_.Append({now_ms, category, rating}, number, user, place_number, place, out);
      }
    }
    ++place.visits;
    place.ratings += rating;
    place.visitors.Push(number);
    user.visited.Push(place_number);
    user.categories.Push(category);
    user.gaps.Push(
        user.visits == 0 ? 0 : static_cast<uint32_t>((now_ms - user.last_visit_ms) / kHourMs));
    user.last_visit_ms = now_ms;
    ++user.visits;
    if (Happens(Bits(), ProbabilityThreshold(1 - 1 / kMeanVisits))) {
      const int64_t pause_ms = kHourMs / 3 + BoundedFromBits(Bits(), 2 * kHourMs);
      events_.push({now_ms + pause_ms, ++last_event_, number});
    } else {
      EndSession(std::exchange(user.session, 0));
    }
  }

  uint64_t key_;
  uint64_t draws_ = 0;
  RankLaw activity_;  // Of users, who are numbered from the most active.
  RankLaw cities_;
  RankLaw places_of_city_;
  VisitPlaces places_;
  std::vector<VisitUser> users_;
  VisitRow row_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint64_t last_event_ = 0;
  uint64_t last_session_ = 0;
  uint64_t visits_ = 0;
};

}  // namespace

std::unique_ptr<RowGenerator> MakeVisits(const GenerateOptions& options) {
  return std::make_unique<VisitsLog>(options);
}

}  // namespace dsi::tools
