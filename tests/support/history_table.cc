#include "dsi/tests/support/history_table.h"

#include <bit>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace dsi::test {
namespace {

using Row = std::optional<std::vector<uint64_t>>;

class HistoryMaker {
 public:
  explicit HistoryMaker(uint64_t seed) : random_(seed) {
    for (auto& profile : profiles_) profile = Numbers(40);
    for (auto& words : words_) words = Numbers(6);
  }

  ModelTable Make(size_t num_rows) {
    for (size_t row = 0; row < num_rows; ++row) AddRow(row);
    table_.num_rows = num_rows;
    return std::move(table_);
  }

 private:
  static constexpr size_t kUsers = 40;
  static constexpr size_t kItems = 60;

  std::vector<uint64_t> Numbers(size_t count) {
    std::vector<uint64_t> numbers(count);
    for (uint64_t& number : numbers) number = random_() >> 8;
    return numbers;
  }

  // Adds the entry of the next column to its rows; in the first row the column itself as well.
  void Add(const std::string& name, Kind kind, Type type, Row row) {
    if (next_ == table_.columns.size()) {
      table_.columns.push_back(
          {.name = name, .kind = kind, .type = type, .nested = true, .rows = {}});
      const size_t dot = name.rfind('.');
      const bool more = kind == Kind::kWeighted || kind == Kind::kSequence;
      const std::string feature = more ? name.substr(0, dot) : name;
      auto& features = table_.schema.features;
      if (features.empty() || features.back().name != feature) {
        features.emplace_back();
        features.back().name = feature;
        features.back().kind = kind;
      }
      features.back().columns.push_back(
          {.name = more ? name.substr(dot + 1) : "", .type = type, .id_space = ""});
      if (kind == Kind::kTimestamp) features.back().columns[0].time_unit = TimeUnit::kMillis;
    }
    table_.columns[next_++].rows.push_back(std::move(row));
  }

  void AddRow(size_t row) {
    if (row == 0 || random_() % 12 == 0) StartSession();
    const double u = static_cast<double>(random_() % 1'000'000) / 1e6;
    const auto item = static_cast<size_t>(static_cast<double>(kItems) * u * u);
    next_ = 0;
    Add("session_id", Kind::kKey, Type::kInt64, Row{{session_}});
    Add("time", Kind::kTimestamp, Type::kInt64, Row{{1'000'000 + row * 7}});
    Add("label", Kind::kLabel, Type::kInt8, Row{{random_() % 4 == 0 ? 1U : 0U}});
    Add("weight", Kind::kDense, Type::kFloat32, Weight());
    Add("big", Kind::kDense, Type::kUint64, Row{{random_()}});
    Add("user_id", Kind::kKey, Type::kInt64, Row{{user_}});
    Add("user.profile", Kind::kList, Type::kInt64, Row{profiles_[user_]});
    Add("user.history.item", Kind::kSequence, Type::kInt64, history_);
    Add("user.history.time", Kind::kSequence, Type::kInt32, times_);
    Add("topics.ids", Kind::kWeighted, Type::kInt32, topics_);
    Add("topics.weights", Kind::kWeighted, Type::kFloat32, scores_);
    Add("item_id", Kind::kKey, Type::kInt64, Row{{item}});
    Add("item.words", Kind::kList, Type::kInt64, Row{words_[item]});
    Add("item.views", Kind::kDense, Type::kInt32, Row{{views_[item]}});
    Add("item.viewers", Kind::kList, Type::kInt64, Viewers(item));
    Add("noise", Kind::kDense, Type::kFloat64, Row{{std::bit_cast<uint64_t>(u)}});
    views_[item] += 1 + random_() % 3;
    std::vector<uint64_t>& viewers = viewers_[item];
    viewers.insert(viewers.begin(), random_() >> 8);
    if (viewers.size() > 9) viewers.pop_back();
  }

  Row Weight() {
    const uint64_t pick = random_() % 10;
    if (pick == 0) return std::nullopt;
    if (pick == 1) return Row{{0x7FC12345}};  // NaN with payload.
    if (pick == 2) return Row{{0x80000000}};  // -0.0
    return Row{{std::bit_cast<uint32_t>(static_cast<float>(random_() % 100) / 10)}};
  }

  Row Viewers(size_t item) {
    const uint64_t pick = random_() % 20;
    if (pick == 0) return std::nullopt;
    if (pick == 1) return Row{std::vector<uint64_t>{}};
    return Row{viewers_[item]};
  }

  // A user comes back with some new entries in front of the old ones.
  void StartSession() {
    ++session_;
    user_ = random_() % kUsers;
    std::vector<uint64_t>& seen = seen_[user_];
    for (uint64_t i = 0, news = random_() % 4; i < news; ++i)
      seen.insert(seen.begin(), random_() >> 8);
    if (seen.size() > 25) seen.resize(25);
    history_ = Row{seen};
    times_ = Row{std::vector<uint64_t>()};
    for (size_t i = 0; i < seen.size(); ++i) times_->push_back(session_ * 100 + i);
    topics_ = Row{std::vector<uint64_t>(random_() % 5, session_ % 50)};
    scores_ = Row{std::vector<uint64_t>(topics_->size(), std::bit_cast<uint32_t>(0.25F))};
    if (random_() % 10 == 0) history_ = times_ = topics_ = scores_ = std::nullopt;
  }

  std::mt19937_64 random_;
  ModelTable table_;
  size_t next_ = 0;  // Column of the row being added.
  uint64_t session_ = 0;
  uint64_t user_ = 0;
  Row history_, times_, topics_, scores_;
  std::vector<uint64_t> profiles_[kUsers], seen_[kUsers], words_[kItems], viewers_[kItems];
  uint64_t views_[kItems] = {};
};

}  // namespace

ModelTable HistoryTable(uint64_t seed, size_t num_rows) {
  return HistoryMaker(seed).Make(num_rows);
}

}  // namespace dsi::test
