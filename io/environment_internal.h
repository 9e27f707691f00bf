// Variables of the environment.
#pragma once

#include <cstdlib>
#include <string>

namespace dsi::internal {

// Empty: not set.
inline std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// What is given, else the first variable that says something.
template <typename... Names>
std::string FirstOf(std::string given, Names... names) {
  for (const char* name : {names...}) {
    if (given.empty()) given = Environment(name);
  }
  return given;
}

// "true", "yes", "1", "on", in any case.
inline bool IsSwitchedOn(const char* name) {
  std::string value = Environment(name);
  for (char& c : value) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return value == "true" || value == "yes" || value == "1" || value == "on";
}

}  // namespace dsi::internal
