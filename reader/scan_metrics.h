// What the counters of a scan say: for a trainer's exporter, and in a word.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/reader/scan_options.h"

namespace dsi {

// All of ScanStats in Prometheus' text format, as an exporter serves it: for each counter a line of
// help, one of its type, and `name{labels} value`. Names begin with dsi_scan_; seconds are one
// counter with a label stage. `labels` go into every line as they are, such as
// `job="ranker",file="day1"`; empty: none. Never throws; kResourceExhausted: no memory.
DSI_EXPORT Result<std::string> PrometheusText(const ScanStats& stats, std::string_view labels = {});

// One of several scans. `labels` tell it from the others, such as `source="clicks"`.
struct LabelledStats {
  std::string labels;
  ScanStats stats;
};

// The same of several scans that one exporter serves: each counter once, with a line for each scan.
// None: empty.
DSI_EXPORT Result<std::string> PrometheusText(std::span<const LabelledStats> scans);

// What a scan waits for most.
enum class ScanLimit : uint8_t { kNothing, kStorage, kDecoding, kExpansion, kConsumer };

// kConsumer: with ScanOptions::read_ahead_bytes, where finished batches waited for the consumer
// longer than it waited for them, or it hardly waited; a scan that makes batches in Next alone does
// not know what happens in between. Else the stage with the most time. kNothing: no batch was read
// yet.
DSI_EXPORT ScanLimit LimitOf(const ScanStats& stats) noexcept;

// "storage", "decoding", "expansion", "the consumer", "nothing".
DSI_EXPORT std::string_view ScanLimitName(ScanLimit limit) noexcept;

}  // namespace dsi
