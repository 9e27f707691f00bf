// Users and places of the visits profile, and the row that a visit makes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsi/tools/generate/json_text_internal.h"
#include "dsi/tools/generate/log_ids_internal.h"

namespace dsi::tools {

struct VisitUser {
  uint64_t session = 0;  // 0 between sessions.
  uint32_t home = 0;     // A city.
  uint32_t visits = 0;
  int64_t last_visit_ms = 0;
  RecentIds<50> visited;
  RecentIds<50> categories;  // Of these places, as logged,
  RecentIds<50> gaps;        // and the hours since the visit before.
};

struct VisitPlace {
  uint32_t city = 0;
  uint32_t category = 0;
  double quality = 0;  // In [0, 1).
  float x_km = 0;      // On a map.
  float y_km = 0;
  uint32_t visits = 0;   // So far,
  uint64_t ratings = 0;  // and the sum of their ratings.
  RecentIds<20> visitors;
};

// 20,000 places, numbered from 1.
class VisitPlaces {
 public:
  static constexpr uint32_t kCities = 100;
  static constexpr uint32_t kPlacesPerCity = 200;
  static constexpr uint32_t kCategories = 120;

  explicit VisitPlaces(uint64_t seed);

  // Place `rank` of a city, both from 1.
  static uint32_t NumberOf(uint32_t city, uint32_t rank) { return (rank - 1) * kCities + city; }
  VisitPlace& At(uint32_t place) { return places_[place - 1]; }

 private:
  std::vector<VisitPlace> places_;
};

struct Visit {
  int64_t time_ms;
  uint32_t category;  // As logged.
  uint32_t rating;    // 1 to 5.
};

class VisitRow {
 public:
  VisitRow(uint64_t seed, IdWriter ids);

  void Append(const Visit& visit, uint32_t user_number, const VisitUser& user,
              uint32_t place_number, const VisitPlace& place, JsonText* out) const;

  static std::string SchemaJson();

 private:
  void AppendDense(const Visit& visit, const VisitUser& user, const VisitPlace& place,
                   uint32_t place_number, JsonText* out) const;
  void AppendDraws(uint64_t key, uint32_t most, uint32_t values, IdWriter::Space space,
                   JsonText* out) const;

  uint64_t user_key_;
  uint64_t place_key_;
  IdWriter ids_;
};

}  // namespace dsi::tools
