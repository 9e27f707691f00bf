#include "dsi/format/status.h"

#include <array>

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

std::string Status::ToString() const {
  if (ok()) return "ok";
  std::string text(StatusCodeName(code_));
  text += ": ";
  text += message_;
  return text;
}

Status Status::At(std::string_view where) const {
  if (ok()) return *this;
  std::string text(where);
  text += ": ";
  text += message_;
  return {code_, std::move(text)};
}

}  // namespace dsi
