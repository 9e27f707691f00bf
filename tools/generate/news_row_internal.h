// A row of the news profile: what it shows of the reader, the request and the article.
#pragma once

#include <cstdint>
#include <string>

#include "dsi/tools/generate/json_text_internal.h"
#include "dsi/tools/generate/log_ids_internal.h"
#include "dsi/tools/generate/news_front_internal.h"

namespace dsi::tools {

struct NewsReader {
  static constexpr uint32_t kHistory = 30;

  uint64_t session = 0;  // 0 between sessions.
  uint32_t session_clicks = 0;
  uint32_t clicks = 0;
  int64_t last_click_ms = 0;
  RecentIds<kHistory> clicked;
  RecentIds<kHistory> categories;  // Of `clicked`.
};

struct NewsRequest {
  uint64_t number;
  int64_t time_ms;
  uint64_t referrer;
};

class NewsRow {
 public:
  static constexpr int64_t kNotClicked = -1;

  // What a reader is for good follows from `reader_key` and the reader's number.
  NewsRow(uint64_t reader_key, IdWriter ids) : reader_key_(reader_key), ids_(ids) {}

  // Renders what the rows of one request share.
  void SetRequest(const NewsRequest& request, uint32_t reader_number, const NewsReader& reader);
  void Append(const NewsArticle& article, int64_t dwell_ms, JsonText* out) const;

  static std::string SchemaJson();

 private:
  void RenderLists(uint32_t number, const NewsReader& reader, uint64_t referrer);

  uint64_t reader_key_;
  IdWriter ids_;
  int64_t time_ms_ = 0;
  JsonText keys_;   // From the opening brace to the id of the user.
  JsonText dense_;  // Members of `dense`.
  JsonText lists_;  // The objects `context` and `user`.
};

}  // namespace dsi::tools
