// Status and Result<T>: how every call of the library reports success or failure.
//
// No call of the library throws, aborts or prints. A failed call says in words where it happened,
// what was found, what was expected, and where it helps what to do next. The code is stable and
// meant for programs; the message is for people.
//
// Thread safety: values; share them as you would a std::string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "dsi/base/export.h"

namespace dsi {

// Codes are stable: a program may switch on them. New ones are added at the end.
enum class StatusCode : uint8_t {
  kOk = 0,

  // The caller asked for something impossible: an unknown option, a wrong type, a call out of
  // order.
  kInvalidArgument = 1,

  // A file, a feature or a row that does not exist.
  kNotFound = 2,

  // The output exists, and replacing it was not asked for.
  kAlreadyExists = 3,

  // Stored bytes are damaged: a checksum, a size or a value breaks a rule of the format.
  kCorrupt = 4,

  // Sound, but it uses what this build does not know: a newer writer made it.
  kUnsupported = 5,

  // The file is something else.
  kNotDsi = 6,

  // The file ends too early, or was still being written.
  kTruncated = 7,

  // The operating system failed a call. The message has errno's text.
  kIo = 8,

  // A stated limit or budget (memory, rows, features) was exceeded, or memory ran out.
  kResourceExhausted = 9,

  // A callback of the caller's asked to stop, or threw.
  kCancelled = 10,

  // A row, a schema or a text that was handed in is malformed. The message names the line.
  kBadInput = 11,

  // A value does not fit the type that was asked for.
  kOutOfRange = 12,
};

// Returns the stable name of a code, such as "corrupt".
DSI_EXPORT std::string_view StatusCodeName(StatusCode code);

class [[nodiscard]] DSI_EXPORT Status {
 public:
  Status() = default;  // Ok.
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status Ok() { return {}; }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // "corrupt: part-0.dsi: page 7 at offset 4096: …", or "ok".
  std::string ToString() const;

  // Returns the same code with "where: " put in front of the message; ok stays ok.
  Status At(std::string_view where) const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

// Holds a T or the Status that says why there is none. Taking the value of a failed Result is a
// programming error and undefined: ask ok() first.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}          // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace dsi

// Returns early with the status of a failed expression.
#define DSI_RETURN_IF_ERROR(expr)              \
  do {                                         \
    ::dsi::Status dsi_status_ = (expr);        \
    if (!dsi_status_.ok()) return dsi_status_; \
  } while (false)

// DSI_ASSIGN_OR_RETURN(auto x, F()) declares x or returns the status.
#define DSI_CONCAT_INNER_(a, b) a##b
#define DSI_CONCAT_(a, b) DSI_CONCAT_INNER_(a, b)
#define DSI_ASSIGN_OR_RETURN(lhs, expr) \
  DSI_ASSIGN_OR_RETURN_(DSI_CONCAT_(dsi_result_, __LINE__), lhs, expr)
#define DSI_ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                          \
  if (!tmp.ok()) return tmp.status();         \
  lhs = *std::move(tmp)
