#include "dsi/bench/choice_figures/writer_choice.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "dsi/codecs/dictionary/narrow_codes_internal.h"
#include "dsi/codecs/node_internal.h"

namespace dsi::bench {
namespace {

using namespace internal;

template <typename Do>
double Seconds(const Do& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Timed {
  std::vector<WrittenStream::Page> pages;
  size_t choices = 0;
  double choose_s = 0;
  double all_s = 0;
};

// Codes are weighed against the ids themselves in each stripe.
Timed WriteCodes(const Stream& stream, const EncodeTuning& tuning) {
  Timed timed;
  EncodePlan plan;
  const auto codes = internal::Values<uint32_t>(stream.values.view());
  timed.choices = 2;
  timed.choose_s = Seconds([&] {
    const auto first = codes.first(std::min<size_t>(codes.size(), stream.page_values));
    plan = ChoosePlan(NarrowCodes(first, stream.largest_code).view(), tuning);
    ChoosePlan(stream.first_ids.view(), tuning);
  });
  timed.all_s = timed.choose_s;
  for (size_t at = 0; at < codes.size(); at += stream.page_values) {
    const auto page = codes.subspan(at, std::min<size_t>(codes.size() - at, stream.page_values));
    std::vector<std::byte> node;
    timed.all_s +=
        Seconds([&] { EncodeSharedCodes(page, stream.first_ids.width, plan, tuning, &node); });
    const NarrowCodes narrow(page, *std::max_element(page.begin(), page.end()));
    timed.pages.push_back({CopyOf(narrow.view()), {node.begin() + kNodeHeaderSize, node.end()}});
  }
  return timed;
}

Timed WriteValues(const Stream& stream, const EncodeTuning& tuning, RememberedPlan* memory) {
  Timed timed;
  const auto choose = [&](const ArrayView& page) {
    ++timed.choices;
    return Seconds([&] { ChoosePlan(page, tuning); });
  };
  const size_t count = stream.values.count;
  for (size_t at = 0; at < count; at += stream.page_values) {
    const ArrayView page = stream.values.view(at, std::min<size_t>(count - at, stream.page_values));
    const RememberedPlan before = *memory;
    std::vector<std::byte> node;
    timed.all_s += Seconds([&] { node = EncodePage(page, tuning, memory); });
    const bool chose = !before.is_known || before.bytes_per_value != memory->bytes_per_value;
    if (chose) timed.choose_s += choose(page);
    timed.pages.push_back({CopyOf(page), std::move(node)});
  }
  return timed;
}

}  // namespace

WrittenStream Write(const Stream& stream, const EncodeTuning& tuning, int runs,
                    RememberedPlan* memory) {
  WrittenStream written;
  std::vector<double> choose;
  std::vector<double> all;
  const RememberedPlan before = *memory;
  for (int run = 0; run < runs; ++run) {
    *memory = before;
    Timed timed = stream.memory == Memory::kCodes ? WriteCodes(stream, tuning)
                                                  : WriteValues(stream, tuning, memory);
    choose.push_back(timed.choose_s);
    all.push_back(timed.all_s);
    written.pages = std::move(timed.pages);
    written.choices = timed.choices;
  }
  written.choose_s = Median(std::move(choose));
  written.all_s = Median(std::move(all));
  return written;
}

}  // namespace dsi::bench
