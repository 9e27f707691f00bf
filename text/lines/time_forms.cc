#include "dsi/text/lines/time_forms_internal.h"

#include <clocale>
#include <cstdint>
#include <ctime>

#include "dsi/base/error_internal.h"
#include "dsi/base/json_position_internal.h"

namespace dsi::internal {
namespace {

constexpr size_t kMaxTextBytes = 127;
// Years have four digits, unless %y says two.
constexpr int kFirstYear = 1000;

// Names of months and days are English, whatever the locale of the program.
locale_t English() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

// Where %f stands; npos: nowhere.
size_t FindFraction(std::string_view format) {
  for (size_t i = 0; i + 1 < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (format[i + 1] == 'f') return i;
    ++i;  // Also behind %%.
  }
  return std::string_view::npos;
}

}  // namespace

Result<TimeForms> TimeForms::Create(const std::vector<std::string>& formats, TimeUnit epoch_unit) {
  TimeForms forms;
  forms.epoch_unit_ = epoch_unit;
  for (const std::string& format : formats) {
    Form form{.text = format, .before = format, .whole = format, .is_iso = format == "iso"};
    if (const size_t at = FindFraction(format); at != std::string_view::npos) {
      form.has_fraction = true;
      form.before = format.substr(0, at);
      form.whole = form.before + format.substr(at + 2);
    }
    if (!form.is_iso && !ReadsBack(form)) {
      return InvalidArgument(
          "time format {}: expected \"iso\" or a format of strptime that tells the year and the "
          "day, such as \"%d/%b/%Y:%H:%M:%S %z\" (%f: a fraction; %I with %p; no %Z)",
          QuoteForMessage(format));
    }
    forms.forms_.push_back(std::move(form));
  }
  return forms;
}

// A time is written by the form and read again: what it does not tell, from some field on, is lost,
// and nothing else may be.
bool TimeForms::ReadsBack(const Form& form) {
  constexpr int64_t kExample = 1'700'000'000;  // 2023-11-14T22:13:20Z.
  constexpr int64_t kLosses[] = {1, 60, 3600, 86'400};
  // Names of zones and seconds since 1970 would be read in the zone of the machine, or not at all.
  for (size_t i = 0; i + 1 < form.whole.size(); ++i) {
    if (form.whole[i] != '%') continue;
    if (++i; form.whole[i] == 'Z' || form.whole[i] == 's' || form.whole[i] == 'f') return false;
  }
  tm fields{};
  const time_t example = kExample;
  gmtime_r(&example, &fields);
  const std::string written =
      form.before + (form.has_fraction ? "0" : "") + form.whole.substr(form.before.size());
  char text[kMaxTextBytes + 1];
  const size_t length = strftime_l(text, sizeof(text), written.c_str(), &fields, English());
  IsoTime time;
  if (length == 0 || !ParseForm(form, std::string(text, length), &time)) return false;
  for (const int64_t loss : kLosses) {
    if (time.seconds == kExample - kExample % loss) return true;
  }
  return false;
}

bool TimeForms::ParseForm(const Form& form, const std::string& text, IsoTime* time) {
  *time = {};
  if (form.is_iso) return ParseIsoTime(text, time);
  std::string whole = text;
  tm fields{};
  if (form.has_fraction) {
    const char* const end = strptime_l(text.c_str(), form.before.c_str(), &fields, English());
    if (end == nullptr) return false;
    const auto at = static_cast<size_t>(end - text.c_str());
    std::string_view rest = std::string_view(text).substr(at);
    if (!TakeFraction(&rest, time)) return false;
    whole.erase(at, text.size() - rest.size() - at);
  }
  fields = {};
  fields.tm_mday = 0;  // There is no such day.
  const char* const end = strptime_l(whole.c_str(), form.whole.c_str(), &fields, English());
  if (end == nullptr || *end != '\0' || fields.tm_sec > 59) return false;
  // strptime takes "24" for %Y, and means the year 24.
  if (fields.tm_year < kFirstYear - 1900) return false;
  const tm stated = fields;
  time->seconds = timegm(&fields) - stated.tm_gmtoff;
  // A day that its month does not have is one of the next month by now.
  return fields.tm_mday == stated.tm_mday && fields.tm_mon == stated.tm_mon;
}

bool TimeForms::ParseStated(std::string_view text, IsoTime* time) const {
  if (text.size() > kMaxTextBytes || text.find('\0') != std::string_view::npos) return false;
  const std::string own(text);
  for (const Form& form : forms_) {
    if (ParseForm(form, own, time)) return true;
  }
  return false;
}

std::string TimeForms::Expected(TimeUnit unit) const {
  if (forms_.empty()) return ExpectedTime(unit);
  std::string expected = fmt::format("a whole number of {} since 1970", TimeUnitName(unit));
  for (const Form& form : forms_)
    expected +=
        form.is_iso ? " or a time of ISO 8601" : " or a time as " + QuoteForMessage(form.text);
  return expected;
}

}  // namespace dsi::internal
