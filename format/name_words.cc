#include "dsi/format/name_words_internal.h"

#include <algorithm>
#include <span>
#include <utility>

namespace dsi::internal {
namespace {

// Joined spellings ("sessionid") have no seam to find, so they stand here as well.
constexpr std::string_view kSessionNames[] = {"session_id",  "sessionid",    "sess_id",  "sessid",
                                              "session_key", "session_uuid", "visit_id", "visitid"};
constexpr std::string_view kJoinedKeys[] = {"userid", "visitorid", "requestid", "itemid", "uid"};
// Numbers of whom and of what: nothing but ids is called so.
constexpr std::string_view kOwners[] = {"user", "item"};
constexpr std::string_view kIdWords[] = {"id", "key", "uuid"};
constexpr std::string_view kTimes[] = {"timestamp", "time_stamp", "ts", "time"};
// Only with the size of a point in time: "at" ends many names.
constexpr std::string_view kTimeEnds[] = {"timestamp", "time_stamp", "ts",
                                          "time",      "at",         "datetime"};

constexpr int64_t kAnyTime = INT64_MAX;

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// True for `word` itself and for what ends in it after a seam.
bool EndsInWord(std::string_view words, std::string_view word) {
  if (!words.ends_with(word)) return false;
  return words.size() == word.size() || words[words.size() - word.size() - 1] == '_';
}

bool EndsInAny(std::string_view words, std::span<const std::string_view> any) {
  return std::any_of(any.begin(), any.end(),
                     [&](std::string_view word) { return EndsInWord(words, word); });
}

bool IsAny(std::string_view words, std::span<const std::string_view> any) {
  return std::find(any.begin(), any.end(), words) != any.end();
}

// Cuts the unit off a name that ends in one: "ts_ms" is "ts".
TimeUnit CutUnit(std::string_view* words) {
  constexpr std::pair<std::string_view, TimeUnit> kUnits[] = {
      {"_s", TimeUnit::kSeconds},       {"_sec", TimeUnit::kSeconds},
      {"_seconds", TimeUnit::kSeconds}, {"_ms", TimeUnit::kMillis},
      {"_millis", TimeUnit::kMillis},   {"_us", TimeUnit::kMicros},
      {"_micros", TimeUnit::kMicros},   {"_ns", TimeUnit::kNanos},
      {"_nanos", TimeUnit::kNanos}};
  for (const auto& [end, unit] : kUnits) {
    if (!words->ends_with(end)) continue;
    words->remove_suffix(end.size());
    return unit;
  }
  return TimeUnit::kNone;
}

bool IsTimestamp(std::string_view words, int64_t greatest) {
  constexpr int64_t kYear1973 = 100'000'000;
  const bool is_since_1973 = greatest >= kYear1973;
  // A time that does not have the size of a point in time in its unit is a duration.
  if (const TimeUnit unit = CutUnit(&words); unit != TimeUnit::kNone) {
    return EndsInAny(words, kTimeEnds) && is_since_1973 &&
           (greatest == kAnyTime || UnitBySize(greatest) == unit);
  }
  return IsAny(words, kTimes) || (is_since_1973 && EndsInAny(words, kTimeEnds));
}

std::string WordsOfPart(std::string_view name) {
  std::string words;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    // "sessionId" and "HTTPSession" have a seam before the capital, "ID" has none inside.
    const bool seam = IsUpper(c) && i > 0 &&
                      (IsLower(name[i - 1]) || IsDigit(name[i - 1]) ||
                       (IsUpper(name[i - 1]) && i + 1 < name.size() && IsLower(name[i + 1])));
    if (seam) words += '_';
    words += IsUpper(c) ? static_cast<char>(c | 0x20) : (c == '-' || c == ' ') ? '_' : c;
  }
  return words;
}

}  // namespace

std::string NameWords(std::string_view name) {
  // A dot at the end, or a name of dots, has no last part.
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return WordsOfPart(name);
  std::string words = WordsOfPart(name.substr(dot + 1));
  // Only what it is the id of says anything: "user.id" is "user_id".
  if (IsAny(words, kIdWords) && dot > 0) words = NameWords(name.substr(0, dot)) + "_" + words;
  return words;
}

int SessionRank(std::string_view name) {
  const std::string words = NameWords(name);
  // A number of sessions ends in the bare word too.
  if (words == "session" || IsAny(words, kSessionNames)) return 2;
  return EndsInAny(words, kSessionNames) ? 1 : 0;
}

bool IsTimeName(std::string_view name) {
  const std::string words = NameWords(name);
  return EndsInAny(words, kTimeEnds) || EndsInWord(words, "date") || words.starts_with("date_");
}

bool IsIdName(std::string_view name) { return EndsInAny(NameWords(name), kIdWords); }

bool MayTellDay(std::string_view text) {
  constexpr std::ptrdiff_t kFewestDigits = 5;  // Of "1/2/999" and "Jan 1 2020".
  return std::count_if(text.begin(), text.end(), IsDigit) >= kFewestDigits;
}

bool AreRoundedIds(std::string_view name, int64_t least, int64_t greatest) {
  constexpr int64_t kWholeInFloat32 = int64_t{1} << 24;
  constexpr int64_t kWholeInFloat64 = int64_t{1} << 53;
  const bool are_ids = IsIdName(name) || least > kWholeInFloat32;
  const int64_t most = are_ids ? kWholeInFloat32 : kWholeInFloat64;
  return greatest > most || least < -most;
}

Kind KindOfColumns(const std::vector<ColumnSpec>& columns) {
  const bool are_weights = columns.size() == 2 && columns[0].name == "ids" &&
                           columns[1].name == "weights" && IsInteger(columns[0].type) &&
                           IsFloat(columns[1].type);
  return are_weights ? Kind::kWeighted : Kind::kSequence;
}

TimeUnit UnitBySize(int64_t greatest) {
  // Seconds stay below 1e11 until the year 5138, and milliseconds are above it since 1973.
  if (greatest < 100'000'000'000) return TimeUnit::kSeconds;
  if (greatest < 100'000'000'000'000) return TimeUnit::kMillis;
  if (greatest < 100'000'000'000'000'000) return TimeUnit::kMicros;
  return TimeUnit::kNanos;
}

Kind KindByName(std::string_view name, Type type, int64_t greatest) {
  const std::string words = NameWords(name);
  if (type == Type::kInt64 && IsTimestamp(words, greatest)) return Kind::kTimestamp;
  const bool can_be_key = IsInteger(type) || type == Type::kBytes;
  // "video_id" tells one video from others; an "id" of nothing numbers the rows.
  const bool is_id_of = (words != "id" && EndsInWord(words, "id")) ||
                        EndsInAny(words, kJoinedKeys) || IsAny(words, kOwners);
  if (can_be_key && (is_id_of || SessionRank(name) > 0)) return Kind::kKey;
  if (type == Type::kBytes) return Kind::kString;
  return EndsInWord(words, "label") ? Kind::kLabel : Kind::kDense;
}

std::vector<std::string> ClusterByNames(const std::vector<FeatureSpec>& features) {
  std::string session;
  std::string time;
  int session_rank = 0;
  int time_rank = 0;
  for (const FeatureSpec& feature : features) {
    const int rank = feature.kind == Kind::kKey ? SessionRank(feature.name) : 0;
    if (rank > session_rank) {
      session = feature.name;
      session_rank = rank;
    }
    if (feature.kind != Kind::kTimestamp) continue;
    const int of_time = IsTimestamp(NameWords(feature.name), kAnyTime) ? 2 : 1;
    if (of_time > time_rank) {
      time = feature.name;
      time_rank = of_time;
    }
  }
  if (session.empty()) return {};
  if (time.empty()) return {session};
  return {session, time};
}

std::optional<std::string_view> NestedIn(std::string_view name,
                                         const std::unordered_set<std::string_view>& names) {
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    if (names.contains(name.substr(0, dot))) return name.substr(0, dot);
  }
  return std::nullopt;
}

bool MayNest(std::string_view name, const std::unordered_set<std::string_view>& names) {
  return !NestedIn(name, names).has_value();
}

}  // namespace dsi::internal
