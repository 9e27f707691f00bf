// What the simulated logs (clicks, news, visits) share: rows come out as events happen, or, in
// session order, when their session ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dsi/tools/generate/generate_internal.h"
#include "dsi/tools/generate/json_text_internal.h"

namespace dsi::tools {

class LogGenerator : public RowGenerator {
 public:
  bool NextBlock(std::string* out) final;
  uint64_t rows_done() const final { return rows_done_; }

 protected:
  explicit LogGenerator(const GenerateOptions& options);

  // Lets the next thing happen, which may add rows.
  virtual void RunEvent() = 0;

  // Where to write the next row, a row of `session`; null when the table has all its rows. Valid
  // until the next call.
  JsonText* AddRow(uint64_t session);
  // No row of `session` comes after this.
  void EndSession(uint64_t session);

 private:
  uint64_t rows_;
  bool by_session_;
  size_t block_bytes_;
  uint64_t rows_made_ = 0;
  uint64_t rows_done_ = 0;
  JsonText text_;
  std::map<uint64_t, JsonText> held_;  // In session order: the rows of the open sessions.
};

}  // namespace dsi::tools
