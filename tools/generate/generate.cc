#include "dsi/tools/generate/generate_internal.h"

#include <cmath>

#include "dsi/tools/generate/clicks_internal.h"
#include "dsi/tools/generate/feature_class_internal.h"
#include "dsi/tools/generate/news_internal.h"
#include "dsi/tools/generate/session_table_internal.h"
#include "dsi/tools/generate/visits_internal.h"
#include "dsi/tools/generate/wide_internal.h"

namespace dsi::tools {
namespace {

constexpr uint32_t kMostFeatures = 10'000'000;
constexpr uint32_t kMostListLength = 1'000'000;
constexpr uint32_t kFewestArticles = 5;
constexpr uint32_t kMostItems = 10'000'000;
constexpr double kLongestSession = 1e6;

bool IsShare(double x) { return x >= 0 && x <= 1; }

// One sentence on the first option that is out of range, or nothing.
std::string FindBadOption(const GenerateOptions& o) {
  if (o.block_bytes == 0) return "the block size must not be 0";
  if (o.mean_session && !(*o.mean_session >= 1 && *o.mean_session <= kLongestSession)) {
    return "the mean session length must be between 1 and 1000000 rows, got " +
           std::to_string(*o.mean_session);
  }
  for (const std::optional<double>& share : {o.sequence_duplicate, o.set_duplicate, o.coverage}) {
    if (share && !IsShare(*share)) {
      return "a duplicate rate or coverage must be between 0 and 1, got " + std::to_string(*share);
    }
  }
  for (const double rate : o.duplicate_rates) {
    if (!IsShare(rate)) {
      return "a duplicate rate must be between 0 and 1, got " + std::to_string(rate);
    }
  }
  for (const std::optional<uint32_t>& length :
       {o.sequence_length, o.sequence_shift, o.list_length}) {
    if (length && *length > kMostListLength) {
      return "a list length or shift must be at most 1000000, got " + std::to_string(*length);
    }
  }
  if (o.features && (*o.features == 0 || *o.features > kMostFeatures)) {
    return "the number of features must be between 1 and 10000000, got " +
           std::to_string(*o.features);
  }
  if (o.items && (*o.items < 2 || *o.items > kMostItems)) {
    return "the number of items must be between 2 and 10000000, got " + std::to_string(*o.items);
  }
  if (o.profile == "news" && o.items && *o.items < kFewestArticles) {
    return "a click and its negatives need at least 5 items, got " + std::to_string(*o.items);
  }
  return {};
}

}  // namespace

const std::vector<ProfileDescription>& GenerateProfiles() {
  static const std::vector<ProfileDescription> profiles = {
      {"clicks",
       "click log of a shop: users who come back, a catalogue whose items change, "
       "several impressions a request (about 1 KB a row)"},
      {"news",
       "clicks with 4 sampled negatives each: thousands of sessions open at a time, articles that "
       "come and go",
       300'000},
      {"visits",
       "ratings of 20,000 places by 20,000 users who come back after days: 1.15 rows a session, "
       "histories of up to 50",
       300'000},
      {"p1", "heavy in lists: 6 histories, 20 user sets, 4 item lists, 122 floats"},
      {"p2", "small: 2 histories, 6 user sets, 2 item lists, 120 floats"},
      {"p3",
       "the reference table: 6 histories, 20 user sets, 5 item lists, 390 floats "
       "(about 18 KB a row)"},
      {"p4", "heavy in floats: 2 histories, 6 user sets, 3 item lists, 340 floats"},
      {"wide", "20,000 features of which a row has 1 %"},
      {"sweep",
       "lists that repeat with chosen rates in sessions of one length, for checks of the "
       "dedupe formula"},
  };
  return profiles;
}

std::unique_ptr<RowGenerator> RowGenerator::Create(const GenerateOptions& options,
                                                   std::string* error) {
  *error = FindBadOption(options);
  if (!error->empty()) return nullptr;
  if (options.profile == "clicks") return MakeClicks(options);
  if (options.profile == "news") return MakeNews(options);
  if (options.profile == "visits") return MakeVisits(options);
  if (options.profile == "wide") return MakeWide(options);
  SessionProfile profile;
  if (FindSessionProfile(options, &profile)) return MakeSessionTable(options, profile);
  *error = "no profile is named '" + options.profile + "'; there are";
  for (const ProfileDescription& p : GenerateProfiles()) error->append(1, ' ').append(p.name);
  return nullptr;
}

}  // namespace dsi::tools
