#include "dsi/tools/generate/visits_row_internal.h"

#include "dsi/tools/generate/counter_rng_internal.h"
#include "dsi/tools/generate/schema_text_internal.h"

namespace dsi::tools {
namespace {

constexpr uint64_t kPlaceStream = 0x72;
constexpr uint64_t kUserListStream = 0x73;
constexpr uint64_t kPlaceListStream = 0x74;
constexpr uint32_t kCitiesInRow = 10;  // Cities are a grid of this width,
constexpr double kCityKm = 30;         // so far apart.
constexpr int64_t kHourMs = 3'600'000;

}  // namespace

VisitPlaces::VisitPlaces(uint64_t seed) : places_(kCities * kPlacesPerCity) {
  const uint64_t places_key = DeriveKey(seed, kPlaceStream);
  for (uint32_t i = 0; i < places_.size(); ++i) {
    const uint64_t key = DeriveKey(places_key, i + 1);
    const auto unit = [key](uint64_t counter) { return UnitFromBits(DrawBits(key, counter)); };
    VisitPlace& place = places_[i];
    const uint32_t city = i % kCities;
    place.city = city + 1;
    // Some categories have many more places than others: the square of a uniform number.
    const double what = unit(0);
    place.category = 1 + static_cast<uint32_t>(what * what * kCategories);
    place.quality = unit(1);
    // Places crowd around the middle of their city.
    place.x_km = ClearLowBits((city % kCitiesInRow) * kCityKm + 5 * (unit(2) + unit(3)));
    place.y_km = ClearLowBits((city / kCitiesInRow) * kCityKm + 5 * (unit(4) + unit(5)));
  }
}

VisitRow::VisitRow(uint64_t seed, IdWriter ids)
    : user_key_(DeriveKey(seed, kUserListStream)),
      place_key_(DeriveKey(seed, kPlaceListStream)),
      ids_(ids) {}

void VisitRow::Append(const Visit& visit, uint32_t user_number, const VisitUser& user,
                      uint32_t place_number, const VisitPlace& place, JsonText* out) const {
  out->Append("{\"session_id\":");
  ids_.Append(user.session, IdWriter::kSession, out);
  out->Append(",\"user_id\":");
  ids_.Append(user_number, IdWriter::kUser, out);
  out->Append(",\"item_id\":");
  ids_.Append(place_number, IdWriter::kItem, out);
  out->Append(",\"timestamp\":");
  out->AppendInteger(visit.time_ms);
  out->Append(",\"label\":");
  out->AppendInteger(visit.rating);
  out->Append(",\"dense\":{");
  AppendDense(visit, user, place, place_number, out);
  out->Append("},\"user\":{\"visited\":");
  user.visited.AppendTo(ids_, IdWriter::kItem, out);
  out->Append(",\"categories\":");
  user.categories.AppendTo(ids_, IdWriter::kCategory, out);
  out->Append(",\"gaps\":");
  user.gaps.AppendTo(IdWriter(false), IdWriter::kOther, out);
  out->Append(",\"home\":[");
  ids_.Append(user.home, IdWriter::kOther, out);
  out->Append("],\"groups\":");
  AppendDraws(DeriveKey(user_key_, user_number), 8, 400, IdWriter::kOther, out);
  out->Append("},\"place\":{\"category\":[");
  ids_.Append(visit.category, IdWriter::kCategory, out);
  out->Append("],\"city\":[");
  ids_.Append(place.city, IdWriter::kOther, out);
  out->Append("],\"words\":");
  AppendDraws(DeriveKey(place_key_, place_number), 10, 3000, IdWriter::kWord, out);
  out->Append(",\"recent_visitors\":");
  place.visitors.AppendTo(ids_, IdWriter::kUser, out);
  out->Append("}}\n");
}

void VisitRow::AppendDense(const Visit& visit, const VisitUser& user, const VisitPlace& place,
                           uint32_t place_number, JsonText* out) const {
  out->Append("\"hour\":");
  out->AppendFloat(static_cast<float>(visit.time_ms / kHourMs % 24));
  out->Append(",\"weekday\":");  // 0 is a Thursday.
  out->AppendFloat(static_cast<float>(visit.time_ms / (24 * kHourMs) % 7));
  out->Append(",\"user_visits\":");
  out->AppendFloat(static_cast<float>(user.visits));
  if (user.visits != 0) {
    out->Append(",\"hours_since_visit\":");
    out->AppendFloat(static_cast<float>((visit.time_ms - user.last_visit_ms) / kHourMs));
  }
  out->Append(",\"place_x\":");
  out->AppendFloat(place.x_km);
  out->Append(",\"place_y\":");
  out->AppendFloat(place.y_km);
  const uint64_t key = DeriveKey(place_key_, place_number);
  // Not every place says what it costs.
  if (Happens(DrawBits(key, 1), ProbabilityThreshold(0.7))) {
    out->Append(",\"place_price\":");
    out->AppendFloat(static_cast<float>(1 + BoundedFromBits(DrawBits(key, 2), 4)));
  }
  out->Append(",\"place_visits\":");
  out->AppendFloat(static_cast<float>(place.visits));
  if (place.visits != 0) {
    out->Append(",\"place_rating\":");
    out->AppendFloat(ClearLowBits(static_cast<double>(place.ratings) / place.visits));
  }
}

// A list of up to `most` ids in 1 .. `values`.
void VisitRow::AppendDraws(uint64_t key, uint32_t most, uint32_t values, IdWriter::Space space,
                           JsonText* out) const {
  const uint32_t count = BoundedFromBits(DrawBits(key, 0), most + 1);
  out->Append('[');
  for (uint32_t i = 0; i < count; ++i) {
    if (i != 0) out->Append(',');
    ids_.Append(1 + BoundedFromBits(DrawBits(key, 16 + i), values), space, out);
  }
  out->Append(']');
}

std::string VisitRow::SchemaJson() {
  SchemaText schema;
  for (const char* name : {"session_id", "user_id", "item_id"}) schema.AddKey(name);
  schema.AddTimestamp("timestamp");
  schema.AddLabel("label");
  for (const char* name : {"hour", "weekday", "user_visits", "hours_since_visit", "place_x",
                           "place_y", "place_price", "place_visits", "place_rating"}) {
    schema.AddDense(std::string("dense.") + name);
  }
  schema.AddList("user.visited", "item", false);
  schema.AddList("user.categories", "category", false);
  schema.AddList("user.gaps", "", false);
  schema.AddList("user.home", "", false);
  schema.AddList("user.groups", "", false);
  schema.AddList("place.category", "category", false);
  schema.AddList("place.city", "", false);
  schema.AddList("place.words", "word", false);
  schema.AddList("place.recent_visitors", "user", false);
  return schema.Finish();
}

}  // namespace dsi::tools
