#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsi/tests/tools/generated_rows.h"

namespace dsi::tools {
namespace {

using Json = nlohmann::json;

// The share of rows with a row before them in their session that equal it in `feature`.
double RepeatRate(const std::vector<Json>& rows, const std::string& feature) {
  double same = 0;
  double all = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i]["session_id"] != rows[i - 1]["session_id"]) continue;
    ++all;
    same += rows[i][feature] == rows[i - 1][feature] ? 1 : 0;
  }
  return same / all;
}

std::vector<std::string> ProfileNames() {
  std::vector<std::string> names;
  for (const ProfileDescription& p : GenerateProfiles()) names.emplace_back(p.name);
  return names;
}

class EveryProfile : public testing::TestWithParam<std::string> {};

TEST_P(EveryProfile, SameSeedGivesSameBytesWhateverTheBlockSize) {
  for (const RowOrder order : {RowOrder::kTime, RowOrder::kSession}) {
    GenerateOptions options = OptionsOf(GetParam(), 300, order);
    const std::string text = Generate(options);
    EXPECT_EQ(Generate(options), text);
    options.block_bytes = 1;
    EXPECT_EQ(Generate(options), text);
    options.seed = 2;
    EXPECT_NE(Generate(options), text);
  }
}

TEST_P(EveryProfile, BothOrdersHoldTheSameRows) {
  std::vector<std::string> by_time = Lines(Generate(OptionsOf(GetParam(), 400)));
  std::vector<std::string> by_session =
      Lines(Generate(OptionsOf(GetParam(), 400, RowOrder::kSession)));
  EXPECT_NE(by_time, by_session);
  int64_t last = 0;
  for (const std::string& line : by_time) {
    const auto now = Json::parse(line)["timestamp"].get<int64_t>();
    EXPECT_GE(now, last);
    last = now;
  }
  std::set<int64_t> closed;
  int64_t open = -1;
  for (const std::string& line : by_session) {
    const Json row = Json::parse(line);
    const auto session = row["session_id"].get<int64_t>();
    if (session == open) {
      EXPECT_GE(row["timestamp"].get<int64_t>(), last);
    } else {
      closed.insert(open);
      EXPECT_FALSE(closed.contains(session)) << "the rows of a session stand together";
      open = session;
    }
    last = row["timestamp"].get<int64_t>();
  }
  std::sort(by_time.begin(), by_time.end());
  std::sort(by_session.begin(), by_session.end());
  EXPECT_EQ(by_time, by_session);
}

TEST_P(EveryProfile, ShorterTableIsAPrefix) {
  // In a simulated log the rows of a session come out when it ends, so there only the order of time
  // has prefixes.
  const bool simulated = GetParam() == "clicks" || GetParam() == "news" || GetParam() == "visits";
  const RowOrder order = simulated ? RowOrder::kTime : RowOrder::kSession;
  const std::string longer = Generate(OptionsOf(GetParam(), 300, order));
  const std::string shorter = Generate(OptionsOf(GetParam(), 111, order));
  EXPECT_EQ(longer.substr(0, shorter.size()), shorter);
}

TEST_P(EveryProfile, SchemaNamesEveryFeatureOfTheRows) {
  const GenerateOptions options = OptionsOf(GetParam(), 50);
  std::string error;
  const auto generator = RowGenerator::Create(options, &error);
  ASSERT_NE(generator, nullptr) << error;
  const Json schema = Json::parse(generator->SchemaJson());
  std::map<std::string, Json> declared;
  for (const Json& feature : schema["features"]) declared[feature["name"]] = feature;
  for (const Json& row : Rows(Generate(options))) {
    for (const auto& [name, value] : row.items()) {
      if (!value.is_object()) {
        EXPECT_TRUE(declared.contains(name)) << name;
        continue;
      }
      for (const auto& [inner, unused] : value.items()) {
        EXPECT_TRUE(declared.contains(name + "." + inner)) << name << "." << inner;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Generate, EveryProfile, testing::ValuesIn(ProfileNames()),
                         [](const auto& param) { return param.param; });

TEST(Generate, NoRowsMakeNoBlock) { EXPECT_EQ(Generate(OptionsOf("p2", 0)), ""); }

TEST(Generate, BadOptionsAreRefusedWithASentence) {
  std::string error;
  EXPECT_EQ(RowGenerator::Create(OptionsOf("p9", 1), &error), nullptr);
  EXPECT_NE(error.find("'p9'"), std::string::npos) << error;
  EXPECT_NE(error.find("sweep"), std::string::npos) << error;
  GenerateOptions options = OptionsOf("p3", 1);
  options.mean_session = std::nan("");
  EXPECT_EQ(RowGenerator::Create(options, &error), nullptr);
  options = OptionsOf("sweep", 1);
  options.duplicate_rates = {0.5, 1.5};
  EXPECT_EQ(RowGenerator::Create(options, &error), nullptr);
  EXPECT_NE(error.find("1.5"), std::string::npos) << error;
  options = OptionsOf("news", 1);
  options.items = 4;
  EXPECT_EQ(RowGenerator::Create(options, &error), nullptr);
  EXPECT_NE(error.find("at least 5"), std::string::npos) << error;
}

TEST(Generate, P3HasItsClassesAndRates) {
  const std::vector<Json> rows = Rows(Generate(OptionsOf("p3", 6000, RowOrder::kSession)));
  EXPECT_EQ(rows[0].size(), 3u + 31 + 390);
  std::set<int64_t> sessions;
  std::set<size_t> sequence_lengths;
  double empty_sets = 0;
  double set_values = 0;
  for (const Json& row : rows) {
    sessions.insert(row["session_id"].get<int64_t>());
    sequence_lengths.insert(row["user_seq0"].size());
    EXPECT_EQ(row["user_seq0"].size(), row["user_seq2"].size());
    for (int i = 0; i < 20; ++i) {
      const size_t length = row["user_set" + std::to_string(i)].size();
      empty_sets += length == 0 ? 1 : 0;
      set_values += static_cast<double>(length);
      EXPECT_TRUE(length == 0 || (length >= 3 && length <= 31));
    }
    EXPECT_GE(row["item_list4"].size(), 1u);
    EXPECT_LE(row["item_list4"].size(), 9u);
  }
  EXPECT_NEAR(static_cast<double>(rows.size()) / static_cast<double>(sessions.size()), 16.5, 2.5);
  EXPECT_EQ(*sequence_lengths.begin(), 28u);
  EXPECT_EQ(*sequence_lengths.rbegin(), 112u);
  EXPECT_NEAR(empty_sets / 120000, 0.2, 0.02);
  EXPECT_NEAR(set_values / 120000, 0.8 * 17, 0.5);
  EXPECT_NEAR(RepeatRate(rows, "user_seq0"), 0.86, 0.02);
  EXPECT_NEAR(RepeatRate(rows, "user_set0"), 0.985, 0.006);
  EXPECT_NEAR(RepeatRate(rows, "user_dense149"), 0.985, 0.006);
  EXPECT_NEAR(RepeatRate(rows, "counter_dense149"), 0.33, 0.03);
  EXPECT_NEAR(RepeatRate(rows, "item_dense89"), 0, 0.001);
  EXPECT_NEAR(RepeatRate(rows, "item_list0"), 0, 0.02);
}

TEST(Generate, SequencesOfAGroupChangeTogetherAndMostlyShift) {
  const std::vector<Json> rows = Rows(Generate(OptionsOf("p3", 4000, RowOrder::kSession)));
  double changes = 0;
  double shifts = 0;
  bool groups_differ = false;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i]["session_id"] != rows[i - 1]["session_id"]) continue;
    const auto same = [&](const char* name) { return rows[i][name] == rows[i - 1][name]; };
    EXPECT_EQ(same("user_seq0"), same("user_seq1"));
    EXPECT_EQ(same("user_seq0"), same("user_seq2"));
    EXPECT_EQ(same("user_seq3"), same("user_seq5"));
    groups_differ |= same("user_seq0") != same("user_seq3");
    if (same("user_seq0")) continue;
    const auto now = rows[i]["user_seq0"].get<std::vector<int64_t>>();
    const auto before = rows[i - 1]["user_seq0"].get<std::vector<int64_t>>();
    ++changes;
    shifts += std::equal(now.begin() + 1, now.end(), before.begin(), before.end() - 1) ? 1 : 0;
  }
  EXPECT_TRUE(groups_differ);
  EXPECT_NEAR(shifts / changes, 0.92, 0.035);
}

TEST(Generate, FloatsReadBackAsFloat32WithTwelveClearBits) {
  for (const Json& row : Rows(Generate(OptionsOf("p4", 100)))) {
    for (const auto& [name, value] : row.items()) {
      if (name.find("dense") == std::string::npos) continue;
      ASSERT_TRUE(value.is_number_float()) << name;
      const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value.get<double>()));
      EXPECT_EQ(bits & 0xFFFu, 0u) << name << " " << value;
    }
  }
}

TEST(Generate, SweepFollowsTheDedupeFormula) {
  for (const double length : {1.15, 4.0, 8.0, 16.5, 32.0}) {
    GenerateOptions options = OptionsOf("sweep", 60000, RowOrder::kSession);
    options.mean_session = length;
    options.duplicate_rates = {0, 0.5, 0.86, 1};
    options.list_length = 3;
    const std::vector<Json> rows = Rows(Generate(options));
    for (size_t f = 0; f < options.duplicate_rates.size(); ++f) {
      const std::string name = "list" + std::to_string(f);
      double unique = 1;
      for (size_t i = 1; i < rows.size(); ++i) {
        const bool repeats = rows[i]["session_id"] == rows[i - 1]["session_id"] &&
                             rows[i][name] == rows[i - 1][name];
        unique += repeats ? 0 : 1;
      }
      const double factor = static_cast<double>(rows.size()) / unique;
      const double formula = length / (1 + (length - 1) * (1 - options.duplicate_rates[f]));
      EXPECT_NEAR(factor / formula, 1, 0.01) << length << " " << options.duplicate_rates[f];
    }
  }
}

TEST(Generate, WideRowsHoldTheirShareOfTheFeatures) {
  GenerateOptions options = OptionsOf("wide", 1000);
  options.features = 2000;
  double present = 0;
  for (const Json& row : Rows(Generate(options))) present += static_cast<double>(row.size()) - 3;
  EXPECT_NEAR(present / 1000, 20, 1);
}

TEST(Generate, ClicksLookLikeALog) {
  const std::vector<Json> rows = Rows(Generate(OptionsOf("clicks", 40000, RowOrder::kSession)));
  double clicks = 0;
  double brands = 0;
  double empty_lists = 0;
  double same_history = 0;
  double same_session = 0;
  std::set<int64_t> sessions;
  std::set<int64_t> requests;
  std::map<int64_t, std::set<int64_t>> sessions_of_user;
  std::map<int64_t, std::set<std::string>> lists_of_item;
  std::map<int64_t, std::set<std::string>> words_of_item;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Json& row = rows[i];
    clicks += row["label"].get<double>();
    brands += row["item"].contains("brand") ? 1 : 0;
    empty_lists += row["user"]["hist_item"].empty() || row["item"]["words"].empty() ? 1 : 0;
    EXPECT_EQ(row["user"]["hist_item"].size(), row["user"]["hist_cat"].size());
    EXPECT_EQ(row["user"]["hist_item"].size(), row["user"]["hist_gap"].size());
    sessions.insert(row["session_id"].get<int64_t>());
    requests.insert(row["request_id"].get<int64_t>());
    sessions_of_user[row["user_id"].get<int64_t>()].insert(row["session_id"].get<int64_t>());
    const auto item = row["item_id"].get<int64_t>();
    lists_of_item[item].insert(row["item"]["recent_users"].dump());
    words_of_item[item].insert(row["item"]["words"].dump());
    if (i == 0 || row["session_id"] != rows[i - 1]["session_id"]) continue;
    ++same_session;
    same_history += row["user"]["hist_item"] == rows[i - 1]["user"]["hist_item"] ? 1 : 0;
  }
  const auto n = static_cast<double>(rows.size());
  EXPECT_NEAR(clicks / n, 0.04, 0.01);
  EXPECT_NEAR(brands / n, 0.8, 0.1);
  EXPECT_GT(empty_lists / n, 0.01);
  EXPECT_NEAR(n / static_cast<double>(sessions.size()), 17, 2);
  EXPECT_NEAR(n / static_cast<double>(requests.size()), 3.5, 0.2);
  EXPECT_GT(sessions.size(), sessions_of_user.size());
  EXPECT_NEAR(same_history / same_session, 0.85, 0.1);
  EXPECT_GT(lists_of_item[1].size(), 20u) << "what moves with an item's events";
  EXPECT_EQ(words_of_item[1].size(), 1u) << "what an item carries for good";
}

}  // namespace
}  // namespace dsi::tools
