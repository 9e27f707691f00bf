#include <string>

#include "dsi/base/error_internal.h"
#include "dsi/format/text_prefix_internal.h"

namespace dsi::internal {
namespace {

void AppendText(std::string_view text, std::vector<std::byte>* out) {
  out->push_back(static_cast<std::byte>(text.size()));
  for (const char c : text) out->push_back(static_cast<std::byte>(c));
}

Result<size_t> TakeSize(size_t most, std::span<const std::byte>* bytes) {
  if (bytes->empty()) return Corrupt("statistics: they end inside an entry (F-083)");
  const auto size = std::to_integer<size_t>(bytes->front());
  if (size > most)
    return Corrupt("statistics: {} bytes of a string, at most {} (F-083)", size, most);
  *bytes = bytes->subspan(1);
  return size;
}

Result<std::string_view> TakeText(size_t most, std::span<const std::byte>* bytes) {
  DSI_ASSIGN_OR_RETURN(const size_t size, TakeSize(most, bytes));
  if (size > bytes->size()) return Corrupt("statistics: they end inside an entry (F-083)");
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), size);
  *bytes = bytes->subspan(size);
  return text;
}

}  // namespace

void AppendTextBounds(const TextPrefix& least, const TextPrefix& greatest,
                      std::vector<std::byte>* out) {
  const std::string_view low = least.view();
  const std::string_view high = greatest.view();
  const auto shared = static_cast<size_t>(
      std::mismatch(low.begin(), low.end(), high.begin(), high.end()).first - low.begin());
  AppendText(low, out);
  out->push_back(static_cast<std::byte>(shared));
  AppendText(high.substr(shared), out);
}

Status TakeTextBounds(std::span<const std::byte>* bytes, TextPrefix* least, TextPrefix* greatest) {
  DSI_ASSIGN_OR_RETURN(const std::string_view low, TakeText(TextPrefix::kMaxSize, bytes));
  DSI_ASSIGN_OR_RETURN(const size_t shared, TakeSize(low.size(), bytes));
  DSI_ASSIGN_OR_RETURN(const std::string_view rest, TakeText(TextPrefix::kMaxSize - shared, bytes));
  *least = TextPrefix(low);
  *greatest = TextPrefix(std::string(low.substr(0, shared)).append(rest));
  if (*greatest < *least)
    return Corrupt("statistics: the greatest string is below the least (F-083)");
  if (shared < low.size() && rest.substr(0, 1) == low.substr(shared, 1))
    return Corrupt("statistics: {} bytes in common, there are more (F-083)", shared);
  return Status::Ok();
}

}  // namespace dsi::internal
