// Heads of a server's answers, line by line, and what is made of them; and the body of an error.
// Numbers and texts are bounded, and a body that is taken is of what was asked for.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dsi/io/http_answer_internal.h"
#include "dsi/io/http_judge_internal.h"

namespace {

using dsi::internal::ContentRange;
using dsi::internal::HttpAnswer;
using dsi::internal::Judgement;
using dsi::internal::RangeAsked;
using dsi::internal::RemoteIdentity;
using dsi::internal::Verdict;

constexpr size_t kMostText = 1024;

void Require(bool holds) {
  if (!holds) std::abort();
}

void RequireSound(const ContentRange& range) {
  Require(range.begin <= range.end && range.end <= uint64_t{1} << 63);
  if (range.total) Require(range.end <= *range.total);
}

void RequireBounded(const HttpAnswer& answer) {
  Require(answer.status >= 0 && answer.status <= 999);
  for (const std::string* text :
       {&answer.etag, &answer.last_modified, &answer.content_encoding, &answer.bucket_region})
    Require(text->size() <= kMostText);
  if (answer.range) RequireSound(*answer.range);
}

void Judge(const HttpAnswer& answer, const RangeAsked& asked) {
  const Judgement judged = JudgeHead(answer, asked);
  if (judged.verdict != Verdict::kTakeBody) return Require(!judged.reason.empty());
  RequireSound(judged.range);
  if (asked.is_whole || judged.ignores_ranges || asked.identity == nullptr) return;
  // Nothing before what was asked for, nothing behind it.
  Require(judged.range.begin == asked.offset && judged.range.end <= asked.offset + asked.size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  HttpAnswer answer;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    answer.AddLine(text.substr(at, end - at));
    RequireBounded(answer);
    at = end;
  }
  if (const auto range = dsi::internal::ParseContentRange(text)) RequireSound(*range);
  const RemoteIdentity opened{1000, "\"v1\"", "then"};
  const RemoteIdentity unnamed{1000, "", ""};
  for (const RangeAsked& asked :
       {RangeAsked{.offset = 100, .size = 50, .identity = &opened},
        RangeAsked{.offset = 0, .size = 1000, .identity = &unnamed},
        RangeAsked{.size = 64, .from_end = true}, RangeAsked{.size = 100, .is_whole = true},
        RangeAsked{.offset = 900, .size = 100, .is_whole = true, .identity = &opened}})
    Judge(answer, asked);
  for (const uint32_t tries : {0U, 1U, 31U, ~0U}) {
    const double seconds = dsi::internal::WaitSeconds(tries, answer.retry_after_s, 0.5);
    Require(seconds >= 0 && seconds < 1e20);
  }
  for (const char c : dsi::internal::ErrorInXml(text)) Require(c >= ' ' && c <= '~');
  return 0;
}
