#include "dsi/io/same_file_internal.h"

#include <filesystem>
#include <system_error>

#include "dsi/io/uri_internal.h"

namespace dsi::internal {

bool IsSameFile(const std::string& a, const std::string& b) {
  if (!SchemeOf(a).empty() || !SchemeOf(b).empty()) return a == b;
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error) && !error) return true;
  const auto real_a = std::filesystem::weakly_canonical(a, error);
  if (error) return a == b;
  const auto real_b = std::filesystem::weakly_canonical(b, error);
  return error ? a == b : real_a == real_b;
}

}  // namespace dsi::internal
