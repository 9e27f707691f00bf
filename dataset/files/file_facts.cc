#include "dsi/dataset/files/file_facts_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "dsi/reader/reader.h"

namespace dsi::internal {

std::vector<FactDifference> DifferencesOf(const Reader& reader, const FileFacts& facts) {
  std::vector<FactDifference> differences;
  const auto compare = [&](std::string_view what, uint64_t found, uint64_t told, auto&& text) {
    if (found != told) differences.push_back({what, text(found), text(told)});
  };
  const auto number = [](uint64_t value) { return std::to_string(value); };
  const auto hex = [](uint64_t value) { return fmt::format("{:016x}", value); };
  const FileInfo& info = reader.info();
  compare("bytes", info.file_bytes, facts.bytes, number);
  compare("fingerprint", info.fingerprint, facts.fingerprint, hex);
  compare("rows", info.num_rows, facts.num_rows, number);
  if (!differences.empty()) return differences;
  const auto kind = [](uint64_t is_overlay) {
    return std::string(is_overlay != 0 ? "an overlay" : "none");
  };
  compare("kind", info.overlay.has_value() ? 1 : 0, facts.overlay.has_value() ? 1 : 0, kind);
  if (!differences.empty()) return differences;
  if (info.overlay && (info.overlay->base_fingerprint != facts.overlay->base_fingerprint ||
                       info.overlay->rows != facts.overlay->rows))
    return {{"rows of the base", "others", "these"}};
  const bool is_same = std::ranges::equal(reader.stripes(), facts.stripe_rows, {},
                                          [](const StripeInfo& stripe) { return stripe.num_rows; });
  if (!is_same) return {{"rows of stripes", "others", "these"}};
  return differences;
}

}  // namespace dsi::internal
