#include "dsi/text/time_text.h"

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"
#include "dsi/format/iso_time_internal.h"

namespace dsi {

Result<int64_t> TimeOfText(std::string_view text, TimeUnit unit) {
  internal::IsoTime time;
  if (!internal::ParseIsoTime(text, &time)) {
    return internal::BadInput("found {}, expected a time of ISO 8601",
                              internal::QuoteForMessage(text));
  }
  int64_t value = 0;
  DSI_RETURN_IF_ERROR(internal::IsoToUnit(time, unit, &value));
  return value;
}

}  // namespace dsi
