#include "dsi/bench/choice_figures/stream_entropy.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dsi/codecs/choice/entropy_internal.h"
#include "dsi/codecs/width_internal.h"

namespace dsi::bench {
namespace {

using namespace internal;

ZeroOrder ZeroOrderOf(std::vector<uint64_t> symbols) {
  std::sort(symbols.begin(), symbols.end());
  std::vector<uint32_t> uses;
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (i == 0 || symbols[i] != symbols[i - 1]) uses.push_back(0);
    ++uses.back();
  }
  if (uses.empty()) return {};
  return {EntropyOfUses(uses) * static_cast<double>(symbols.size()) / 8, uses.size()};
}

}  // namespace

StreamEntropy EntropyOf(const Stream& stream) {
  std::vector<uint64_t> values;
  for (const Page& page : stream.pages) {
    VisitWidth(page.values.width, [&](auto zero) {
      for (const auto value : internal::Values<decltype(zero)>(page.values.view()))
        values.push_back(value);
    });
  }
  std::vector<uint64_t> steps;
  for (size_t i = 1; i < values.size(); ++i) steps.push_back(values[i] - values[i - 1]);
  return {ZeroOrderOf(std::move(values)), ZeroOrderOf(std::move(steps))};
}

}  // namespace dsi::bench
