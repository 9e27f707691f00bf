#include "dsi/base/status.h"

#include <array>
#include <new>

namespace dsi {
namespace {

constexpr std::array<std::string_view, 13> kNames = {
    "ok",          "invalid argument", "not found",   "already exists", "corrupt",
    "unsupported", "not a dsi file",   "truncated",   "i/o error",      "resource exhausted",
    "cancelled",   "bad input",        "out of range"};

}  // namespace

std::string_view StatusCodeName(StatusCode code) {
  const auto i = static_cast<size_t>(code);
  return i < kNames.size() ? kNames[i] : "unknown";
}

// What fails for want of memory is told without any: these words fit into the std::string itself.
std::string Status::ToString() const try {
  if (ok()) return "ok";
  std::string text(StatusCodeName(code_));
  text += ": ";
  text += message_;
  return text;
} catch (const std::bad_alloc&) {
  return "out of memory";
}

Status Status::At(std::string_view where) const try {
  if (ok()) return *this;
  std::string text(where);
  text += ": ";
  text += message_;
  return {code_, std::move(text)};
} catch (const std::bad_alloc&) {
  return {code_, "out of memory"};
}

}  // namespace dsi
