// Times as text.
#pragma once

#include <cstdint>
#include <string_view>

#include "dsi/base/export.h"
#include "dsi/base/status.h"
#include "dsi/format/types.h"

namespace dsi {

// A date, or a date and time, of ISO 8601 in units since 1970-01-01T00:00:00Z, as rows of JSON and
// CSV are read: "2024-05-01", "2024-05-01T12:30:15.25+02:00", "2024-05-01 12:30". Without an offset
// it is UTC. kBadInput: it is none. kOutOfRange: it has a finer fraction than `unit`, or lies
// beyond 64 bits.
DSI_EXPORT Result<int64_t> TimeOfText(std::string_view text, TimeUnit unit);

}  // namespace dsi
