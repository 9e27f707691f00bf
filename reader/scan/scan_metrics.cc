#include "dsi/reader/scan_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "dsi/base/no_throw_internal.h"

namespace dsi {
namespace {

class MetricsText {
 public:
  explicit MetricsText(std::span<const LabelledStats> scans) : scans_(scans) {}

  void Head(std::string_view name, std::string_view type, std::string_view help) {
    fmt::format_to(std::back_inserter(text_), "# HELP dsi_scan_{} {}\n# TYPE dsi_scan_{} {}\n",
                   name, help, name, type);
  }
  // A line for each scan.
  template <typename Value>
  void Lines(std::string_view name, std::string_view label, const Value& value) {
    for (const LabelledStats& scan : scans_) {
      const std::string_view comma = label.empty() || scan.labels.empty() ? "" : ",";
      const bool bare = label.empty() && scan.labels.empty();
      fmt::format_to(std::back_inserter(text_), "dsi_scan_{}{}{}{}{}{} {}\n", name, bare ? "" : "{",
                     scan.labels, comma, label, bare ? "" : "}", value(scan.stats));
    }
  }
  void Counter(std::string_view name, std::string_view help, uint64_t ScanStats::*value) {
    Head(name, "counter", help);
    Lines(name, "", [&](const ScanStats& stats) { return stats.*value; });
  }
  void Seconds(std::string_view stage, double ScanSeconds::*value) {
    Lines("seconds_total", fmt::format("stage=\"{}\"", stage),
          [&](const ScanStats& stats) { return stats.seconds.*value; });
  }
  template <typename Value>
  void Gauge(std::string_view name, std::string_view help, Value ScanStats::*value) {
    Head(name, "gauge", help);
    Lines(name, "", [&](const ScanStats& stats) { return stats.*value; });
  }
  std::string Take() { return std::move(text_); }

 private:
  std::span<const LabelledStats> scans_;
  std::string text_;
};

// Who makes batches is at work or blocked, who takes them waits or computes: where the one was
// blocked for longer than the other waited, computing takes longer than making. As long as there is
// room it is not blocked: then the consumer hardly waited for what it has.
bool WaitsForConsumer(const ScanSeconds& seconds) {
  constexpr double kHardly = 0.1;
  const double work = seconds.read + seconds.decode + seconds.fill;
  return seconds.blocked > seconds.wait || seconds.wait < kHardly * work;
}

}  // namespace

Result<std::string> PrometheusText(std::span<const LabelledStats> scans) {
  return internal::NoThrow([&]() -> Result<std::string> {
    if (scans.empty()) return std::string();
    MetricsText text(scans);
    text.Counter("rows_total", "Rows handed out.", &ScanStats::rows);
    text.Counter("rows_dropped_total", "Rows that the filter left out, or that are deleted.",
                 &ScanStats::rows_dropped);
    text.Counter("batches_total", "Batches handed out.", &ScanStats::batches);
    text.Counter("output_bytes_total", "Bytes of the batches handed out.",
                 &ScanStats::output_bytes);
    text.Counter("stripes_skipped_total", "Stripes passed over unread.",
                 &ScanStats::stripes_skipped);
    text.Counter("read_bytes_total", "Bytes read, with gaps.", &ScanStats::bytes_read);
    text.Counter("needed_bytes_total", "Bytes of the pages asked for.", &ScanStats::bytes_needed);
    text.Counter("reads_total", "Reads of the file.", &ScanStats::reads);
    text.Counter("values_decoded_total", "Entries decoded from pages.", &ScanStats::values_decoded);
    text.Counter("values_expanded_total", "Entries of all rows, as if nothing were deduplicated.",
                 &ScanStats::values_expanded);
    text.Head("seconds_total", "counter", "Time by stage.");
    text.Seconds("read", &ScanSeconds::read);
    text.Seconds("decode", &ScanSeconds::decode);
    text.Seconds("fill", &ScanSeconds::fill);
    text.Seconds("blocked", &ScanSeconds::blocked);
    text.Seconds("wait", &ScanSeconds::wait);
    text.Gauge("batches_ready", "Finished batches that wait for the consumer.",
               &ScanStats::batches_ready);
    text.Gauge("threads", "Threads that decode and fill.", &ScanStats::threads);
    return text.Take();
  });
}

Result<std::string> PrometheusText(const ScanStats& stats, std::string_view labels) {
  return internal::NoThrow([&] {
    const LabelledStats one = {std::string(labels), stats};
    return PrometheusText({&one, 1});
  });
}

ScanLimit LimitOf(const ScanStats& stats) noexcept {
  const ScanSeconds& seconds = stats.seconds;
  if (stats.batches == 0) return ScanLimit::kNothing;
  if (WaitsForConsumer(seconds)) return ScanLimit::kConsumer;
  if (seconds.read >= std::max(seconds.decode, seconds.fill)) return ScanLimit::kStorage;
  return seconds.decode >= seconds.fill ? ScanLimit::kDecoding : ScanLimit::kExpansion;
}

std::string_view ScanLimitName(ScanLimit limit) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"nothing", "storage", "decoding", "expansion",
                                                      "the consumer"};
  return kNames[std::min<size_t>(static_cast<size_t>(limit), kNames.size() - 1)];
}

}  // namespace dsi
