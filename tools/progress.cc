#include "dsi/tools/progress_internal.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsi/tools/interrupt_internal.h"
#include "dsi/tools/number_text_internal.h"

namespace dsi::tools {
namespace {

constexpr auto kBetweenDraws = std::chrono::milliseconds(100);
// An estimate from less than this jumps about.
constexpr double kSecondsBeforeEstimate = 1.0;
constexpr size_t kBarCells = 24;

}  // namespace

Progress::Progress(const Console& console, bool prints_rows)
    : shown_(console.err_is_tty() && !console.quiet && !(prints_rows && console.out_is_tty())),
      width_(console.width()) {}

Progress::~Progress() { Clear(); }

bool Progress::Update(std::string_view what, uint64_t done, uint64_t total, ProgressUnit unit) {
  if (InterruptSignal() != 0) return false;
  if (!shown_) return true;
  const Clock::time_point now = Clock::now();
  if (what != what_) {
    what_ = what;
    phase_start_ = now;
  } else if (now - last_drawn_ < kBetweenDraws) {
    return true;
  }
  last_drawn_ = now;
  Draw(done, total, unit, now);
  return true;
}

void Progress::Draw(uint64_t done, uint64_t total, ProgressUnit unit, Clock::time_point now) {
  const auto amount = [unit](uint64_t n) {
    return unit == ProgressUnit::kBytes ? BytesText(n) : CountText(n);
  };
  const double share =
      total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  std::string line;
  if (total == 0) {
    line = fmt::format("{}  {}", what_, amount(done));
  } else {
    const auto cells = static_cast<size_t>(share * static_cast<double>(kBarCells));
    line = fmt::format("{}  [{:<{}}] {:3.0f}%  {} of {}", what_, std::string(cells, '#'), kBarCells,
                       share * 100, amount(done), amount(total));
  }
  if (unit == ProgressUnit::kRows) line += " rows";
  if (unit == ProgressUnit::kFiles) line += " files";
  const double seconds = std::chrono::duration<double>(now - phase_start_).count();
  if (seconds > kSecondsBeforeEstimate && share > 0.01 && share < 1) {
    line += fmt::format("  {} left", SecondsText(seconds / share - seconds));
  }
  PrintError("\r\x1b[K" + CutToWidth(Printable(line), width_ - 1));
  on_screen_ = true;
}

void Progress::Clear() {
  if (on_screen_) PrintError("\r\x1b[K");
  on_screen_ = false;
}

}  // namespace dsi::tools
