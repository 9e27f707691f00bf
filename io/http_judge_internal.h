// What to do with an answer to a request for a range: take its body, ask again, go elsewhere, or
// give up. Functions of what was asked and answered, nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dsi/base/status.h"
#include "dsi/io/http_answer_internal.h"

namespace dsi::internal {

// The version of a file that was opened.
struct RemoteIdentity {
  uint64_t size = 0;
  std::string etag;           // Empty: none was sent.
  std::string last_modified;  // The same.

  // Whether the ETag says that bytes are the same, and not only their meaning.
  bool has_strong_etag() const { return etag.size() >= 2 && etag.front() == '"'; }
};

struct RangeAsked {
  uint64_t offset = 0;
  uint64_t size = 0;
  bool from_end = false;  // The last `size` bytes; offset is not used.
  // No range: all that the server answers, whose size it need not say, and at most `size` bytes.
  bool is_whole = false;
  // Null: the file is being opened, and its size not known. It may then have fewer bytes than asked
  // for, and be answered whole.
  const RemoteIdentity* identity = nullptr;
};

enum class Verdict { kTakeBody, kAskAgain, kGoElsewhere, kGiveUp };

struct Judgement {
  Verdict verdict = Verdict::kGiveUp;
  StatusCode code = StatusCode::kIo;
  std::string reason = {};  // Unless the body is taken.
  // Of a body that is taken: what it is of the file.
  ContentRange range = {};
  bool ignores_ranges = false;
};

// Judges the head of an answer.
Judgement JudgeHead(const HttpAnswer& answer, const RangeAsked& asked);

// Empty: what an answer says of its version is what was opened.
std::string DifferenceTo(const RemoteIdentity& identity, const HttpAnswer& answer);

// Whether an error of libcurl (a CURLcode) may pass by itself, as a refused or broken connection
// does and a bad certificate does not.
bool MayPass(int curl_code);
// Whether it came before the server was reached.
bool IsUnreachable(int curl_code);

// How long to wait after `tries` of them failed: 0.1 s, doubled each time up to 5 s, of which
// between a half and all by `random` (0 to 1); what the server asks for, if that is longer.
double WaitSeconds(uint32_t tries, std::optional<uint64_t> retry_after_s, double random);

// "AccessDenied: Access Denied" out of the XML that S3 answers errors with; else empty. Printable
// ASCII only, and not much.
std::string ErrorInXml(std::string_view body);

}  // namespace dsi::internal
