// Builds failed Statuses from a format string, so that messages state place, found and expected in
// one line of code.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "dsi/base/status.h"

namespace dsi::internal {

template <typename... Args>
Status Error(StatusCode code, fmt::format_string<Args...> text, Args&&... args) {
  return {code, fmt::format(text, std::forward<Args>(args)...)};
}

template <typename... Args>
Status Corrupt(fmt::format_string<Args...> text, Args&&... args) {
  return {StatusCode::kCorrupt, fmt::format(text, std::forward<Args>(args)...)};
}

template <typename... Args>
Status InvalidArgument(fmt::format_string<Args...> text, Args&&... args) {
  return {StatusCode::kInvalidArgument, fmt::format(text, std::forward<Args>(args)...)};
}

template <typename... Args>
Status BadInput(fmt::format_string<Args...> text, Args&&... args) {
  return {StatusCode::kBadInput, fmt::format(text, std::forward<Args>(args)...)};
}

}  // namespace dsi::internal
