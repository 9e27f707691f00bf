// A news site, event by event: thousands of readers are in a session at any time, articles appear
// and are pushed down by newer ones. Each click is logged with four sampled negatives: other
// articles, drawn by popularity. A row carries the state just before its click; only what follows
// from the click itself (dwell time, scrolling) is of later, and only clicked rows have it.

#include "dsi/tools/generate/news_internal.h"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "dsi/tools/generate/counter_rng_internal.h"
#include "dsi/tools/generate/log_generator_internal.h"
#include "dsi/tools/generate/news_front_internal.h"
#include "dsi/tools/generate/news_row_internal.h"

namespace dsi::tools {
namespace {

constexpr uint64_t kEventStream = 0x62;
constexpr uint64_t kReaderStream = 0x63;
constexpr int64_t kStartMs = 1'700'000'000'000;
constexpr uint32_t kReaders = 20'000;
constexpr double kReaderOffset = 50;
constexpr uint32_t kArticles = 2000;
constexpr uint32_t kNegatives = 4;

// A session has 4 pauses of 150 s on average; one that begins every 200 ms makes 3000 open ones.
constexpr double kMeanClicks = 5;
constexpr double kMeanPauseMs = 150'000;
constexpr double kMeanArrivalMs = 200;
constexpr int64_t kPublishMs = 6000;
// The site ran for about an hour before the log begins, so that it begins in full swing.
constexpr uint64_t kClicksBeforeLog = 100'000;

class NewsLog final : public LogGenerator {
 public:
  explicit NewsLog(const GenerateOptions& options)
      : LogGenerator(options),
        key_(DeriveKey(options.seed, kEventStream)),
        reader_key_(DeriveKey(options.seed, kReaderStream)),
        front_(options.seed, options.items.value_or(kArticles), IdWriter(options.hash_ids)),
        activity_(kReaders, kReaderOffset),
        readers_(kReaders),
        row_(reader_key_, IdWriter(options.hash_ids)) {
    const uint32_t articles = options.items.value_or(kArticles);
    for (uint32_t i = articles; i > 0; --i) front_.Publish(kStartMs - i * kPublishMs, Bits());
    Schedule(kStartMs, kPublication, 0);
    Schedule(kStartMs, kArrival, 0);
    while (clicks_ < kClicksBeforeLog) RunEvent();
  }

  std::string SchemaJson() const override { return NewsRow::SchemaJson(); }

 private:
  enum EventKind : uint8_t { kPublication, kArrival, kClick };

  struct Event {
    int64_t time_ms;
    uint64_t number;
    EventKind kind;
    uint32_t reader;
    bool operator>(const Event& other) const {
      return std::tie(time_ms, number) > std::tie(other.time_ms, other.number);
    }
  };

  // What a click shows, by slot of the front page, the clicked article first.
  using Shown = std::array<uint32_t, 1 + kNegatives>;

  uint64_t Bits() { return DrawBits(key_, draws_++); }
  NewsReader& At(uint32_t reader) { return readers_[reader - 1]; }

  void Schedule(int64_t time_ms, EventKind kind, uint32_t reader) {
    events_.push({time_ms, ++last_event_, kind, reader});
  }

  void RunEvent() override {
    const Event event = events_.top();
    events_.pop();
    switch (event.kind) {
      case kPublication:
        front_.Publish(event.time_ms, Bits());
        return Schedule(event.time_ms + kPublishMs, kPublication, 0);
      case kArrival:
        RunClick(event.time_ms, StartSession());
        return Schedule(event.time_ms + WaitFromBits(Bits(), kMeanArrivalMs), kArrival, 0);
      case kClick:
        return RunClick(event.time_ms, event.reader);
    }
  }

  uint32_t StartSession() {
    uint32_t reader = activity_.Draw(Bits());
    while (At(reader).session != 0) reader = activity_.Draw(Bits());
    At(reader).session = ++last_session_;
    At(reader).session_clicks = 0;
    return reader;
  }

  // Something popular that the reader has not read, rather of a category that the reader likes.
  uint32_t DrawClicked(uint32_t reader) {
    const uint64_t key = DeriveKey(reader_key_, reader);
    uint32_t slot = front_.DrawSlot(Bits());
    for (int attempt = 0; attempt < 4; ++attempt) {
      const NewsArticle& article = front_.At(slot);
      const bool read = At(reader).clicked.Contains(article.number);
      if (!read && Happens(DrawBits(key, 64 + article.category), ProbabilityThreshold(0.3))) break;
      const uint32_t other = front_.DrawSlot(Bits());
      if (!At(reader).clicked.Contains(front_.At(other).number)) slot = other;
    }
    return slot;
  }

  Shown DrawShown(uint32_t reader) {
    Shown shown = {DrawClicked(reader)};
    for (auto at = shown.begin() + 1; at != shown.end(); ++at) {
      do {
        *at = front_.DrawSlot(Bits());
      } while (std::find(shown.begin(), at, *at) != at);
    }
    return shown;
  }

  void RunClick(int64_t now_ms, uint32_t number) {
    NewsReader& reader = At(number);
    const Shown shown = DrawShown(number);
    const bool more = Happens(Bits(), ProbabilityThreshold(1 - 1 / kMeanClicks));
    const int64_t pause_ms = WaitFromBits(Bits(), kMeanPauseMs);
    // The reader reads for most of the time until the next click.
    const double share = 0.3 + 0.65 * UnitFromBits(Bits());
    const auto dwell_ms = static_cast<int64_t>(static_cast<double>(pause_ms) * share);
    const uint64_t referrer = 1 + BoundedFromBits(Bits(), 12);

    if (clicks_++ >= kClicksBeforeLog) {
      row_.SetRequest({++last_request_, now_ms, referrer}, number, reader);
      for (uint32_t i = 0; i < shown.size(); ++i) {
        JsonText* out = AddRow(reader.session);
        if (out == nullptr) break;
        row_.Append(front_.At(shown[i]), i == 0 ? dwell_ms : NewsRow::kNotClicked, out);
      }
    }

    for (const uint32_t slot : shown) ++front_.At(slot).shown;
    NewsArticle& clicked = front_.At(shown[0]);
    ++clicked.clicked;
    clicked.visitors.Push(number);
    if (reader.clicks != 0) clicked.co_clicks.Push(reader.clicked.Last());
    reader.clicked.Push(clicked.number);
    reader.categories.Push(clicked.category);
    reader.last_click_ms = now_ms;
    ++reader.session_clicks;
    ++reader.clicks;
    if (more) return Schedule(now_ms + pause_ms, kClick, number);
    EndSession(std::exchange(reader.session, 0));
  }

  uint64_t key_;
  uint64_t reader_key_;
  uint64_t draws_ = 0;
  NewsFront front_;
  RankLaw activity_;  // Of readers, who are numbered from the most active.
  std::vector<NewsReader> readers_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint64_t last_event_ = 0;
  uint64_t last_session_ = 0;
  uint64_t last_request_ = 0;
  uint64_t clicks_ = 0;
  NewsRow row_;
};

}  // namespace

std::unique_ptr<RowGenerator> MakeNews(const GenerateOptions& options) {
  return std::make_unique<NewsLog>(options);
}

}  // namespace dsi::tools
