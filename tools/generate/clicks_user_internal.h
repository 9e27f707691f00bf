// A user of the clicks profile: interests, history, and the session under way.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "dsi/tools/generate/clicks_catalogue_internal.h"
#include "dsi/tools/generate/counter_rng_internal.h"
#include "dsi/tools/generate/json_text_internal.h"

namespace dsi::tools {

class ClicksUser {
 public:
  static constexpr size_t kHistoryLength = 48;

  // The history at `now_ms` is that of a user who has been here before, or, for one in eight,
  // empty.
  ClicksUser(uint64_t seed, uint32_t number, int64_t now_ms, const Catalogue& catalogue);

  uint32_t number() const { return number_; }
  uint64_t session() const { return session_; }
  bool in_session() const { return requests_left_ != 0; }
  bool HasSessionsLeft() const { return sessions_left_ != 0; }

  // The next number of this user's own stream.
  uint64_t Bits() { return DrawBits(key_, draws_++); }

  void StartSession(uint64_t session, uint32_t requests);
  // Returns false when that was the last request of the session.
  bool EndRequest(int64_t now_ms);
  int64_t MillisecondsSinceRequest(int64_t now_ms) const;

  uint32_t DrawItem(const Catalogue& catalogue);
  bool LikesCategory(uint32_t category) const;

  // Puts a viewed item at the end of the history.
  void Remember(uint32_t item, uint32_t category, int64_t now_ms);
  // The item viewed last, or 0.
  uint32_t LastItem() const { return history_.empty() ? 0 : history_.back().item; }

  // Members of the row's objects `user` and `dense`, without the braces.
  std::string_view ListsText(const IdWriter& ids);
  std::string_view DenseText(const IdWriter& ids);

 private:
  struct Event {
    uint32_t item;
    uint32_t category;
    uint32_t gap_bits;  // Bit length of the seconds since the event before.
  };

  void RenderFixed(const IdWriter& ids);
  void Render(const IdWriter& ids);

  uint64_t key_;
  uint64_t draws_ = 0;
  uint32_t number_;
  uint32_t sessions_left_;
  std::vector<uint32_t> interests_;
  std::vector<Event> history_;  // Oldest first.
  std::vector<uint32_t> this_session_;
  std::vector<uint32_t> last_session_;
  int64_t last_view_ms_;
  int64_t last_request_ms_;
  uint64_t session_ = 0;
  uint32_t requests_left_ = 0;
  uint32_t views_ = 0;
  bool rendered_ = false;
  JsonText fixed_lists_;
  JsonText fixed_dense_;
  JsonText lists_;
  JsonText dense_;
};

}  // namespace dsi::tools
