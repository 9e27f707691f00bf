#include "dsi/text/lines/path_keys_internal.h"

#include <algorithm>
#include <charconv>

#include "dsi/io/uri_internal.h"

namespace dsi::internal {
namespace {

constexpr std::string_view kNoValue = "__HIVE_DEFAULT_PARTITION__";

// What is no escape stays as it is.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr ==
            text.data() + i + 3) {
      plain += static_cast<char>(byte);
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace

std::vector<PathKey> KeysOfPath(std::string_view path) {
  std::vector<PathKey> keys;
  if (!SchemeOf(path).empty()) path = path.substr(0, path.find_first_of("?#"));
  for (size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
    const std::string_view folder = path.substr(0, slash);
    path.remove_prefix(slash + 1);
    const size_t equals = folder.find('=');
    if (equals == 0 || equals == std::string_view::npos) continue;
    const std::string name = Unescape(folder.substr(0, equals));
    std::erase_if(keys, [&](const PathKey& key) { return key.name == name; });
    if (folder.substr(equals + 1) == kNoValue) continue;
    keys.push_back({name, Unescape(folder.substr(equals + 1))});
  }
  return keys;
}

std::shared_ptr<const PathValues> ValuesOfPath(std::string_view path, const Schema& schema,
                                               const TimeForms& times) {
  auto found = std::make_shared<PathValues>();
  found->times = times;
  for (PathKey& key : KeysOfPath(path)) {
    for (uint32_t f = 0; f < schema.features.size(); ++f) {
      const FeatureSpec& feature = schema.features[f];
      if (feature.name == key.name && HasOneValue(feature.kind))
        found->values.push_back({f, std::move(key.value)});
    }
  }
  if (found->values.empty()) return nullptr;
  return found;
}

}  // namespace dsi::internal
