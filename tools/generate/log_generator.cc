#include "dsi/tools/generate/log_generator_internal.h"

#include <algorithm>

namespace dsi::tools {

LogGenerator::LogGenerator(const GenerateOptions& options)
    : rows_(options.rows),
      by_session_(options.order == RowOrder::kSession),
      block_bytes_(options.block_bytes) {}

bool LogGenerator::NextBlock(std::string* out) {
  text_.Clear();
  while (text_.size() < block_bytes_ && rows_made_ < rows_) RunEvent();
  // The table ends in the middle of some sessions; their rows come last, in order of session.
  while (text_.size() < block_bytes_ && !held_.empty()) EndSession(held_.begin()->first);
  out->assign(text_.View());
  rows_done_ += static_cast<uint64_t>(std::count(out->begin(), out->end(), '\n'));
  return !out->empty();
}

JsonText* LogGenerator::AddRow(uint64_t session) {
  if (rows_made_ == rows_) return nullptr;
  ++rows_made_;
  return by_session_ ? &held_[session] : &text_;
}

void LogGenerator::EndSession(uint64_t session) {
  const auto found = held_.find(session);
  if (found == held_.end()) return;
  text_.Append(found->second.View());
  held_.erase(found);
}

}  // namespace dsi::tools
