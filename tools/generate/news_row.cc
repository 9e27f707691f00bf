#include "dsi/tools/generate/news_row_internal.h"

#include "dsi/tools/generate/counter_rng_internal.h"
#include "dsi/tools/generate/schema_text_internal.h"

namespace dsi::tools {

void NewsRow::SetRequest(const NewsRequest& request, uint32_t reader_number,
                         const NewsReader& reader) {
  time_ms_ = request.time_ms;
  keys_.Clear();
  keys_.Append("{\"session_id\":");
  ids_.Append(reader.session, IdWriter::kSession, &keys_);
  keys_.Append(",\"request_id\":");
  keys_.AppendInteger(static_cast<int64_t>(request.number));
  keys_.Append(",\"user_id\":");
  ids_.Append(reader_number, IdWriter::kUser, &keys_);

  dense_.Clear();
  dense_.Append("\"hour\":");
  dense_.AppendFloat(static_cast<float>(time_ms_ / 3'600'000 % 24));
  dense_.Append(",\"user_clicks\":");
  dense_.AppendFloat(static_cast<float>(reader.clicks));
  dense_.Append(",\"session_clicks\":");
  dense_.AppendFloat(static_cast<float>(reader.session_clicks));
  if (reader.clicks != 0) {
    dense_.Append(",\"seconds_since_click\":");
    dense_.AppendFloat(static_cast<float>((time_ms_ - reader.last_click_ms) / 1000));
  }
  RenderLists(reader_number, reader, request.referrer);
}

void NewsRow::RenderLists(uint32_t number, const NewsReader& reader, uint64_t referrer) {
  const uint64_t key = DeriveKey(reader_key_, number);
  lists_.Clear();
  lists_.Append("\"context\":{\"referrer\":[");
  ids_.Append(referrer, IdWriter::kOther, &lists_);
  lists_.Append("],\"session_items\":");
  reader.clicked.AppendTo(ids_, IdWriter::kItem, &lists_, reader.session_clicks);
  lists_.Append("},\"user\":{\"clicked\":");
  reader.clicked.AppendTo(ids_, IdWriter::kItem, &lists_);
  lists_.Append(",\"clicked_categories\":");
  reader.categories.AppendTo(ids_, IdWriter::kCategory, &lists_);
  lists_.Append(",\"device\":[");
  ids_.Append(1 + BoundedFromBits(DrawBits(key, 0), 6), IdWriter::kOther, &lists_);
  lists_.Append("],\"region\":[");
  ids_.Append(1 + BoundedFromBits(DrawBits(key, 1), 80), IdWriter::kOther, &lists_);
  lists_.Append("],\"segments\":[");
  const uint32_t segments = BoundedFromBits(DrawBits(key, 2), 9);
  for (uint32_t i = 0; i < segments; ++i) {
    if (i != 0) lists_.Append(',');
    ids_.Append(1 + BoundedFromBits(DrawBits(key, 16 + i), 500), IdWriter::kOther, &lists_);
  }
  lists_.Append("]}");
}

void NewsRow::Append(const NewsArticle& article, int64_t dwell_ms, JsonText* out) const {
  const bool clicked = dwell_ms != kNotClicked;
  out->Append(keys_.View());
  out->Append(",\"item_id\":");
  ids_.Append(article.number, IdWriter::kItem, out);
  out->Append(",\"timestamp\":");
  out->AppendInteger(time_ms_);
  out->Append(clicked ? ",\"label\":1,\"dense\":{" : ",\"label\":0,\"dense\":{");
  out->Append(dense_.View());
  out->Append(",\"item_age_minutes\":");
  out->AppendFloat(static_cast<float>((time_ms_ - article.published_ms) / 60'000));
  out->Append(",\"item_shown\":");
  out->AppendFloat(static_cast<float>(article.shown));
  out->Append(",\"item_clicks\":");
  out->AppendFloat(static_cast<float>(article.clicked));
  out->Append(",\"item_click_rate\":");
  out->AppendFloat(ClearLowBits((article.clicked + 1.0) / (article.shown + 8.0)));
  if (clicked) {
    const double dwell_s = static_cast<double>(dwell_ms) / 1000;
    out->Append(",\"read_share\":");
    out->AppendFloat(ClearLowBits(dwell_s / (dwell_s + 60)));
    out->Append(",\"dwell_seconds\":");
    out->AppendFloat(static_cast<float>(dwell_s));
    out->Append(",\"scrolls\":");
    out->AppendFloat(static_cast<float>(dwell_ms / 7000));
  } else {
    // Nothing was read of what was not clicked: 0. A visit that there was not has no dwell time.
    out->Append(",\"read_share\":0.0");
  }
  out->Append("},");
  out->Append(lists_.View());
  out->Append(",\"item\":{");
  out->Append(article.fixed.View());
  out->Append(",\"recent_visitors\":");
  article.visitors.AppendTo(ids_, IdWriter::kUser, out);
  out->Append(",\"co_clicks\":");
  article.co_clicks.AppendTo(ids_, IdWriter::kItem, out);
  out->Append("}}\n");
}

std::string NewsRow::SchemaJson() {
  SchemaText schema;
  for (const char* name : {"session_id", "request_id", "user_id", "item_id"}) schema.AddKey(name);
  schema.AddTimestamp("timestamp");
  schema.AddLabel("label");
  for (const char* name :
       {"hour", "user_clicks", "session_clicks", "seconds_since_click", "item_age_minutes",
        "item_shown", "item_clicks", "item_click_rate", "read_share", "dwell_seconds", "scrolls"}) {
    schema.AddDense(std::string("dense.") + name);
  }
  schema.AddList("context.referrer", "", false);
  schema.AddList("context.session_items", "item", false);
  schema.AddList("user.clicked", "item", false);
  schema.AddList("user.clicked_categories", "category", false);
  for (const char* name : {"device", "region", "segments"}) {
    schema.AddList(std::string("user.") + name, "", false);
  }
  schema.AddList("item.category", "category", false);
  schema.AddList("item.publisher", "", false);
  schema.AddList("item.words", "word", false);
  schema.AddList("item.recent_visitors", "user", false);
  schema.AddList("item.co_clicks", "item", false);
  return schema.Finish();
}

}  // namespace dsi::tools
