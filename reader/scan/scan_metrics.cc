#include "dsi/reader/scan_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "dsi/base/no_throw_internal.h"

namespace dsi {
namespace {

class MetricsText {
 public:
  explicit MetricsText(std::string_view labels) : labels_(labels) {}

  void Head(std::string_view name, std::string_view type, std::string_view help) {
    fmt::format_to(std::back_inserter(text_), "# HELP dsi_scan_{} {}\n# TYPE dsi_scan_{} {}\n",
                   name, help, name, type);
  }
  template <typename Value>
  void Line(std::string_view name, std::string_view label, Value value) {
    const std::string_view comma = label.empty() || labels_.empty() ? "" : ",";
    const bool bare = label.empty() && labels_.empty();
    fmt::format_to(std::back_inserter(text_), "dsi_scan_{}{}{}{}{}{} {}\n", name, bare ? "" : "{",
                   labels_, comma, label, bare ? "" : "}", value);
  }
  void Counter(std::string_view name, std::string_view help, uint64_t value) {
    Head(name, "counter", help);
    Line(name, "", value);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string_view labels_;
  std::string text_;
};

}  // namespace

Result<std::string> PrometheusText(const ScanStats& stats, std::string_view labels) {
  return internal::NoThrow([&]() -> Result<std::string> {
    MetricsText text(labels);
    text.Counter("rows_total", "Rows handed out.", stats.rows);
    text.Counter("rows_dropped_total", "Rows that the filter left out, or that are deleted.",
                 stats.rows_dropped);
    text.Counter("batches_total", "Batches handed out.", stats.batches);
    text.Counter("output_bytes_total", "Bytes of the batches handed out.", stats.output_bytes);
    text.Counter("stripes_skipped_total", "Stripes passed over unread.", stats.stripes_skipped);
    text.Counter("read_bytes_total", "Bytes read, with gaps.", stats.bytes_read);
    text.Counter("needed_bytes_total", "Bytes of the pages asked for.", stats.bytes_needed);
    text.Counter("reads_total", "Reads of the file.", stats.reads);
    text.Counter("values_decoded_total", "Entries decoded from pages.", stats.values_decoded);
    text.Counter("values_expanded_total", "Entries of all rows, as if nothing were deduplicated.",
                 stats.values_expanded);
    text.Head("seconds_total", "counter", "Time by stage.");
    text.Line("seconds_total", "stage=\"read\"", stats.seconds.read);
    text.Line("seconds_total", "stage=\"decode\"", stats.seconds.decode);
    text.Line("seconds_total", "stage=\"fill\"", stats.seconds.fill);
    text.Line("seconds_total", "stage=\"blocked\"", stats.seconds.blocked);
    text.Line("seconds_total", "stage=\"wait\"", stats.seconds.wait);
    text.Head("batches_ready", "gauge", "Finished batches that wait for the consumer.");
    text.Line("batches_ready", "", stats.batches_ready);
    text.Head("threads", "gauge", "Threads that decode and fill.");
    text.Line("threads", "", stats.threads);
    return text.Take();
  });
}

ScanLimit LimitOf(const ScanStats& stats) noexcept {
  const ScanSeconds& seconds = stats.seconds;
  const double work = seconds.read + seconds.decode + seconds.fill;
  if (stats.batches == 0) return ScanLimit::kNothing;
  if (seconds.blocked > work) return ScanLimit::kConsumer;
  if (seconds.read >= std::max(seconds.decode, seconds.fill)) return ScanLimit::kStorage;
  return seconds.decode >= seconds.fill ? ScanLimit::kDecoding : ScanLimit::kExpansion;
}

std::string_view ScanLimitName(ScanLimit limit) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"nothing", "storage", "decoding", "expansion",
                                                      "the consumer"};
  return kNames[std::min<size_t>(static_cast<size_t>(limit), kNames.size() - 1)];
}

}  // namespace dsi
