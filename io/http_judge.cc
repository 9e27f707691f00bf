#include "dsi/io/http_judge_internal.h"

#include <curl/curl.h>

#include <algorithm>
#include <utility>

#include "dsi/base/error_internal.h"

namespace dsi::internal {
namespace {

constexpr double kFirstWait = 0.1;
constexpr double kLongestWait = 5;
constexpr size_t kMaxErrorText = 200;

Judgement GiveUp(std::string reason, StatusCode code = StatusCode::kIo) {
  return {.verdict = Verdict::kGiveUp, .code = code, .reason = std::move(reason)};
}

Judgement AskAgain(std::string reason) {
  return {.verdict = Verdict::kAskAgain, .reason = std::move(reason)};
}

Judgement TakeBody(const ContentRange& range) {
  return {.verdict = Verdict::kTakeBody, .range = range};
}

Judgement IgnoresRanges() {
  Judgement judgement = GiveUp("the server ignores ranges: it answered 200 with all of the file");
  judgement.ignores_ranges = true;
  return judgement;
}

// 200: all of the file. Worth taking where no more was asked for.
Judgement JudgeWhole(const HttpAnswer& answer, const RangeAsked& asked) {
  if (asked.identity != nullptr) return IgnoresRanges();
  // Without a length nobody could tell the file from its beginning.
  if (!answer.content_length || *answer.content_length > asked.size) return IgnoresRanges();
  const uint64_t size = *answer.content_length;
  return TakeBody({.begin = 0, .end = size, .total = size});
}

Judgement JudgeAnswer(const HttpAnswer& answer, const RangeAsked& asked) {
  if (answer.status != 200) return GiveUp("answered a part where all was asked for");
  const uint64_t size = answer.content_length.value_or(asked.size);
  if (size > asked.size) {
    return GiveUp(fmt::format("answered {} bytes; at most {} are taken", size, asked.size));
  }
  return TakeBody({.begin = 0, .end = size, .total = answer.content_length});
}

Judgement JudgePart(const HttpAnswer& answer, const RangeAsked& asked) {
  if (!answer.range) return AskAgain("answered 206 without a Content-Range that makes sense");
  const ContentRange& range = *answer.range;
  const auto misplaced = [&] {
    return AskAgain(fmt::format("bytes {}..{} were answered", range.begin, range.end));
  };
  if (asked.identity != nullptr) {
    if (range.begin != asked.offset || range.end > asked.offset + asked.size) return misplaced();
    if (range.end == range.begin) return misplaced();
  } else {
    if (!range.total) return AskAgain("answered 206 without the size of the file");
    const uint64_t size = *range.total;
    const uint64_t begin = asked.from_end ? size - std::min(size, asked.size) : asked.offset;
    const uint64_t end = std::min(begin + asked.size, size);
    if (range.begin != begin || range.end != end) return misplaced();
  }
  if (answer.content_length && *answer.content_length != range.end - range.begin) {
    return AskAgain(fmt::format("answered {} bytes as bytes {}..{}", *answer.content_length,
                                range.begin, range.end));
  }
  return TakeBody(range);
}

Judgement JudgeStatus(const HttpAnswer& answer, const RangeAsked& asked) {
  const int status = answer.status;
  switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return {.verdict = Verdict::kGoElsewhere, .reason = fmt::format("answered {}", status)};
    case 401:
      return GiveUp("answered 401 (credentials are asked for)");
    case 403:
      return GiveUp("answered 403 (not allowed)");
    case 404:
    case 410:
      return GiveUp(fmt::format("answered {} (no such file)", status), StatusCode::kNotFound);
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return AskAgain(fmt::format("answered {}", status));
    case 412:
      return GiveUp("the file was replaced since it was opened (answered 412)");
    case 416:
      // What an empty file answers.
      if (asked.identity == nullptr && answer.range && answer.range->total == 0u) {
        return TakeBody({.begin = 0, .end = 0, .total = 0});
      }
      return GiveUp(asked.identity == nullptr
                        ? "answered 416 (no such range)"
                        : "the file was shortened since it was opened (answered 416)");
    default:
      return GiveUp(fmt::format("answered {}", status));
  }
}

std::string_view Between(std::string_view text, std::string_view begin, std::string_view end) {
  const size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  const size_t stop = text.find(end);
  return stop == std::string_view::npos ? std::string_view() : text.substr(0, stop);
}

}  // namespace

std::string DifferenceTo(const RemoteIdentity& identity, const HttpAnswer& answer) {
  constexpr std::string_view kReplaced = "the file was replaced since it was opened";
  if (answer.range && answer.range->total && *answer.range->total != identity.size) {
    return fmt::format("{}: it had {} bytes and has {}", kReplaced, identity.size,
                       *answer.range->total);
  }
  if (!identity.etag.empty() && !answer.etag.empty() && answer.etag != identity.etag) {
    return fmt::format("{}: another ETag", kReplaced);
  }
  // Servers that share a file agree on its ETag rather than on its time.
  if (!identity.has_strong_etag() && !identity.last_modified.empty() &&
      !answer.last_modified.empty() && answer.last_modified != identity.last_modified) {
    return fmt::format("{}: modified {}, was {}", kReplaced, answer.last_modified,
                       identity.last_modified);
  }
  return {};
}

Judgement JudgeHead(const HttpAnswer& answer, const RangeAsked& asked) {
  if (answer.status != 200 && answer.status != 206) return JudgeStatus(answer, asked);
  if (!answer.content_encoding.empty() && answer.content_encoding != "identity") {
    return GiveUp("the server encodes the bytes (Content-Encoding), though asked not to");
  }
  if (asked.is_whole) return JudgeAnswer(answer, asked);
  if (asked.identity != nullptr) {
    std::string difference = DifferenceTo(*asked.identity, answer);
    if (!difference.empty()) return GiveUp(std::move(difference));
  }
  return answer.status == 200 ? JudgeWhole(answer, asked) : JudgePart(answer, asked);
}

bool IsUnreachable(int curl_code) {
  return curl_code == CURLE_COULDNT_RESOLVE_HOST || curl_code == CURLE_COULDNT_RESOLVE_PROXY ||
         curl_code == CURLE_COULDNT_CONNECT;
}

bool MayPass(int curl_code) {
  switch (curl_code) {
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_AGAIN:
      return true;
    default:
      return IsUnreachable(curl_code);
  }
}

double WaitSeconds(uint32_t tries, std::optional<uint64_t> retry_after_s, double random) {
  double wait = kFirstWait;
  for (uint32_t i = 1; i < tries && wait < kLongestWait; ++i) wait *= 2;
  wait = std::min(wait, kLongestWait) * (0.5 + 0.5 * random);
  return std::max(wait, static_cast<double>(retry_after_s.value_or(0)));
}

std::string ErrorInXml(std::string_view body) {
  const std::string_view code = Between(body, "<Code>", "</Code>");
  if (code.empty()) return {};
  const std::string_view message = Between(body, "<Message>", "</Message>");
  std::string text = fmt::format("{}{}{}", code, message.empty() ? "" : ": ", message);
  std::erase_if(text, [](char c) { return c < ' ' || c > '~'; });
  if (text.size() > kMaxErrorText) text.resize(kMaxErrorText);
  return text;
}

}  // namespace dsi::internal
