// A progress bar on standard error, shown only where somebody looks: never into a file or pipe, nor
// between rows.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "dsi/tools/console_internal.h"

namespace dsi::tools {

enum class ProgressUnit : uint8_t { kBytes, kRows, kFiles };

class Progress {
 public:
  // prints_rows: the rows themselves go to standard output while the bar would be drawn. On a
  // terminal they show how far the work is, and a bar would stand among them.
  explicit Progress(const Console& console, bool prints_rows = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Draws at most ten times a second. total 0: unknown. Returns false once a signal asks to stop,
  // which is what the callbacks of the library want to hear.
  bool Update(std::string_view what, uint64_t done, uint64_t total, ProgressUnit unit);
  // Removes the bar; the next Update draws it again.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  void Draw(uint64_t done, uint64_t total, ProgressUnit unit, Clock::time_point now);

  bool shown_;
  size_t width_;
  bool on_screen_ = false;
  std::string what_;
  Clock::time_point phase_start_;
  Clock::time_point last_drawn_;
};

}  // namespace dsi::tools
